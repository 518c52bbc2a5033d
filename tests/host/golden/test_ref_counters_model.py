# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters: the paper's rules by hand, and what must hold whatever the requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.refs.ref_counters import Counter, Event, RefCounters, Selector

DELAY, UPDATE = Counter
PAGES, MASTERS, CONTEXTS = 8, 2, 2
ALL = Selector(True, True, range(MASTERS), range(CONTEXTS), 0, PAGES - 1)
REMOTE_READS = Selector(True, False, [1], range(CONTEXTS), 0, PAGES - 1)
WRITES = Selector(False, True, range(MASTERS), range(CONTEXTS), 0, PAGES - 1)


def armed(delay: int, update: int, queue_depth: int = 512) -> RefCounters:
    """Counters of remote reads and of writes, armed with these values."""
    counters = RefCounters(PAGES, width=4, queue_depth=queue_depth)
    counters.selectors = [REMOTE_READS, WRITES]
    counters.initials = [delay, update]
    counters.reset()
    return counters


def test_delay_reports_the_read_that_brings_it_to_zero_and_no_other() -> None:
    counters = armed(delay=3, update=0)
    events = [counters.request(5, write=False, master=1) for _ in range(6)]
    assert events == [[], [], [Event(5, DELAY)], [], [], []]


def test_each_page_has_counters_of_its_own() -> None:
    counters = armed(delay=2, update=0)
    reads = [5, 4, 4, 5]
    events = [counters.request(page, write=False, master=1) for page in reads]
    assert events == [[], [], [Event(4, DELAY)], [Event(5, DELAY)]]


def test_requests_that_a_selector_leaves_out_do_not_count() -> None:
    counters = armed(delay=1, update=1)
    assert counters.request(5, write=False, master=0) == []  # local
    assert counters.request(5, write=True, master=1) == [Event(5, UPDATE)]
    assert counters.request(5, write=False, master=1) == [Event(5, DELAY)]


@pytest.mark.parametrize(
    ("request_", "passes"),
    [
        ((3, False, 1, 2), True),
        ((4, False, 1, 2), True),
        ((2, False, 1, 2), False),  # below the range
        ((5, False, 1, 2), False),  # above it
        ((3, True, 1, 2), False),  # a write
        ((3, False, 0, 2), False),  # another master
        ((3, False, 1, 1), False),  # another context
    ],
)
def test_a_selector_passes_what_all_its_parts_let_pass(request_: tuple, passes: bool) -> None:
    selector = Selector(True, False, masters=[1], contexts=[2], lower=3, upper=4)
    assert selector.passes(*request_) == passes


def test_a_counter_of_zero_is_off() -> None:
    counters = armed(delay=0, update=0)
    assert [counters.request(0, write=False, master=1) for _ in range(20)] == [[]] * 20
    assert counters.read(0, DELAY) == 0


def test_rearming_takes_the_initial_value_loading_the_page_s_own() -> None:
    counters = armed(delay=2, update=0)
    counters.load(1, DELAY, 1)
    assert counters.request(1, write=False, master=1) == [Event(1, DELAY)]
    counters.rearm(1, DELAY)
    assert counters.read(1, DELAY) == 2
    counters.initials[DELAY] = 7
    assert counters.read(1, DELAY) == 2  # until it is re-armed
    counters.rearm(1, DELAY)
    assert counters.read(1, DELAY) == 7


def test_a_value_too_large_for_the_counter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"DELAY of page 1 must be 0 to 15 \(got 16\)"):
        armed(1, 1).load(1, DELAY, 16)


def test_counters_have_12_bits_a_queue_of_512_entries_and_are_off_by_default() -> None:
    counters = RefCounters(1024)
    assert [counters.read(1023, counter) for counter in Counter] == [0, 0] == counters.initials
    with pytest.raises(ValueError, match="0 to 4095"):
        counters.load(0, UPDATE, 4096)
    with pytest.raises(ValueError, match="-1"):
        counters.load(0, UPDATE, -1)
    for page in range(1024):
        counters.load(page, UPDATE, 1)
    assert counters.request(0, write=True) == [], "no request is selected at first"
    counters.selectors[UPDATE] = Selector(True, True, [0], [0], 0, 1023)
    for page in range(600):
        counters.request(page, write=True)
    assert (counters.fired, counters.queued, counters.lost) == (600, 512, 88)


def test_one_request_can_make_both_events_delay_first() -> None:
    counters = armed(delay=1, update=1)
    counters.selectors = [ALL, ALL]
    counters.request(3, write=True)
    assert [counters.take(), counters.take(), counters.take()] == [Event(3, DELAY), Event(3, UPDATE), None]


def test_a_full_queue_loses_entries_and_counts_their_events() -> None:
    counters = armed(delay=1, update=1, queue_depth=2)
    counters.selectors = [ALL, ALL]
    for page in range(4):
        counters.request(page, write=False)
    assert (counters.fired, counters.lost, counters.queued) == (8, 4, 4)
    assert counters.take() == Event(0, DELAY)
    counters.load(7, DELAY, 1)
    counters.request(7, write=False)  # the entry of page 0 still waits with its other event; page 7's go
    assert counters.lost == 6
    assert [counters.take().page for _ in range(3)] == [0, 1, 1]
    assert counters.take() is None


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["request"] * 10 + ["load", "rearm", "reset", "take", "take"]),
        st.integers(0, PAGES - 1),
        st.booleans(),
        st.integers(0, MASTERS - 1),
        st.integers(0, 3),
    ),
    max_size=300,
)


@given(OPERATIONS, st.integers(0, 3), st.integers(0, 3), st.integers(1, 4))
def test_every_event_is_taken_queued_or_lost_and_follows_as_many_requests_as_were_loaded(
    operations: list, delay: int, update: int, queue_depth: int
) -> None:
    counters = armed(delay, update, queue_depth)
    taken = fired = 0
    due = {
        (page, c): initial
        for page in range(PAGES)
        for c, initial in zip(Counter, (delay, update), strict=True)
    }
    for kind, page, flag, master, value in operations:
        counter = Counter(flag)
        if kind == "request":
            events = counters.request(page, flag, master)
            counts = {c for c in Counter if counters.selectors[c].passes(page, flag, master, 0)}
            for c in counts:
                due[page, c] -= 1
            assert [event.counter for event in events] == [
                c for c in Counter if c in counts and due[page, c] == 0
            ]
            fired += len(events)
        elif kind == "load":
            counters.load(page, counter, value)
            due[page, counter] = value
        elif kind == "rearm":
            counters.rearm(page, counter)
            due[page, counter] = (delay, update)[counter]
        elif kind == "reset":
            counters.reset()
            due = {(p, c): (delay, update)[c] for p, c in due}
        elif counters.take() is not None:
            taken += 1
        assert counters.fired == fired == taken + counters.queued + counters.lost
        assert all(counters.read(p, c) == max(0, left) for (p, c), left in due.items())
