# SPDX-License-Identifier: BSD-2-Clause
"""Epoch tables: what they refuse, the curves they give, and reads and writes that count apart."""

import re
from dataclasses import replace

import numpy as np
import pytest
from litemrc.cli.curves.counter_table import counter_table
from litemrc.epochs.accesses_text import all_accesses_text
from litemrc.epochs.columns import joined_rows
from litemrc.epochs.files import read_epochs, write_epochs
from litemrc.epochs.processes import Owner, Process
from litemrc.epochs.split import rows_together
from litemrc.epochs.table import EpochTable

from tests.host.epoch_rows import PARAMETERS, each_row, row

SORT = Process(2, 57, "sort", 0, 1)
# Epochs 0 and 1 are split: context 1 and its writes, context 2 and its writes; epoch 2 is not.
ROWS = [
    row(epoch=0, context=1, accesses=10, misses=4, touched=3, dropped=0, hits=(6, 0, 0, 0), split=True),
    row(epoch=0, context=5, accesses=3, misses=0, touched=1, dropped=0, hits=(1, 2, 0, 0), split=True),
    row(epoch=1, context=1, accesses=2, misses=1, touched=1, dropped=0, hits=(1, 0, 0, 0), split=True),
    row(epoch=1, context=6, accesses=7, misses=7, touched=7, dropped=0, hits=(0, 0, 0, 0), split=True),
    row(epoch=2, context=5, accesses=5, misses=5, touched=5, dropped=0, hits=(0, 0, 0, 0)),
]


def test_curve_of_a_context_sums_its_epochs(epoch_table):
    counters, curve = epoch_table.counters(1), epoch_table.curve(1)
    assert counters.hits.tolist() == [10 + 6, 3 + 5, 2, 0]
    assert (curve.accesses, curve.misses, curve.aliases) == (20 + 12, 5 + 1, ())
    assert counters.group_pages == curve.resolution_pages == 64 // 4


def test_curve_of_all_contexts_sums_them(epoch_table):
    curve = epoch_table.curve()
    assert epoch_table.counters().hits.tolist() == [10 + 0 + 6, 3 + 8 + 5, 2, 0]
    assert (curve.accesses, curve.misses, curve.name) == (20 + 10 + 12, 5 + 2 + 1, "")


def test_dropped_counts_once_per_epoch_and_not_per_row(epoch_table):
    assert epoch_table.curve().dropped == 3 + 0 + 4  # epoch 0 has two rows
    assert epoch_table.curve(1).dropped == 3 + 0 + 4
    assert epoch_table.curve(2).dropped == 3  # reported in epoch 0 only


def test_overflow_of_one_epoch_marks_the_curve(epoch_table):
    assert not epoch_table.curve(2).overflow
    overflow = np.array([False, True, False, False])
    assert replace(epoch_table, overflow=overflow).curve(2).overflow


def test_between_takes_epochs_up_to_but_not_including_the_last(epoch_table):
    assert epoch_table.between(0, 1).curve().accesses == 20 + 10
    assert epoch_table.between(1, None).curve().accesses == 12
    assert epoch_table.between(None, None).epoch.tolist() == epoch_table.epoch.tolist()
    assert epoch_table.between(7, 9).epoch.size == 0


def test_only_contexts_that_counted_have_data(epoch_table):
    assert epoch_table.contexts_with_data == [1, 2]
    assert epoch_table.between(2, None).contexts_with_data == []


def test_names_of_contexts(epoch_table):
    assert (epoch_table.name_of(1), epoch_table.name_of(5)) == ("zipf", "context 5")


def test_a_table_without_rows_is_a_table():
    table = EpochTable.from_rows([], **PARAMETERS)
    assert table.hits.shape == (0, 4)
    assert table.curve().accesses == 0


@pytest.mark.parametrize(
    "change, why",
    [
        ({"misses": [5, 2, 2, 0]}, "row 2 (epoch 1, context 1): sum(hits) + misses differs from accesses"),
        ({"context": [1, 8, 1, 1]}, "row 1 (epoch 0, context 8): the monitor has only 8 contexts"),
        (
            {"epoch": [0, 0, 2, 2]},
            "row 3 (epoch 2, context 1): an earlier row has the same epoch and context",
        ),
        ({"dropped": [3, 4, 0, 4]}, "row 1 (epoch 0, context 2): dropped differs"),
        ({"accesses": [20, 10, 12]}, "column accesses has shape (3,) instead of (4,)"),
        ({"hits": [[1]] * 4}, "column hits has shape (4, 1) instead of (4, 4)"),
        ({"context": [1, 300, 1, 1]}, "column context holds values that are no uint8"),
        ({"epoch": [-1, 0, 1, 2]}, "column epoch holds values that are no uint32"),
        ({"pages": 63}, "pages a multiple of groups"),
        ({"frames": 32}, "4 groups, 64 pages, 32 frames"),
        ({"touched": [9, 11, 7, 0]}, "row 1 (epoch 0, context 2): more pages touched than accesses"),
        ({"outside": [1, 2, 0, 0]}, "row 1 (epoch 0, context 2): outside differs"),
        ({"unsampled": [1, 2, 0, 0]}, "row 1 (epoch 0, context 2): unsampled differs"),
        ({"scale_log2": [0, 1, 0, 0]}, "row 1 (epoch 0, context 2): scale_log2 differs"),
        ({"scale_log2": [32, 32, 0, 0]}, "row 0 (epoch 0, context 1): scale_log2 is above 31"),
        # 1 page of 4: the 16 that take part fill 1 of 4 groups of 16.
        ({"scale_log2": [2, 2, 0, 0]}, "row 0 (epoch 0, context 1): hits deeper than the memory"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(epoch_table, change, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        replace(epoch_table, **change)


def test_sizes_are_pages_of_the_memory_whatever_the_sampling(sampled_table):
    # Its engine's groups have 4 pages, each for 4 of the memory.
    assert sampled_table.curve(1).sizes_pages.tolist() == [16, 32, 48, 64]
    assert sampled_table.curve(1).miss_ratio.tolist() == [10 / 20, 7 / 20, 5 / 20, 5 / 20]


def test_an_engine_for_all_pages_that_samples_fills_fewer_groups(sampled_table):
    # Groups of 64 / 4 = 16 pages, each for 4: 64, all of the memory.
    table = replace(sampled_table, pages=64, hits=[[15, 0, 0, 0], [8, 0, 0, 0]])
    assert table.curve(1).sizes_pages.tolist() == [64]
    assert table.curve(1).miss_ratio.tolist() == [5 / 20]


def test_the_working_set_is_what_was_touched_in_pages_of_the_memory(epoch_table, sampled_table):
    assert epoch_table.working_set(1) == {0: 9, 1: 7, 2: 0}
    assert epoch_table.working_set() == {0: 9 + 4, 1: 7, 2: 0}
    assert sampled_table.working_set(1) == {0: 3 * 4}
    assert sampled_table.working_set() == {0: (3 + 2) * 4}


def test_accesses_in_all_count_what_belongs_to_the_epoch_once(epoch_table, sampled_table):
    assert sampled_table.accesses_in_all == 20 + 10 + 70 + 11 + 5
    assert epoch_table.accesses_in_all == 20 + 10 + 12 + 3 + 4
    assert all_accesses_text(sampled_table) == (
        "116 accesses in all: 30 counted, 70 to pages not sampled, 11 out of range, 5 dropped"
    )
    assert all_accesses_text(epoch_table.between(1, 2)) == ""


def test_epochs_of_different_sampling_have_no_common_curve(epoch_table):
    mixed = replace(epoch_table, scale_log2=[0, 0, 0, 1])
    assert mixed.scales == [0, 1]
    with pytest.raises(ValueError, match="no curve in common"):
        mixed.curve(1)
    assert mixed.between(0, 2).curve(1).sizes_pages.tolist() == [16, 32, 48, 64]


def test_without_rows_the_scale_is_what_the_engine_needs():
    assert EpochTable.from_rows([], **PARAMETERS | {"pages": 16}).scale == 2


def test_the_largest_scale_of_the_link_is_accepted(epoch_table):
    # 1 page of 2^31 takes part: 64 frames are less than one group, so every hit lies in the first.
    hits = epoch_table.hits.copy()
    hits[:, 0], hits[:, 1:] = epoch_table.hits.sum(axis=1), 0
    table = replace(epoch_table, hits=hits, scale_log2=[31] * len(hits))
    assert table.scale == 31


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
    (whole,) = each_row([rows_together(joined_rows(rows), 8)])
    assert (whole.context, whole.accesses, whole.resident, whole.evicted) == (1, 3, 9, 4)
    assert whole.tail == [0, 2, 2] and not whole.split and not whole.overflow


def test_a_sum_that_no_counter_holds_is_saturated():
    most = 2**32 - 1
    rows = [
        row(
            epoch=0,
            context=context,
            accesses=most,
            hits=(most - 9 * context, 0, 0, 0),
            misses=9 * context,
            split=True,
        )
        for context in (0, 4)
    ]
    (whole,) = each_row([EpochTable.from_rows(rows, **PARAMETERS).together().rows])
    assert (whole.hits[0], whole.accesses, whole.misses, whole.overflow) == (most, 2 * most, 36, True)


def test_the_file_keeps_which_epochs_were_split(table, tmp_path):
    write_epochs(tmp_path / "t.parquet", table)
    read = read_epochs(tmp_path / "t.parquet")
    assert read.split.tolist() == [True, True, True, True, False]
    assert np.array_equal(read.owning_context, table.owning_context)


def test_rows_of_one_epoch_are_all_split_or_none():
    other = row(epoch=0, context=2, accesses=1, misses=1, touched=1, dropped=0, hits=(0,) * 4)
    with pytest.raises(ValueError, match="split differs"):
        EpochTable.from_rows([ROWS[0], other], **PARAMETERS)
