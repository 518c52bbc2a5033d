# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc mrc` as a user meets it: a process with arguments, two output streams and an exit code."""

import json
import signal
import struct
import subprocess
import sys
from pathlib import Path

import litemrc
import pytest
from litemrc.cli.curves.measuring import trace_names

from tests.timeouts import scaled_timeout

COMMAND = [sys.executable, "-m", "litemrc.cli.main", "mrc"]


@pytest.fixture
def figure_2(tmp_path: Path) -> Path:
    """The references of zhou2004, figure 2: miss ratios 0.75, 0.5, 0.5."""
    return _written(tmp_path, [1, 3, 1, 1])


def _written(folder: Path, pages: list[int]) -> Path:
    path = folder / "pages.txt"
    path.write_text("".join(f"{page}\n" for page in pages))
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=scaled_timeout(60)
    )


def curve(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_json_is_one_object_over_all_sizes(figure_2) -> None:
    assert curve(figure_2) == {
        "name": "pages",
        "interrupted": False,
        "accesses": 4,
        "cold_misses": 2,
        "page_bytes": 4096,
        "resolution_pages": 1,
        "sizes_pages": [1, 2],
        "miss_ratio": [0.75, 0.5],
    }


def test_json_of_many_sizes_is_whole(tmp_path) -> None:
    """10,000 pages twice: more sizes than are turned into text at once; all hits at the last one."""
    got = curve(_written(tmp_path, [*range(10_000)] * 2))
    assert got["sizes_pages"] == list(range(1, 10_001))
    assert got["miss_ratio"] == [1.0] * 9_999 + [0.5]


def test_only_the_sizes_asked_for(figure_2) -> None:
    for sizes in ("3,1", "12k,4096B"):
        got = curve(figure_2, "--sizes", sizes)
        assert (got["sizes_pages"], got["miss_ratio"], got["accesses"]) == ([1, 3], [0.75, 0.5], 4)


@pytest.mark.parametrize("engine", ["group", "bucket"])
def test_the_hardwares_engines_answer_multiples_of_a_group(figure_2, engine) -> None:
    got = curve(figure_2, "--engine", engine, "--frames", 512, "--groups", 16)
    assert got["sizes_pages"] == [32 * group for group in range(1, 17)]
    assert got["miss_ratio"] == [0.5] * 16


def test_the_tracker_reports_its_curve_and_what_it_cost(figure_2) -> None:
    """References 1 3 1 1: after each, one scan; 3 takes the only permission from 1, which then faults."""
    tracker = ["--engine", "os", "--scan-list", 1, "--period", 1, "--group-pages", 1]
    got = curve(figure_2, *tracker, "--reference-ns", 10_000, "--quiet")
    assert (got["sizes_pages"], got["miss_ratio"], got["accesses"]) == ([1, 2], [0.75, 0.5], 4)
    assert (got["faults"], got["scans"]) == (1, 4)
    # 1 fault; 4 scans of 1 page, of which the last finds it accessed; 2 pages pushed down.
    assert got["overhead"] == pytest.approx((1500 + 4 * 1000 + 4 * 30 + 80 + 2 * 5) / 40_000)
    both = json.loads(run(figure_2, figure_2, *tracker, "--json").stdout)["curves"]
    assert [each["faults"] for each in both] == [1, 1]
    done = run(figure_2, *tracker)
    assert "1 protection faults, 4 scans; overhead 2.85% at 50,000 ns a reference" in done.stderr


@pytest.mark.parametrize("sample", [["--sample-rate", "1"], ["--sample-pages", "10"]])
def test_shards_over_all_pages_is_exact(figure_2, sample) -> None:
    assert curve(figure_2, "--engine", "shards", *sample)["miss_ratio"] == [0.75, 0.5]


def test_a_sampled_curve_has_a_band_unless_told() -> None:
    sampled = ["gen:zipf?pages=3000&n=30000", "--engine", "shards", "--sample-rate", "0.1"]
    got = curve(*sampled)
    bounds = zip(got["miss_ratio_low"], got["miss_ratio"], got["miss_ratio_high"], strict=True)
    assert all(0 <= low <= ratio <= high <= 1 for low, ratio, high in bounds)
    assert run(*sampled).stdout.splitlines()[1].split() == [
        "pages",
        "memory",
        "miss",
        "ratio",
        "95",
        "%",
        "band",
    ]
    assert run(*sampled, "--csv").stdout.startswith(
        "name,pages,memory_bytes,miss_ratio,miss_ratio_low,miss_ratio_high\n"
    )
    assert "miss_ratio_low" not in curve(*sampled, "--no-band")


def test_the_table_has_powers_of_two_and_the_footprint(tmp_path) -> None:
    done = run(_written(tmp_path, [0, 1, 2, 0, 1, 2]))
    assert done.stdout.splitlines()[0] == "6 accesses, 3 cold misses"
    assert [line.split() for line in done.stdout.splitlines()[2:]] == [
        ["1", "4", "KiB", "1.000000"],
        ["2", "8", "KiB", "1.000000"],
        ["3", "12", "KiB", "0.500000"],
    ]


def test_several_traces_have_a_column_each_and_one_object(figure_2, tmp_path) -> None:
    loop = tmp_path / "loop.txt"
    loop.write_text("1\n2\n3\n4\n" * 5)
    done = run(figure_2, loop)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["pages: 4 accesses, 2 cold misses", "loop: 20 accesses, 4 cold misses"]
    assert [line.split() for line in lines[2:]] == [
        ["pages", "memory", "pages", "loop"],
        ["1", "4", "KiB", "0.750000", "1.000000"],
        ["2", "8", "KiB", "0.500000", "1.000000"],
        ["4", "16", "KiB", "0.500000", "0.200000"],
    ]
    file = tmp_path / "both.json"
    file.write_text(run(figure_2, loop, "--json").stdout)
    both = litemrc.read(file)
    assert list(both) == ["pages", "loop"] and both["loop"].at(pages=4) == 0.2
    csv = run(figure_2, loop, "--csv").stdout.splitlines()
    assert csv[:3] == ["name,pages,memory_bytes,miss_ratio", "pages,1,4096,0.75", "pages,2,8192,0.5"]
    assert len(csv) == 1 + 2 + 4 and csv[-1] == "loop,4,16384,0.2"


def test_traces_of_different_page_sizes_share_rows_in_bytes(figure_2, tmp_path) -> None:
    small = tmp_path / "small.txt"
    small.write_text("# page_bytes 1024\n1\n1\n2\n2\n")
    lines = [line.split() for line in run(figure_2, small).stdout.splitlines()[2:]]
    assert lines[0] == ["memory", "pages", "small"]
    # 1 and 2 pages of 1 KiB, and of 4 KiB: nothing is known of pages of 4 KiB below one.
    assert lines[1:] == [
        ["1", "KiB", "-", "0.500000"],
        ["2", "KiB", "-", "0.500000"],
        ["4", "KiB", "0.750000", "0.500000"],
        ["8", "KiB", "0.500000", "0.500000"],
    ]


def test_names_of_traces_are_short_where_that_is_enough() -> None:
    assert trace_names(["a/x.txt", "y.parquet", "gen:zipf?n=5", "-"]) == ["x", "y", "zipf", "stdin"]
    assert trace_names(["a/x.txt", "b/x.trace.gz", "gen:zipf?n=5", "gen:zipf?n=6"]) == [
        *("a/x.txt", "b/x.trace.gz", "gen:zipf?n=5", "gen:zipf?n=6")
    ]
    assert trace_names([".hidden"]) == [".hidden"]


def test_stdin_is_a_trace(figure_2) -> None:
    done = subprocess.run(
        [*COMMAND, "-", "--format", "text", "--json"],
        input=figure_2.read_text(),
        capture_output=True,
        text=True,
        timeout=scaled_timeout(60),
    )
    assert json.loads(done.stdout)["miss_ratio"] == [0.75, 0.5] and done.stderr == ""


def test_windows_share_one_stack(figure_2, tmp_path) -> None:
    loop = _written(tmp_path, [1, 2, 3] * 2)
    windows = json.loads(run(loop, "--window", 3, "--sizes", "2,3", "--json").stdout)["curves"]
    assert [each["miss_ratio"] for each in windows] == [[1, 1], [1, 0]]
    assert [each["accesses"] for each in windows] == [3, 3]
    table = run(loop, "--window", 3, "--sizes", "2,3").stdout.splitlines()
    assert table[1].split() == ["from", "accesses", "8", "KiB", "12", "KiB"]
    assert table[3].split() == ["3", "3", "1.0000", "0.0000"]
    csv = run(loop, "--window", 3, "--sizes", "3", "--csv").stdout.splitlines()
    assert csv[1:] == ["window 1,3,12288,1.0", "window 2,3,12288,0.0"]


def test_contexts_have_a_curve_each_by_default(tmp_path) -> None:
    path = tmp_path / "t.txt"
    # Page 7 belongs to context 1, which accessed it first.
    path.write_text("1 7 r 1\n2 8 r 2\n3 7 r 2\n")
    done = json.loads(run(path, "--json").stdout)["curves"]
    assert [(each["name"], each["accesses"]) for each in done] == [("context 1", 2), ("context 2", 1)]
    assert curve(path, "--context", "1")["miss_ratio"] == [0.5]
    assert curve(path, "--context", "all")["miss_ratio"] == [1, 2 / 3]
    refused = run(path, "--context", "5")
    assert refused.returncode == 2 and "choose from contexts 1, 2" in refused.stderr
    refused = run(path, "--window", 2)
    assert refused.returncode == 2 and "contexts 1, 2" in refused.stderr and "--context" in refused.stderr


def test_objects_of_different_sizes_are_measured_by_bytes(tmp_path) -> None:
    # oracleGeneral: time, object, bytes, next access. 1 of 100 bytes, 2 of 50, 1 again: it needs 150 bytes.
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(
        b"".join(
            struct.pack("<IQIq", time, *each, -1) for time, each in enumerate([(1, 100), (2, 50), (1, 100)])
        )
    )
    got = json.loads(run(path, "--by", "bytes", "--json").stdout)
    assert (got["page_bytes"], got["sizes_pages"], got["miss_ratio"]) == (1, [150], [2 / 3])
    assert run(path, "--by", "bytes").stdout.splitlines()[1].split() == ["memory", "miss", "ratio"]


def test_frames_fit_the_trace_by_default(tmp_path) -> None:
    loop = _written(tmp_path, [*range(300)] * 2)
    done = run(loop, "--engine", "bucket", "--groups", 64, "--json")
    assert json.loads(done.stdout)["sizes_pages"] == list(range(8, 513, 8))
    assert "512 frames for 300 pages; resolution 8 pages, 32 KiB" in done.stderr
    assert run(loop, "--engine", "bucket", "--frames", 1024, "--quiet").stderr == ""


def test_pictures_are_drawn_after_the_results(figure_2, tmp_path, monkeypatch, capsys) -> None:
    from litemrc.cli.main import main

    for options in ([], ["--window", "2"]):
        arguments = ["mrc", str(figure_2), *options, "--plot", str(tmp_path / "a.png")]
        assert main(arguments) == 0
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")

    def fail(*_: object) -> None:
        raise litemrc.UserError("the disk is full")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    capsys.readouterr()
    assert main(["mrc", str(figure_2), "--json", "--plot", str(tmp_path / "a.png")]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["accesses"] == 4 and "the disk is full" in printed.err


def test_help_says_where_sampling_fails() -> None:
    assert "Where a curve has a\n        cliff" in run("--help").stdout


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--engine", "group", "--frames", "300"], "frames 256, 512"),
        (["--engine", "bucket", "--groups", "0"], "groups 16, 64, 256"),
        (["--frames", "256"], "engine exact has no frames"),
        (["--engine", "group", "--sample-rate", "0.1"], "engine group has no sample rate"),
        (
            ["--engine", "shards", "--sample-rate", "2"],
            "sampling rate must be above 0 and at most 1 (got 2.0)",
        ),
        (["--engine", "shards", "--sample-rate", "0.1", "--sample-pages", "9"], "either a sample rate or"),
        (["--engine", "group", "--frames", "256", "--groups", "16", "--sizes", "8"], "multiple of 16 pages"),
        (["--engine", "opt"], "invalid choice: 'opt'"),
        (["--engine", "os", "--scan-list", "0"], "argument --scan-list: must be a whole number from 1"),
        (["--engine", "os", "--period", "x"], "argument --period: must be a whole number from 1"),
        (["--engine", "os", "--reference-ns", "0"], "the time of a reference must be positive (got 0.0 ns)"),
        (["--seen-only"], "engine exact has no seen only"),
        (
            ["--sizes", "1,-4"],
            "must be a number of pages, or bytes with a unit, such as 4096 or 16M (got '-4')",
        ),
        (["--sizes", "5k"], "5k is not a whole number of pages of 4096 bytes"),
        (["--context", "x"], "must be the number of a context, each or all (got 'x')"),
        (["--context", "3"], "the trace has no contexts"),
        (["--by", "bytes"], "the references have no object sizes"),
        (["--by", "bytes", "--window", "2"], "windows are measured by pages only"),
        (["--window", "0"], "must be a whole number from 1"),
        (["gen:loop", "--window", "2"], "--window takes one trace (got 2)"),
        (["-", "-", "--format", "text"], "stdin can be read only once"),
        (["-", "--format", "text", "--engine", "group"], "give --frames"),
        (["--plot", "curve.pdf"], "must end in .png or .svg"),
        (["--format", "lackey"], "where:  "),
    ],
)
def test_bad_arguments_exit_with_2_and_say_why(figure_2, arguments, complaint) -> None:
    done = run(figure_2, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr


def test_an_empty_trace_has_no_curve(tmp_path) -> None:
    done = run(_written(tmp_path, []), "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the trace has no reference" in done.stderr


def test_more_pages_than_frames_are_an_error(tmp_path) -> None:
    done = run(_written(tmp_path, list(range(300))), "--engine", "group", "--frames", "256", "--groups", "64")
    assert done.returncode == 2
    assert "more than 256 distinct pages" in done.stderr and "choose 512, 1024" in done.stderr


def test_in_out_records_answer_sizes_that_hold_all_pages_in_use(tmp_path) -> None:
    """Three pages in use at once: their order inside an interval, so misses of less memory, are unknown."""
    path = tmp_path / "pages.inout"
    records = ["0 IN 1", "1 IN 2", "2 IN 3", "30 OUT 1", "31 OUT 2", "32 OUT 3", "50 IN 1", "51 OUT 1"]
    path.write_text("\n".join(["interval 10", *records, ""]))
    done = run(path, "--json")
    assert json.loads(done.stdout)["sizes_pages"] == [3]
    assert json.loads(done.stdout)["cold_misses"] == 3
    assert "exact from 3 pages on" in done.stderr
    done = run(path, "--sizes", "1,3")
    assert (done.returncode, done.stdout) == (2, "") and "give at least 3 pages" in done.stderr


def test_ctrl_c_shows_the_curve_so_far() -> None:
    arguments = ["gen:zipf?pages=1000&n=100000000000", "--json"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr.readline().startswith("measuring: ")
    process.send_signal(signal.SIGINT)
    output, messages = process.communicate(timeout=scaled_timeout(60))
    assert (
        process.returncode == 130 and "interrupted: the curves cover the references read so far" in messages
    )
    curve = json.loads(output)
    assert 0 < curve["accesses"] < 100_000_000_000 and curve["sizes_pages"][-1] <= 1000


def test_the_engines_and_their_defaults_in_the_help_are_those_of_the_native_core(capsys):
    """The parser repeats them, so that --help need not load the core."""
    from litemrc.cli.curves.engine_arguments import ENGINES
    from litemrc.cli.main import main
    from litemrc.native import engines

    assert tuple(engines.ENGINES) == ENGINES
    with pytest.raises(SystemExit):
        main(["mrc", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"scan list ({engines.DEFAULT_SCAN_LIST})" in text
    assert f"scans ({engines.DEFAULT_PERIOD})" in text and f"({engines.DEFAULT_REFERENCE_NS:.0f})" in text
    assert f"group ({engines.DEFAULT_GROUP_PAGES}; the paper: 64)" in text
    assert f"sampled ({engines.DEFAULT_RATE})" in text and f"256 ({engines.DEFAULT_GROUPS})" in text
