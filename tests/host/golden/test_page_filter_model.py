# SPDX-License-Identifier: BSD-2-Clause
"""The filter's positions are those of the exact model, and its sample is fair."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.page_filter import EngineOp, PageFilter, hash_multiplier, hashed
from litemrc.golden.monitor.positions import PositionKind, StackEngine

FRAMES, GROUPS, CONTEXTS = 32, 8, 3


def filter_of(recent_pages: int = 4, memory_frames: int = FRAMES) -> PageFilter:
    engine = GroupStack(FRAMES, GROUPS, CONTEXTS)
    return PageFilter(engine, memory_frames, FRAMES, GROUPS, recent_pages)


operations = st.lists(
    st.tuples(
        st.sampled_from(["access"] * 20 + ["invalidate", "claim", "claim", "clear"]),
        st.one_of(st.integers(0, 7), st.integers(0, FRAMES - 1)),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=300,
)


def step(model: StackEngine | PageFilter, kind: str, frame: int, context: int):
    if kind == "access":
        return model.access(frame, context)
    if kind == "claim":
        return model.claim(frame, context)
    return model.invalidate(frame) if kind == "invalidate" else model.clear()


@given(operations, st.integers(1, 4))
@settings(max_examples=400, deadline=None)
def test_every_position_is_the_exact_one(ops, recent_pages: int) -> None:
    exact, filtered = GroupStack(FRAMES, GROUPS, CONTEXTS), filter_of(recent_pages)
    for op in ops:
        assert step(filtered, *op) == step(exact, *op)


@pytest.mark.parametrize("recent_pages", [1, 2, 3, 4])
def test_every_position_is_the_exact_one_on_long_local_runs(recent_pages: int) -> None:
    dice = random.Random(recent_pages)
    exact, filtered = GroupStack(FRAMES, GROUPS, CONTEXTS), filter_of(recent_pages)
    for _ in range(60_000):
        frame = min(int(dice.expovariate(0.2)), FRAMES - 1)
        kind = dice.choices(("access", "invalidate", "claim", "clear"), (1000, 10, 10, 1))[0]
        op = (kind, frame, dice.randrange(CONTEXTS))
        assert step(filtered, *op) == step(exact, *op)
    assert (filtered.touches > 1000) == (recent_pages > 1)  # a single page is never out of order


def test_the_engine_gets_no_more_operations_than_the_filter() -> None:
    for spread in (1, 3, 10, 100):
        dice = random.Random(spread)
        filtered = filter_of()
        for done in range(10_000):
            filtered.access(min(int(dice.expovariate(1 / spread)), FRAMES - 1), 0)
            assert len(filtered.sent) <= done + 1


def test_recent_pages_are_answered_without_the_engine() -> None:
    filtered = filter_of(recent_pages=2)
    for frame in (1, 2, 1, 2, 1):
        filtered.access(frame, 0)
    assert filtered.sent == [EngineOp("access", 1), EngineOp("access", 2)]
    # Page 2 will leave, but the engine has page 1 behind it: page 1 is touched before page 3 goes in.
    assert filtered.touches == 0
    filtered.access(3, 0)
    assert filtered.touches == 1
    assert filtered.sent[2:] == [EngineOp("access", 1), EngineOp("access", 3)]


def test_an_absorbed_access_counts_for_the_owner_not_the_running_context() -> None:
    filtered = filter_of()
    filtered.access(5, 2)
    assert filtered.access(5, 1) == (PositionKind.HIT, 0, 2)


def test_a_claimed_page_is_no_longer_recent() -> None:
    filtered = filter_of()
    filtered.access(5, 2)
    assert filtered.claim(5, 1) == (PositionKind.NONE, 0, 0)
    assert filtered.sent[-1] == EngineOp("claim", 5, 1)
    assert filtered.access(5, 2) == (PositionKind.MISS, 0, 1)
    assert filtered.access(5, 2) == (PositionKind.HIT, 0, 1)


def test_claims_pass_in_any_range_and_only_of_pages_that_are_sampled() -> None:
    filtered = filter_of(memory_frames=4 * FRAMES)
    filtered.lower = filtered.upper = 0
    for frame in range(4 * FRAMES):
        filtered.claim(frame, 1)
    assert filtered.end_epoch() == (0, 0)
    filtered.upper = 4 * FRAMES - 1
    owners = [filtered.access(frame, 0) for frame in range(4 * FRAMES)]
    assert owners.count((PositionKind.MISS, 0, 1)) == FRAMES
    assert owners.count((PositionKind.NONE, 0, 0)) == 3 * FRAMES


@pytest.mark.parametrize(("claiming", "owner"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_with_split_a_claim_is_for_the_context_that_owns_pages(claiming: int, owner: int) -> None:
    filtered = PageFilter(GroupStack(FRAMES, GROUPS, 4), FRAMES, FRAMES, GROUPS)
    filtered.split = 2
    filtered.claim(5, claiming)
    assert filtered.access(5, 1 - owner, write=True) == (PositionKind.MISS, 0, owner + 2)
    assert filtered.access(5, 1 - owner) == (PositionKind.HIT, 0, owner)


@pytest.mark.parametrize("recent_pages", [0, FRAMES // GROUPS + 1])
def test_recent_pages_that_a_group_does_not_hold_are_refused(recent_pages: int) -> None:
    with pytest.raises(ValueError, match=f"recent_pages must be 1 to 4 .got {recent_pages}."):
        filter_of(recent_pages=recent_pages)


@pytest.mark.parametrize("memory_frames", [FRAMES // 2, FRAMES + 1, 3 * FRAMES, 0, -1])
def test_memories_that_the_engine_cannot_sample_are_refused(memory_frames: int) -> None:
    with pytest.raises(ValueError, match="powers of two"):
        filter_of(memory_frames=memory_frames)
    with pytest.raises(ValueError, match="powers of two"):
        PageFilter(GroupStack(12, 4, 1), 16, 12, 4, 1)


def test_a_filter_holds_4_recent_pages_counts_to_32_bits_and_samples_all_by_default() -> None:
    filtered = PageFilter(GroupStack(FRAMES, GROUPS, CONTEXTS), FRAMES, FRAMES, GROUPS)
    assert (filtered.lower, filtered.upper, filtered.sampling) == (0, FRAMES - 1, 0)
    for frame in (1, 2, 3, 4, 1, 2, 3, 4, 5, 1):  # four are absorbed; 5 displaces 1
        filtered.access(frame, 0)
    assert [op.frame for op in filtered.sent] == [1, 2, 3, 4, 5, 1]
    filtered.lower = 31
    filtered.outside = 2**32 - 2
    for _ in range(3):
        filtered.access(0, 0)
    assert filtered.end_epoch() == (2**32 - 1, 0)


def test_accesses_out_of_range_count_apart_and_their_pages_can_be_invalidated() -> None:
    filtered = filter_of()
    assert filtered.access(9, 0).kind == PositionKind.MISS
    filtered.lower, filtered.upper = 10, 20
    kinds = [filtered.access(frame, 0).kind for frame in (9, 10, 20, 21)]
    assert kinds == [PositionKind.NONE, PositionKind.MISS, PositionKind.MISS, PositionKind.NONE]
    filtered.invalidate(9)
    assert filtered.end_epoch() == (2, 0)
    filtered.lower = 0
    assert filtered.access(9, 0).kind == PositionKind.MISS
    assert filtered.end_epoch() == (0, 0)


@given(operations, st.integers(1, 4), st.data())
@settings(max_examples=200, deadline=None)
def test_frozen_accesses_move_pages_and_are_not_answered(ops, recent_pages: int, data) -> None:
    exact, filtered = GroupStack(FRAMES, GROUPS, CONTEXTS), filter_of(recent_pages)
    for kind, frame, context in ops:
        expected = step(exact, kind, frame, context)
        if kind == "access" and data.draw(st.booleans()):
            assert filtered.access(frame, context, frozen=True).kind == PositionKind.NONE
        else:
            assert step(filtered, kind, frame, context) == expected


def test_frozen_accesses_count_neither_as_outside_nor_as_unsampled() -> None:
    filtered = filter_of()
    filtered.lower, filtered.sampling = 8, 1
    for frame in range(FRAMES):
        filtered.access(frame, 0, frozen=True)
    assert filtered.end_epoch() == (0, 0)
    for frame in range(FRAMES):
        filtered.access(frame, 0)
    outside, unsampled = filtered.end_epoch()
    assert outside == 8 and 0 < unsampled <= FRAMES - 8


def test_the_hash_by_hand() -> None:
    """The golden ratio of 2^16 and 2^32 are Knuth's multipliers; frames are folded by half and a quarter."""
    assert (hash_multiplier(16), hash_multiplier(32)) == (0x9E37, 0x9E3779B9)
    assert hash_multiplier(8) == 159  # 2^8 / 1.618 is 158.2, made odd
    assert hashed(200, 8) == (200 ^ 200 >> 4 ^ 200 >> 2) * 159 % 256
    assert hashed(6, 3) == (6 ^ 6 >> 1 ^ 6 >> 1) * 5 % 8  # 2^3 / 1.618 is 4.9; no shift is below 1


@pytest.mark.parametrize("frame_bits", [3, 8, 13, 16])
def test_the_hash_is_a_permutation(frame_bits: int) -> None:
    assert {hashed(frame, frame_bits) for frame in range(2**frame_bits)} == set(range(2**frame_bits))


@pytest.mark.parametrize("sampling", [0, 1, 3])
def test_sampled_pages_have_numbers_of_their_own_that_fit_the_engine(sampling: int) -> None:
    filtered = filter_of(memory_frames=4 * FRAMES)
    filtered.sampling = sampling
    k = max(sampling, 2)  # the memory is 4 times the engine
    assert filtered.scale_log2 == k
    answered = [frame for frame in range(4 * FRAMES) if filtered.access(frame, 0).kind == PositionKind.MISS]
    assert len(answered) == 4 * FRAMES >> k
    assert {op.frame for op in filtered.sent} == set(range(4 * FRAMES >> k))
    assert filtered.end_epoch() == (0, 4 * FRAMES - (4 * FRAMES >> k))


@pytest.mark.parametrize("stride", [1, 2, 3, 7, 8, 64, 100, 256])
@pytest.mark.parametrize("sampling", [2, 4, 6])
def test_runs_and_strides_are_sampled_at_their_rate(stride: int, sampling: int) -> None:
    frame_bits, pages = 20, 4096
    for base in (0, 12_345, 500_000):
        sampled = sum(
            hashed((base + stride * i) % 2**frame_bits, frame_bits) >> (frame_bits - sampling) == 0
            for i in range(pages)
        )
        expected = pages / 2**sampling
        assert abs(sampled - expected) <= 4 * expected**0.5  # four deviations of a random sample
