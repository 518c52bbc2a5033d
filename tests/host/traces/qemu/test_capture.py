# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace capture`: real programs in QEMU, compared with Valgrind's lackey and with `litemrc qemu`."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.traces import open_trace

from tests.host.trace_columns import columns, joined
from tests.host.traces.qemu.qemu_programs import HOSTILE, PAIR, SPIN, WALK
from tests.timeouts import Deadline, scaled_timeout

NO_CACHES = ["--cache", "none", "--icache", "none"]
LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]


def litemrc(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LITEMRC, *map(str, arguments)], capture_output=True, text=True, timeout=scaled_timeout(120), cwd=cwd
    )


@pytest.fixture
def walk(compiled):
    return compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_instructions_and_pages_are_those_that_lackey_sees(walk, tmp_path):
    options = ["--tool=lackey", "--trace-mem=yes", f"--log-file={tmp_path / 't.lackey'}"]
    subprocess.run(["valgrind", *options, walk], check=True, timeout=scaled_timeout(120))
    done = litemrc("trace", "capture", "--cache", "none", "--out", "t.parquet", "--", walk, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    theirs, ours = columns(tmp_path / "t.lackey"), columns(tmp_path / "t.parquet")
    assert set(ours["pages"]) == set(theirs["pages"]) and len(set(ours["pages"])) > 190
    assert ours["times"][-1] == theirs["times"][-1] > 30_000
    # lackey reports each of the 6,000 increments as one access, which is a load and a store here.
    assert len(ours["pages"]) == len(theirs["pages"]) + 6000
    assert sum(ours["writes"]) == sum(theirs["writes"])


def test_the_curve_of_a_capture_is_that_of_litemrc_qemu(walk, tmp_path):
    caches = ["--cache", "512:2:32,2k:4:64", "--icache", "128:1:32"]
    assert litemrc("trace", "capture", *caches, "-o", "t.parquet", "--", walk, cwd=tmp_path).returncode == 0
    read = json.loads(litemrc("mrc", "t.parquet", "--json", cwd=tmp_path).stdout)
    counted = json.loads(litemrc("qemu", *caches, "--json", "--", walk, cwd=tmp_path).stdout)
    same = ("accesses", "cold_misses", "sizes_pages", "miss_ratio")
    assert [read[key] for key in same] == [counted[key] for key in same] and read["accesses"] > 10_000


def test_a_real_program_is_captured_behind_the_default_caches(compiled, tmp_path):
    compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")  # skips without QEMU
    done = litemrc("trace", "capture", "--out", "t.parquet", "--", "echo", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "hello\n")
    facts = json.loads(litemrc("trace", "info", "t.parquet", "--json", cwd=tmp_path).stdout)
    # Starting echo takes some 100,000 instructions, and loads its libraries' pages, each at least once.
    assert 20_000 < facts["last_time"] < 5_000_000 and facts["time_unit"] == "instructions"
    assert 50 < facts["pages"] <= facts["references"] < facts["last_time"]
    assert facts["origin"] == (
        "echo hello; caches: instructions 16k:1:32, level 1 16k:4:32, level 2 256k:4:64"
    )


def test_threads_and_children_are_recorded(compiled, tmp_path):
    program = compiled("hostile", HOSTILE, "-pthread")
    done = litemrc(
        "trace", "capture", "--children", *NO_CACHES, "-o", "t.parquet", "--", program, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    table = pq.read_table(tmp_path / "t.parquet").to_pandas()
    # 5,000 atomic increments and 5,000 stores of each of 4 threads; 3,000 stores of the child.
    stores = table[table["write"]].groupby(["context", "processor"]).size()
    assert sorted(stores[0].index) == [0, 1, 2, 3, 4] and (stores[0][1:] >= 10_000).all()
    assert 3000 <= stores[1].sum() < 10_000


def test_times_never_go_back_when_threads_take_turns(compiled, tmp_path):
    program = compiled("pair", PAIR, "-pthread", "-O2", "-funroll-all-loops")
    assert (
        litemrc("trace", "capture", *NO_CACHES, "-o", "t.parquet", "--", program, cwd=tmp_path).returncode
        == 0
    )
    table = pq.read_table(tmp_path / "t.parquet").to_pandas()
    turns = int((table["processor"].diff() != 0).sum())
    # Each thread has 140,000 increments, of two accesses each.
    assert (table["processor"].value_counts() > 280_000).all() and turns > 4
    assert table["time"].is_monotonic_increasing


def test_intervals_of_a_real_program_see_all_references(walk, tmp_path):
    done = litemrc("trace", "capture", "--interval", "10k", "--out", "t.inout.zst", "--", walk, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with open_trace(tmp_path / "t.inout.zst") as trace:
        read = joined(list(trace))
    assert trace.minimum_pages > 1 and len(set(read["pages"])) >= trace.minimum_pages
    assert read["times"] == sorted(read["times"])


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--out", "t.parquet", "--", "no-such-program"], "the program does not exist"),
        (["--out", "no/t.parquet", "--", "true"], "no such folder"),
        (["--out", "t.bin", "--", "true"], "suffix belongs to no format"),
        (["--out", "t.lackey", "--", "true"], "read only"),
        (["--out", "t.parquet", "--page-size", "5k", "--", "true"], "must be a power of two"),
        (["--out", "t.parquet", "--interval", "0", "--", "true"], "is not a size"),
    ],
)
def test_bad_arguments_exit_with_2_and_write_nothing(compiled, tmp_path, arguments, complaint):
    compiled("walk", WALK, "-nostdlib", "-fno-stack-protector", "-fno-builtin")  # skips without QEMU
    done = litemrc("trace", "capture", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_fails_is_reported_and_its_trace_kept(compiled, tmp_path):
    done = litemrc("trace", "capture", "--out", "t.txt", "--", compiled("spin", SPIN), cwd=tmp_path)
    assert done.returncode == 0 and "exit code 3" in done.stderr
    assert len(columns(tmp_path / "t.txt")["pages"]) > 64


@pytest.mark.parametrize("there_before", [False, True])
def test_ctrl_c_keeps_what_was_captured_but_replaces_nothing(compiled, tmp_path, there_before):
    out = tmp_path / "t.parquet"
    if there_before:
        out.write_text("old")
    command = [*LITEMRC, "trace", "capture", *NO_CACHES, "--out", out, "--"]
    process = subprocess.Popen(
        [*command, compiled("spin", SPIN), "forever"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    deadline = Deadline(60)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 130 and not deadline.passed
    if there_before:
        assert out.read_text() == "old"
    else:
        assert "interrupted" in told and len(set(columns(out)["pages"])) >= 64
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


@pytest.mark.parametrize(
    "elapsed_s, done, left",
    # A quarter done in 30 s: three times 30 s are left.
    [(30, 0.25, "about 90 s left"), (600, 0.25, "about 30 min left"), (3600, 0.2, "about 4.0 h left"),
     (5, 0, "time left unknown"), (5, 1.5, "about 0 s left")],
)  # fmt: skip
def test_the_time_left_follows_from_the_share_done(elapsed_s, done, left):
    from litemrc.cli.traces.capture import time_left

    assert time_left(elapsed_s, done) == left
