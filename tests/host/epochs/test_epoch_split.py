"""Reads and writes that count apart: contexts c and c + 4 of 8 have one owner, whose curve is the sum."""

import numpy as np
import pytest
from litemrc.cli.curves.counter_table import counter_table
from litemrc.epochs.files import EpochTable, read_epochs, write_epochs
from litemrc.epochs.processes import Owner, Process
from litemrc.epochs.split import rows_together

from tests.host.epoch_rows import PARAMETERS, row

SORT = Process(2, 57, "sort", 0, 1)
# Epochs 0 and 1 are split: context 1 and its writes, context 2 and its writes; epoch 2 is not.
ROWS = [
    row(epoch=0, context=1, accesses=10, misses=4, touched=3, dropped=0, hits=(6, 0, 0, 0), split=True),
    row(epoch=0, context=5, accesses=3, misses=0, touched=1, dropped=0, hits=(1, 2, 0, 0), split=True),
    row(epoch=1, context=1, accesses=2, misses=1, touched=1, dropped=0, hits=(1, 0, 0, 0), split=True),
    row(epoch=1, context=6, accesses=7, misses=7, touched=7, dropped=0, hits=(0, 0, 0, 0), split=True),
    row(epoch=2, context=5, accesses=5, misses=5, touched=5, dropped=0, hits=(0, 0, 0, 0)),
]


@pytest.fixture
def table():
    return EpochTable.from_rows(ROWS, **PARAMETERS, context_names={1: "zipf"}, processes=(SORT,))


def test_the_curve_of_an_owner_is_the_sum_of_its_reads_and_writes(table):
    zipf = Owner(1)
    whole, (reads, writes) = table.counters(zipf), map(table.counters, table.parts_of(zipf))
    assert (whole.hits == reads.hits + writes.hits).all() and whole.hits.tolist() == [8, 2, 0, 0]
    assert (whole.misses, reads.misses, writes.misses) == (5, 5, 0)
    assert (reads.accesses, writes.accesses) == (12, 3)
    assert table.curve(1).accesses == 15
    assert table.working_set(zipf) == {0: 3 + 1, 1: 1}


def test_no_writes_have_a_context_without_an_owner(table):
    owners = table.owners_with_data
    assert [table.name_of(owner) for owner in owners] == ["zipf", "sort (pid 57)", "context 5"]
    assert [table.name_of(part) for owner in owners for part in table.parts_of(owner)] == [
        "zipf reads", "zipf writes", "sort (pid 57) writes",
    ]  # fmt: skip
    assert table.contexts_with_data == [1, 2, 5], "context 5 of epoch 2 counted no writes"
    covered = sum(table.rows_of(owner).astype(int) for owner in owners)
    assert covered.tolist() == [1] * len(ROWS)


def test_the_counter_table_shows_both_below_their_owner(table):
    lines = [line.split() for line in counter_table(table).splitlines()]
    shown = [line for line in lines if line[:1] and line[0] in "125"]
    assert [line[:3] for line in shown][:3] == [
        ["1", "zipf", "15"],
        ["1", "zipf", "reads"],
        ["1", "zipf", "writes"],
    ]
    assert [line[3] for line in shown[1:3]] == ["12", "3"]


def test_together_an_epoch_has_one_row_of_an_owner(table):
    together = table.together()
    assert list(zip(together.epoch.tolist(), together.context.tolist(), strict=True)) == [
        (0, 1), (1, 1), (1, 2), (2, 5),
    ]  # fmt: skip
    assert together.accesses.tolist() == [13, 2, 7, 5] and not together.split.any()
    assert together.hits[0].tolist() == [7, 2, 0, 0]
    for owner in table.owners_with_data:
        assert together.counters(owner).hits.tolist() == table.counters(owner).hits.tolist()
    assert together.together() is together


def test_a_tail_of_reads_and_one_of_writes_add_up():
    rows = [
        row(epoch=0, context=1, accesses=1, misses=1, touched=1, dropped=0, hits=(0,) * 4, split=True,
            resident=9, evicted=4, tail=(0, 1)),
        row(epoch=0, context=5, accesses=2, misses=2, touched=0, dropped=0, hits=(0,) * 4, split=True,
            tail=(0, 1, 2)),
    ]  # fmt: skip
    (whole,) = rows_together(rows, 8)
    assert (whole.context, whole.accesses, whole.resident, whole.evicted) == (1, 3, 9, 4)
    assert whole.tail == (0, 2, 2)


def test_the_file_keeps_which_epochs_were_split(table, tmp_path):
    write_epochs(tmp_path / "t.parquet", table)
    read = read_epochs(tmp_path / "t.parquet")
    assert read.split.tolist() == [True, True, True, True, False]
    assert np.array_equal(read.owning_context, table.owning_context)


def test_rows_of_one_epoch_are_all_split_or_none():
    other = row(epoch=0, context=2, accesses=1, misses=1, touched=1, dropped=0, hits=(0,) * 4)
    with pytest.raises(ValueError, match="split differs"):
        EpochTable.from_rows([ROWS[0], other], **PARAMETERS)
