# SPDX-License-Identifier: BSD-2-Clause
"""Pages of the working set by domain: N_mrc by the definition, counts as a recount of the stacks finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.group_stack import GroupStack, Move
from litemrc.golden.ranks.working_pages import WorkingPages, find_n_mrc

PAGES, GROUPS, CONTEXTS, DOMAINS = 16, 4, 2, 4
GROUP_PAGES = PAGES // GROUPS
OPS = st.lists(
    st.tuples(
        st.sampled_from(["access"] * 12 + ["invalidate", "invalidate", "clear", "size"]),
        st.integers(0, PAGES - 1),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=200,
)


class Moves(list):
    """Moves as they come."""

    move = list.append


@pytest.mark.parametrize(
    ("epsilon", "n_mrc"),
    [
        (0, 4),  # nothing may lie beyond
        (655, 4),  # 655 * 200 >> 16 = 1 < 2
        (656, 3),  # 656 * 200 >> 16 = 2
        (6553, 3),  # 6553 * 200 >> 16 = 19 < 22
        (7210, 2),  # 7210 * 200 >> 16 = 22
        (65535, 1),  # 65535 * 200 >> 16 = 199: all but one, but a size is at least 1
    ],
)
def test_n_mrc_is_the_smallest_size_that_leaves_epsilon_of_the_hits_beyond(epsilon: int, n_mrc: int) -> None:
    assert find_n_mrc([100, 78, 20, 2], epsilon) == n_mrc


def test_an_epoch_sets_n_mrc_of_the_contexts_with_accesses() -> None:
    pages = WorkingPages(PAGES, GROUPS, 4, DOMAINS)
    assert pages.n_mrc == [4, 4, 4, 4]
    pages.end_epoch([[5, 0, 0, 0], [0, 5, 0, 0], [0] * 4, [0] * 4], [6, 5, 0, 3], epsilon=0)
    assert pages.n_mrc == [1, 2, 4, 1]  # no accesses: its own; misses only: nothing lies beyond 1


def test_more_than_all_groups_are_all_groups() -> None:
    pages = WorkingPages(PAGES, GROUPS, CONTEXTS, DOMAINS)
    pages.set_n_mrc(1, 7)
    pages.set_n_mrc(0, 0)
    assert pages.n_mrc == [0, 4]


def test_moves_come_in_the_order_of_the_hardware() -> None:
    moves = Moves()
    stack = GroupStack(PAGES, GROUPS, CONTEXTS, moves)
    for page in range(9):
        stack.access(page, 1)
    moves.clear()
    # The stack is 8..5, 4..1, 0. A hit on the last page: 5 and 1 are passed on, the deepest first.
    stack.access(0, 0)
    assert moves == [Move(0, 1, 2, 0), Move(1, 1, 1, 2), Move(5, 1, 0, 1)]
    moves.clear()
    stack.access(8, 0)  # the second page of group 0
    assert moves == []
    # The stack is 8 0 7 6, 5 4 3 2, 1.
    stack.invalidate(7)
    assert moves == [Move(7, 1, 0, None), Move(1, 1, 2, 1), Move(5, 1, 1, 0)]
    moves.clear()
    # The stack is 8 0 6 5, 4 3 2 1: its last group is full, a miss opens the next one.
    stack.access(9, 1)
    assert moves == [Move(9, 1, None, 0), Move(1, 1, 1, 2), Move(5, 1, 0, 1)]
    assert stack.clear() and moves == []


@given(OPS)
def test_top_pages_are_those_of_the_first_n_mrc_groups_of_the_stacks(ops: list[tuple[str, int, int]]) -> None:
    pages = WorkingPages(PAGES, GROUPS, CONTEXTS, DOMAINS)
    stack = GroupStack(PAGES, GROUPS, CONTEXTS, pages)
    looked_up = WorkingPages(PAGES, GROUPS, CONTEXTS, DOMAINS, engine=stack)
    for op, page, context in ops:
        if op == "access":
            stack.access(page, context)
        elif op == "invalidate":
            stack.invalidate(page)
        elif op == "clear":
            stack.clear()
        else:
            pages.set_n_mrc(context, page % (GROUPS + 1))
            looked_up.set_n_mrc(context, page % (GROUPS + 1))
        expected = [0] * DOMAINS
        for owner in range(CONTEXTS):
            for top in stack.stack(owner)[: pages.n_mrc[owner] * GROUP_PAGES]:
                expected[top // (PAGES // DOMAINS)] += 1
        assert pages.top_pages() == looked_up.top_pages() == expected
        assert pages.working() == [count > 0 for count in expected]


def test_a_move_from_where_the_page_is_not_is_refused() -> None:
    pages = WorkingPages(PAGES, GROUPS, CONTEXTS, DOMAINS)
    pages.move(Move(3, 1, None, 0))
    with pytest.raises(ValueError, match=r"owner and group are \(1, 0\)"):
        pages.move(Move(3, 1, 2, 0))


def test_domains_that_do_not_divide_the_pages_are_refused() -> None:
    with pytest.raises(ValueError, match="3 domains"):
        WorkingPages(PAGES, GROUPS, CONTEXTS, 3)
