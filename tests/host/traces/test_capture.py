"""Capture: real runs of Valgrind, skipped where it is absent; and a stand-in for what cannot be had of it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.golden.monitor.cache_hierarchy import CacheModel, Memory
from litemrc.traces import open_trace
from litemrc.traces.cache_filter import CacheHierarchy
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.capture import Capture
from patience import Deadline, patience
from trace_columns import columns, joined

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]


def litemrc(*arguments: object, cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LITEMRC, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=patience(120),
        cwd=cwd,
        **options,
    )


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A program called valgrind that prints what it is told to where --log-fd says."""

    def install(script: str) -> None:
        (tmp_path / "bin").mkdir()
        path = tmp_path / "bin" / "valgrind"
        path.write_text(
            f"#!{sys.executable}\nimport os, sys, time\n"
            "fd = next(int(a.split('=')[1]) for a in sys.argv if a.startswith('--log-fd='))\n"
            f"log = os.fdopen(fd, 'w')\n{script}\n"
        )
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    return install


@needs_valgrind
def test_a_real_program_is_captured_behind_the_default_caches(tmp_path):
    done = litemrc("trace", "capture", "--out", "t.parquet", "--", "echo", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "hello\n")
    facts = json.loads(litemrc("trace", "info", "t.parquet", "--json", cwd=tmp_path).stdout)
    # Starting echo takes some 100,000 instructions, and loads its libraries' pages, each at least once.
    assert 20_000 < facts["last_time"] < 5_000_000 and facts["time_unit"] == "instructions"
    assert 50 < facts["pages"] <= facts["references"] < facts["last_time"]
    assert facts["origin"] == (
        "echo hello; caches: instructions 16k:1:32, level 1 16k:4:32, level 2 256k:4:64"
    )


@needs_valgrind
def test_the_filter_of_a_capture_is_that_of_the_golden_model(tmp_path):
    lackey = tmp_path / "t.lackey"
    options = ["--tool=lackey", "--trace-mem=yes", f"--log-file={lackey}"]
    subprocess.run(["valgrind", *options, "true"], check=True, timeout=patience(120))
    memory = Memory()
    level2 = CacheModel(1024, 4, 64, memory)
    data, code = CacheModel(128, 4, 32, level2), CacheModel(512, 1, 32, level2)
    for line in lackey.read_text().splitlines():
        if line.startswith("=="):
            continue
        kind, place = line.split()
        address, size = place.split(",")
        (code if kind == "I" else data).access(int(address, 16), int(size), kind in "SM")

    from litemrc.traces.formats.lackey_lines import parse
    from litemrc.traces.formats.lines import blocks
    from litemrc.traces.formats.streams import open_source

    caches = CacheHierarchy()
    outs = [caches.run(parse(block, "t")) for block in blocks(open_source(lackey), 100_000)]
    assert len(outs) > 3
    addresses = np.concatenate([out.addresses for out in outs]).tolist()
    writes = np.concatenate([out.writes for out in outs]).tolist()
    assert list(zip(addresses, writes, strict=True)) == memory.transfers


@needs_valgrind
def test_intervals_of_a_real_program_see_all_references(tmp_path):
    done = litemrc(
        "trace", "capture", "--interval", "10k", "--out", "t.inout.zst", "--", "true", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    with open_trace(tmp_path / "t.inout.zst") as trace:
        read = joined(list(trace))
    assert trace.minimum_pages > 1 and len(set(read["pages"])) >= trace.minimum_pages
    assert read["times"] == sorted(read["times"])


@needs_valgrind
@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--out", "t.parquet", "--", "no-such-program"], "the program does not exist"),
        (["--out", "no/t.parquet", "--", "true"], "no such folder"),
        (["--out", "t.bin", "--", "true"], "suffix belongs to no format"),
        (["--out", "t.lackey", "--", "true"], "read only"),
        (["--out", "t.parquet", "--cache", "16k:4", "--", "true"], "is not a cache geometry"),
        (["--out", "t.parquet", "--cache", "16k:4:64,64k:4:32", "--", "true"], "shorter lines"),
        (["--out", "t.parquet", "--page-size", "5k", "--", "true"], "must be a power of two"),
        (["--out", "t.parquet", "--interval", "0", "--", "true"], "is not a size"),
    ],
)
def test_bad_arguments_exit_with_2_and_write_nothing(tmp_path, arguments, complaint):
    done = litemrc("trace", "capture", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_valgrind_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="valgrind is not installed"):
        list(Capture(["true"], None).chunks())


def test_lines_are_filtered_as_they_come(stand_in):
    lines = ["I  00001000,4", " S 00002000,8", " L 00002000,8", "I  00001004,4", " S 00003000,8"]
    stand_in(f"log.write('==1== Lackey\\n' + '\\n'.join({lines}) + '\\n')")
    capture = Capture(["true"], CacheHierarchy([CacheShape(64, 1, 32)], CacheShape(64, 1, 32)))
    # Both instructions are in one line. The last store evicts the first one's line, which is written back.
    assert joined(list(capture.chunks())) == {
        "pages": [1, 2, 2, 3], "writes": [False, False, True, False], "times": [1, 1, 2, 2], "contexts": None,
    }  # fmt: skip
    assert (capture.progress.instructions, capture.progress.accesses, capture.progress.exit_code) == (2, 5, 0)


def test_a_child_that_lives_on_does_not_hold_the_capture(stand_in, tmp_path):
    stand_in(
        "log.write('I  00001000,4\\n' * 3); log.flush()\n"
        "child = os.fork()\n"
        "if child == 0: time.sleep(300)\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child))\n"
        "os._exit(0)"
    )
    before = time.monotonic()
    try:
        assert joined(list(Capture(["true"], None).chunks()))["pages"] == [1, 1, 1]
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)
    assert time.monotonic() - before < 200


def test_without_caches_every_access_is_kept(stand_in):
    stand_in("log.write('I  00001000,4\\n S 00002000,8\\nI  00001004,4\\n L 00002ffc,8\\n')")
    assert joined(list(Capture(["true"], None).chunks()))["pages"] == [1, 2, 1, 2, 3]


def test_a_line_that_is_not_lackeys_is_an_error_and_leaves_nothing(stand_in, tmp_path):
    stand_in("log.write('I  00001000,4\\nwhat?\\n')")
    (tmp_path / "out").mkdir()
    done = litemrc("trace", "capture", "--out", "t.parquet", "--", "true", cwd=tmp_path / "out")
    assert done.returncode == 2 and "lackey, line 2" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_a_program_that_fails_is_reported_and_its_trace_kept(stand_in, tmp_path):
    stand_in("log.write('I  00001000,4\\n'); log.flush(); sys.exit(3)")
    done = litemrc("trace", "capture", "--out", "t.txt", "--", "true", cwd=tmp_path)
    assert done.returncode == 0 and "exit code 3" in done.stderr
    assert (tmp_path / "t.txt").read_text() == "# page_bytes 4096\n1 1 r\n"


def test_a_run_without_any_access_is_an_error(stand_in, tmp_path):
    stand_in("sys.exit(1)")
    done = litemrc("trace", "capture", "--out", "t.txt", "--", "true", cwd=tmp_path)
    assert done.returncode == 2 and "recorded no access (exit code 1)" in done.stderr
    assert not (tmp_path / "t.txt").exists()


@pytest.mark.parametrize("there_before", [False, True])
def test_ctrl_c_keeps_what_was_captured_but_replaces_nothing(stand_in, tmp_path, there_before):
    stand_in(
        "for i in range(10**9):\n"
        "    log.write('I  00001000,4\\n' * 10000)\n"
        "    if i == 100: open('far', 'w').close()"
    )
    out = tmp_path / "t.parquet"
    if there_before:
        out.write_text("old")
    command = [*LITEMRC, "trace", "capture", "--cache", "none", "--out", out, "--", "true"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = Deadline(60)
    while not (tmp_path / "far").exists():
        assert not deadline.passed and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=patience(60))
    assert process.returncode == 130
    if there_before:
        assert out.read_text() == "old"
    else:
        assert "interrupted" in told
        assert set(columns(out)["pages"]) == {1}
    assert {path.name for path in tmp_path.iterdir()} <= {"t.parquet", "far", "bin"}


@pytest.mark.parametrize(
    "options, said",
    [
        ([], ["several hundred to some thousand times", "Ctrl-C saves", "--native-time S estimates"]),
        # 2e9 instructions a second of native time, at a million a second: 2,000 times 9 s are 5 hours.
        (["--native-time", "9"], ["several hundred", "Ctrl-C saves", "may take 5.0 h"]),
        (["-q"], []),
    ],
)
def test_a_capture_says_what_it_costs_before_it_starts(stand_in, tmp_path, options, said):
    stand_in("print('started', file=sys.stderr, flush=True); log.write('I  00001000,4\\n')")
    done = litemrc("trace", "capture", "-o", "t.txt", *options, "--", "true", cwd=tmp_path)
    assert done.returncode == 0
    before = done.stderr.partition("started")[0]
    assert all(part in before for part in said) and bool(before) == bool(said)


@pytest.mark.parametrize(
    "elapsed_s, done, left",
    # A quarter done in 30 s: three times 30 s are left.
    [(30, 0.25, "about 90 s left"), (600, 0.25, "about 30 min left"), (3600, 0.2, "about 4.0 h left"),
     (5, 0, "time left unknown"), (5, 1.5, "about 0 s left")],
)  # fmt: skip
def test_the_time_left_follows_from_the_share_done(elapsed_s, done, left):
    from litemrc.cli.traces.capture import time_left

    assert time_left(elapsed_s, done) == left
