# SPDX-License-Identifier: BSD-2-Clause
"""The journal: what is appended is there after a kill at any byte, and damage is counted."""

import subprocess
import sys

import pytest
from litemrc.errors import OutputError, UserError
from litemrc_studies.sweeps.journal import finished_keys, journal_path, open_journal
from litemrc_studies.sweeps.point import Outcome


def outcome(key, *, error="", **row):
    return Outcome(key, [] if error else [row], ["note: n"], 0.5, error)


FIRST, SECOND = outcome("a", x=1, y=0.1, s="ü\n"), outcome("b", x=None)


def test_outcomes_are_there_when_the_journal_is_opened_again(tmp_path):
    table = tmp_path / "t.parquet"
    with open_journal(table) as journal:
        journal.append([FIRST])
        journal.append([SECOND, outcome("c", error="too small")])
        assert journal.outcome("a") == FIRST
    with open_journal(table) as journal:
        assert [journal.outcome(key) for key in ("a", "b")] == [FIRST, SECOND]
        assert [journal.finished(key) for key in "abcd"] == [True, True, False, False]
        assert "c" in journal and "d" not in journal
    assert finished_keys(table) == {"a", "b"}


def test_the_last_outcome_of_a_key_holds(tmp_path):
    table = tmp_path / "t.parquet"
    with open_journal(table) as journal:
        journal.append([outcome("a", error="failed"), outcome("b", x=1)])
        journal.append([outcome("a", x=7), outcome("b", error="failed")])
        assert journal.finished("a") and not journal.finished("b")
    with open_journal(table) as journal:
        assert journal.outcome("a").rows == [{"x": 7}]
        assert journal.finished("a") and not journal.finished("b")


def test_a_kill_at_any_byte_loses_only_the_line_that_was_being_written(tmp_path):
    table = tmp_path / "t.parquet"
    with open_journal(table) as journal:
        journal.append([FIRST, SECOND])
    content = journal_path(table).read_bytes()
    ends = [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]  # of the header and of both
    assert len(ends) == 3
    for size in range(len(content) + 1):
        journal_path(table).write_bytes(content[:size])
        whole = sum(size >= end for end in ends[1:])
        assert finished_keys(table) == set("ab"[:whole])
        with open_journal(table) as journal:
            assert [journal.finished(key) for key in "ab"] == [whole > 0, whole > 1]
            assert journal.damaged == 0
            journal.append([outcome("z", x=3)])
            assert journal.outcome("z").rows == [{"x": 3}]
        with open_journal(table) as journal:
            assert journal.finished("z") and journal.outcome("z").rows == [{"x": 3}]
            assert journal.finished("a") == (whole > 0)


def test_damaged_lines_are_counted_and_the_others_kept(tmp_path):
    table = tmp_path / "t.parquet"
    with open_journal(table) as journal:
        journal.append([FIRST, SECOND])
    path = journal_path(table)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"\0\0\0\n", lines[1][:20] + b"\n", b'{"key": 1}\n', lines[2]]))
    with open_journal(table) as journal:
        assert journal.damaged == 3
        assert [journal.finished(key) for key in "ab"] == [False, True]


def test_restart_forgets_what_is_done(tmp_path):
    table = tmp_path / "t.parquet"
    with open_journal(table) as journal:
        journal.append([FIRST])
    with open_journal(table, restart=True) as journal:
        assert not journal.finished("a")
    assert finished_keys(table) == set()


def test_another_file_is_refused_and_kept(tmp_path):
    table = tmp_path / "t.parquet"
    journal_path(table).write_text("my notes\n")
    with pytest.raises(UserError, match="is not the journal of a sweep"), open_journal(table):
        pass
    with pytest.raises(UserError, match="is not the journal of a sweep"):
        finished_keys(table)
    assert journal_path(table).read_text() == "my notes\n"


def test_two_sweeps_cannot_write_one_journal(tmp_path):
    table = tmp_path / "t.parquet"
    code = "import sys; from pathlib import Path; from litemrc_studies.sweeps.journal import open_journal\n"
    code += "with open_journal(Path(sys.argv[1])): pass"
    with open_journal(table) as journal:
        other = subprocess.run([sys.executable, "-c", code, table], capture_output=True, text=True)
        assert "another sweep is writing its results there" in other.stderr
        journal.append([FIRST])
        assert finished_keys(table) == {"a"}  # reading is no writing
    assert subprocess.run([sys.executable, "-c", code, table]).returncode == 0


FULL = """
import resource, sys
from pathlib import Path
from litemrc.errors import OutputError
from litemrc_studies.sweeps.journal import open_journal
from litemrc_studies.sweeps.point import Outcome
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # a write beyond it fails as on a full disk
with open_journal(Path(sys.argv[1])) as journal:
    for number in range(100):
        try:
            journal.append([Outcome(f"{number}-{part}", [{"x": "y" * 100}], [], 0.5) for part in "ab"])
        except OutputError as error:
            print(number, error)
            break
"""


def test_a_full_disk_is_reported_and_what_was_written_before_is_kept(tmp_path):
    table = tmp_path / "t.parquet"
    done = subprocess.run([sys.executable, "-c", FULL, table], capture_output=True, text=True, check=True)
    number, _, said = done.stdout.partition(" ")
    assert said == f"{journal_path(table)}: cannot write: File too large (make room there)\n"
    assert 5 < int(number) < 20  # lines of 160 bytes and more, two at a time
    assert finished_keys(table) == {f"{n}-{part}" for n in range(int(number)) for part in "ab"}


def test_a_journal_in_no_folder_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="No such file or directory"), open_journal(tmp_path / "x" / "t"):
        pass
