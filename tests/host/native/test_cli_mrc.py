"""`litemrc mrc` as a user meets it: a process with arguments, two output streams and an exit code."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patience

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
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=patience(60)
    )


def curve(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_json_is_one_object_over_all_sizes(figure_2) -> None:
    assert curve(figure_2) == {
        "accesses": 4,
        "cold_misses": 2,
        "page_bytes": 4096,
        "sizes_pages": [1, 2],
        "miss_ratio": [0.75, 0.5],
    }


def test_json_of_many_sizes_is_whole(tmp_path) -> None:
    """10,000 pages twice: more sizes than are turned into text at once; all hits at the last one."""
    got = curve(_written(tmp_path, [*range(10_000)] * 2))
    assert got["sizes_pages"] == list(range(1, 10_001))
    assert got["miss_ratio"] == [1.0] * 9_999 + [0.5]


def test_only_the_sizes_asked_for(figure_2) -> None:
    assert curve(figure_2, "--sizes", "3,1") == {
        "accesses": 4,
        "cold_misses": 2,
        "page_bytes": 4096,
        "sizes_pages": [3, 1],
        "miss_ratio": [0.5, 0.75],
    }


@pytest.mark.parametrize("engine", ["group", "bucket"])
def test_the_hardwares_engines_answer_multiples_of_a_group(figure_2, engine) -> None:
    got = curve(figure_2, "--engine", engine, "--frames", 512, "--groups", 16)
    assert got["sizes_pages"] == [32 * group for group in range(1, 17)]
    assert got["miss_ratio"] == [0.5] * 16


@pytest.mark.parametrize("sample", [["--sample-rate", "1"], ["--sample-pages", "10"]])
def test_shards_over_all_pages_is_exact(figure_2, sample) -> None:
    assert curve(figure_2, "--engine", "shards", *sample)["miss_ratio"] == [0.75, 0.5]


def test_the_table_has_powers_of_two_and_the_footprint(tmp_path) -> None:
    done = run(_written(tmp_path, [0, 1, 2, 0, 1, 2]))
    assert done.stdout.splitlines()[0] == "6 accesses, 3 cold misses"
    assert [line.split() for line in done.stdout.splitlines()[2:]] == [
        ["1", "4", "KiB", "1.000000"],
        ["2", "8", "KiB", "1.000000"],
        ["3", "12", "KiB", "0.500000"],
    ]


def test_help_says_where_sampling_fails() -> None:
    assert "Where a curve has a cliff" in run("--help").stdout


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--engine", "group", "--frames", "300"], "frames 256, 512"),
        (["--engine", "bucket", "--groups", "0"], "groups 16, 64, 256"),
        (["--frames", "256"], "engine exact has no frames"),
        (["--engine", "group", "--sample-rate", "0.1"], "engine group has no sample rate"),
        (["--engine", "shards", "--sample-rate", "2"], "sampling rate must be above 0 and at most 1 (got 2.0)"),
        (["--engine", "shards", "--sample-rate", "0.1", "--sample-pages", "9"], "either a sample rate or"),
        (["--engine", "group", "--frames", "256", "--groups", "16", "--sizes", "8"], "multiples of 16 pages"),
        (["--engine", "opt"], "invalid choice: 'opt'"),
        (["--sizes", "1,-4"], "must be a whole number from 1 to 4294967295 (got '-4')"),
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
    output, messages = process.communicate(timeout=patience(60))
    assert (
        process.returncode == 130 and "interrupted: the curve covers the references read so far" in messages
    )
    curve = json.loads(output)
    assert 0 < curve["accesses"] < 100_000_000_000 and curve["sizes_pages"][-1] <= 1000
