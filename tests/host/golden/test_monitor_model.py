# SPDX-License-Identifier: BSD-2-Clause
"""The whole monitor: the accesses counted in an epoch, by context, and those that are not counted."""

import inspect
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.golden.monitor.engines import ENGINES
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.hit_counters import EpochCounters, HitCounters
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.positions import Position, PositionKind
from litemrc_gateware.monitor.monitor import Monitor

FRAMES, GROUPS, CONTEXTS = 16, 4, 3


@dataclass(frozen=True)
class Settings:
    """Of one run, drawn at random."""

    engine: str
    pages: int
    recent_pages: int
    lower: int
    upper: int
    sampling: int
    single_shot: bool

    def model(self) -> MonitorModel:
        model = MonitorModel(FRAMES, GROUPS, CONTEXTS, self.engine, self.pages, self.recent_pages)
        model.set_range(self.lower, self.upper)
        model.set_sampling(self.sampling)
        model.single_shot = self.single_shot
        return model


SETTINGS = st.builds(
    Settings,
    engine=st.sampled_from(list(ENGINES)),
    pages=st.sampled_from([FRAMES // 2, FRAMES]),
    recent_pages=st.integers(1, 2),
    lower=st.integers(0, FRAMES // 2),
    upper=st.integers(FRAMES // 2, FRAMES - 1),
    sampling=st.integers(0, 2),
    single_shot=st.booleans(),
)
OPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["access"] * 16 + ["invalidate", "claim", "clear", "end", "end", "drop", "mark", "freeze", "arm"]
        ),
        st.integers(0, FRAMES - 1),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=200,
)


def step(model: MonitorModel, op: str, frame: int, context: int) -> Position | EpochCounters | None:
    if op == "freeze":
        model.freeze = not model.freeze
        return None
    if op == "end":
        return model.end_epoch()
    arguments = {"access": (frame, context), "claim": (frame, context), "invalidate": (frame,)}.get(op, ())
    return getattr(model, op)(*arguments)


@given(SETTINGS, OPS)
@settings(max_examples=300, deadline=None)
def test_every_access_made_unfrozen_is_in_one_count_of_its_epoch(chosen: Settings, ops) -> None:
    model, made, epochs = chosen.model(), 0, 0
    for op, frame, context in ops:
        made += op in ("access", "drop") and not model.frozen
        answer = step(model, op, frame, context)
        if op == "clear":
            made = 0
        if op != "end":
            continue
        for c in range(CONTEXTS):
            assert sum(answer.hits[c]) + answer.misses[c] == answer.accesses[c]
            assert answer.touched[c] <= answer.accesses[c]
        assert sum(answer.accesses) + answer.outside + answer.unsampled + answer.dropped == made
        assert answer.epoch == epochs
        made, epochs = 0, epochs + 1


@given(SETTINGS, OPS)
@settings(max_examples=300, deadline=None)
def test_the_working_set_is_the_number_of_pages_touched(chosen: Settings, ops) -> None:
    """Recomputed from the answers: pages of each owner since the epoch began, each life of a frame one."""
    model, lives = chosen.model(), [0] * FRAMES
    touched: set[tuple[int, int, int]] = set()
    for op, frame, context in ops:
        answer = step(model, op, frame, context)
        if op == "access" and answer.kind != PositionKind.NONE:
            touched.add((answer.context, frame, lives[frame]))
        elif op in ("invalidate", "claim"):
            lives[frame] += 1
        elif op == "clear":
            touched = set()
        elif op == "end":
            assert answer.touched == [sum(owner == c for owner, _, _ in touched) for c in range(CONTEXTS)]
            touched = set()


@given(OPS, st.integers(1, 4))
@settings(max_examples=300, deadline=None)
def test_the_filter_does_not_show_in_what_is_counted(ops, recent_pages: int) -> None:
    """Against the exact engine and counters alone."""
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, recent_pages=recent_pages)
    stack, counters = GroupStack(FRAMES, GROUPS, CONTEXTS), HitCounters(GROUPS, CONTEXTS)
    for op, frame, context in ops:
        if op not in ("access", "invalidate", "claim", "clear", "end"):
            continue
        answer = step(model, op, frame, context)
        if op == "access":
            position = stack.access(frame, context)
            counters.count(position)
            assert answer == position
        elif op == "invalidate":
            stack.invalidate(frame)
        elif op == "claim":
            stack.claim(frame, context)
        elif op == "clear":
            stack.clear()
            counters.clear()
        else:
            exact = counters.end_epoch()
            assert (answer.hits, answer.misses, answer.accesses) == (exact.hits, exact.misses, exact.accesses)


def test_worked_example_of_figure_2() -> None:
    """zhou2004, figure 2, with groups of one page: MR(1) = 0.75, MR(2) = MR(3) = 0.5."""
    model = MonitorModel(frames=4, groups=4, contexts=1)
    for frame in (1, 3, 1, 1):
        model.access(frame, 0)
    counters = model.end_epoch()
    assert (counters.hits, counters.misses, counters.accesses) == ([[1, 1, 0, 0]], [2], [4])
    miss_ratios = [1 - sum(counters.hits[0][:m]) / counters.accesses[0] for m in (1, 2, 3)]
    assert miss_ratios == [0.75, 0.5, 0.5]
    assert counters.touched == [2]


def test_a_page_counts_for_the_context_that_first_touched_it() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.access(5, 1)
    model.access(5, 2)
    model.invalidate(5)
    model.access(5, 2)
    counters = model.end_epoch()
    assert counters.accesses == [0, 2, 1]
    assert counters.misses == [0, 1, 1]
    assert counters.touched == [0, 1, 1]  # the page after the invalidation is another one


@pytest.mark.parametrize("engine", ENGINES)
def test_a_claimed_page_counts_for_the_context_that_claimed_it(engine: str) -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, engine)
    model.claim(5, 1)
    model.access(5, 2)  # a miss of context 1
    model.access(5, 2)
    counters = model.end_epoch()
    assert (counters.misses, counters.accesses, counters.touched) == ([0, 1, 0], [0, 2, 0], [0, 1, 0])
    model.access(5, 0)
    model.claim(5, 0)
    model.claim(5, 2)
    model.access(5, 0)  # a miss of context 2, and context 1's stack is empty
    model.access(6, 1)
    assert model.access(6, 1) == Position(PositionKind.HIT, 0, 1)
    counters = model.end_epoch()
    assert counters.misses == [0, 1, 1]
    assert counters.accesses == [0, 3, 1]
    assert counters.touched == [0, 2, 1]  # page 5 before its claim, and page 6


@pytest.mark.parametrize("engine", ENGINES)
@given(OPS)
@settings(max_examples=100, deadline=None)
def test_claims_of_pages_that_are_not_accessed_change_no_counter(engine: str, ops) -> None:
    """Pages of the upper half are claimed in one model, and invalidated in the other."""
    claiming, other = (MonitorModel(FRAMES, GROUPS, CONTEXTS, engine) for _ in range(2))
    for op, frame, context in ops:
        if op == "claim":
            claiming.claim(frame | FRAMES // 2, context)
            other.invalidate(frame | FRAMES // 2)
        else:
            assert step(claiming, op, frame % 8, context) == step(other, op, frame % 8, context)
    assert claiming.end_epoch() == other.end_epoch()


def test_a_claim_of_an_order_takes_the_frames_from_the_first_on_that_exist() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.claim(3, 1, order=2)
    model.claim(FRAMES - 2, 2, order=7)
    owners = [model.access(frame, 0).context for frame in range(FRAMES)]
    assert owners == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2]


@pytest.mark.parametrize("remove", ["invalidate", "clear"])
def test_an_invalidation_or_a_clear_removes_a_claim(remove: str) -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.claim(5, 1)
    step(model, remove, 5, 0)
    assert model.access(5, 2) == Position(PositionKind.MISS, 0, 2)


def test_frozen_accesses_of_a_claimed_page_make_it_its_owners() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.freeze = True
    model.claim(5, 1)
    model.access(5, 2)
    model.freeze = False
    assert model.access(5, 2) == Position(PositionKind.HIT, 0, 1)


def test_clear_forgets_pages_and_counters_but_keeps_the_epoch_number() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.end_epoch()
    model.access(1, 1)
    model.drop()
    model.clear()
    counters = model.end_epoch()
    assert (counters.epoch, sum(counters.accesses), counters.dropped) == (1, 0, 0)
    assert model.access(1, 2).kind is PositionKind.MISS


def test_stacks_outlive_the_epoch_and_the_working_set_does_not() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    for _ in range(2):
        model.access(1, 0)
        assert model.end_epoch().touched[0] == 1
    assert model.access(1, 0).kind is PositionKind.HIT


def test_dropped_accesses_add_to_dropped_and_to_nothing_else() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.access(1, 0)
    model.drop()
    model.drop()
    counters = model.end_epoch()
    assert (counters.dropped, sum(counters.accesses), sum(counters.misses)) == (2, 1, 1)
    assert model.end_epoch().dropped == 0


def test_frozen_accesses_warm_the_stacks_and_count_nothing() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.freeze = True
    for frame in range(8):
        model.access(frame, 0)
    model.drop()
    nothing = model.end_epoch()
    assert sum(nothing.accesses) + sum(nothing.touched) + nothing.dropped == 0
    model.freeze = False
    assert model.access(0, 1) == Position(PositionKind.HIT, 1, 0)  # seven pages lie above it, four in a group
    assert model.end_epoch().touched == [1, 0, 0]


def test_single_shot_measures_one_epoch_until_it_is_armed_again() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS)
    model.single_shot = True
    model.access(1, 0)
    assert model.end_epoch().accesses[0] == 1
    assert model.frozen
    model.access(2, 0)
    model.clear()  # commands work, and do not thaw
    model.access(3, 0)
    assert model.frozen
    model.arm()
    assert not model.frozen
    assert model.access(3, 0).kind is PositionKind.HIT
    assert model.end_epoch().accesses[0] == 1
    model.single_shot = False
    assert model.frozen  # until it is armed
    model.arm()
    model.end_epoch()
    assert not model.frozen


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


@pytest.mark.parametrize(("accesses", "overflow"), [(2, False), (3, True), (9, True)])
@pytest.mark.parametrize("count", ["dropped", "outside", "unsampled"])
def test_a_count_of_what_is_left_out_that_is_at_its_limit_raises_overflow(count, accesses, overflow) -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, counter_bits=2)  # counters stop at 3
    if count == "outside":
        model.set_range(8, 15)
    elif count == "unsampled":
        model.set_sampling(1)
    frame = next(f for f in range(FRAMES) if not model.access(f, 0).counts) if count != "dropped" else 0
    model.end_epoch()
    for _ in range(accesses):
        model.drop() if count == "dropped" else model.access(frame, 0)
    counters = model.end_epoch()
    assert (getattr(counters, count), counters.overflow) == (min(accesses, 3), overflow)
    assert not model.end_epoch().overflow


def test_an_engine_smaller_than_the_memory_is_sampled() -> None:
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, pages=FRAMES // 2)
    assert model.filter.scale_log2 == 1
    for frame in range(FRAMES):
        model.access(frame, 0)
    counters = model.end_epoch()
    assert (counters.unsampled, counters.touched[0]) == (FRAMES // 2, FRAMES // 2)


def test_a_model_has_the_sizes_of_the_hardware_by_default() -> None:
    hardware = inspect.signature(Monitor).parameters
    model = MonitorModel(1024)
    assert isinstance(model.engine, GroupStack) and model.engine.pages == 1024
    assert (model.engine.groups, model.contexts) == tuple(hardware[n].default for n in ("groups", "contexts"))
    for engine, recent in (("group_stack", 4), ("bucket_stack", 1)):
        for groups, most in ((4, recent), (16, 1)):  # at most the pages of a group
            filtered = MonitorModel(16, groups, 1, engine).filter
            for frame in range(5):
                filtered.access(frame, 0)
            sent = len(filtered.sent)
            for frame in range(4, -1, -1):
                filtered.access(frame, 0)
            assert len(filtered.sent) - sent - filtered.touches == 5 - most
    assert HitCounters(2, 1).end_epoch() == EpochCounters(0, [[0, 0]], [0], [0], [0], False, 0, 0, 0)


@pytest.mark.parametrize("sizes", [(0, 1, 1), (8, 0, 1), (8, 4, 0), (8, 3, 1), (-8, -4, 1)])
@pytest.mark.parametrize("engine", ENGINES)
def test_engines_without_pages_groups_or_contexts_are_refused(engine: str, sizes: tuple) -> None:
    with pytest.raises(ValueError, match=f"{sizes[0]} frames, {sizes[1]} groups, {sizes[2]} contexts"):
        ENGINES[engine].model(*sizes)


def test_counters_have_32_bits_by_default() -> None:
    counters = HitCounters(1, 1)
    counters._accesses[0] = 2**32 - 2
    for overflow in (False, True):
        counters.count(Position(PositionKind.MISS))
        assert counters._overflow == overflow
    assert counters.end_epoch().accesses == [2**32 - 1]


@pytest.mark.parametrize(("frame", "context"), [(FRAMES, 0), (-1, 0), (0, CONTEXTS), (0, -1)])
def test_unknown_frame_or_context_is_refused(frame: int, context: int) -> None:
    with pytest.raises(ValueError, match=f"no frame {frame} in context {context}"):
        MonitorModel(FRAMES, GROUPS, CONTEXTS).access(frame, context)
    with pytest.raises(ValueError, match=f"no frame {frame} in context {context}"):
        MonitorModel(FRAMES, GROUPS, CONTEXTS).claim(frame, context)
