# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc compare`: differences, the exit code for CI, and inputs that are refused."""

import json

import pytest
from litemrc.cli.main import main
from litemrc.epochs.files import write_epochs
from litemrc.errors import UserError

BEFORE = {
    "name": "app",
    "page_bytes": 4096,
    "accesses": 100,
    "sizes_pages": [1, 2, 4],
    "miss_ratio": [0.9, 0.5, 0.25],
}
# 0, 0.25 and 0.125 more, over 1 and 2 pages of memory: the mean is (0 * 1 + 0.25 * 2) / 3.
AFTER = BEFORE | {"miss_ratio": [0.9, 0.75, 0.375]}


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for path, content in zip(paths, (BEFORE, AFTER), strict=True):
        path.write_text(json.dumps(content))
    return [str(path) for path in paths]


def compared(capsys, *arguments) -> dict:
    main(["compare", *map(str, arguments), "--json"])
    return json.loads(capsys.readouterr().out)


def test_the_difference_is_reported_with_its_place(capsys, files):
    (row,) = compared(capsys, *files)["curves"]
    assert row == {
        "name": "app",
        "other_name": "app",
        "sizes": 3,
        "mean_difference": pytest.approx(0.5 / 3),
        "largest_difference": 0.25,
        "largest_at_bytes": 8192,
        "miss_ratio": 0.5,
        "other_miss_ratio": 0.75,
        "above_tolerance": False,
    }
    assert main(["compare", *files]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("app")]
    assert line.split() == ["app", "3", "0.166667", "0.250000", "8", "KiB", "0.500000", "0.750000"]
    assert main(["compare", *files, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("app,app,3,0.16666")


@pytest.mark.parametrize(
    ("tolerance", "code"),
    [
        (["--tolerance", "0.25"], 0),
        (["--tolerance", "0.2499"], 1),
        (["--tolerance", "0.17", "--mean"], 0),
        (["--tolerance", "0.16", "--mean"], 1),
        (["--tolerance", "0"], 1),
        ([], 0),
    ],
)
def test_the_exit_code_is_1_above_the_tolerance(capsys, files, tolerance, code):
    assert main(["compare", *files, *tolerance]) == code
    assert ("above it: app" in capsys.readouterr().out) == (code == 1)
    assert main(["compare", *files, *tolerance, "--json"]) == code


def test_equal_curves_are_within_any_tolerance(files):
    assert main(["compare", files[0], files[0], "--tolerance", "0"]) == 0


def test_traces_are_measured(capsys, tmp_path, files):
    trace = tmp_path / "app.txt"
    trace.write_text("1\n3\n1\n1\n")
    baseline = tmp_path / "baseline.json"
    assert main(["mrc", str(trace), "--json"]) == 0
    baseline.write_text(capsys.readouterr().out)
    assert main(["compare", str(baseline), str(trace), "--tolerance", "0"]) == 0
    trace.write_text("1\n3\n1\n3\n")
    assert main(["compare", str(baseline), str(trace), "--tolerance", "0.2"]) == 1
    assert main(["compare", "gen:loop?pages=10&n=100", "gen:loop?pages=10&n=100", "--tolerance", "0"]) == 0


def test_curves_are_matched_by_name(capsys, tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", epoch_table)
    rows = compared(capsys, tmp_path / "t.parquet", tmp_path / "t.parquet")["curves"]
    assert [(row["name"], row["largest_difference"]) for row in rows] == [("zipf", 0), ("loop", 0)]
    both = tmp_path / "both.json"
    both.write_text(json.dumps({"curves": [AFTER | {"name": "loop"}, BEFORE | {"name": "zipf"}]}))
    rows = compared(capsys, tmp_path / "t.parquet", both)["curves"]
    assert [row["name"] for row in rows] == ["zipf", "loop"]


def test_the_results_precede_the_picture(capsys, files, tmp_path, monkeypatch):
    assert main(["compare", *files, "--plot", str(tmp_path / "a.png"), "--tolerance", "0.1"]) == 1
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")

    def fail(*_):
        raise UserError("the disk is full")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    capsys.readouterr()
    assert main(["compare", *files, "--json", "--plot", str(tmp_path / "a.png")]) == 2
    assert json.loads(capsys.readouterr().out)["curves"]


def test_bad_input_is_refused(capsys, files, tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", epoch_table)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "twice.json").write_text(json.dumps({"curves": [BEFORE, BEFORE]}))
    (tmp_path / "bare.json").write_text(json.dumps({k: v for k, v in BEFORE.items() if k != "page_bytes"}))
    for arguments, said in (
        ([files[0], tmp_path / "t.parquet"], "has no curve named 'app', as"),
        ([files[0], tmp_path / "none.json"], "No such file"),
        ([files[0], tmp_path / "bad.parquet"], "bad.parquet"),
        ([files[0], tmp_path], "suffix"),
        ([tmp_path / "twice.json", tmp_path / "twice.json"], "several curves are named 'app'"),
        ([files[0], tmp_path / "bare.json"], "--page-size"),
        ([*files, "--mean"], "--mean is given without --tolerance"),
        ([*files, "--plot", "a.pdf"], ".png or .svg"),
        (["-", "-", "--format", "text"], "stdin can be read only once"),
    ):
        assert main(["compare", *map(str, arguments)]) == 2, arguments
        printed = capsys.readouterr()
        assert printed.out == "" and said in printed.err
    for wrong in ("-1", "2", "nan", "x"):
        with pytest.raises(SystemExit) as caught:
            main(["compare", *files, "--tolerance", wrong])
        assert caught.value.code == 2
        assert "must be a number from 0 to 1" in capsys.readouterr().err
