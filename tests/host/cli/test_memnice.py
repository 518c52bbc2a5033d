# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc memnice`: what it writes to cgroups, and what it says where it cannot."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.cli.ranks import memnice

NODES = "0-3"  # of the machine


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cgroup of a kernel made of plain files: what is written to cpuset.mems takes effect."""
    real_write, real_mkdir = Path.write_text, Path.mkdir

    def populate(folder: Path) -> None:
        for name, text in {"cgroup.controllers": "cpu cpuset", "cpuset.mems.effective": NODES}.items():
            real_write(folder / name, text)

    def mkdir(folder: Path) -> None:
        real_mkdir(folder)
        populate(folder)

    def write(path: Path, text: str) -> int:
        if path.name == "cpuset.mems":
            if not memnice.listed(text) <= memnice.listed(NODES):
                raise OSError(errno.ERANGE, "Numerical result out of range")
            real_write(path.with_name("cpuset.mems.effective"), text)
        return real_write(path, text)

    def rmdir(folder: Path) -> None:
        kept[folder.name] = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
        shutil.rmtree(folder)

    kept: dict[str, dict[str, str]] = {}
    folder = tmp_path / "own"
    real_mkdir(folder)
    populate(folder)
    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "write_text", write)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    monkeypatch.setattr(memnice, "own_cgroup", lambda: folder)
    monkeypatch.setattr(memnice, "_removed", kept, raising=False)
    return folder


def removed() -> dict[str, dict[str, str]]:
    return memnice._removed


@pytest.mark.parametrize(("given", "nodes"), [("2", "0,1"), ("1", "0"), ("1-2", "1,2"), ("0,3", "0,3")])
def test_the_program_runs_in_a_cgroup_on_these_nodes(own: Path, given: str, nodes: str) -> None:
    assert main(["memnice", given, "--", "sh", "-c", "exit 7"]) == 7
    limit = removed()[f"memnice-{os.getpid()}"]
    assert limit["cpuset.mems"] == nodes
    assert removed()["program"]["cgroup.procs"] == "0"  # the process that writes it enters
    assert (own / "cgroup.subtree_control").read_text() == limit["cgroup.subtree_control"] == "+cpuset"
    assert [path.name for path in own.iterdir() if path.is_dir()] == []


def test_a_signal_that_ends_the_program_is_its_exit_code(own: Path) -> None:
    assert main(["memnice", "1", "--", "sh", "-c", "kill -TERM $$"]) == 128 + signal.SIGTERM


@pytest.mark.parametrize("nodes", ["0", "", "a", "3-", "-1", "1,,2", "2-1", "1.5", "1-5000", "9" * 99])
def test_no_number_and_no_list_of_nodes_is_refused(
    own: Path, nodes: str, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["memnice", nodes, "--", "true"])
    assert end.value.code == 2
    capsys.readouterr()


def test_nodes_that_are_not_there_are_refused_and_nothing_remains(
    own: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["memnice", "2-5", "--", "true"]) == 2
    assert "nodes 2,3,4,5 are not all there (got 0-3)" in capsys.readouterr().err
    assert [path.name for path in own.iterdir() if path.is_dir()] == []


def test_a_program_that_cannot_be_run_is_named(own: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["memnice", "1", "--", "/no/such/program"]) == 2
    assert "/no/such/program" in capsys.readouterr().err
    assert [path.name for path in own.iterdir() if path.is_dir()] == []


def test_a_cgroup_without_the_controller_is_refused(own: Path, capsys: pytest.CaptureFixture) -> None:
    (own / "cgroup.controllers").write_text("cpu memory")
    assert main(["memnice", "1", "--", "true"]) == 2
    assert "no controller cpuset" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "said"), [(errno.EBUSY, "has processes"), (errno.EACCES, "no permission")]
)
def test_a_cgroup_that_cannot_be_divided_is_refused(
    own: Path, number: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def fail(path: Path, text: str) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(memnice, "_write", fail)
    assert main(["memnice", "0-1", "--", "true"]) == 2
    text = capsys.readouterr().err
    assert said in text and "AllowedMemoryNodes=0,1" in text


def test_the_own_cgroup_is_that_of_the_limit_inside_another_memnice(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text(
        "25 1 0:22 / /sys rw - sysfs sysfs rw\n"
        "35 25 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 none rw\n"
    )
    (tmp_path / "cgroup").write_text("1:cpu:/\n0::/user/memnice-12/program\n")
    assert memnice.own_cgroup(tmp_path) == Path("/sys/fs/cgroup/user/memnice-12")
    (tmp_path / "mountinfo").write_text("25 1 0:22 / /sys rw - sysfs sysfs rw\n")
    with pytest.raises(memnice.UserError, match="version 2"):
        memnice.own_cgroup(tmp_path)


def test_on_this_machine_it_runs_the_program_or_says_what_is_missing() -> None:
    command = [sys.executable, "-m", "litemrc.cli.main", "memnice", "1", "--", "sh", "-c", "echo ran; exit 9"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2:
        assert "remedy:" in done.stderr and not done.stdout
    else:
        assert (done.returncode, done.stdout) == (9, "ran\n")
