# SPDX-License-Identifier: BSD-2-Clause
"""Commands on curves and traces refuse files that hold something else: exit code 2, and the file is named."""

import pytest
from litemrc.epochs.files import write_epochs

from tests.host.cli.hostile import CONTENTS, VALUES
from tests.host.in_process import litemrc

# The words before the file, and the names that the file may have.
TABLES = ["t.parquet", "t.json", "t.csv", "t"]
TRACES = ["t.txt", "t.txt.gz", "t.txt.xz", "t.parquet", "t.arrow", "t.lackey", "t.oracleGeneral", "t.inout"]
READING = {
    "curve": (["curve"], TABLES),
    "allocate": (["allocate", "--memory", "64"], TABLES),
    "compare": (["compare", "GOOD"], TABLES),
    "mrc": (["mrc"], TRACES),
    "hot": (["hot"], TRACES),
    "heatmap": (["heatmap"], TRACES),
    "trace info": (["trace", "info"], TRACES),
    "trace convert": (["trace", "convert", "--out", "out.parquet"], TRACES),
    "trace plot": (["trace", "plot", "--out", "out.png"], TRACES),
    "trace shared": (["trace", "shared", "--out", "out.parquet"], ["t.txt", "t.txt.gz", "t.parquet"]),
}
CASES = [
    pytest.param(line, name, id=f"{command} {name}")
    for command, (line, names) in READING.items()
    for name in names
]


@pytest.fixture(autouse=True)
def here(tmp_path, epoch_table, monkeypatch):
    """A folder to work in, with a good table."""
    monkeypatch.chdir(tmp_path)
    write_epochs(tmp_path / "good.parquet", epoch_table)
    return tmp_path


def outcome(line, name):
    return litemrc(*("good.parquet" if word == "GOOD" else word for word in line), name)


def assert_refused(done, name):
    assert done.returncode == 2, done
    assert done.stdout == "", done
    assert "error: " in done.stderr and name in done.stderr, done.stderr


# Not even when a writer is collected: pyarrow's would complain that its file was closed.
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("line", "name"), CASES)
def test_files_of_another_kind_are_refused_by_name(line, name, here):
    for kind, content in CONTENTS.items():
        (here / name).write_bytes(content)
        done = outcome(line, name)
        if kind == "empty" and done.returncode == 0:  # a text without lines is a trace without references
            for written in here.glob("out.*"):
                written.unlink()
            continue
        assert_refused(done, name)
        assert not (here / "out.parquet").exists() and not (here / "out.png").exists()


@pytest.mark.parametrize(("line", "name"), CASES)
def test_files_that_cannot_be_read_are_refused_by_name(line, name, here):
    path = here / name
    assert_refused(outcome(line, name), name)
    path.mkdir()
    assert_refused(outcome(line, name), name)
    path.rmdir()
    path.symlink_to("/proc/self/mem")  # it opens, but reading its first byte fails
    assert_refused(outcome(line, name), name)
    path.unlink()
    path.symlink_to(name)  # a circle of links
    assert_refused(outcome(line, name), name)


@pytest.mark.parametrize("command", ["curve", "allocate", "compare"])
def test_tables_cut_anywhere_are_refused_by_name(command, here):
    line, _ = READING[command]
    whole = (here / "good.parquet").read_bytes()
    for length in (1, 4, 8, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        (here / "cut.parquet").write_bytes(whole[:length])
        assert_refused(outcome(line, "cut.parquet"), "cut.parquet")


@pytest.mark.parametrize(
    "line",
    [
        ["curve", "good.parquet"],
        ["allocate", "good.parquet", "--memory", "64"],
        ["mrc", "gen:loop?pages=9&n=99"],
        ["heatmap", "gen:loop?pages=9&n=99"],
        ["trace", "info", "gen:loop?pages=9&n=99"],
    ],
    ids=" ".join,
)
def test_hostile_values_of_every_option_end_without_a_traceback(line, here):
    from litemrc.cli.main import command_parser
    from litemrc.cli.shared.commands import parsers_of

    prog = "litemrc " + " ".join(line[: 2 if line[0] == "trace" else 1])
    (parser,) = (parser for parser in parsers_of(command_parser()) if parser.prog == prog)
    for action in parser._actions:
        if not action.option_strings or action.nargs == 0:
            continue
        option = action.option_strings[-1]
        for value in VALUES:
            done = litemrc(*line, f"{option}={value}")
            assert done.returncode in (0, 2), (option, value, done)
            assert done.returncode == 0 or "error: " in done.stderr
