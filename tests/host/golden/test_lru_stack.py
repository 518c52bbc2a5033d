# SPDX-License-Identifier: BSD-2-Clause
"""The exact LRU stack, against the paper's worked example and the definition of stack distance."""

from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.lru_stack import LruStack

PAGES = st.lists(st.integers(0, 12), max_size=200)


def distinct_pages_since_last_access(references: list[int], now: int) -> int | None:
    """Stack distance by its definition: number of distinct other pages since this page's last access."""
    before = references[:now]
    if references[now] not in before:
        return None
    last = now - 1 - before[::-1].index(references[now])
    return len(set(references[last + 1 : now]))


def test_worked_example_of_figure_2() -> None:
    """zhou2004, figure 2: references 1 3 1 1 give miss ratios 0.75, 0.5, 0.5 for 1, 2 and 3 pages."""
    stack = LruStack()
    positions = [stack.access(page) for page in (1, 3, 1, 1)]
    assert positions == [None, None, 1, 0]
    hits = [positions.count(position) for position in range(3)]
    miss_ratios = [1 - sum(hits[:pages]) / 4 for pages in (1, 2, 3)]  # equation 1
    assert miss_ratios == [0.75, 0.5, 0.5]


@given(PAGES)
def test_position_is_the_number_of_distinct_pages_since_the_last_access(references: list[int]) -> None:
    stack = LruStack()
    for now, page in enumerate(references):
        assert stack.access(page) == distinct_pages_since_last_access(references, now)


@given(PAGES)
def test_stack_lists_pages_by_last_use(references: list[int]) -> None:
    stack = LruStack()
    for page in references:
        stack.access(page)
    assert stack.pages == tuple(dict.fromkeys(reversed(references)))


def test_removed_page_is_a_stranger_and_pages_below_move_up() -> None:
    stack = LruStack()
    for page in (1, 2, 3, 4):
        stack.access(page)
    assert stack.remove(3) == 1
    assert stack.pages == (4, 2, 1)
    assert stack.access(1) == 2
    assert stack.access(3) is None


def test_removing_a_stranger_changes_nothing() -> None:
    stack = LruStack()
    stack.access(1)
    assert stack.remove(2) is None
    assert stack.pages == (1,)
    assert 1 in stack and 2 not in stack and len(stack) == 1
