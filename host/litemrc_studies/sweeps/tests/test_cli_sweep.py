# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc sweep` as a user meets it: plans, errors with their place, results, and what a kill leaves."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.host.in_process import litemrc
from tests.timeouts import scaled_timeout, wait_until

LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]
REPLACE = """\
title = "small"
command = "replace"
[fixed]
trace = "gen:loop?pages=300&n=3000"
[grid]
policy = ["lru", "opt"]
memory = [64, 128, 256]
"""
# A point takes some 0.1 s, so that kills come in the middle.
SLOW = REPLACE.replace("n=3000", "n=1500000").replace("[64, 128, 256]", "{ from = 50, to = 280, steps = 16 }")
POINTS = 32


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text, name="sweep.toml"):
    Path(name).write_text(text)


def rows(name="sweep.parquet"):
    """Return the rows of a table without the seconds that points took."""
    return [
        {key: value for key, value in row.items() if key != "seconds"}
        for row in pq.read_table(name).to_pylist()
    ]


def appended():
    """Return how many outcomes a journal has, without those whose line is not whole."""
    journal = Path("sweep.parquet.journal")
    return journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0


def test_a_dry_run_prints_the_points_and_runs_none():
    write(REPLACE)
    done = litemrc("sweep", "sweep.toml", "--dry-run")
    lines = done.stdout.splitlines()
    assert lines[0] == "6 points of replace, 0 of them finished in sweep.parquet"
    assert lines[1] == "litemrc replace 'gen:loop?pages=300&n=3000' --policy=lru --memory=64"
    assert lines[-1] == "..." and len(lines) == 7
    assert os.listdir() == ["sweep.toml"]
    plan = json.loads(litemrc("sweep", "sweep.toml", "--dry-run", "--json").stdout)
    assert (plan["points"], plan["finished"], len(plan["first"])) == (6, 0, 5)
    listed = list(csv.DictReader(io.StringIO(litemrc("sweep", "sweep.toml", "--dry-run", "--csv").stdout)))
    assert listed[5] == {"point": "5", "policy": "opt", "memory": "256"}


def test_the_table_json_and_csv_have_the_same_results(scheduler):
    write(REPLACE)
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("small: 6 points of replace; 6 rows in sweep.parquet\n")
    # A loop of 300 pages in a smaller LRU memory never hits; 3,000 references.
    assert done.stdout.splitlines()[4].split() == ["lru", "64", "64", "262,144", "3,000", "300"]
    document = json.loads(litemrc("sweep", "sweep.toml", "--json").stdout)
    assert (document["points"], document["done"], document["failed"]) == (6, 6, 0)
    assert document["interrupted"] is False and document["parameters"] == ["policy", "memory"]
    found = [{k: v for k, v in row.items() if k != "seconds"} for row in document["results"]]
    assert found == rows()
    listed = list(csv.DictReader(io.StringIO(litemrc("sweep", "sweep.toml", "--csv").stdout)))
    assert [int(row["faults"]) for row in listed] == [row["faults"] for row in rows()]


def test_finished_points_do_not_run_again_and_a_changed_file_runs_only_what_changed(scheduler):
    write(REPLACE)
    litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    before = rows()
    done = litemrc("sweep", "sweep.toml", "--scheduler", "tcp://127.0.0.1:9")  # nobody listens there
    assert done.returncode == 0 and "all points are finished already" in done.stderr
    assert rows() == before and appended() == 6
    write(REPLACE.replace("[64, 128, 256]", "[64, 96, 256]"))
    assert "6 points of replace, 4 of them finished" in litemrc("sweep", "sweep.toml", "--dry-run").stdout
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert "4 of 6 points are finished already" in done.stderr
    assert appended() == 8
    assert [row["memory"] for row in rows()] == [64, 96, 256] * 2
    assert [row for row in rows() if row["memory"] == 64] == [
        {**row, "point": {0: 0, 3: 3}[row["point"]]} for row in before if row["memory"] == 64
    ]
    litemrc("sweep", "sweep.toml", "--scheduler", scheduler, "--restart")
    assert appended() == 6


def test_a_changed_trace_and_a_changed_scenario_run_again(scheduler):
    write("1\n2\n1\n2\n3\n", "a.txt")
    write("1\n1\n1\n", "b.txt")
    write('command = "replace"\n[fixed]\npolicy = "lru"\nmemory = 2\n[grid]\ntrace = ["a.txt", "b.txt"]\n')
    assert litemrc("sweep", "sweep.toml", "--scheduler", scheduler).returncode == 0
    assert [row["faults"] for row in rows()] == [3, 1]
    write("1\n2\n1\n2\n3\n4\n", "a.txt")
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert "1 of 2 points are finished already" in done.stderr
    assert [row["faults"] for row in rows()] == [4, 1]
    assert [row["trace"] for row in rows()] == ["a.txt", "b.txt"]


def test_a_failed_point_leaves_its_reason_and_exit_code_1_and_runs_again(scheduler):
    write("1\n2\n", "a.txt")
    write("1 x y z\n", "b.txt")
    write('command = "replace"\n[fixed]\npolicy = "lru"\nmemory = 2\n[grid]\ntrace = ["a.txt", "b.txt"]\n')
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert done.returncode == 1
    assert "2 points of replace, 1 failed; 2 rows" in done.stdout
    assert "failed: point 1, trace=b.txt: " in done.stdout
    good, bad = rows()
    assert (good["faults"], good["error"], bad["faults"]) == (2, None, None)
    assert "b.txt" in bad["error"]
    write("1\n", "b.txt")
    assert litemrc("sweep", "sweep.toml", "--scheduler", scheduler).returncode == 0
    assert [(row["faults"], row["error"]) for row in rows()] == [(2, None), (1, None)]


def test_notes_of_a_point_are_in_its_row(scheduler):
    fixed = 'command = "mrc"\n[fixed]\ntrace = "gen:loop?pages=300&n=3000"\nsizes = "64"\n'
    write(fixed + '[grid]\nengine = ["group"]')
    assert litemrc("sweep", "sweep.toml", "--scheduler", scheduler).returncode == 0, rows()
    (row,) = rows()
    # 300 pages need 512 frames; 512 / 256 groups
    assert row["notes"].startswith(
        "note: gen:loop?pages=300&n=3000: 512 frames for 300 pages; resolution 2 pages"
    )


def test_points_given_twice_run_once(scheduler):
    write(REPLACE[: REPLACE.index("[grid]")] + "[[grid]]\npolicy = ['lru']\nmemory = [64, 65]\n" * 2)
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert "2 points are given more than once; each runs once" in done.stderr
    assert [(row["point"], row["memory"]) for row in rows()] == [(0, 64), (1, 65)]


MEMORY, MEMORIES, TRACE = "memory = [64, 128, 256]", "[64, 128, 256]", "gen:loop?pages=300&n=3000"


@pytest.mark.parametrize(
    ("before", "after", "where", "what"),
    [
        ("policy", "polcy", "sweep.toml:6", "polcy: replace has no such parameter"),
        ('"opt"', '"lur"', "sweep.toml:6, point 3: policy=lur, memory=64", "no policy is named 'lur'"),
        (MEMORIES, "[64, 0]", "sweep.toml:7, point 1: policy=lru, memory=0", "memory: "),
        (MEMORIES, "[true]", "sweep.toml:7, point 0: policy=lru, memory=True", "memory: is True"),
        ("memory", "plot", "sweep.toml:7", "plot: is about the output of a single run"),
        ("memory", "workers", "sweep.toml:7", "workers: divides a single run among workers"),
        ("memory", "set.x", "sweep.toml:7", "set.x: replace has no such parameter"),
        (MEMORY, "memory = [64]\ntrace.pges = [1]", "sweep.toml, point 0", "loop has no parameter pges"),
        (TRACE, "missing.txt", "sweep.toml, point 0", "No such file or directory"),
        (TRACE, "-", "sweep.toml:4, point 0", "standard input cannot be read by each point"),
        (MEMORY, "memory = [64]\nglobal = [1]", "sweep.toml:8, point 0", "global: is 1"),
        (MEMORY, 'memory = [64]\nseq = ["recent=0"]', "sweep.toml:8, point 0", "seq: "),
        (MEMORY, "", "sweep.toml, point 0", "arguments are required: --memory"),
        (
            MEMORY,
            "memory = [64]\nquantum = [5]",
            "sweep.toml:8, point 0",
            "--quantum is given without --global",
        ),
    ],
)
def test_a_wrong_point_is_refused_before_any_runs(before, after, where, what):
    assert before in REPLACE
    write(REPLACE.replace(before, after))
    done = litemrc("sweep", "sweep.toml")
    assert done.returncode == 2
    assert what in done.stderr
    assert (
        next(line for line in done.stderr.splitlines() if "where:" in line)
        .split()[1]
        .startswith(where.split()[0])
    )
    assert where in done.stderr
    assert os.listdir() == ["sweep.toml"]


def test_a_wrong_key_of_a_scenario_is_refused_with_the_line_of_the_sweep():
    fixed = 'command = "mm"\n[fixed]\nscenario = "intr_linear_short"\n[grid]\n'
    write(fixed + "set.memory_pages = [40000]\nset.mrc.epoch = [64, -1]\n")
    done = litemrc("sweep", "sweep.toml")
    assert done.returncode == 2
    assert "mrc.epoch: is -1" in done.stderr
    assert "sweep.toml:6, point 1: set.memory_pages=40000, set.mrc.epoch=-1" in done.stderr


def test_the_picture_of_a_sweep_file_is_drawn(scheduler):
    write(REPLACE.replace("[fixed]", '[plot]\nx = "memory"\ny = "faults"\nlines = "policy"\n[fixed]'))
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler, "--plot", "sweep.svg")
    assert done.returncode == 0, done.stderr
    picture = Path("sweep.svg").read_text()
    assert all(f">{word}<" in picture for word in ("small", "memory in pages", "faults", "lru", "opt"))
    write(REPLACE.replace("[fixed]", '[plot]\nx = "memory"\ny = "misses"\n[fixed]'))
    done = litemrc("sweep", "sweep.toml", "--plot", "sweep.svg")
    assert done.returncode == 2 and "no column is named 'misses'" in done.stderr
    write(REPLACE)
    done = litemrc("sweep", "sweep.toml", "--plot", "sweep.svg")
    assert done.returncode == 2 and "the sweep file describes no picture" in done.stderr


def test_outputs_and_schedulers_are_checked_before_the_work():
    write(REPLACE)
    for options, what in (
        (("--out", "x.csv"), "must end in .parquet"),
        (("--out", "no/x.parquet"), "no such folder"),
        (("--scheduler", "localhost"), "not the address of a scheduler"),
        (("--scheduler", "tcp://127.0.0.1:9"), "Connection refused"),
        (("--scheduler", "tcp://127.0.0.1:9", "--workers", "2"), "applies to a local cluster"),
    ):
        done = litemrc("sweep", "sweep.toml", *options)
        assert (done.returncode, what in done.stderr) == (2, True), done.stderr


def started(*options):
    line = [*LITEMRC, "sweep", "sweep.toml", *options]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers_of(process):
    """Return the numbers of the worker processes that a process started from any of its threads."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    found = [int(pid) for task in tasks for pid in (task / "children").read_text().split()]
    return [pid for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_killed_sweep_continues_and_its_table_is_that_of_one_without_a_kill(scheduler):
    write(SLOW)
    litemrc("sweep", "sweep.toml", "--scheduler", scheduler, "--out", "whole.parquet")
    for least in (3, 12):  # a kill at the beginning, and another one of the sweep that continues
        process = started("--workers", "2")
        wait_until(lambda least=least: appended() >= least, 60, "outcomes in the journal")
        workers = workers_of(process)
        assert len(workers) == 2
        process.kill()
        process.communicate(timeout=scaled_timeout(30))
        for pid in workers:
            wait_until(lambda pid=pid: not Path(f"/proc/{pid}").exists(), 30, "the end of a worker")
    saved = appended()
    assert 12 <= saved < POINTS and not Path("sweep.parquet").exists()
    done = litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert f"{saved} of {POINTS} points are finished already" in done.stderr
    assert appended() == POINTS
    assert rows() == rows("whole.parquet")
    schema, whole = pq.read_schema("sweep.parquet"), pq.read_schema("whole.parquet")
    assert schema == whole and schema.metadata == whole.metadata


def test_ctrl_c_saves_and_shows_what_is_done_and_the_same_command_continues(scheduler):
    write(SLOW)
    process = started("--workers", "2")
    wait_until(lambda: appended() >= 5, 60, "outcomes in the journal")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 130
    saved = appended()
    assert f"{saved} of {POINTS} points are saved; the same command continues" in err
    assert f"small: {saved} of {POINTS} points of replace; {saved} rows in sweep.parquet" in out
    assert out.endswith("interrupted: the results are incomplete\n")
    assert "Traceback" not in err
    described = json.loads(pq.read_metadata("sweep.parquet").metadata[b"litemrc"])
    assert (described["points"], described["done"]) == (POINTS, saved)
    litemrc("sweep", "sweep.toml", "--scheduler", scheduler)
    assert appended() == len(rows()) == POINTS


def test_a_local_worker_killed_in_the_middle_changes_no_result(scheduler):
    write(SLOW)
    litemrc("sweep", "sweep.toml", "--scheduler", scheduler, "--out", "whole.parquet")
    process = started("--workers", "2", "--json")
    wait_until(lambda: appended() >= 3, 60, "outcomes in the journal")
    worker = workers_of(process)[0]
    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=scaled_timeout(120))
    assert process.returncode == 0, err
    assert json.loads(out)["failed"] == 0
    assert rows() == rows("whole.parquet")


def test_a_lost_scheduler_leaves_what_is_done():
    write(SLOW)
    Path("s").mkdir()
    dask = [sys.executable, "-m", "distributed.cli"]
    file = str(Path("s/scheduler.json").absolute())
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    loopback = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    server = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_scheduler", *loopback, "--port", "0", "--scheduler-file", file],
        **quiet,
    )
    worker = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1", *loopback],
        **quiet,
    )
    try:
        wait_until(lambda: Path(file).exists() and Path(file).stat().st_size > 0, 60, "the scheduler's start")
        process = started("--scheduler", file)
        wait_until(lambda: appended() >= 3, 60, "outcomes in the journal")
        server.kill()
        out, err = process.communicate(timeout=scaled_timeout(120))
    finally:
        for each in (server, worker):
            each.terminate()
            each.wait(scaled_timeout(30))
    assert process.returncode == 2
    assert "the connection to the scheduler is lost" in err and "the same command continues" in err
    assert f"small: {appended()} of {POINTS} points of replace" in out
