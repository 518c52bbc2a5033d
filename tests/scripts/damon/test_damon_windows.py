# SPDX-License-Identifier: BSD-2-Clause
"""Accesses and regions by window and page, of a small run whose times are computed by hand.

An instruction takes 32 ns. Marks are at instructions 100, 1100 and 2100, and at 1,000,000, 1,032,000 and
1,064,000 ns; so the windows' borders at 1,008,000, 1,024,000 and 1,040,000 ns are instructions 350, 850 and
1350.
"""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.traces.formats.recorders.damon_records import Snapshot, parse_snapshots

from scripts.damon.damon_recorded import GuestLog, Recorded, Setting, parse_log, perf_script
from scripts.damon.damon_windows import BITMAPS, ClockError, Windows, mark_times, region_ranks

PAGE = 4096
FIRST = 0x10000
FRAMES = [50, 51, 60, 70]
LOG = GuestLog(
    FIRST,
    np.array(FRAMES),
    np.array([90, 91, 92]),
    np.array([1_000_000, 1_032_000, 1_064_000]),
    moves=[],
)


def snapshot(end_ns, *regions):
    starts, ends, accesses = (np.array(column) for column in zip(*regions, strict=True))
    return Snapshot("", 0, end_ns, starts.astype(np.uint64), ends.astype(np.uint64), accesses)


def regions(end_ns, accesses):
    return snapshot(end_ns, (FIRST, FIRST + 2 * PAGE, accesses), (FIRST + 2 * PAGE, FIRST + 3 * PAGE, 1))


SNAPSHOTS = [regions(1_008_000, 3), regions(1_024_000, 5), regions(1_040_000, 7)]
ACCESSES = [  # instruction, frame, write
    (90, 90, True), (95, 92, False), (100, 90, False), (200, 50, False), (350, 50, False),
    (351, 51, False), (400, 99, False), (850, 51, True), (851, 60, False), (900, 51, False),
    (1100, 91, False), (1350, 70, True), (1351, 70, True), (2100, 92, False),
    (2200, 91, False), (2300, 90, False),
]  # fmt: skip
COUNTS = [(352, 50, 9), (352, 51, 2), (864, 70, 4), (1312, 99, 8), (1344, 70, 6), (1376, 70, 1)]


def recorded(setting="vaddr", accesses=ACCESSES, snapshots=SNAPSHOTS, log=LOG):
    times, frames, writes = zip(*accesses, strict=True)
    ends, counted_frames, counts = zip(*COUNTS, strict=True)
    return Recorded(
        Setting(setting),
        log,
        snapshots,
        np.array(times, np.int64),
        np.array(frames, np.uint32),
        np.array(writes, np.bool_),
        np.array(ends, np.int64),
        np.array(counted_frames, np.uint32),
        np.array(counts, np.uint16),
    )


def test_marks_are_the_reads_of_the_marked_pages_in_their_order():
    """Frames 90 and 92 are accessed before, when the kernel zeroes them, and two after the last mark."""
    assert mark_times(recorded()).tolist() == [100, 1100, 2100]


def test_marks_of_other_pages_are_refused():
    swapped = replace(LOG, mark_frames=np.array([91, 90, 92]))
    with pytest.raises(ClockError, match="in their order"):
        mark_times(recorded(log=swapped))


def test_clocks_at_different_rates_are_refused():
    """2,000 instructions are 64,000 ns; the guest says 66,000."""
    slow = replace(LOG, mark_ns=np.array([1_000_000, 1_033_000, 1_066_000]))
    with pytest.raises(ClockError, match=r"3\.03%"):
        mark_times(recorded(log=slow))


def test_dram_accesses_are_counted_in_the_window_in_which_they_are():
    """Of frame 50 none: 350 is the first border, and belongs to the window before."""
    windows = Windows.of(recorded(), 0)
    assert windows.ends_ns.tolist() == [1_024_000, 1_040_000]
    assert windows.dram_accesses().tolist() == [[0, 2, 0, 0], [0, 1, 1, 1]]


def test_references_are_counted_in_the_window_in_which_their_interval_ends():
    assert Windows.of(recorded(), 0).references().tolist() == [[9, 2, 0, 0], [0, 0, 0, 10]]


def test_the_warm_up_is_left_out():
    """From the first mark at 1,000,000 ns on."""
    assert Windows.of(recorded(), 10_000).ends_ns.tolist() == [1_040_000]


def test_regions_of_virtual_addresses_are_those_of_the_pages():
    assert Windows.of(recorded(), 0).damon().tolist() == [[5, 5, 1, 0], [7, 7, 1, 0]]


def test_regions_of_physical_addresses_are_those_of_the_frames():
    physical = [
        snapshot(end, (50 * PAGE, 51 * PAGE, 2), (60 * PAGE, 80 * PAGE, 4)) for end in (1_008_000, 1_024_000)
    ]
    assert Windows.of(recorded("paddr", snapshots=physical), 0).damon().tolist() == [[2, 0, 4, 4]]


def test_a_page_before_all_regions_has_rank_0():
    assert region_ranks(snapshot(1, (8192, 12288, 6)), np.array([4096, 8192, 12288])).tolist() == [0, 6, 0]


def test_bitmaps_count_the_parts_of_a_window_with_an_access():
    """Parts of 50 instructions: frame 51 is accessed at 351 and 850, the first and the last part."""
    assert BITMAPS == 10
    assert Windows.of(recorded(), 0).bitmaps().tolist() == [[0, 2, 0, 0], [0, 1, 1, 1]]
    twice = sorted([*ACCESSES, (352, 51, False), (360, 51, True), (500, 51, False)])
    assert Windows.of(recorded(accesses=twice), 0).bitmaps()[0].tolist() == [0, 3, 0, 0]


def test_hot_pages_lists_pages_of_the_workload_by_window():
    """Frame 60 has 40 accesses in the first window and one in the second; frame 99 is of others."""
    more = sorted(
        [*ACCESSES, *((410 + i, 60, False) for i in range(40)), *((500 + i, 99, False) for i in range(90))]
    )
    hot = Windows.of(recorded(accesses=more), 0).hot_pages(64)
    assert hot.shape == (2, 4)
    assert 30 < hot[0, 2] <= 40 and hot[0, [0, 3]].tolist() == [0, 0]
    assert hot[1, 2] == 0


def test_a_log_without_marks_is_refused():
    with pytest.raises(ValueError, match="no mark"):
        parse_log("first 4096\npage 7\n")


def test_a_log_has_pages_marks_and_moves():
    log = parse_log("first 4096\npage 7\npage 9\nmark 3 100\nmark 4 200\nmove 150 1536\n")
    assert (log.first, log.frames.tolist(), log.moves) == (4096, [7, 9], [(150, 1536)])
    assert (log.mark_frames.tolist(), log.mark_ns.tolist()) == ([3, 4], [100, 200])


def test_lines_of_the_kernels_tracing_are_snapshots():
    event = "damon_aggregated: target_id=0 nr_regions=1 65536-69632: 12 3"
    line = f"       kdamond.0-57      [000] .....     2.032833: {event}"
    (found,) = parse_snapshots(perf_script(line + "\n"), "records")
    assert (found.end_ns, found.starts.tolist(), found.ends.tolist(), found.accesses.tolist()) == (
        2_032_833_000,
        [65536],
        [69632],
        [12],
    )
