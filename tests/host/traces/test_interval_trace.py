# SPDX-License-Identifier: BSD-2-Clause
"""IN/OUT records: made as Glass and Cao 1997, section 2.1 say, and exact for LRU above a smallest memory."""

from io import BufferedReader, BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.traces import open_trace
from litemrc.traces.formats import interval_records
from litemrc.traces.formats.interval_records import RecordReader
from litemrc.traces.formats.lines import Block
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.opening import WriteOptions, create_trace

from tests.host.trace_columns import chunk_of, columns, joined

REFERENCES = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from([0, 1, 1, 1, 2, 9, 40])), min_size=1, max_size=120
)
exhaustive = settings(max_examples=300, deadline=None)


def timed(steps: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Pages and times, of pages and times passed before each."""
    times = [sum(step for _, step in steps[: index + 1]) for index in range(len(steps))]
    return [page for page, _ in steps], times


def recorded(
    path, pages: list[int], times: list[int], interval: int, cuts=(0,)
) -> list[tuple[int, str, int]]:
    """Store references as intervals, chunk by chunk; returns the records."""
    with create_trace(path, options=WriteOptions(interval=interval)) as writer:
        for begin, end in zip(cuts, [*cuts[1:], len(pages)], strict=True):
            writer.write(chunk_of(pages[begin:end], times=times[begin:end]))
    head, *lines = path.read_text().splitlines()
    assert head == f"interval {interval} page_bytes 4096"
    return [(int(time), kind, int(page)) for time, kind, page in map(str.split, lines)]


def test_a_small_example(tmp_path):
    # Intervals of 10. Page 1 is used in 0, 1 and 2; page 2 in 0 and, two intervals later, in 2.
    pages, times = [1, 2, 1, 1, 1, 2], [0, 3, 7, 12, 20, 25]
    assert recorded(tmp_path / "t.inout", pages, times, 10) == [
        (0, "IN", 1),
        (3, "IN", 2),
        (3, "OUT", 2),
        (20, "OUT", 1),
        (25, "IN", 2),
        (25, "OUT", 2),
    ]
    # Read again: page 1 is referred to in interval 1 (at its beginning, for want of better) and 2.
    read = columns(tmp_path / "t.inout")
    assert list(zip(read["times"], read["pages"], strict=True)) == [
        (0, 1), (3, 2), (3, 2), (10, 1), (20, 1), (20, 1), (25, 2), (25, 2),
    ]  # fmt: skip


@exhaustive
@given(steps=REFERENCES, interval=st.integers(1, 12), data=st.data())
def test_records_are_those_of_the_definition(tmp_path_factory, steps, interval, data):
    pages, times = timed(steps)
    cuts = sorted({0, *data.draw(st.lists(st.integers(0, len(pages)), max_size=4))})
    used = {(time // interval, page) for page, time in zip(pages, times, strict=True)}

    def times_of(number, page):
        return [t for p, t in zip(pages, times, strict=True) if p == page and t // interval == number]

    expected = [
        (times_of(number, page)[0], "IN", page) for number, page in used if (number - 1, page) not in used
    ] + [(times_of(number, page)[-1], "OUT", page) for number, page in used if (number + 1, page) not in used]
    records = recorded(tmp_path_factory.mktemp("t") / "t.inout", pages, times, interval, cuts)
    assert sorted(records) == sorted(expected)
    assert [time for time, _, _ in records] == sorted(time for time, _, _ in records)


def misses(pages: list[int], memory: int) -> int:
    """Of LRU, start-up misses included."""
    stack = LruStack()
    positions = [stack.access(page) for page in pages]
    return sum(position is None or position >= memory for position in positions)


@exhaustive
@given(steps=REFERENCES, interval=st.integers(1, 12))
def test_misses_are_exact_from_the_smallest_memory_on(tmp_path_factory, steps, interval):
    path = tmp_path_factory.mktemp("t") / "t.inout"
    pages, times = timed(steps)
    recorded(path, pages, times, interval)
    with open_trace(path) as trace:
        read = joined(list(trace))["pages"]
    for memory in range(trace.minimum_pages, 10):
        trace.check_memory(memory)
        assert misses(read, memory) == misses(pages, memory)


def simulatable(records: list[tuple[int, str, int]], interval: int, memory: int) -> bool:
    """The paper's simulation of LRU, word by word: does it find a victim at every fault?"""
    resident, came_in, went_out = set(), {}, {}
    for time, kind, page in records:
        if kind == "OUT":
            del came_in[page]
            went_out[page] = time
            continue
        if page not in resident and len(resident) == memory:
            idle = [p for p in resident if p not in came_in]
            if not idle:
                return False
            victim = min(idle, key=went_out.get)
            two_before = went_out[victim] // interval <= time // interval - 2
            if not two_before and not all(went_out[victim] < since for since in came_in.values()):
                return False
            resident.remove(victim)
        resident.add(page)
        came_in[page] = time
    return True


@exhaustive
@given(steps=REFERENCES, interval=st.integers(1, 12))
def test_the_smallest_memory_is_that_of_the_paper(tmp_path_factory, steps, interval):
    path = tmp_path_factory.mktemp("t") / "t.inout"
    pages, times = timed([(page, 1 + step) for page, step in steps])  # no two at once: the order is plain
    records = recorded(path, pages, times, interval)
    with open_trace(path) as trace:
        list(trace)
    assert all(simulatable(records, interval, memory) for memory in range(trace.minimum_pages, 10))
    below = trace.minimum_pages - 1
    assert below == 0 or not simulatable(records, interval, below)


def test_a_memory_below_the_smallest_is_refused(tmp_path):
    recorded(tmp_path / "t.inout", [1, 2, 3, 4, 1, 2, 3, 4], list(range(8)), 100)
    with open_trace(tmp_path / "t.inout") as trace:
        list(trace)
        with pytest.raises(UserError, match="a memory of 3 pages cannot be simulated") as caught:
            trace.check_memory(3)
    # All four pages are in use at once from page 4's IN on.
    assert trace.minimum_pages == 4 and "at least 4 pages" in caught.value.remedy


@pytest.mark.parametrize(
    "text, where, complaint",
    [
        ("", "", "the file is empty"),
        ("interval 0\n", ", line 1", "length is missing"),
        ("1 IN 2\n", ", line 1", "length is missing"),
        ("interval 10\n1 IN 2\n2 UP 2\n", ", line 3", "is not a record"),
        ("interval 10\n1 IN -2\n", ", line 2", "is not a record"),
        ("interval 10\n1 IN 99999999999999999999\n", ", line 2", "64 bits"),
        ("interval 10\n5 IN 2\n4 OUT 2\n", ", line 3", "time 4 comes after time 5"),
        ("interval 10\n5 IN 2\n\n4 OUT 2\n", ", line 4", "time 4 comes after time 5"),
        ("interval 10\n5 OUT 2\n", ", line 2", "page 2 goes OUT but is not IN"),
        ("interval 10\n5 IN 2\n6 IN 2\n", ", line 3", "page 2 comes IN while it is IN"),
        ("interval 10\n5 IN 2\n6 OUT 2\n19 IN 2\n", ", line 4", "less than a whole interval"),
        ("interval 10\n5 IN 2\n", ", at its end", "1 pages never went OUT"),
    ],
)
def test_what_contradicts_itself_is_named_by_its_line(tmp_path, text, where, complaint):
    path = tmp_path / "t.inout"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        columns(path)
    assert complaint in caught.value.what
    assert caught.value.where == f"{path}{where}" and caught.value.remedy


def test_a_trace_without_times_has_no_intervals(tmp_path):
    with pytest.raises(UserError, match="need the times"), create_trace(tmp_path / "t.inout") as writer:
        writer.write(chunk_of([1, 2]))
    assert list(tmp_path.iterdir()) == []


LINE = st.text("0123456789INOUT -+x.", max_size=12) | st.just("5 IN 7") | st.just("5 OUT 0x7")


@settings(max_examples=500, deadline=None)
@given(texts=st.lists(LINE, min_size=1, max_size=4))
def test_many_lines_at_once_are_the_lines_one_by_one(texts):
    block = Block("".join(f"{line}\n" for line in texts).encode(), 2)
    fast = interval_records._parse_fast(block)
    if fast is not None:
        slow = RecordReader(ByteSource(BufferedReader(BytesIO(b"")), "t", None))._parse_lines(block)
        assert [column.tolist() for column in fast] == [column.tolist() for column in slow]


def test_plain_lines_take_the_fast_way():
    records = interval_records._parse_fast(Block(b"5 IN 7\n6 OUT 7\n", 2))
    assert [column.tolist() for column in records] == [[5, 6], [True, False], [7, 7], [2, 3]]
