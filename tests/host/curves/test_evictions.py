# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's reads of the pages that it evicts, by arithmetic."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import without_evictions
from litemrc.epochs.epoch_row import EpochRow


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
    return EpochRow(1, 1, accesses, 7, 7, 0, 0, 0, scale_log2, False, hits, 90, evicted, 0, tail)


def test_evictions_are_the_pages_that_went_out_and_those_that_came_back():
    assert row_of(20, (0, 0, 3)).evictions(15) == 5 + 3
    assert row_of(4, ()).evictions(15) == 0  # the program has freed them
    assert row_of(4, (1,)).evictions(None) == 0  # how many were out before is not known


def test_a_loop_that_does_not_fit_needs_no_memory_while_its_pages_are_evicted():
    """6 pages were evicted, so 6 of the 8 hits in the third group are the kernel's."""
    counters = row_of(6, ()).counters(32, row_of(6, ()).evictions(0))
    assert counters.hits.tolist() == [56, 2, 2]
    assert (counters.misses, counters.accesses) == (7, 67)


def test_a_sampled_row_has_its_share_of_evictions():
    assert row_of(0, (), scale_log2=2).counters(32, 12).hits.tolist() == [53, 2, 5]
