# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc replace` as a user meets it: a process with arguments, output streams, files and an exit code."""

import csv
import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.traces.opening import WriteOptions, create_trace, open_trace

from tests.host.in_process import Done, interrupt_replace, litemrc

BELADY = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]
PNG = b"\x89PNG\r\n\x1a\n"


def written(path: Path, pages: list[int]) -> Path:
    path.write_text("".join(f"{page}\n" for page in pages))
    return path


@pytest.fixture
def belady(tmp_path: Path) -> Path:
    """Belady's string; its faults are worked out in test_replacement_models.py."""
    return written(tmp_path / "belady.txt", BELADY)


def run(*arguments: object, command: str = "replace") -> Done:
    return litemrc(command, *arguments)


def answer(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_json_counts_faults_of_all_policies_and_sizes(belady):
    got = answer(belady, "--policy", "lru,clock,opt,seq", "--memory", "3,4")
    faults = {"lru": [10, 8], "clock": [9, 10], "opt": [7, 6], "seq": [10, 8]}
    for result in got["results"]:
        if result["policy"] == "seq":  # no sequence of 20, and each victim is LRU's
            sequences = result.pop("sequences")
            assert sequences["from_sequences"] == 0
            assert sequences["by_lru"] == result["faults"] - result["memory_pages"]
    assert got["results"] == [
        {"policy": policy, "memory_pages": memory, "faults": count, "cold_faults": 5}
        for policy, counts in faults.items()
        for memory, count in zip((3, 4), counts, strict=True)
    ]
    assert (got["references"], got["duration"], got["time_unit"]) == (12, 12, "references")


def test_sizes_may_be_a_range(belady):
    got = answer(belady, "--policy", "opt", "--memory", "1-5:2,4")
    assert [(r["memory_pages"], r["faults"]) for r in got["results"]] == [(1, 12), (3, 7), (5, 5), (4, 6)]


def test_the_table_has_a_line_a_size(belady):
    done = run(belady, "--memory", "3,4")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[2:5] == [
        ["pages", "memory", "lru", "clock", "opt", "seq", "seq-adaptive"],
        ["3", "12", "KiB", "10", "9", "7", "10", "10"],
        ["4", "16", "KiB", "8", "10", "6", "8", "8"],
    ]
    # Of 8 faults 4 evict. The sequence 1 2 3 4 grows to 5; 1, 2, 3 and 4 split it as they come back.
    assert "seq in 4 pages: 0 evictions from sequences, 4 by LRU; " in done.stdout


def test_parameters_of_seq_reach_it(tmp_path):
    """Two sweeps over 10 pages in a memory of 6. Pages 6 ... 9 replace the one before each: 5 ... 8.

    The second sweep hits 0 ... 4; then 5, 6, 7 and 8 fault. With the paper's L = 20, SEQ is LRU: 20 faults.
    """
    trace = written(tmp_path / "sweeps.txt", [*range(10)] * 2)
    sharp = ("--memory", "6", "--seq", "length=2,distance=1,recent=1")
    (seq, adaptive) = answer(trace, "--policy", "seq,seq-adaptive", *sharp)["results"]
    (paper,) = answer(trace, "--policy", "seq", "--memory", "6")["results"]
    assert (seq["faults"], paper["faults"]) == (10 + 4, 20)
    assert adaptive["faults"] == 10 + 4  # the sweep is larger than memory when its pages are evicted
    # One sequence, 0 ... 9, then one from 5 on; each fault beyond the sixth evicts.
    counts = {"from_sequences": 8, "by_lru": 0, "sequences_made": 2, "sequences_most": 2}
    assert seq["sequences"] == counts
    lru, row = csv.DictReader(run(trace, "--policy", "lru,seq", *sharp, "--csv").stdout.splitlines())
    assert {name: int(row[name]) for name in counts} == counts
    assert {lru[name] for name in counts} == {""}


def test_global_distinguishes_programs(belady, tmp_path):
    """Alone in its half of the memory or together in all of it, two small loops fault cold only."""
    other = written(tmp_path / "other.txt", [1, 2, 3] * 5)
    got = answer("--global", belady, other, "--memory", "8", "--policy", "lru", "--quantum", "4")
    (result,) = got["results"]
    assert (result["policy"], result["memory_pages"]) == ("lru", 8)
    assert (result["faults"], result["cold_faults"]) == (8, 8)
    # Turns of 4 units: both get to 4, to 8, and belady to 11, its end, at 19; then the other one to 14.
    assert result["programs"] == [
        {"trace": str(belady), "references": 12, "faults": 5, "cold_faults": 5, "end": 19, "computed": 11},
        {"trace": str(other), "references": 15, "faults": 3, "cold_faults": 3, "end": 25, "computed": 14},
    ]
    assert result["time"] == 25


def test_global_faults_from_disk_take_the_service_time(tmp_path):
    trace = written(tmp_path / "two.txt", [1, 2, 1])
    (result,) = answer("--global", trace, "--memory", "1", "--policy", "lru", "--service", "50")["results"]
    assert (result["faults"], result["cold_faults"], result["time"]) == (3, 2, 2 + 50)


def test_global_table_and_pictures(belady, tmp_path):
    done = run("--global", belady, belady, "--memory", "2,4", "--plot", tmp_path / "rate.png")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2 + 4 * 2 * 3  # policies, sizes, two programs and all
    assert (tmp_path / "rate.png").read_bytes().startswith(PNG)


def test_pictures_and_report(tmp_path):
    report, rate, times = tmp_path / "r.html", tmp_path / "rate.png", tmp_path / "times.svg"
    trace = "gen:sweeps?pages=200&regions=2&n=2000"
    done = run(
        trace, "--memory", "50,100,150", "--plot", rate, "--plot-interfault", times, "--report", report
    )
    assert done.returncode == 0
    assert rate.read_bytes().startswith(PNG)
    assert ">CLOCK<" in times.read_text()
    page = report.read_text()
    assert page.count("<svg") == 4 and "http" not in page
    assert all(f"<th>{name}</th>" in page for name in ("LRU", "CLOCK", "OPT", "SEQ"))
    (lru,) = answer(trace, "--memory", "100", "--policy", "lru")["results"]
    assert f"<td>{lru['faults']:,}</td>" in page


def test_a_log_holds_each_fault_and_its_victim(tmp_path):
    """Two sweeps over 10 pages in a memory of 6: pages 6 ... 9 evict the page before each.

    Then 5 splits the sequence, and 3 is at distance 1 from the head of its rest, 0 ... 4; 6, 7 and 8 again
    evict the page before each.
    """
    trace = written(tmp_path / "sweeps.txt", [*range(10)] * 2)
    log, parquet, picture = tmp_path / "f.csv", tmp_path / "f.parquet", tmp_path / "f.png"
    sharp = (trace, "--policy", "seq", "--memory", "6", "--seq", "length=2,distance=1,recent=1")
    assert run(*sharp, "--log", log, "--plot-faults", picture).returncode == 0
    second = [(15, 5, 3), (16, 6, 5), (17, 7, 6), (18, 8, 7)]
    rows = [(page, page, True, page - 1 if page > 5 else None, page > 5) for page in range(10)]
    rows += [(time, page, False, victim, True) for time, page, victim in second]
    header = '"time","page","cold","victim","from_sequence"'
    lines = [",".join("" if cell is None else str(cell).lower() for cell in row) for row in rows]
    assert log.read_text().splitlines() == [header, *lines]
    assert picture.read_bytes().startswith(PNG)
    assert run(*sharp, "--log", parquet).returncode == 0
    table = pq.read_table(parquet)
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    assert json.loads(table.schema.metadata[b"litemrc"]) == {
        "policy": "seq", "memory_pages": 6, "page_bytes": 4096, "time_unit": "references",
    }  # fmt: skip


def test_an_interrupted_log_holds_the_faults_so_far(tmp_path, monkeypatch):
    """The first chunk is replayed, then Ctrl-C. A loop over one page more than memory: LRU always faults."""
    interrupt_replace(monkeypatch)
    log = tmp_path / "f.parquet"
    done = run("gen:loop?pages=50&n=300000", "--memory", "49", "--policy", "lru", "--json", "--log", log)
    assert done.returncode == 130 and "interrupted: the log holds the faults so far" in done.stderr
    references = json.loads(done.stdout)["references"]
    assert pq.read_table(log)["time"].to_pylist() == list(range(references)) and 0 < references < 300_000


def test_mrc_draws_its_curve(belady, tmp_path):
    assert run(belady, "--plot", tmp_path / "curve.png", command="mrc").returncode == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(PNG)


def recorded(path: Path, url: str, interval: int) -> Path:
    """A generated trace as IN/OUT records."""
    with open_trace(url) as trace, create_trace(path, options=WriteOptions(interval=interval)) as writer:
        for chunk in trace:
            writer.write(chunk)
    return path


def test_interval_traces_are_replayed_without_clock(tmp_path):
    """A loop over 20 pages: LRU and, below 20 faults in a row, SEQ fault at each of 400 references."""
    intervals = recorded(tmp_path / "t.inout", "gen:linear?pages=20&n=400", 4)
    done = run(intervals, "--memory", "12", "--json")
    assert done.returncode == 0 and "misses are exact from" in done.stderr
    faults = {r["policy"]: r["faults"] for r in json.loads(done.stdout)["results"]}
    (opt,) = answer("gen:linear?pages=20&n=400", "--memory", "12", "--policy", "opt")["results"]
    assert faults == {"lru": 400, "opt": opt["faults"], "seq": 400, "seq-adaptive": 400}


def test_memory_below_the_exact_minimum_of_intervals_is_refused(tmp_path):
    """Random references: the 8 pages of an interval, or nearly as many, are in use at once."""
    intervals = recorded(tmp_path / "t.inout", "gen:intr?pages=40&alpha=0&touches=8&sleep=0&n=400", 8)
    for policy in ("lru", "seq", "opt"):
        done = run(intervals, "--memory", "3", "--policy", policy)
        assert (done.returncode, done.stdout) == (2, "")
        assert "a memory of 3 pages cannot be simulated" in done.stderr or "OPT in a memory" in done.stderr
    done = run("--global", intervals, intervals, "--memory", "15", "--policy", "lru")
    assert (done.returncode, done.stdout) == (2, "") and "cannot be simulated" in done.stderr
    done = run(intervals, "--memory", "12", "--policy", "clock")
    assert done.returncode == 2 and "CLOCK cannot be simulated" in done.stderr


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--memory", "0"], "must be a number of pages, or bytes with a unit, such as 4096 or 16M (got '0')"),
        (["--memory", "5-1:1"], "must hold 1 to 4096 sizes (got '5-1:1')"),
        (["--memory", "6k"], "6k is not a whole number of pages of 4096 bytes"),
        (["--memory", "1M-8:1"], "mixes pages and bytes"),
        (["--memory", "1-100000:1"], "must hold at most 4096 sizes"),
        (["--memory", "4", "--policy", "fifo"], "no policy is named 'fifo'"),
        (["--memory", "4", "--seq", "length=0"], "must be a whole number from 1 to 4294967295 (got '0')"),
        (["--memory", "4", "--seq", "depth=3"], "SEQ has no parameter 'depth'"),
        (["--memory", "4", "--quantum", "3"], "--quantum is given without --global"),
        (["--memory", "4", "--global", "--policy", "opt"], "opt is not a global policy"),
        (["--memory", "4", "--global", "--report", "r.html"], "--report does not support --global"),
        (["--memory", "4", "--plot", "rate.gif"], "must end in .png or .svg"),
        (["--memory", "4", "--report", "/nowhere/r.html"], "no such folder"),
        (["--memory", "4", "--policy", "seq", "--log", "f.txt"], "must end in .parquet or .csv"),
        (["--memory", "4", "--log", "f.csv"], "--log needs one memory, but 5 policies and 1 sizes are given"),
        (["--memory", "4,5", "--policy", "seq", "--log", "f.csv"], "1 policies and 2 sizes are given"),
        (
            ["--memory", "4", "--policy", "opt", "--plot-faults", "f.png"],
            "--plot-faults does not support opt",
        ),
        (["--memory", "4", "--global", "--log", "f.csv"], "--log does not support --global"),
        ([], "--memory"),
    ],
)
def test_bad_arguments_exit_with_2_and_say_why(belady, arguments, complaint):
    done = run(belady, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr


def test_two_traces_want_global(belady):
    done = run(belady, belady, "--memory", "3")
    assert done.returncode == 2 and "2 traces are given without --global" in done.stderr


@pytest.mark.parametrize("together", [[], ["--global"]])
@pytest.mark.parametrize(
    "name, content, place",
    [
        ("t.txt", b"1\n2\nthree\n", "t.txt, line 3"),
        ("t.txt", b"1\n-2\n", "t.txt, line 2"),
        ("t.txt.gz", gzip.compress(b"1\n2\n" * 5000, mtime=0)[:-12], "t.txt.gz, byte "),
        ("t.oracleGeneral", b"\0" * 30, "t.oracleGeneral, byte 24"),
        ("t.inout", b"interval 10\n1 IN 5\n3 IN 5\n", "t.inout, line 3"),
        ("t.txt", b"", "t.txt"),
    ],
    ids=["word", "negative", "truncated-gzip", "truncated-record", "twice-in", "empty"],
)
def test_bad_traces_are_refused_with_their_place_and_leave_nothing(tmp_path, together, name, content, place):
    (tmp_path / name).write_bytes(content)
    out = tmp_path / "out"
    out.mkdir()
    done = run(
        tmp_path / name, *together, "--policy", "lru", "--memory", "3", "--json", "--plot", out / "r.png"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert place in done.stderr and "Traceback" not in done.stderr
    assert list(out.iterdir()) == []
