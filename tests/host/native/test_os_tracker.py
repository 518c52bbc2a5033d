# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware: equal to its golden model, and as exact and cheap as table 3 says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.os_tracker import Events
from litemrc.golden.monitor.os_tracker import OsTracker as Golden
from litemrc.native.exact_stack import ExactStack
from litemrc.native.os_tracker import OsTracker, TrackerCosts
from litemrc.traces import open_trace

COSTS = TrackerCosts(fault=1009, scan=307, scanned=53, accessed=11, crossed=3)
PAGES = st.lists(st.integers(2**63, 2**63 + 25), max_size=150) | st.builds(
    lambda count, pages: [number % pages for number in range(count)], st.integers(0, 200), st.integers(1, 30)
)


@settings(deadline=None, max_examples=300)
@given(
    chunks=st.lists(PAGES, max_size=4),
    scan_list=st.integers(1, 14),
    period=st.integers(1, 30),
    group=st.integers(1, 6),
    stack=st.none() | st.integers(1, 16),
    seen_only=st.booleans(),
)
def test_counts_and_times_are_the_golden_models(chunks, scan_list, period, group, stack, seen_only):
    """However the accesses are cut into chunks; the process frees its pages between the chunks."""
    golden = Golden(scan_list, period, group, stack)
    native = OsTracker(scan_list, period, group, stack_pages=stack, seen_only=seen_only, costs=COSTS)
    costs = list(COSTS.ticks(1).values())
    for chunk in chunks:
        expected = [np.dot(golden.access(page), costs) for page in chunk]
        pages = np.array(chunk, np.uint64)
        cut = len(chunk) // 3
        ticks = [*native.access_ticks(pages[:cut]), *native.access_ticks(pages[cut:])]
        assert ticks == expected
        golden.release()
        native.release()
    hits = [golden.hits.get(number, 0) for number in range(max(golden.hits, default=-1) + 1)]
    if golden.unseen and not seen_only:
        hits = hits or [0]
        hits[0] += golden.unseen
    assert native.hits.tolist() == hits
    assert native.misses == golden.misses
    assert Events(*native.events.values()) == golden.events


def test_long_traces_too():
    """Long enough for the slots of the stack to run out, with scans of many pages."""
    rng = np.random.default_rng(2004)
    parts = [rng.integers(0, 900, 4000), np.tile(np.arange(700), 8), rng.integers(0, 60, 4000)]
    pages = np.concatenate(parts * 3).astype(np.uint64)
    golden, native = Golden(400, 500, 16, 800), OsTracker(400, 500, 16, stack_pages=800, seen_only=True)
    for page in pages.tolist():
        golden.access(page)
    native.access(pages)
    assert native.hits.tolist() == [golden.hits.get(group, 0) for group in range(native.hits.size)]
    assert (native.misses, Events(*native.events.values())) == (golden.misses, golden.events)


def test_by_hand():
    """A scan list of 2 pages, a period of 4, groups of 1 page."""
    tracker = OsTracker(2, 4, 1, seen_only=True)
    tracker.access([1, 2, 3, 3])  # first touches; 1 is protected, the second access to 3 is not seen
    assert (tracker.hits.tolist(), tracker.misses, tracker.events["fault"]) == ([], 3, 0)
    tracker.access([1, 3, 3, 1])  # stack 3 2 1: 1 faults at position 2; then 3, below it, is accessed
    assert tracker.hits.tolist() == [0, 1, 1]
    assert list(tracker.events.values()) == [1, 2, 4, 1, 0 + 1 + 2 + 2 + 1]
    tracker.access(
        [3, 3, 2, 2]
    )  # stack 3 1 2, and 3 1 permitted: 2 faults at position 2; 3, now at 1, is found
    assert tracker.hits.tolist() == [0, 2, 2]


@pytest.mark.parametrize("scan_list", [1, 5, 100])
def test_scanned_after_each_access_it_is_exact(scan_list):
    """With groups of one page, all pages keep their LRU order."""
    pages = np.random.default_rng(1).zipf(1.3, 3000) % 60
    tracker, exact = OsTracker(scan_list, 1, 1), ExactStack()
    tracker.access(pages)
    exact.access(pages)
    sizes = tracker.curve().sizes_pages
    assert tracker.curve().miss_ratio.tolist() == exact.curve().at_sizes(sizes).tolist()


@given(PAGES, st.integers(1, 20), st.integers(1, 30))
def test_every_access_up_to_the_last_scan_is_counted_once(pages, scan_list, period):
    tracker = OsTracker(scan_list, period, 4)
    tracker.access(np.array(pages[: len(pages) // period * period], np.uint64))
    assert int(tracker.hits.sum()) + tracker.misses == len(pages) // period * period


# The programs of the paper's table 3 with the touch times of scenarios/, in ns.
PROGRAMS = {
    "gen:loop?pages=60000&n=150000": 50_000,
    "gen:zipf+stream?pages=3700&alpha=0.8&loop_pages=36000&period=20&n=400000": 21_000,
    "gen:sweeps?pages=46080&regions=3&n=96000": 700_000,
}


@pytest.mark.parametrize("url", PROGRAMS)
def test_the_defaults_cost_less_than_5_percent_and_err_by_less_than_a_hundredth(url):
    tracker, exact = OsTracker(stack_pages=32_768, reference_ns=PROGRAMS[url]), ExactStack()
    with open_trace(url) as trace:
        for chunk in trace:
            tracker.access(chunk.pages)
            exact.access(chunk.pages)
    sizes = np.arange(1, 128) * 256
    error = np.abs(tracker.curve().at_sizes(sizes) - exact.curve().at_sizes(sizes))
    assert error.mean() < 0.01
    assert 0 < tracker.overhead < 0.05


def test_overhead_is_the_events_times_their_costs():
    tracker = OsTracker(1, 2, 1, reference_ns=1000, costs=COSTS)
    tracker.access([1, 2, 1, 2])  # 2 faults at distance 2; 2 scans of 1 page, which faulted
    assert tracker.overhead == (2 * 1009 + 2 * 307 + 2 * 53 + 0 * 11 + 3 * 3) / 4000


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"scan_list": 0}, "the scan list cannot have 0 pages"),
        ({"period": -1}, "the period cannot have -1 accesses"),
        ({"group_pages": 0}, "a group cannot have 0 pages"),
        ({"stack_pages": 0}, "the stack cannot have 0 pages"),
        ({"reference_ns": 0.0}, "must be positive"),
        ({"reference_ns": float("nan")}, "must be positive"),
    ],
)
def test_impossible_parameters_are_refused(wrong, what):
    with pytest.raises(UserError, match=what):
        OsTracker(**wrong)
