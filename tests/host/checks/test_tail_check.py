# SPDX-License-Identifier: BSD-2-Clause
"""Tails that cannot be: each kind of damage is named with its place, and what can be is accepted."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.checks.tail import check_tails


def test_a_tail_as_it_should_be_is_accepted(tail_table):
    found = check_tails(tail_table)
    assert (found.rows, found.refaults, found.unidentified, found.damage) == (3, 24, 4, ())


def test_a_table_without_tails_has_nothing_to_check(epoch_table, sampled_table):
    for table in (epoch_table, sampled_table, epoch_table.between(9, None)):
        found = check_tails(table)
        assert (found.rows, found.refaults, found.damage) == (0, 0, ())


@pytest.mark.parametrize("column", ["resident", "evicted", "unidentified", "tail"])
def test_a_context_that_follows_nothing_has_no_tail(tail_table, column):
    """The first row is that of context 0 in epoch 0."""
    values = getattr(tail_table, column).copy()
    values[(0, 0) if column == "tail" else 0] = 1
    damage = check_tails(replace(tail_table, **{column: values})).damage
    assert len(damage) == 1 and damage[0].startswith("epoch 0, context 0: a tail of ")
    assert "followed no process" in damage[0]


def test_a_device_without_an_operating_system_has_no_tail(tail_table):
    damage = check_tails(replace(tail_table, processes=())).damage
    assert [text.split(":")[0] for text in damage] == [f"epoch {n}, context 1" for n in range(3)]


def with_tail(table, *refaults):
    """The refaults of context 1 in epochs 0, 1 and 2. Its misses are 10, 8 and 12."""
    return replace(table, tail=np.array([0, *refaults])[:, None])


@pytest.mark.parametrize(
    ("refaults", "where"),
    [
        ((10, 8, 12), None),
        ((18, 12, 0), None),  # all of the next epoch's, an epoch early
        ((19, 0, 0), "epoch 0, context 1: 19 refaults since the first epoch, but only 18 misses"),
        ((18, 13, 0), "epoch 1, context 1: 31 refaults since the first epoch, but only 30 misses"),
        ((0, 0, 99), None),  # those of the last epoch may be misses of the next
        ((30, 30, 0), "epoch 0, context 1: 30 refaults"),
    ],
)
def test_a_refault_is_a_miss_of_its_epoch_or_of_the_next(tail_table, refaults, where):
    damage = check_tails(with_tail(tail_table, *refaults)).damage
    assert len(damage) == (where is not None)
    if where:
        assert where in damage[0]


def test_misses_that_were_lost_excuse_refaults(tail_table):
    """19 refaults in epoch 0: one more than the 18 misses of epochs 0 and 1."""
    damaged = with_tail(tail_table, 19, 0, 0)
    for change in (
        {"dropped": [0, 0, 1, 0]},
        {"scale_log2": [1] * 4, "hits": np.where(np.arange(4) == 0, damaged.hits.sum(axis=1)[:, None], 0)},
        {"overflow": [False, True, False, False]},
        {"link_statistics": {"epoch_messages_lost": 1}},
    ):
        assert check_tails(replace(damaged, **change)).damage == (), change
    assert check_tails(replace(damaged, dropped=[0, 0, 0, 1])).damage, "it was dropped too late"
