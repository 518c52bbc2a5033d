"""The counting rules: groups, owners, invalidations, epochs, saturation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor import MonitorModel, Position, PositionKind

FRAMES, GROUPS, CONTEXTS = 16, 4, 3
OPS = st.lists(
    st.tuples(
        st.sampled_from(["access"] * 8 + ["invalidate", "clear", "end"]),
        st.integers(0, FRAMES - 1),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=300,
)


def brute_force_position(history: list[tuple[str, int, int]]) -> Position:
    """Answer to the last access of a history, from the definitions alone: no stack is kept."""
    *past, (_, frame, context) = history
    owners: list[dict[int, int]] = [{}]  # who owned what before each operation
    for op, page, running in past:
        owned = {} if op == "clear" else dict(owners[-1])
        if op == "invalidate":
            owned.pop(page, None)
        elif op == "access":
            owned.setdefault(page, running)
        owners.append(owned)
    owner = owners[-1].get(frame)
    if owner is None:
        return Position(PositionKind.MISS, 0, context)
    last = max(i for i, (op, page, _) in enumerate(past) if op == "access" and page == frame)
    younger = {page for op, page, _ in past[last + 1 :] if op == "access"}
    still_owned = {page for page in younger if owners[-1].get(page) == owner and page != frame}
    return Position(PositionKind.HIT, len(still_owned) // (FRAMES // GROUPS), owner)


@given(OPS)
def test_positions_follow_the_definition_of_stack_distance(ops: list[tuple[str, int, int]]) -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    for now, (op, frame, context) in enumerate(ops):
        if op == "access":
            assert model.access(frame, context) == brute_force_position(ops[: now + 1])
        elif op == "invalidate":
            assert model.invalidate(frame).kind is PositionKind.NONE
        elif op == "clear":
            assert model.clear().kind is PositionKind.CLEAR
        else:
            model.end_epoch()


@given(OPS)
def test_hits_and_misses_sum_to_accesses(ops: list[tuple[str, int, int]]) -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    counted, since_clear = 0, 0
    for op, frame, context in ops:
        if op == "access":
            model.access(frame, context)
            since_clear += 1
        elif op == "invalidate":
            model.invalidate(frame)
        elif op == "clear":
            model.clear()
            since_clear = 0
        else:
            counters = model.end_epoch()
            for c in range(CONTEXTS):
                assert sum(counters.hits[c]) + counters.misses[c] == counters.accesses[c]
            assert sum(counters.accesses) == since_clear
            counted, since_clear = counted + 1, 0
    assert model.end_epoch().epoch == counted


def test_worked_example_of_figure_2() -> None:
    """zhou2004, figure 2, with groups of one page: MR(1) = 0.75, MR(2) = MR(3) = 0.5."""
    model = MonitorModel(frames=4, groups=4, contexts=1)
    for frame in (1, 3, 1, 1):
        model.access(frame, 0)
    counters = model.end_epoch()
    assert (counters.hits, counters.misses, counters.accesses) == ([[1, 1, 0, 0]], [2], [4])
    miss_ratios = [1 - sum(counters.hits[0][:m]) / counters.accesses[0] for m in (1, 2, 3)]
    assert miss_ratios == [0.75, 0.5, 0.5]


def test_pages_of_one_group_share_a_counter() -> None:
    model = MonitorModel(frames=8, groups=4, contexts=1)
    for frame in range(6):
        model.access(frame, 0)
    # The stack is 5 4 | 3 2 | 1 0 and every access below moves one page to its top.
    groups = [model.access(frame, 0).group for frame in (4, 3, 0, 1, 1)]
    assert groups == [0, 1, 2, 2, 0]


def test_page_belongs_to_the_context_that_first_touched_it() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.access(5, 1)
    assert model.access(5, 2) == Position(PositionKind.HIT, 0, 1)
    assert model.stack(1) == (5,) and model.stack(2) == ()
    model.invalidate(5)
    assert model.access(5, 2) == Position(PositionKind.MISS, 0, 2)
    counters = model.end_epoch()
    assert counters.accesses == [0, 2, 1]
    assert counters.misses == [0, 1, 1]


def test_invalidated_page_leaves_its_stack_and_the_pages_below_move_up() -> None:
    model = MonitorModel(frames=8, groups=8, contexts=1)
    for frame in range(4):
        model.access(frame, 0)
    model.invalidate(2)
    model.invalidate(7)  # never valid: no effect
    assert model.stack(0) == (3, 1, 0)
    assert model.access(0, 0) == Position(PositionKind.HIT, 2, 0)
    assert model.end_epoch().accesses == [5]


def test_clear_forgets_pages_and_counters_but_keeps_the_epoch_number() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.end_epoch()
    model.access(1, 1)
    model.drop()
    model.clear()
    counters = model.end_epoch()
    assert (counters.epoch, sum(counters.accesses), counters.dropped) == (1, 0, 0)
    assert model.access(1, 2).kind is PositionKind.MISS


def test_stacks_outlive_the_epoch() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.access(1, 0)
    model.end_epoch()
    assert model.access(1, 0).kind is PositionKind.HIT


def test_dropped_accesses_add_to_dropped_and_to_nothing_else() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.access(1, 0)
    model.drop()
    model.drop()
    counters = model.end_epoch()
    assert (counters.dropped, sum(counters.accesses), sum(counters.misses)) == (2, 1, 1)
    assert model.end_epoch().dropped == 0


def test_counters_saturate_and_raise_overflow_for_their_epoch_only() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, counter_bits=2)  # counters stop at 3
    for _ in range(4):
        model.access(1, 0)  # 1 miss + 3 hits: only `accesses` would need a 4
    counters = model.end_epoch()
    assert (counters.hits[0][0], counters.misses[0], counters.accesses[0]) == (3, 1, 3)
    assert counters.overflow
    for _ in range(3):
        model.access(1, 0)
    assert not model.end_epoch().overflow


@pytest.mark.parametrize(("frame", "context"), [(FRAMES, 0), (-1, 0), (0, CONTEXTS), (0, -1)])
def test_unknown_frame_or_context_is_refused(frame: int, context: int) -> None:
    with pytest.raises(ValueError, match=f"no frame {frame} in context {context}"):
        MonitorModel(FRAMES, GROUPS, CONTEXTS).access(frame, context)


def test_groups_must_divide_the_frames() -> None:
    with pytest.raises(ValueError, match="16 frames, 3 groups"):
        MonitorModel(FRAMES, 3, CONTEXTS)
