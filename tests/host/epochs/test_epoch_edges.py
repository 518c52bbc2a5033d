# SPDX-License-Identifier: BSD-2-Clause
"""Epoch tables and processes at the edges of what is allowed, and a range of epochs."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc.epochs.columns import (
    COLUMNS,
    exact_column,
    groups_of_memory,
    joined_rows,
    last_rows,
    repeated_rows,
    rows_between,
)
from litemrc.epochs.files import write_epochs
from litemrc.epochs.processes import Owner, Process, ProcessLog, check_processes
from litemrc.epochs.table import EpochTable

from tests.host.epoch_rows import PARAMETERS, row


@pytest.mark.parametrize(
    ("frames", "pages", "groups", "scale", "filled"),
    [
        (64, 64, 4, 0, 4),
        (64, 64, 4, 1, 2),
        (64, 64, 4, 2, 1),
        (64, 64, 4, 7, 1),  # fewer than one page takes part
        (48, 48, 4, 1, 2),
        (56, 48, 4, 1, 3),  # 28 pages in groups of 12
        (64, 16, 4, 2, 4),
        (80, 16, 4, 2, 4),  # 20 pages; the engine holds 16
        (65, 64, 4, 0, 4),
    ],
)
def test_the_pages_that_take_part_fill_so_many_groups(frames, pages, groups, scale, filled):
    assert groups_of_memory(frames, pages, groups, scale) == filled


@pytest.mark.parametrize(
    ("values", "right"), [([0, 255], True), ([256], False), ([-1], False), ([1.5], False), ([], True)]
)
def test_a_column_holds_its_values_unchanged(values, right):
    if right:
        column = exact_column("n", values, np.dtype("u1"))
        assert (column.dtype, column.tolist()) == (np.uint8, values)
        return
    with pytest.raises((ValueError, OverflowError)):
        exact_column("n", values, np.dtype("u1"))


def test_a_row_is_repeated_if_both_its_epoch_and_part_are():
    epoch = np.array([0, 0, 1, 1, 0, 256, 2**32 - 1, 2**32 - 1], np.uint32)
    part = np.array([1, 255, 1, 0, 1, 0, 7, 7], np.uint8)
    expected = [False, False, False, False, True, False, False, True]
    assert repeated_rows(epoch, part).tolist() == expected


@pytest.mark.parametrize(
    ("start", "stop", "kept"),
    [(None, None, [3, 4, 5]), (4, None, [4, 5]), (None, 4, [3]), (4, 5, [4]), (0, 0, []), (6, None, [])],
)
def test_a_range_of_epochs_includes_its_first_and_not_its_last(start, stop, kept):
    epoch = np.array([3, 4, 5], np.uint32)
    assert epoch[rows_between(epoch, start, stop)].tolist() == kept


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({}, True),
        ({"accesses": 9}, False),
        ({"accesses": 11}, False),
        ({"accesses": 9, "overflow": True}, True),
        ({"touched": 10}, True),
        ({"touched": 11}, False),
        ({"touched": 11, "overflow": True}, True),
    ],
)
def test_a_row_adds_up_unless_a_counter_saturated(change, right):
    counters = {"accesses": 10, "misses": 4, "touched": 4, "dropped": 0, "hits": (3, 2, 1, 0)} | change
    rows = row(epoch=0, context=0, **counters)
    if right:
        assert EpochTable.from_rows([rows], **PARAMETERS).hits.tolist() == [[3, 2, 1, 0]]
        return
    with pytest.raises(ValueError, match="epoch 0, context 0"):
        EpochTable.from_rows([rows], **PARAMETERS)


def test_rows_with_tails_of_different_lengths_are_joined():
    tails = [((1, 0), (3,)), ((0, 2), ()), ((4, 4), (5, 6))]
    parts = [row(epoch=epoch, hits=hits, tail=tail) for epoch, (hits, tail) in enumerate(tails)]
    joined = joined_rows(parts)
    assert joined["epoch"].tolist() == [0, 1, 2]
    assert joined["hits"].tolist() == [[1, 0], [0, 2], [4, 4]]
    assert joined["tail"].tolist() == [[3, 0], [0, 0], [5, 6]]
    same = joined_rows([parts[0], parts[0]])
    assert same.dtype == parts[0].dtype and same["tail"].tolist() == [[3], [3]]


@pytest.mark.parametrize(("count", "kept"), [(1, [(2, 4), (3, 1)]), (2, [(2, 1), (2, 4), (3, 1)]), (9, None)])
def test_the_last_rows_of_each_context_are_kept_in_their_order(count, kept):
    pairs = [(0, 1), (1, 1), (2, 1), (2, 4), (3, 1)]
    rows = joined_rows([row(epoch=epoch, context=context) for epoch, context in pairs])
    found = last_rows(rows, count)
    assert list(zip(found["epoch"].tolist(), found["context"].tolist(), strict=True)) == (kept or pairs)
    assert last_rows(rows[:0], count).size == 0


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ({"page_bytes": 1, "groups": 1, "contexts": 1}, True),
        ({"page_bytes": 0}, False),
        ({"groups": 0}, False),
        ({"contexts": 0}, False),
        ({"groups": 64}, True),
        ({"pages": 32, "groups": 64}, False),
        ({"frames": 63}, False),
        ({"frames": 65}, True),
    ],
)
def test_a_monitor_has_as_many_groups_as_pages_and_pages_as_frames_at_most(change, right):
    if right:
        table = EpochTable.from_rows([], **PARAMETERS | change)
        assert (table.interrupted, table.system, table.processes) == (False, "", ())
        assert dict(table.context_names) == dict(table.link_statistics) == {}
        return
    with pytest.raises(ValueError):
        EpochTable.from_rows([], **PARAMETERS | change)


@pytest.mark.parametrize(
    ("frames", "pages", "scale"), [(64, 64, 0), (64, 33, 0), (64, 32, 1), (64, 16, 2), (96, 32, 1)]
)
def test_without_rows_the_scale_is_the_least_that_the_engine_needs(frames, pages, scale):
    table = EpochTable.from_rows([], **PARAMETERS | {"frames": frames, "pages": pages, "groups": 1})
    assert table.scales == [scale] and table.group_pages == pages << scale


def test_saturated_rows_and_hits_in_the_last_group_are_accepted(epoch_table):
    last = replace(epoch_table, hits=[[0, 0, 0, 15], [0, 8, 0, 0], [6, 5, 0, 0], [0] * 4])
    assert last.counters(1).hits.tolist() == [6, 5, 0, 15]
    overflow = {"overflow": [True, False, False, False]}
    replace(epoch_table, misses=[6, 2, 1, 0], **overflow)
    replace(epoch_table, touched=[21, 4, 7, 0], **overflow)
    replace(epoch_table, touched=[20, 10, 12, 0])
    assert {name: getattr(epoch_table, name).dtype for name in COLUMNS} == COLUMNS


def test_rows_are_those_of_a_context_an_owner_several_or_all(epoch_table):
    """Rows of contexts 1, 2, 1, 1 in epochs 0, 0, 1, 2."""
    sort = Process(1, 57, "sort", 1, 1)
    table = replace(epoch_table, processes=(sort, Process(2, 9, "vi", 1, 2)))
    for whose, rows in (
        (None, [1, 1, 1, 1]),
        (1, [1, 0, 1, 1]),
        (Owner(1, sort), [0, 0, 1, 0]),
        (Owner(1), [1, 0, 0, 1]),
        (Owner(2), [0, 1, 0, 0]),
        ([Owner(1, sort), Owner(2)], [0, 1, 1, 0]),
    ):
        assert table.rows_of(whose).astype(int).tolist() == rows
    assert [table.name_of(owner) for owner in table.owners_with_data] == [
        "context 1, others", "sort (pid 57)", "context 2, others",
    ]  # fmt: skip
    assert (table.name_of(2), table.name_of(Owner(3))) == ("loop", "context 3")
    assert table.curve(Owner(1, sort)).aliases == ("sort", "57") and table.curve(Owner(2)).aliases == ("2",)
    assert table.curve(Owner(1, sort)).name == "sort (pid 57)" and table.curve([Owner(2)]).name == ""


def test_the_file_has_a_version_and_names_its_kind(epoch_table, tmp_path):
    write_epochs(tmp_path / "t.parquet", epoch_table)
    described = json.loads(pq.read_schema(tmp_path / "t.parquet").metadata[b"litemrc"])
    assert (described["kind"], described["version"]) == ("epoch table", 5)


def test_a_process_is_called_by_its_label_its_name_or_its_pid():
    sort, jobs, unnamed = (Process(1, pid, comm, 0, 0) for pid, comm in ((57, "sort"), (0, "jobs"), (3, "")))
    assert [each.label for each in (sort, jobs, unnamed)] == [
        "sort (pid 57)",
        "jobs (cgroup)",
        "unnamed (pid 3)",
    ]
    assert all(sort.is_called(name) for name in ("sort", "57", "sort (pid 57)"))
    assert jobs.is_called("jobs") and not jobs.is_called("0") and not sort.is_called("s")


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ((0, 0, 0, 0), True),
        ((0, 0, 3, 3, 2), True),  # it ended before its first epoch
        ((0, 0, 3, 3, 3), True),
        ((0, 0, 3, 3, 1), False),
        ((0, 0, 3, 3, 4), False),
        ((0, 0, 3, 2), False),
        ((0, 0, -1, 2), False),
        ((0, -1, 0, 0), False),
        ((-1, 0, 0, 0), False),
    ],
)
def test_a_process_was_followed_in_some_epochs_in_order(values, right):
    context, pid, *epochs = values
    if right:
        assert Process(context, pid, "a", *epochs).first_epoch == epochs[0]
        return
    with pytest.raises(ValueError, match="no such process"):
        Process(context, pid, "a", *epochs)


def test_a_context_follows_one_process_at_a_time():
    check_processes([Process(1, 2, "b", 2, 3), Process(1, 1, "a", 0, 1), Process(0, 3, "c", 0, 9)], 2)
    for wrong in ([Process(1, 1, "a", 0, 2), Process(1, 2, "b", 2, 3)], [Process(2, 1, "a", 0, 0)]):
        with pytest.raises(ValueError):
            check_processes(wrong, 2)


def test_an_end_is_told_again_and_of_a_process_that_was_never_seen():
    log = ProcessLog()
    log.follow(1, 5, "sh")
    log.note_epoch(0)
    log.note_epoch(1)
    log.end(1, 5, "bash")
    log.note_epoch(2)
    log.end(1, 5, "zsh")
    log.note_epoch(3)
    assert log.processes == (Process(1, 5, "bash", 0, 3, 1),)
    log.follow(1, 5, "sh")  # the same pid anew: another process
    log.note_epoch(4)
    assert log.processes[1:] == (Process(1, 5, "sh", 4, 4),)
    log.end(1, 6, "vi")  # it began and ended within an epoch
    log.note_epoch(5)
    assert log.processes[1:] == (Process(1, 5, "sh", 4, 4, 4), Process(1, 6, "vi", 5, 5, 4))


def test_a_process_that_changes_its_name_keeps_its_epochs_and_a_state_is_told_again():
    log = ProcessLog()
    log.note(1, "following", 5, "sh")
    log.note(2, "following", 0, "jobs")
    log.note(3, "free", 0, "")
    log.note_epoch(0)
    log.note(1, "following", 5, "vi")
    log.note(2, "unknown", 0, "jobs")
    log.note_epoch(1)
    log.note(1, "following", 5, "vi")
    assert log.contexts == [1]
    assert log.processes == (Process(1, 5, "vi", 0, 1), Process(2, 0, "jobs", 0, 0, 0))
