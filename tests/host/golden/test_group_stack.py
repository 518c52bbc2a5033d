# SPDX-License-Identifier: BSD-2-Clause
"""Positions: stack distance in groups, owners, invalidations."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.group_stack import GroupStack, Move
from litemrc.golden.monitor.positions import Position, PositionKind

FRAMES, GROUPS, CONTEXTS = 16, 4, 3
OPS = st.lists(
    st.tuples(
        st.sampled_from(["access"] * 8 + ["invalidate", "claim", "clear"]),
        st.integers(0, FRAMES - 1),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=300,
)


def claimed_by(past: list[tuple[str, int, int]], frame: int, otherwise: int) -> int:
    """Context of the last operation on a page, if that is a claim."""
    op, _, context = next((op for op in reversed(past) if op[1] == frame or op[0] == "clear"), ("", 0, 0))
    return context if op == "claim" else otherwise


def brute_force_position(history: list[tuple[str, int, int]]) -> Position:
    """Answer to the last access of a history, from the definitions alone: no stack is kept."""
    *past, (_, frame, context) = history
    owners: list[dict[int, int]] = [{}]  # owners before each operation
    for op, page, running in past:
        owned = {} if op == "clear" else dict(owners[-1])
        if op in ("invalidate", "claim"):
            owned.pop(page, None)
        elif op == "access":
            owned.setdefault(page, claimed_by(past[: len(owners) - 1], page, running))
        owners.append(owned)
    owner = owners[-1].get(frame)
    if owner is None:
        return Position(PositionKind.MISS, 0, claimed_by(past, frame, context))
    last = max(i for i, (op, page, _) in enumerate(past) if op == "access" and page == frame)
    younger = {page for op, page, _ in past[last + 1 :] if op == "access"}
    still_owned = {page for page in younger if owners[-1].get(page) == owner and page != frame}
    return Position(PositionKind.HIT, len(still_owned) // (FRAMES // GROUPS), owner)


@given(OPS)
def test_positions_follow_the_definition_of_stack_distance(ops: list[tuple[str, int, int]]) -> None:
    model = GroupStack(FRAMES, GROUPS, CONTEXTS)
    for now, (op, frame, context) in enumerate(ops):
        if op == "access":
            assert model.access(frame, context) == brute_force_position(ops[: now + 1])
        elif op == "invalidate":
            assert model.invalidate(frame).kind is PositionKind.NONE
        elif op == "claim":
            assert model.claim(frame, context).kind is PositionKind.NONE
        else:
            assert model.clear().kind is PositionKind.CLEAR


def test_pages_of_one_group_are_not_distinguished() -> None:
    model = GroupStack(pages=8, groups=4, contexts=1)
    for frame in range(6):
        model.access(frame, 0)
    # The stack is 5 4 | 3 2 | 1 0 and every access below moves one page to its top.
    groups = [model.access(frame, 0).group for frame in (4, 3, 0, 1, 1)]
    assert groups == [0, 1, 2, 2, 0]


def test_page_belongs_to_the_context_that_first_touched_it() -> None:
    stack = GroupStack(FRAMES, GROUPS, CONTEXTS)
    stack.access(5, 1)
    assert stack.access(5, 2) == Position(PositionKind.HIT, 0, 1)
    assert stack.stack(1) == (5,) and stack.stack(2) == ()
    stack.invalidate(5)
    assert stack.access(5, 2) == Position(PositionKind.MISS, 0, 2)


def test_a_claimed_page_leaves_its_stack_for_that_of_the_claiming_context() -> None:
    stack = GroupStack(FRAMES, GROUPS, CONTEXTS)
    stack.claim(5, 1)
    assert stack.access(5, 2) == Position(PositionKind.MISS, 0, 1)
    assert stack.access(5, 2) == Position(PositionKind.HIT, 0, 1)
    stack.claim(5, 0)
    assert stack.stack(1) == ()
    stack.claim(5, 2)  # replaces the claim
    assert stack.access(5, 1) == Position(PositionKind.MISS, 0, 2)
    assert [stack.stack(c) for c in range(CONTEXTS)] == [(), (), (5,)]
    for remove in (lambda: stack.invalidate(5), stack.clear):
        stack.claim(5, 2)
        remove()
        assert stack.access(5, 1) == Position(PositionKind.MISS, 0, 1)


def test_a_claim_is_reported_as_the_move_of_a_page_that_was_valid() -> None:
    moves = []
    listener = SimpleNamespace(move=moves.append, clear=lambda: None)
    stack = GroupStack(FRAMES, GROUPS, CONTEXTS, listener)
    stack.claim(5, 1)
    assert moves == []
    stack.access(5, 0)
    stack.claim(5, 2)
    assert moves == [Move(5, 1, None, 0), Move(5, 1, 0, None)]


def test_invalidated_page_leaves_its_stack_and_the_pages_below_move_up() -> None:
    stack = GroupStack(pages=8, groups=8, contexts=1)
    for page in range(4):
        stack.access(page, 0)
    stack.invalidate(2)
    stack.invalidate(7)  # never valid: no effect
    assert stack.stack(0) == (3, 1, 0)
    assert stack.access(0, 0) == Position(PositionKind.HIT, 2, 0)


@pytest.mark.parametrize(("page", "context"), [(FRAMES, 0), (-1, 0), (0, CONTEXTS), (0, -1)])
def test_unknown_page_or_context_is_refused(page: int, context: int) -> None:
    with pytest.raises(ValueError, match=f"no frame {page} in context {context}"):
        GroupStack(FRAMES, GROUPS, CONTEXTS).access(page, context)
    with pytest.raises(ValueError, match=f"no frame {page} in context {context}"):
        GroupStack(FRAMES, GROUPS, CONTEXTS).claim(page, context)


def test_groups_must_divide_the_pages() -> None:
    with pytest.raises(ValueError, match="16 frames, 3 groups"):
        GroupStack(FRAMES, 3, CONTEXTS)
