# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace` as a user meets it: a process with arguments, two output streams and an exit code."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from litemrc.traces import Chunk
from litemrc.traces.opening import create_trace, open_trace

from tests.host.trace_columns import chunk_of, columns
from tests.timeouts import Deadline, scaled_timeout

COMMAND = [sys.executable, "-m", "litemrc.cli.main", "trace"]


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=scaled_timeout(120), cwd=cwd
    )


@pytest.fixture
def trace(tmp_path) -> Path:
    path = tmp_path / "t.parquet"
    with create_trace(path) as writer:
        writer.write(chunk_of([5, 9, 5], [True, False, False], [10, 11, 25], [1, 2, 1]))
    return path


def test_info_as_json_is_one_object_and_nothing_else(trace):
    done = run("info", trace, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "trace": str(trace),
        "format": "parquet",
        "complete": True,
        "references": 3,
        "page_bytes": 4096,
        "pages": 2,
        "lowest_page": 5,
        "highest_page": 9,
        "writes": 1,
        "first_time": 10,
        "last_time": 25,
        "time_unit": "",
        "contexts": {"1": 2, "2": 1},
        "minimum_pages": 1,
        "minimum_pages_opt": 1,
        "origin": "",
        "notes": [],
    }


def test_info_reads_well(trace):
    lines = [line.split(maxsplit=1) for line in run("info", trace).stdout.splitlines()]
    shown = {name: value.strip() for name, value in lines}
    assert shown["references"] == "3" and shown["pages"] == "2 (8 KiB)"
    assert shown["writes"] == "1 (33.3%)" and shown["contexts"] == "1: 2, 2: 1"


def test_info_of_an_empty_trace_counts_nothing(tmp_path):
    (tmp_path / "t.txt").write_text("")
    facts = json.loads(run("info", tmp_path / "t.txt", "--json").stdout)
    assert (facts["references"], facts["pages"], facts["lowest_page"]) == (0, 0, None)


def test_info_of_intervals_prints_the_smallest_exact_memory(tmp_path, trace):
    assert run("convert", trace, "-o", tmp_path / "t.inout", "--interval", 10).returncode == 0
    # Interval 1 (10 to 19): 5 and 9; interval 2: 5. Both are in use at once when 9 comes in.
    assert (
        tmp_path / "t.inout"
    ).read_text() == "interval 10 page_bytes 4096\n10 IN 5\n11 IN 9\n11 OUT 9\n25 OUT 5\n"
    facts = json.loads(run("info", tmp_path / "t.inout", "--json").stdout)
    assert (facts["minimum_pages"], facts["minimum_pages_opt"]) == (2, 2)
    assert "2 pages (LRU), 2 (OPT)" in run("info", tmp_path / "t.inout").stdout


@pytest.mark.parametrize("out", ["o.txt", "o.parquet", "o.txt.zst", "o.trace.xz", "o.txt.gz"])
def test_convert_keeps_everything_where_there_is_room(tmp_path, trace, out):
    done = run("convert", trace, "-o", tmp_path / out)
    assert (done.returncode, done.stderr) == (0, "")
    assert columns(tmp_path / out) == columns(trace)


def test_convert_says_what_has_no_room(tmp_path, trace):
    done = run("convert", trace, "-o", tmp_path / "o.oracleGeneral.zst")
    assert done.returncode == 0 and "lacks contexts, writes" in done.stderr


def test_convert_takes_formats_by_name(tmp_path, trace):
    assert run("convert", trace, "-o", tmp_path / "o.bin", "--out-format", "oracleGeneral").returncode == 0
    assert (
        run("convert", tmp_path / "o.bin", "-o", tmp_path / "o.txt", "--format", "oracleGeneral").returncode
        == 0
    )
    assert (tmp_path / "o.txt").read_text() == "# page_bytes 4096\n10 5 r\n11 9 r\n25 5 r\n"


def test_generate_stores_what_the_url_gives(tmp_path):
    done = run("generate", "zipf+loop", "pages=50", "n=2000", "loop_pages=9", "--out", tmp_path / "g.parquet")
    assert done.returncode == 0, done.stderr
    assert columns(tmp_path / "g.parquet") == columns("gen:zipf+loop?pages=50&n=2000&loop_pages=9")


def test_generate_lists_all_programs_and_parameters():
    shown = run("generate", "--help").stdout
    assert "zipf+loop" in shown and "alpha=1" in shown and "INTR of Zhou" in shown


@pytest.mark.parametrize("suffix, magic", [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_plot_draws_pages_over_time(tmp_path, trace, suffix, magic):
    done = run("plot", trace, "--out", tmp_path / f"o{suffix}")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / f"o{suffix}").read_bytes().startswith(magic)


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["info", "no.txt"], "No such file"),
        (["info", "bad.txt"], "where:  bad.txt, line 2"),
        (["info", "gen:fractal"], "no program 'fractal'"),
        (["convert", "bad.txt", "-o", "o.parquet"], "where:  bad.txt, line 2"),
        (["convert", "cut.oracleGeneral", "-o", "o.txt"], "where:  cut.oracleGeneral, byte 24"),
        (["convert", "late.txt", "-o", "o.oracleGeneral"], "does not fit into the 32 bits"),
        (["convert", "late.txt", "-o", "no/o.txt"], "no such folder"),
        (["convert", "late.txt", "-o", "o.what"], "suffix belongs to no format"),
        (["convert", "late.txt", "-o", "o.lackey"], "read only"),
        (
            ["convert", "late.txt", "-o", "o.inout", "--interval", "10", "--out-format", "text"],
            "--interval writes IN/OUT",
        ),
        (["convert", "late.txt", "-o", "o.txt", "--interval", "10"], "--interval writes IN/OUT"),
        (["convert", "pages.txt", "-o", "o.inout"], "need the times"),
        (["plot", "late.txt", "--out", "o.pdf"], "must end in .png or .svg"),
        (["plot", "empty.txt", "--out", "o.png"], "the trace has no reference"),
        (["generate", "zipf", "alpha", "--out", "o.txt"], "a parameter must be NAME=VALUE (got 'alpha')"),
        (["generate", "zipf", "pages=-1", "--out", "o.txt"], "pages=-1 is out of range"),
        (["generate", "zipf", "n=10", "--interval", "5", "--out", "o.inout"], "need the times"),
        (["info"], "required"),
        ([], "required"),
        (["what"], "no command is named 'what'"),
    ],
)
def test_bad_input_exits_with_2_says_where_and_writes_nothing(tmp_path, arguments, complaint):
    (tmp_path / "bad.txt").write_text("1\n-2\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "pages.txt").write_text("1\n2\n")
    (tmp_path / "late.txt").write_text(f"{2**32} 1 r\n")
    (tmp_path / "cut.oracleGeneral").write_bytes(bytes(30))
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def interrupted(arguments: list[object], when) -> tuple[int, str]:
    """Press Ctrl-C when `when(process)` returns; exit code and standard output."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    when(process)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=scaled_timeout(60))
    return process.returncode, output


def test_ctrl_c_shows_what_info_has_counted():
    def progress_is_told(process: subprocess.Popen) -> None:
        assert process.stderr.readline().startswith("counting: ")

    code, output = interrupted(["info", "gen:uniform?n=100000000000", "--json"], progress_is_told)
    assert code == 130
    facts = json.loads(output)
    assert facts["complete"] is False and 0 < facts["references"] < 100_000_000_000


def some_is_written(folder: Path):
    """Return a function that waits until a file of the folder has grown."""

    def wait(process: subprocess.Popen) -> None:
        deadline = Deadline(60)
        while not any(path.stat().st_size > 1 << 20 for path in folder.iterdir()):
            assert not deadline.passed and process.poll() is None
            time.sleep(0.05)

    return wait


def test_ctrl_c_leaves_no_half_written_file(tmp_path):
    arguments = ["convert", "gen:uniform?n=100000000000", "--out", tmp_path / "o.parquet"]
    assert interrupted(arguments, some_is_written(tmp_path)) == (130, "")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_generate_has_made(tmp_path):
    out = tmp_path / "o.parquet"
    arguments = ["generate", "uniform", "n=100000000000", "--out", out]
    code, output = interrupted(arguments, some_is_written(tmp_path))
    assert code == 130
    made = re.fullmatch(r"interrupted: ([\d,]+) references of .* written to .*\n", output)
    with open_trace(out) as trace:
        assert sum(len(chunk) for chunk in trace) == int(made[1].replace(",", "")) > 0
    assert list(tmp_path.iterdir()) == [out]


def test_ctrl_c_of_generate_never_replaces_a_file(tmp_path):
    out = tmp_path / "o.parquet"
    out.write_text("complete")
    arguments = ["generate", "uniform", "n=100000000000", "--out", out]
    assert interrupted(arguments, some_is_written(tmp_path)) == (130, "")
    assert list(tmp_path.iterdir()) == [out] and out.read_text() == "complete"


def test_progress_is_reported_in_lines_where_there_is_no_terminal(monkeypatch, capsys):
    from litemrc.cli.shared import progress as trace_progress

    monkeypatch.setattr(trace_progress, "LINE_EVERY_S", 0.0)
    chunks = [Chunk(np.zeros(4, dtype=np.uint64))]
    assert list(trace_progress.reported(chunks, "counting", lambda: ("4 references", 0.5))) == chunks
    assert capsys.readouterr().err == "counting: 4 references (50%)\n"
