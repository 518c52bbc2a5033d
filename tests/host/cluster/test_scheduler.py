# SPDX-License-Identifier: BSD-2-Clause
"""Dask clients and workers: what runs here is reachable only from here; a killed worker changes no count."""

import asyncio
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import litemrc
import numpy as np
import pytest
from distributed.nanny import WorkerProcess
from distributed.process import AsyncProcess
from litemrc.cluster.curve import ClusterMeasuring, measure
from litemrc.cluster.joined_run import JoinedRun
from litemrc.cluster.scheduler import ANSWER_WITHIN_S, check_version, open_client
from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.opening import create_trace

from tests.timeouts import scaled_timeout, wait_until

DASK = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
TRACE = "gen:zipf+loop?pages=200000&loop_pages=50000&n=12000000"


@contextmanager
def started(arguments: list[str], ready: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of Dask until the block ends; `ready` is a file that it writes when it has started."""
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        if ready:
            wait_until(lambda: ready.exists() and ready.stat().st_size > 0, 30, "the scheduler's start")
        yield process
    finally:
        process.terminate()
        process.wait(scaled_timeout(30))


def scheduler(folder: Path) -> list[str]:
    """Return the command of a scheduler on loopback that writes `folder`/scheduler.json."""
    file = str(folder / "scheduler.json")
    addresses = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
    return [*DASK, *addresses, "--scheduler-file", file]


def listening(pids: set[int]) -> set[str]:
    """Return the addresses, as of /proc/net/tcp, that some processes listen at."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            target = os.readlink(link) if link.is_symlink() else ""
            inodes |= {target[8:-1]} if target.startswith("socket:[") else set()
    lines = (Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()).splitlines()
    rows = [line.split() for line in lines]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}


def test_a_local_cluster_listens_on_loopback_only_and_its_workers_ignore_ctrl_c():
    said = []
    with open_client(None, workers=2, say=said.append) as client:
        pids = set(client.run(os.getpid).values())
        assert len(pids) == 2
        assert [state["nthreads"] for state in client.scheduler_info()["workers"].values()] == [1, 1]
        assert listening(pids | {os.getpid()}) == {"0100007F"}  # 127.0.0.1, as /proc/net/tcp writes it
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        assert set(client.run(os.getpid).values()) == pids
        assert said == [f"Dask's dashboard: {client.dashboard_link}"]
        assert client.dashboard_link.startswith("http://127.0.0.1:")


def test_a_local_cluster_closes_while_a_worker_is_started_again(monkeypatch):
    # Dask takes a worker for running that died before Dask had read that it runs, and whose next one starts.
    start = AsyncProcess.start

    async def slow(process: AsyncProcess) -> None:
        await asyncio.sleep(4)
        await start(process)

    def kill() -> None:
        (pid,) = client.run(os.getpid).values()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not client.nthreads(), 30, "the loss of the worker")

    with open_client(None, workers=1, say=lambda text: None) as client:
        monkeypatch.setattr(WorkerProcess, "_init_msg_interval", 2)
        kill()
        client.wait_for_workers(1)
        monkeypatch.setattr(AsyncProcess, "start", slow)
        kill()
        time.sleep(2)  # Dask reads what the dead worker had sent; the next one's process is not there yet


def test_a_scheduler_is_opened_by_its_address_and_by_its_file(tmp_path):
    file = tmp_path / "scheduler.json"
    with started(scheduler(tmp_path), file):
        address, said = json.loads(file.read_text())["address"], []
        for given in (address, str(file)):
            with open_client(given, say=said.append) as client:
                assert client.scheduler.address == address
        assert said[1::2] == ["the scheduler has no workers yet; the work begins when one joins"] * 2
        assert [text.startswith("Dask's dashboard: http://127.0.0.1:") for text in said] == [True, False] * 2
        with pytest.raises(UserError, match="applies to a local cluster"), open_client(address, workers=2):
            pass


def test_a_worker_without_litemrc_is_refused_by_its_address(tmp_path):
    # A worker whose Python finds the packages, but not LiteMRC's metadata: as an environment without it.
    hide = "import importlib.metadata as m\nreal = m.version\ndef version(name):\n    if name == 'litemrc':"
    hide += "\n        raise m.PackageNotFoundError(name)\n    return real(name)\nm.version = version\n"
    (tmp_path / "hide.py").write_text(hide)
    file = tmp_path / "scheduler.json"
    worker = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        "--scheduler-file",
        str(file),
        "--no-nanny",
    ]
    worker += ["--host", "127.0.0.1", "--nthreads", "1", "--preload", str(tmp_path / "hide.py")]
    with started(scheduler(tmp_path), file), started([*worker, "--no-dashboard"]):

        def refused() -> bool:
            try:
                with open_client(str(file), say=lambda text: None):
                    return False  # the worker has not joined yet
            except UserError as error:
                assert error.what == "LiteMRC is not installed on a worker"
                assert error.where.startswith("tcp://127.0.0.1:")
                return True

        wait_until(refused, 30, "the worker")


def test_another_version_on_a_worker_is_refused_with_both_versions():
    with pytest.raises(UserError, match=r"LiteMRC 0\.9\.0, and this is 0\.1\.0"):
        check_version("tcp://a:1", "0.9.0", "0.1.0")
    with pytest.raises(UserError, match="not installed"):
        check_version("tcp://a:1", PackageNotFoundError("litemrc"), "0.1.0")
    check_version("tcp://a:1", "0.1.0", "0.1.0")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("localhost", "not the address of a scheduler"),
        ("http://localhost:8786", "not the address of a scheduler"),
        ("tcp://localhost:65536", "not the address of a scheduler"),
        ("tcp://127.0.0.1:9", "Connection refused"),
        ("tcp://no-such-host.invalid:8786", "no Dask scheduler answers"),
        ("missing.json", "cannot read the scheduler's file"),
    ],
)
def test_an_address_without_a_scheduler_is_refused(given, what):
    with pytest.raises(UserError, match=what), open_client(given):
        pass


def test_a_file_that_is_no_schedulers_is_refused(tmp_path):
    for text in ("{", "[]", '{"id": 1}'):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(UserError, match="not a file of"), open_client(str(tmp_path / "other.json")):
            pass


def test_a_silent_listener_and_a_web_server_are_refused_in_time():
    class Quiet(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in (silent.getsockname()[1], web.server_port):
            began = time.monotonic()
            address = f"tcp://127.0.0.1:{port}"
            with pytest.raises(UserError, match="no Dask scheduler answers"), open_client(address):
                pass
            assert time.monotonic() - began < ANSWER_WITHIN_S + scaled_timeout(3)
    web.shutdown()
    web.server_close()


def litemrc_mrc(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "litemrc.cli.main", "mrc", *arguments]


def test_workers_killed_in_the_middle_change_no_count() -> None:
    killed: list[int] = []

    def kill(run: JoinedRun) -> Generator[None, None, None]:
        """Kill a worker at a third of the way, another at two thirds: results and running parts are lost."""
        for step in run.wait():
            yield step
            if run.fraction > (len(killed) + 1) / 3 and len(killed) < 2:
                (pid, *_) = [pid for pid in client.run(os.getpid).values() if pid not in killed]
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    with open_client(None, 2, say=lambda text: None) as client:
        found = measure(client, TRACE, ClusterMeasuring(parts=12), kill)
    assert len(killed) == 2
    wanted = litemrc.mrc(TRACE)
    assert np.array_equal(found.curve.miss_ratio, wanted.miss_ratio)
    assert (found.curve.accesses, found.curve.misses) == (wanted.accesses, wanted.misses)
    assert len(found.notes) == 1 and "measured again, as workers were lost" in found.notes[0]


def test_the_command_prints_the_same_as_on_one_machine(tmp_path: Path) -> None:
    pages = (np.random.default_rng(3).random(60_000) ** 2 * 5000).astype(np.uint64)
    with create_trace(tmp_path / "whole.oracleGeneral") as writer:
        writer.write(Chunk(pages))
    (tmp_path / "parts").mkdir()
    records = (tmp_path / "whole.oracleGeneral").read_bytes()
    for number in range(3):
        piece = records[24 * 20_000 * number : 24 * 20_000 * (number + 1)]
        (tmp_path / "parts" / f"{number}.oracleGeneral").write_bytes(piece)
    one = subprocess.run(litemrc_mrc(str(tmp_path / "whole.oracleGeneral")), capture_output=True, text=True)
    arguments = [str(tmp_path / "parts"), "--workers", "2", "--parts", "3"]
    parts = subprocess.run(litemrc_mrc(*arguments), capture_output=True, text=True)
    assert (parts.returncode, one.returncode) == (0, 0)
    assert parts.stdout == one.stdout
    assert parts.stdout.startswith("60,000 accesses, ")
    assert parts.stderr.startswith("litemrc: note: Dask's dashboard: http://127.0.0.1:")


def test_ctrl_c_keeps_the_curve_of_the_references_before() -> None:
    long = TRACE.replace("12000000", "4000000000")
    command = litemrc_mrc(long, "--workers", "2", "--parts", "100", "--json")
    # A process group of its own, as a terminal's: Ctrl-C reaches the workers, too.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    )
    try:
        assert process.stderr is not None
        while "measuring: " not in (line := process.stderr.readline()):  # one comes every 5 s
            assert line, "the command ended"
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=scaled_timeout(30))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 130
    assert "interrupted: the curves cover the references read so far" in errors
    curve = json.loads(output)
    assert curve["interrupted"] is True
    assert 0 < curve["accesses"] < 4_000_000_000
    wanted = litemrc.mrc(long.replace("4000000000", str(curve["accesses"])))
    assert curve["miss_ratio"] == wanted.miss_ratio.tolist()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--window", "100", "--workers", "2"], "a part does not know where its windows begin"),
        (["--context", "3", "--workers", "2"], "a part does not know the owner of a page"),
        (["--engine", "bucket", "--workers", "2"], "the parts of engine bucket cannot be joined"),
        (["--by", "bytes", "--workers", "2"], "by pages only"),
        (["--threads", "2", "--workers", "2"], "a worker measures its parts with one thread"),
        (["--parts", "4"], "parts are measured on a cluster"),
        (["--allow-gaps"], "parts are measured on a cluster"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers"),
    ],
)
def test_what_a_cluster_cannot_measure_is_refused_before_it_is_started(
    capsys: pytest.CaptureFixture[str], arguments: list[str], what: str
) -> None:
    from litemrc.cli.main import main

    assert main(["mrc", "gen:loop?n=1000", *arguments]) == 2
    error = capsys.readouterr().err
    assert what in error
    assert "dashboard" not in error
