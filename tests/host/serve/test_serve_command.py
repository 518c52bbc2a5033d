# SPDX-License-Identifier: BSD-2-Clause
"""The command starts and ends cleanly, and refuses what cannot work."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from litemrc.device.bundle import DESCRIPTION, FORMAT

from tests.host.paced_device import paced
from tests.host.scripted_device import told
from tests.timeouts import scaled_timeout, wait_until

ROOT = Path(__file__).resolve().parents[3]
SIMULATOR = ROOT / "build/sim/gateware/obj_dir/Vsim"
SERVE = (sys.executable, "-m", "litemrc.cli.main", "serve", "--listen", "127.0.0.1:0")


@contextmanager
def command(*options: str, folder: Path) -> Iterator[tuple[subprocess.Popen, str, Path]]:
    """Run `litemrc serve`; yield the process, its URL and the file with what it says on stderr."""
    said = folder / "stderr"
    with said.open("w") as file:
        process = subprocess.Popen([*SERVE, *options], stdout=subprocess.PIPE, stderr=file, text=True)
    try:
        assert process.stdout
        yield process, process.stdout.readline().strip().rstrip("/"), said
    finally:
        process.kill()
        process.wait()


def ended(process: subprocess.Popen, number: signal.Signals) -> float:
    """Send a signal; return the seconds until the process ended with code 0."""
    begun = time.monotonic()
    process.send_signal(number)
    assert process.wait(scaled_timeout(10)) == 0
    return time.monotonic() - begun


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_readers(number: signal.Signals, tmp_path: Path) -> None:
    with paced(rate=20) as device, command("--port", device.url, folder=tmp_path) as (process, url, said):
        with httpx.stream("GET", f"{url}/api/v1/live", timeout=scaled_timeout(10)) as answer:
            lines = answer.iter_lines()
            while next(lines) != "event: epochs":
                pass
            assert ended(process, number) < scaled_timeout(2)
            for _ in lines:  # the stream has an end, it is not cut
                pass
        assert said.read_text() == ""


def test_a_signal_ends_a_server_whose_device_is_silent(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = f"socket://127.0.0.1:{silent.getsockname()[1]}"
        with command("--port", port, folder=tmp_path) as (process, url, _):
            assert not httpx.get(f"{url}/api/v1/devices", timeout=scaled_timeout(10)).json()["devices"][0][
                "connected"
            ]
            assert ended(process, signal.SIGTERM) < scaled_timeout(2)


def test_a_history_is_whole_behind_a_signal(tmp_path: Path) -> None:
    folder = tmp_path / "history"
    options = ("--history", str(folder))
    with (
        paced(rate=20) as device,
        command("--port", device.url, *options, folder=tmp_path) as (process, url, _),
    ):
        count = lambda: httpx.get(f"{url}/api/v1/devices").json()["devices"][0]["epochs"]  # noqa: E731
        wait_until(lambda: count() >= 10, 20, "epoch 10")
        ended(process, signal.SIGTERM)
    assert list(folder.glob("epochs/device=device/date=*/*.parquet"))
    with paced(rate=0) as device, command("--port", device.url, *options, folder=tmp_path) as (_, url, _):
        kept = httpx.get(f"{url}/api/v1/devices/device/curves?start=0", timeout=scaled_timeout(10)).json()
        assert kept["epochs"] >= 10 and len(kept["curves"]) == 8


def test_a_device_that_is_powered_on_later_appears(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    options = ("--port", f"board=socket://127.0.0.1:{port}")
    with command(*options, folder=tmp_path) as (_, url, said):
        wait_until(lambda: "board: " in said.read_text(), 10, "the report")
        with paced(port, rate=20):
            state = lambda: httpx.get(f"{url}/api/v1/devices").json()["devices"][0]  # noqa: E731
            wait_until(lambda: state()["connected"], 20, "the device")
    assert "Connection refused" in said.read_text() and "board: the device is there" in said.read_text()


def test_a_device_that_is_not_of_its_bundle_is_refused_and_the_other_is_served(tmp_path: Path) -> None:
    described = {"format": FORMAT, "board": "ulx3s", "device": "85F", "identifier": "litemrc ulx3s 01234567"}
    (tmp_path / DESCRIPTION).write_text(json.dumps(described | {"files": {}}))
    with (
        paced(identifier="litemrc ulx3s 01234567") as own,
        paced(identifier="litemrc arty 01234567") as other,
    ):
        options = ("--port", f"own={own.url}", "--port", f"other={other.url}", "--bundle", str(tmp_path))
        with command(*options, folder=tmp_path) as (_, url, said):
            devices = lambda: httpx.get(f"{url}/api/v1/devices").json()["devices"]  # noqa: E731
            states = lambda: {each["name"]: (each["connected"], each["failure"]) for each in devices()}  # noqa: E731
            wait_until(lambda: states()["own"] == (True, None) and states()["other"][1], 20, "both answers")
            assert "'litemrc arty 01234567'" in states()["other"][1]
            assert "other: " in said.read_text() and "own: " not in said.read_text()
    assert not other.requests


def run(*options: str) -> subprocess.CompletedProcess:
    return subprocess.run([*SERVE[:-2], *options], capture_output=True, text=True, timeout=scaled_timeout(30))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--port", "foo://x"], "not a port"),
        (["--port", "a=/dev/x", "--port", "b=/dev/y", "--label", "c:k=v"], "no device is called c"),
        (["--port", "/dev/x", "--bundle", "/nowhere"], "/nowhere/bundle.json"),
        (["--port", "/dev/x", "--listen", "127.0.0.1"], "not an address"),
        (["--port", "/dev/x", "--listen", "127.0.0.1:99999"], "not an address"),
        (["--port", "/dev/x", "--token-file", "/x"], "without --control"),
        (
            ["--port", "/dev/x", "--listen", "127.0.0.1:0", "--control", "--token-file", "/absent/x"],
            "token cannot be written",
        ),
        ([], "give --port URL, or --demo"),
        (["--demo", "--port", "/dev/x"], "--demo with --port"),
        (["--run", "zipf", "--sim", "/absent"], "make sim"),
        (["--run", "zipf:x", "--port", "/dev/x"], "not a program to run"),
        (["--run", "zipf", "--port", "a=/dev/x", "--port", "b=/dev/y"], "--run with several devices"),
    ],
)
def test_what_cannot_work_ends_with_code_2(options: list[str], what: str) -> None:
    found = run(*options)
    assert found.returncode == 2 and what in found.stderr and "Traceback" not in found.stderr


def test_a_taken_address_ends_with_code_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = run("--port", "/dev/x", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert found.returncode == 2 and "Address already in use" in found.stderr


def test_a_token_is_made_once_or_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("short\n")
    options = ("--port", "/dev/x", "--listen", "127.0.0.1:0", "--control")
    assert "too short" in run(*options, "--token-file", str(file)).stderr
    token = "0123456789abcdef-of-a-file"
    file.write_text(token + "\n")
    os.chmod(file, 0o644)
    with paced(rate=20) as device:
        ports = ("--port", device.url, "--control")
        with command(*ports, "--token-file", str(file), folder=tmp_path) as (_, url, said):
            wait_until(lambda: "chmod 600" in said.read_text(), 10, "the warning")
            assert token not in said.read_text()
            assert frozen(url, token) == 200
        with command(*ports, folder=tmp_path) as (_, url, said):
            (line,) = said.read_text().splitlines()
            assert line.startswith("litemrc: token for control: ")
            assert frozen(url, line.split()[-1]) == 200 and frozen(url, token) == 401


def test_a_token_file_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with paced(rate=20) as device:
        options = ("--port", device.url, "--control", "--token-file", str(file))
        with command(*options, folder=tmp_path) as (_, url, said):
            assert file.stat().st_mode & 0o777 == 0o600
            token = file.read_text().strip()
            assert len(token) >= 32 and token not in said.read_text() and str(file) in said.read_text()
            assert frozen(url, token) == 200
        with command(*options, folder=tmp_path) as (_, url, said):  # the next start reads it
            assert frozen(url, token) == 200 and said.read_text() == ""


def test_a_token_is_not_written_through_a_link(tmp_path: Path) -> None:
    """A link that leads nowhere: opening it for writing would make the file that it names."""
    (tmp_path / "token").symlink_to(tmp_path / "elsewhere")
    options = ("--port", "/dev/x", "--listen", "127.0.0.1:0", "--control")
    found = run(*options, "--token-file", str(tmp_path / "token"))
    assert found.returncode == 2 and "token cannot be read" in found.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_programs_run_over_and_over(tmp_path: Path) -> None:
    """The paced device never says that a program runs; it says here that each one has ended."""
    with paced(rate=20, system="") as device:
        ports = ("--port", device.url, "--run", "zipf", "--run", "loop:3")
        with command(*ports, folder=tmp_path) as (_, _, said):
            for count, (workload, context) in enumerate([(0, 1), (1, 3), (0, 1), (1, 3)], 1):
                wait_until(lambda n=count: device.requests.count("run") == n, 20, f"program {count}")
                started = device.settings["run"]
                assert (started["workload"], started["context"]) == (workload, context)
                device.also.append(
                    told(
                        "event",
                        kind="workload_done",
                        workload=workload,
                        context=context,
                        cycles=9,
                    )
                )
            assert said.read_text() == ""


def test_a_program_that_the_device_has_not_is_reported_while_it_is_served(tmp_path: Path) -> None:
    with (
        paced(rate=20) as device,
        command("--port", device.url, "--run", "zip", folder=tmp_path) as (_, url, said),
    ):
        wait_until(lambda: "did you mean zipf?" in said.read_text(), 20, "the report")
        assert httpx.get(f"{url}/api/v1/devices").status_code == 200


@pytest.mark.soc
@pytest.mark.skipif(not SIMULATOR.exists(), reason="no simulator: run make sim firmware")
def test_the_demo_is_one_command(tmp_path: Path) -> None:
    built = ("--sim", str(ROOT / "build/sim"), "--firmware", str(ROOT / "build/firmware/firmware.bin"))
    with command("--demo", "--no-open", *built, folder=tmp_path) as (process, url, _):
        state = lambda: httpx.get(f"{url}/api/v1/devices", timeout=scaled_timeout(10)).json()["devices"][0]  # noqa: E731
        wait_until(lambda: state()["connected"] and state()["epochs"] >= 2, 120, "two epochs")
        assert state()["name"] == "demo"
        curves = httpx.get(f"{url}/api/v1/devices/demo/curves?last=2", timeout=scaled_timeout(10)).json()[
            "curves"
        ]
        assert any(curve["accesses"] > 0 for curve in curves)
        ended(process, signal.SIGTERM)


def frozen(url: str, token: str) -> int:
    """Freeze the monitor; return the status of the answer."""
    wait_until(lambda: httpx.get(f"{url}/api/v1/devices").json()["devices"][0]["connected"], 20, "a session")
    headers = {"Authorization": f"Bearer {token}"}
    path = f"{url}/api/v1/devices/device/control/freeze"
    return httpx.post(path, json={"on": True}, headers=headers, timeout=scaled_timeout(10)).status_code


def test_what_an_open_address_exposes_is_said(tmp_path: Path) -> None:
    with command("--port", "/dev/x", "--listen", "0.0.0.0:0", folder=tmp_path) as (_, url, said):
        assert url.startswith("http://0.0.0.0:")
        wait_until(lambda: "whoever reaches this machine" in said.read_text(), 10, "the warning")
        port = url.rpartition(":")[2]
        for host, status in (("localhost", 200), ("evil.example", 400)):
            answer = httpx.get(f"http://127.0.0.1:{port}/api/v1/devices", headers={"Host": host})
            assert answer.status_code == status


def test_allowed_hosts_are_answered(tmp_path: Path) -> None:
    options = ("--port", "/dev/x", "--allow-host", "lab.example")
    with command(*options, folder=tmp_path) as (_, url, _):
        for host, status in (("lab.example:8000", 200), ("other.example", 400)):
            assert httpx.get(f"{url}/api/v1/devices", headers={"Host": host}).status_code == status
