# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc allocate` as a user meets it: a process with arguments, output streams, files and an exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.epochs.files import write_epochs
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError

from tests.host.epoch_rows import PARAMETERS, row
from tests.timeouts import scaled_timeout

COMMAND = [sys.executable, "-m", "litemrc.cli.main"]
# 0.9 for three pages, and less and less for one each.
LOOP = {"name": "loop", "page_bytes": 4096, "accesses": 100, "sizes_pages": [3], "miss_ratio": [0.1]}
ZIPF = {
    "name": "zipf",
    "page_bytes": 4096,
    "accesses": 400,
    "sizes_pages": [1, 2, 3, 4],
    "miss_ratio": [0.6, 0.4, 0.3, 0.25],
}


def run(*arguments: object, command: str = "allocate") -> subprocess.CompletedProcess[str]:
    line = [*COMMAND, command, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=scaled_timeout(60))


def answer(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def refusal(*arguments: object) -> str:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.fixture
def curves(tmp_path: Path) -> list[Path]:
    return [written(tmp_path, "loop.json", LOOP), written(tmp_path, "zipf.json", ZIPF)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two processes side by side, on a monitor of 64 frames in 4 groups; intr 20 accesses, gzip 10."""
    rows = [
        row(context=1, accesses=20, misses=5, touched=9, hits=(10, 3, 2, 0)),
        row(context=2, accesses=10, misses=2, touched=4, hits=(0, 8, 0, 0)),
    ]
    processes = (Process(1, 57, "intr", 0, 0), Process(2, 58, "gzip", 0, 0))
    path = tmp_path / "curves.parquet"
    write_epochs(path, EpochTable.from_rows(rows, **PARAMETERS, processes=processes))
    return path


def test_json_is_one_object_with_the_division(curves):
    # All of the loop (0.9), and zipf's first two pages (0.4 + 0.2), as in test_allocation.py.
    got = answer(*curves, "--memory", 5)
    assert got["utility"] == pytest.approx(1.5)
    assert got["utility_bound"] == got["utility"]
    assert got == got | {
        "allocation_pages": {"loop": 3, "zipf": 2},
        "predicted_miss_ratio": {"loop": 0.1, "zipf": 0.4},
        "utility_in_use": "hit ratio",
        "free_pages": 0,
        "memory_pages": 5,
        "delta_pages": 1,
        "page_bytes": 4096,
        "method": "hull",
    }


def test_memory_is_pages_or_bytes_of_the_curves_pages(tmp_path, curves):
    for memory in ("20k", 5):
        assert answer(*curves, "--memory", memory)["allocation_pages"] == {"loop": 3, "zipf": 2}
    got = answer(*curves, "--memory", "24K", "--delta", "8K", "--min", "zipf=12K")
    assert (got["allocation_pages"], got["memory_pages"]) == ({"loop": 0, "zipf": 4}, 6)
    small = [written(tmp_path, f"{each['name']}.json", each | {"page_bytes": 1024}) for each in (LOOP, ZIPF)]
    assert answer(*small, "--memory", "5k")["allocation_pages"] == {"loop": 3, "zipf": 2}


def test_curves_of_different_page_sizes_are_converted_only_on_request(tmp_path, curves):
    small = written(tmp_path, "small.json", LOOP | {"name": "small", "page_bytes": 1024})
    error = refusal(*curves, small, "--memory", 6)
    assert "pages of different sizes" in error and "small: 1024 bytes" in error and "--convert" in error
    done = run(*curves, small, "--memory", 6, "--convert", "--json")
    # Three pages of 1 KiB are one of 4 KiB.
    assert json.loads(done.stdout)["allocation_pages"] == {"loop": 3, "zipf": 2, "small": 1}
    assert "note: small: converted to pages of 4096 bytes" in done.stderr and "approximate" in done.stderr


def test_a_curve_without_a_page_size_needs_one(tmp_path):
    bare = written(tmp_path, "bare.json", {key: value for key, value in LOOP.items() if key != "page_bytes"})
    error = refusal(bare, "--memory", 5)
    assert "no page_bytes" in error and "--page-size" in error
    assert answer(bare, "--memory", "3k", "--page-size", "1k")["page_bytes"] == 1024


def test_csv_has_a_row_for_each_process(curves):
    lines = run(*curves, "--memory", 5, "--csv").stdout.splitlines()
    assert lines[0].startswith("process,accesses,weight,guaranteed_pages,allocated_pages,allocated_bytes,")
    assert lines[1] == "loop,100,1.0,0,3,12288,0.6,0.1,1.0,0.1"
    assert len(lines) == 3


def test_results_are_printed_before_the_picture_is_drawn(curves, tmp_path, monkeypatch, capsys):
    def fail(*_: object) -> None:
        raise UserError("the disk is full")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    arguments = [*map(str, curves), "--memory", "5", "--json", "--plot", str(tmp_path / "a.png")]
    assert main(["allocate", *arguments]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["allocation_pages"] and "the disk is full" in printed.err


def test_methods_differ_where_the_loop_needs_three_pages_at_once(curves):
    assert answer(*curves, "--memory", 5, "--method", "greedy")["allocation_pages"] == {"loop": 1, "zipf": 4}
    assert answer(*curves, "--memory", 5, "--method", "optimal")["allocation_pages"] == {"loop": 3, "zipf": 2}


def test_performance_counts_hits(curves):
    # In 4 pages: the loop gains 90 hits, zipf 160 + 80 + 40 + 20.
    got = answer(*curves, "--memory", 4, "--performance")
    assert (got["allocation_pages"], got["utility"]) == ({"loop": 0, "zipf": 4}, pytest.approx(300))
    assert got["utility_in_use"] == "hit ratio x reference rate"
    # With ten times the rate, 900.
    got = answer(*curves, "--memory", 4, "--performance", "--reference-rate", "loop=1000")
    assert (got["allocation_pages"], got["utility"]) == ({"loop": 3, "zipf": 1}, pytest.approx(900 + 160))


def test_weights_minimums_and_units(curves):
    assert answer(*curves, "--memory", 3, "--weight", "zipf=2")["allocation_pages"] == {"loop": 0, "zipf": 3}
    got = answer(*curves, "--memory", 6, "--delta", 2, "--min", "zipf=3")
    assert (got["allocation_pages"], got["free_pages"]) == ({"loop": 0, "zipf": 4}, 2)


def test_an_epoch_table_has_a_curve_for_each_process(table):
    # intr: 0.5, 0.65, 0.75 at 16, 32, 48 pages; gzip: 0.8 at 32.
    got = answer(table, "--memory", 48, "--delta", 16)
    assert got["allocation_pages"] == {"intr (pid 57)": 16, "gzip (pid 58)": 32}
    assert got["predicted_miss_ratio"] == {"intr (pid 57)": 0.5, "gzip (pid 58)": pytest.approx(0.2)}
    for name in ("intr (pid 57)", "intr", "57"):
        got = answer(table, "--memory", 48, "--delta", 16, "--min", f"{name}=33")
        assert got["allocation_pages"] == {"intr (pid 57)": 48, "gzip (pid 58)": 0}


def test_curves_that_other_commands_print_are_taken(tmp_path, table):
    trace = written(tmp_path, "trace.txt", "".join(f"{page}\n" for page in [1, 2, 3] * 10))
    loop = written(tmp_path, "trace.json", run(trace, "--json", command="mrc").stdout)
    intr = written(tmp_path, "x.json", run(table, "--process", "intr", "--json", command="curve").stdout)
    # The loop of 3 pages: 27 of 30 hit. Without a name it is called by its file.
    got = answer(loop, intr, "--memory", 19)
    assert got["allocation_pages"] == {"trace": 3, "intr": 16}
    assert got["predicted_miss_ratio"] == {"trace": pytest.approx(0.1), "intr": 0.5}
    both = written(tmp_path, "both.json", run(table, "--json", command="curve").stdout)
    assert "several contexts summed" in refusal(both, "--memory", 8)


def test_the_table_says_what_each_gets_and_which_utility_is_in_use(curves):
    done = run(*curves, "--memory", 5)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["loop", "100", "1", "0", "3", "12", "KiB", "60.0%", "0.1000", "1.0000", "0.1000"] in lines
    assert ["zipf", "400", "1", "0", "2", "8", "KiB", "40.0%", "0.4000", "0.4000", "0.2500"] in lines
    assert "utility 1.5 (sum of weight x hit ratio), by hull: optimal" in done.stdout
    assert "0 of 5 pages of 4,096 bytes stay free; unit of allocation: 1 pages" in done.stdout


def test_the_picture_is_drawn(curves, tmp_path):
    assert run(*curves, "--memory", 5, "--plot", tmp_path / "a.png").returncode == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert run(*curves, "--memory", 5, "--plot", tmp_path / "a.svg").returncode == 0
    assert "zipf: 8 KiB" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--min", "gzip=3"], ["no curve is named 'gzip'", "--min", "choose from loop, zipf"]),
        (["--weight", "gzip=3"], ["no curve is named 'gzip'", "--weight"]),
        (
            ["--min", "zipf=-3"],
            ["must be NAME=VALUE with a number of pages or bytes with a unit (got 'zipf=-3')"],
        ),
        (["--min", "zipf"], ["must be NAME=VALUE with a number of pages or bytes with a unit (got 'zipf')"]),
        (["--weight", "zipf=nan"], ["must be NAME=VALUE with a value of at least 0 (got 'zipf=nan')"]),
        (["--min", "zipf=1.5"], ["a number of pages or bytes with a unit (got 'zipf=1.5')"]),
        (["--min", "zipf=5k"], ["5k is not a whole number of pages of 4096 bytes", "--min"]),
        (["--min", "zipf=1", "--min", "zipf=2"], ["given twice"]),
        (["--min", "zipf=4", "--min", "loop=3"], ["need 7 pages, the memory has 5", "loop: 3, zipf: 4"]),
        (
            ["--memory", "-5"],
            ["must be a number of pages, or bytes with a unit, such as 4096 or 16M (got '-5')"],
        ),
        (["--memory", "5k"], ["5k is not a whole number of pages of 4096 bytes", "--memory"]),
        (["--delta", "0"], ["must be a number of pages, or bytes with a unit", "(got '0')"]),
        (["--page-size", "1k"], ["1024 bytes, but the file has pages of 4096 bytes", "loop.json"]),
        (["--reference-rate", "zipf=1"], ["is given without --performance"]),
        (["--plot", "a.pdf"], ["must end in .png or .svg"]),
    ],
)
def test_bad_options_are_refused(curves, options, said):
    error = refusal(*curves, "--memory", 5, *options)
    for text in said:
        assert text in error


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            LOOP | {"sizes_pages": [1, 2], "miss_ratio": [0.2, 0.3]},
            ["rises with memory", "miss_ratio[1] = 0.3"],
        ),
        (
            LOOP | {"sizes_pages": [2, 1], "miss_ratio": [0.3, 0.2]},
            ["sizes do not rise", "sizes_pages[1] = 1"],
        ),
        (LOOP | {"miss_ratio": [7]}, ["not in 0..1", "bad.json"]),
        (LOOP | {"miss_ratio": ["x"]}, ["miss_ratio must be a list"]),
        (LOOP | {"sizes_pages": 3}, ["sizes_pages must be a list"]),
        (LOOP | {"accesses": "many"}, ["accesses must be a whole number"]),
        (LOOP | {"name": 3}, ["the name must be a text"]),
        ({"name": "loop"}, ["has no accesses and no sizes_pages and no miss_ratio"]),
        ([1, 2], ["not a JSON object"]),
        ('{"name": "loop",\n ]', ["neither Parquet nor JSON", "bad.json:2:2"]),
        ("", ["neither Parquet nor JSON"]),
        (ZIPF, ["several curves have the name zipf"]),
    ],
)
def test_bad_curves_are_refused_with_their_place(curves, tmp_path, content, said):
    error = refusal(written(tmp_path, "bad.json", content), *curves, "--memory", 5)
    for text in said:
        assert text in error


def test_files_that_cannot_be_read_are_refused(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.json", "--memory", 5)
    assert "Is a directory" in refusal(tmp_path, "--memory", 5)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    assert "truncated" in refusal(tmp_path / "bad.parquet", "--memory", 5)
    (tmp_path / "bad.bin").write_bytes(bytes(range(256)))
    assert "neither Parquet nor JSON" in refusal(tmp_path / "bad.bin", "--memory", 5)
