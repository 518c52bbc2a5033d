# SPDX-License-Identifier: BSD-2-Clause
"""The file of the daemon's socket: its owner, group and mode, and what is in its way."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import PortError

from tests.firmware.daemon.cable import Cable
from tests.firmware.daemon.fake_driver import FakeDriver
from tests.firmware.daemon.serving import arguments_of, environment_of
from tests.firmware.daemon.socket_clients import client_of
from tests.timeouts import wait_until


@pytest.mark.parametrize("mode", [None, "0600", "666"])
def test_the_socket_belongs_to_the_daemons_user_and_has_the_mode_given(start_daemon, path, mode):
    start_daemon(f"--socket={path}", *([f"--socket-mode={mode}"] if mode else []))
    assert path.stat().st_mode & 0o777 == int(mode or "0660", 8)
    if os.geteuid() == 0:
        assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another group")
def test_the_group_of_the_socket_may_be_another(start_daemon, path):
    start_daemon(f"--socket={path}", "--socket-group=65532")
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65532)


@pytest.fixture
def refused(litemrcd: Path, driver: FakeDriver, folder: Path) -> Callable[..., str]:
    """Run a daemon that must refuse its socket; return what it said."""

    def run(*options: str) -> str:
        (folder / "empty.conf").write_text("")
        with Cable() as cable:
            command = [litemrcd, *arguments_of(driver, cable.tty, folder / "empty.conf"), *options]
            pipes = {"stderr": subprocess.PIPE, "text": True, "env": environment_of(driver)}
            with subprocess.Popen(command, **pipes) as process:
                wait_until(lambda: process.poll() is not None or driver.read("enable") == "1")
                served = process.poll() is None
                process.terminate()
                said = process.stderr.read()
        assert not served
        assert process.returncode == 2
        assert len(said.splitlines()) == 2, "what is wrong, and what to do"
        return said

    return run


def test_a_file_in_the_way_of_the_socket_stays_as_it_is(refused, folder, path):
    path.write_text("precious")
    (folder / "link.sock").symlink_to(path)
    (folder / "sub").mkdir()
    for place in (path, folder / "link.sock", folder / "sub"):
        assert f"--socket {place}: there is a file that is no socket" in refused(f"--socket={place}")
    assert path.read_text() == "precious"


def test_a_socket_that_another_program_serves_is_left_alone(refused, path):
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        assert f"--socket {path}: in use by another program" in refused(f"--socket={path}")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--socket="], "a path has 1 to 107 bytes"),
        ([f"--socket=/{'x' * 107}"], "a path has 1 to 107 bytes"),
        (["--socket=/absent/litemrcd.sock"], "/absent/litemrcd.sock: No such file or directory"),
        (["--socket=/tmp/litemrcd-absent.sock", "--socket-group=nobodys"], "nobodys: there is no such group"),
    ],
)
def test_a_socket_that_cannot_be_made_is_refused_with_a_remedy(refused, options, why):
    assert why in refused(*options)


def test_a_stale_socket_is_replaced(start_daemon, path):
    with socket.socket(socket.AF_UNIX) as before:
        before.bind(str(path))
    start_daemon(f"--socket={path}")
    with client_of(path) as client:
        assert client.hello.read_only


def test_no_link_of_the_folders_owner_leads_to_a_change_of_another_file(
    start_daemon, folder, path, monkeypatch
):
    victim = folder / "victim"
    victim.write_text("secret")
    victim.chmod(0o600)
    monkeypatch.setenv("STANDIN_SWAP", f"{path}:{victim}")
    start_daemon(f"--socket={path}", "--socket-mode=0666")
    assert victim.stat().st_mode & 0o777 == 0o600
    assert victim.stat().st_uid == os.geteuid()
    assert path.is_socket() and path.stat().st_mode & 0o777 == 0o666


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_no_link_in_the_cgroup_leads_root_to_another_file(start_daemon, driver, folder):
    victim = folder / "victim"
    victim.write_text("secret")
    for name in ("cgroup.procs", "memory.low"):
        (driver.cgroup / name).unlink()
        (driver.cgroup / name).symlink_to(victim)
    start_daemon()
    assert victim.read_text() == "secret"
    assert victim.stat().st_uid == 0


def test_nothing_but_the_socket_is_left_in_its_folder(start_daemon, folder):
    (folder / "sub").mkdir()
    start_daemon(f"--socket={folder}/sub/a.sock")
    assert [each.name for each in (folder / "sub").iterdir()] == ["a.sock"]


def test_a_socket_named_relatively_is_beside_the_caller(start_daemon, folder, path, monkeypatch):
    monkeypatch.chdir(folder)
    start_daemon(f"--socket={path.name}")
    with client_of(path) as client:
        assert client.hello.read_only


@pytest.mark.parametrize(
    ("url", "why"),
    [("unix://absent.sock", "names no path"), ("unix:///absent/litemrcd.sock", "No such file or directory")],
)
def test_a_socket_that_is_not_there_is_named(url, why):
    with pytest.raises(PortError, match=why), Device(url):
        pass
