# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's reads of the pages that it evicts, by arithmetic."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import without_evictions
from litemrc.epochs.columns import evictions, joined_rows
from litemrc.epochs.table import EpochTable

from tests.host.epoch_rows import PARAMETERS, row


def corrected(hits, evictions):
    hits = np.array(hits, np.uint64)
    after = without_evictions(hits, np.array(evictions, float))
    assert after.sum(axis=1).tolist() == hits.sum(axis=1).tolist()
    return after.tolist()


@pytest.mark.parametrize(
    ("evictions", "expected"),
    [
        (0, [900, 5, 20, 7, 0]),
        (3, [903, 5, 20, 4, 0]),
        (10, [910, 5, 17, 0, 0]),
        (32, [932, 0, 0, 0, 0]),
        (999, [932, 0, 0, 0, 0]),  # more than there are: pages that the monitor had not seen
    ],
)
def test_each_eviction_is_one_hit_of_the_deepest_and_counts_in_the_first_group(evictions, expected):
    assert corrected([[900, 5, 20, 7, 0]], [evictions]) == [expected]


def test_each_epoch_loses_its_own():
    assert corrected([[9, 0, 4], [9, 4, 0], [9, 4, 4]], [3, 1, 0]) == [[12, 0, 1], [10, 3, 0], [9, 4, 4]]


def row_of(evicted, tail, hits=(50, 2, 8), scale_log2=0):
    accesses = sum(hits) + 7
    return row(
        epoch=1, context=1, accesses=accesses, misses=7, touched=7, scale_log2=scale_log2, hits=hits,
        resident=90, evicted=evicted, tail=tail,
    )  # fmt: skip


def before(evicted):
    return row(epoch=0, context=1, hits=(0, 0, 0), evicted=evicted)


def test_evictions_are_the_pages_that_went_out_and_those_that_came_back():
    def evicted(*rows):
        return evictions(joined_rows(rows)).tolist()

    assert evicted(before(15), row_of(20, (0, 0, 3))) == [0, 5 + 3]
    assert evicted(before(15), row_of(4, ())) == [0, 0]  # the program has freed them
    assert evicted(row_of(4, (1,))) == [0]  # how many were out before is not known


def counters(*rows, epoch=1):
    parameters = PARAMETERS | {"pages": 96, "frames": 96 << 2, "groups": 3}
    table = EpochTable.from_rows(rows, **parameters)
    return table.counters_of(table.epoch == epoch)


def test_a_loop_that_does_not_fit_needs_no_memory_while_its_pages_are_evicted():
    """6 pages were evicted, so 6 of the 8 hits in the third group are the kernel's."""
    of_epoch = counters(before(0), row_of(6, ()))
    assert of_epoch.hits.tolist() == [56, 2, 2]
    assert (of_epoch.misses, of_epoch.accesses) == (7, 67)


def test_a_sampled_row_has_its_share_of_evictions():
    rows = before(0), row_of(12, (), scale_log2=2)
    assert counters(*rows).hits.tolist() == [53, 2, 5]
    assert counters(rows[1], epoch=0).accesses == 0
