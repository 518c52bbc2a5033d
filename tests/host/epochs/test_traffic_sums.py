# SPDX-License-Identifier: BSD-2-Clause
"""DRAM commands of several epochs together, and bandwidths as texts."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.epochs.traffic import BANK_COUNTS, Traffic, bandwidth_text, traffic_sum

ONE = Traffic(
    access_bytes=16,
    reads=np.array([600, 100], np.uint32),
    writes=np.array([200, 100], np.uint32),
    row_hits=np.array([700, 40], np.uint32),
    activates=np.array([100, 160], np.uint32),
    row_conflicts=np.array([60, 150], np.uint32),
    cycles=10_000,
    refreshes=12,
    refresh_cycles=20,
    queue_peak=8,
    seconds=0.25,
)
OTHER = replace(
    ONE, reads=np.array([2**32 - 1, 0], np.uint32), cycles=30_000, refreshes=8, queue_peak=3, seconds=0.75
)


def test_counts_and_times_add_up_and_the_largest_queue_stays() -> None:
    both = traffic_sum([ONE, OTHER])
    assert both.reads.tolist() == [600 + 2**32 - 1, 100]  # more than 32 bits
    assert both.writes.tolist() == [400, 200] and both.row_hits.tolist() == [1400, 80]
    assert both.activates.tolist() == [200, 320] and both.row_conflicts.tolist() == [120, 300]
    assert (both.cycles, both.refreshes, both.refresh_cycles, both.queue_peak) == (40_000, 20, 20, 8)
    assert both.seconds == 1 and both.access_bytes == 16
    assert both.read_bandwidth == 16 * (700 + 2**32 - 1)
    assert both.refresh_share == 20 * 20 / 40_000


def test_the_sum_of_one_epoch_is_that_epoch_and_of_none_nothing() -> None:
    alone = traffic_sum([ONE])
    for name in BANK_COUNTS:
        assert getattr(alone, name).tolist() == getattr(ONE, name).tolist()
    assert (alone.peak_share, alone.row_hit_rate) == (1000 / 10_000, 740 / 1000)
    assert traffic_sum([]) is None


def test_what_is_unknown_in_one_epoch_is_unknown_in_the_sum() -> None:
    model = Traffic(access_bytes=16, reads=np.array([5, 0], np.uint32), writes=np.array([3, 0], np.uint32))
    both = traffic_sum([ONE, model])
    assert both.reads.tolist() == [605, 100]
    unknown = (both.row_hits, both.activates, both.row_conflicts, both.cycles, both.refreshes)
    assert (*unknown, both.refresh_cycles, both.queue_peak, both.seconds) == (None,) * 8


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B/s"),
        (0.125, "0.125 B/s"),
        (999.4, "999 B/s"),
        (999.5, "1 kB/s"),
        (57_600, "57.6 kB/s"),
        (1_234_567, "1.23 MB/s"),
        (999_600_000, "1 GB/s"),
        (800e6, "800 MB/s"),
        (25.6e9, "25.6 GB/s"),
        (5e15, "5000 TB/s"),
    ],
)
def test_a_bandwidth_has_three_digits_and_a_decimal_unit(value: float, text: str) -> None:
    assert bandwidth_text(value) == text
