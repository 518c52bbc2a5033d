"""Worker processes: a worker killed in the middle changes no count, and Ctrl-C keeps the curve so far."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import litemrc
import numpy as np
import pytest
from litemrc.cluster.curve import ClusterMeasuring, measure
from litemrc.cluster.joined_run import JoinedRun
from litemrc.cluster.scheduler import open_client
from litemrc.traces.chunk import Chunk
from litemrc.traces.opening import create_trace

from tests.timeouts import scaled_timeout

TRACE = "gen:zipf+loop?pages=200000&loop_pages=50000&n=12000000"


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
