# SPDX-License-Identifier: BSD-2-Clause
"""The approximate model against the exact one: same pages, owners and misses; places within a bucket."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.bucket_stack import (
    RENUMBER_DELAY,
    BucketStack,
    bucket_ids,
    bucket_pages,
    closing_pages,
)
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.hit_counters import HitCounters
from litemrc.golden.monitor.loop_front import LoopFront
from litemrc.golden.monitor.positions import PositionKind

FRAMES, GROUPS, CONTEXTS = 32, 8, 3
OPS = st.lists(
    st.tuples(
        st.sampled_from(["access"] * 12 + ["invalidate", "claim", "mark"]),
        st.integers(0, FRAMES - 1),
        st.integers(0, CONTEXTS - 1),
    ),
    max_size=600,
)

# Sizes of the accuracy tests: groups of 64 pages, so that plain Python takes seconds. tests/cosim measures
# the same with groups of 1,024 pages, where the first three hits in a bucket of a loop weigh 16 times less.
LARGE, LARGE_GROUPS, ACCESSES = 1024, 16, 40_000
BUCKET = 512  # half a group of 1,024 pages


def zipf(exponent: float, dice: random.Random) -> Iterator[int]:
    weights = [(rank + 1) ** -exponent for rank in range(LARGE)]
    frames = list(range(LARGE))
    dice.shuffle(frames)
    yield from dice.choices(frames, weights, k=ACCESSES)


def loop(pages: int) -> Iterator[int]:
    return (i % pages for i in range(ACCESSES))


def phases(dice: random.Random) -> Iterator[int]:
    for phase in range(5):
        pages = dice.randrange(100, LARGE)
        for i in range(ACCESSES // 5):
            yield i % pages if phase % 2 else dice.randrange(pages)


def compare(trace: Iterator[int]) -> tuple[float, int]:
    """Mean absolute error of the miss ratio over all sizes; the most groups an access was off."""
    exact, estimated = (model(LARGE, LARGE_GROUPS, 1) for model in (GroupStack, BucketStack))
    counters = HitCounters(LARGE_GROUPS, 1), HitCounters(LARGE_GROUPS, 1)
    most_off = 0
    for frame in trace:
        a, b = exact.access(frame, 0), estimated.access(frame, 0)
        counters[0].count(a)
        counters[1].count(b)
        assert a.kind == b.kind
        most_off = max(most_off, abs(a.group - b.group))
    assert estimated.renumberings > 2
    a, b = (counted.end_epoch() for counted in counters)
    errors = (abs(sum(a.hits[0][:m]) - sum(b.hits[0][:m])) for m in range(1, LARGE_GROUPS + 1))
    return sum(errors) / LARGE_GROUPS / ACCESSES, most_off


@given(OPS)
def test_kinds_and_owners_are_exact_and_groups_at_most_one_off(ops: list[tuple[str, int, int]]) -> None:
    exact, estimated = (model(FRAMES, GROUPS, CONTEXTS) for model in (GroupStack, BucketStack))
    for op, frame, context in ops:
        if op == "access":
            a, b = exact.access(frame, context), estimated.access(frame, context)
            assert (a.kind, a.context) == (b.kind, b.context)
            assert abs(a.group - b.group) <= 1
        elif op == "invalidate":
            assert exact.invalidate(frame) == estimated.invalidate(frame)
        elif op == "claim":
            assert exact.claim(frame, context) == estimated.claim(frame, context)
        else:
            assert estimated.mark().kind is PositionKind.NONE


@given(OPS, st.integers(0, FRAMES - 1), st.integers(0, CONTEXTS - 1))
def test_a_claimed_page_belongs_to_the_claiming_context_until_it_is_invalidated(ops, page, owner) -> None:
    model = BucketStack(FRAMES, GROUPS, CONTEXTS)
    model.access(page, 1)
    model.claim(page, owner)
    kind = PositionKind.MISS
    for op, frame, context in ops:
        if op == "access":
            position = model.access(frame, context)
            if frame == page:
                assert (position.kind, position.context) == (kind, owner)
                kind = PositionKind.HIT
        elif frame != page and op != "mark":
            getattr(model, op)(*((frame, context) if op == "claim" else (frame,)))
    model.invalidate(page)
    other = (owner + 1) % CONTEXTS
    assert model.access(page, other) == (PositionKind.MISS, 0, other)


@given(OPS, st.integers(0, CONTEXTS - 1))
def test_a_claim_that_is_never_touched_is_as_if_it_were_an_invalidation(ops, context) -> None:
    """Pages of the upper half are only claimed, or only invalidated."""
    claiming, other = (BucketStack(FRAMES, GROUPS, CONTEXTS) for _ in range(2))
    for op, frame, running in ops:
        if op == "access":
            frame %= FRAMES // 2
            assert claiming.access(frame, running) == other.access(frame, running)
        elif frame >= FRAMES // 2:
            claiming.claim(frame, context)
            other.invalidate(frame)
        else:
            claiming.mark()
            other.mark()
    assert claiming.renumberings == other.renumberings


def test_claims_outlive_a_renumbering_and_not_a_clear() -> None:
    """Buckets of one page: every second access of a new page takes an id."""
    model = BucketStack(64, 64, 2)
    for page in (0, 1):
        model.claim(page, 1)
    for i in range(4 * model.ids):
        model.access(2 + i % 62, 0)
    assert model.renumberings > 1
    assert model.access(0, 0) == (PositionKind.MISS, 0, 1)
    model.clear()
    assert model.access(1, 0) == (PositionKind.MISS, 0, 0)


@pytest.mark.parametrize("exponent", [0.6, 0.9, 1.2])
def test_zipf(exponent: float) -> None:
    error, most_off = compare(zipf(exponent, random.Random(1)))
    assert error < 0.002 and most_off <= 1


def test_uniform() -> None:
    dice = random.Random(2)
    error, most_off = compare(dice.randrange(LARGE) for _ in range(ACCESSES))
    assert error < 0.0005 and most_off <= 1


@pytest.mark.parametrize("pages", [100, 64 * 4, 64 * 7 + 32, 64 * 10 + 1, LARGE - 1, LARGE])
def test_pure_loop(pages: int) -> None:
    error, most_off = compare(loop(pages))
    # At most the first three hits of a bucket, of 24, are in the wrong group, at one number of groups.
    assert error <= 3 / closing_pages(64) / LARGE_GROUPS and most_off <= 1


def test_phases() -> None:
    error, most_off = compare(phases(random.Random(3)))
    assert error < 0.0012 and most_off <= 1


def test_renumbering_follows_the_eighth_operation_behind_the_one_that_runs_short_of_ids() -> None:
    """Buckets of one page: two accesses of new pages take an id. Ids 1..contexts are open from the start."""
    frames, groups, contexts = 64, 64, 1
    model = BucketStack(frames, groups, contexts)
    assert model.ids == bucket_ids(groups, contexts) == 256  # 2 * 65 + 2 + 8 + 1 = 141
    # Accesses until only 8 ids are left below those of claims.
    short = model.ids - contexts - RENUMBER_DELAY - (contexts + 1)
    for i in range(2 * short):
        model.access(i % frames, 0)
    for _ in range(RENUMBER_DELAY - 1):
        model.mark()
        assert model.renumberings == 0
    model.invalidate(0)
    assert model.renumberings == 1


@pytest.mark.parametrize(("groups", "contexts"), [(2, 1), (4, 2), (64, 8), (256, 8)])
def test_renumbering_always_finds_ids(groups: int, contexts: int) -> None:
    """The worst case: every context holds as many buckets as merging can leave."""
    ids = bucket_ids(groups, contexts)
    assert ids & (ids - 1) == 0
    assert 2 * (groups + contexts) + 1 < ids - contexts - RENUMBER_DELAY


def test_clear_forgets_pages_and_a_renumbering_that_is_due() -> None:
    model = BucketStack(64, 64, 1)
    for i in range(2 * (model.ids - 1 - RENUMBER_DELAY - 2)):  # one id is that of claims
        model.access(i % 64, 0)
    model.clear()
    for _ in range(2 * RENUMBER_DELAY):
        model.mark()
    assert model.renumberings == 0
    assert model.access(1, 0).kind is PositionKind.MISS


def test_an_id_has_two_buckets_of_half_a_group() -> None:
    """64 pages in 2 groups: a bucket holds 16 pages at most and closes at 12; an id holds 24."""
    assert (bucket_pages(32), closing_pages(32)) == (16, 12)
    model = BucketStack(64, 2, 1)
    for page in range(12):  # the older bucket of the open id
        model.access(page, 0)
    assert model.access(0, 0).group == 0  # moves to the newer one
    for page in range(12, 23):  # which has 12 pages then, the older one 11: the id closes
        model.access(page, 0)
    for page in range(23, 41):  # 12 and 6 pages behind it
        assert model.access(page, 0).kind is PositionKind.MISS
    # In front of page 1 are the 18 and 12 pages of newer buckets, and 11 // 2 of its own: 35. Exactly it is
    # the oldest page, at 40.
    assert model.access(1, 0).group == 35 // 32
    # The newer bucket has 12 pages, behind 19: 25 for page 0 by the middle, and 30 exactly.
    assert model.access(0, 0).group == 25 // 32


def test_buckets_are_merged_up_to_half_a_group_and_two_share_an_id() -> None:
    """Groups of 8 pages: buckets close at 3 pages and merge up to 4."""
    assert (bucket_pages(8), closing_pages(8)) == (4, 3)
    model = BucketStack(64, 8, 1)
    for page in range(27):  # eight closed buckets of 3 pages, and 24 to 26 in the open id
        model.access(page, 0)
    # Left in the four closed ids: 1 and 1, 3 and 3, 0 and 2, 1 and 1 pages. The two of an id come first, so
    # that the 1 + 1 of the last one do not fit where 1 did.
    for page in (1, 2, 4, 5, 12, 13, 14, 15, 19, 20, 22, 23):
        model.invalidate(page)
    model._renumber()
    (stack,) = model._bucket_stacks
    assert [[bucket.pages for bucket in pair] for pair in stack.closed] == [[1 + 1, 3], [3, 2 + (1 + 1)]]


@dataclass(eq=False)
class Bucket:
    number: int
    pages: int = 384  # at which one of half a group of 1,024 pages closes


def empty(front: LoopFront, bucket: Bucket, hits: int) -> list[int]:
    """What the front says of hits in a row that each take a page out of the bucket."""
    places = []
    for _ in range(hits):
        places.append(front.hit(bucket))
        bucket.pages -= 1
    return places


def test_the_first_three_hits_of_a_bucket_are_in_its_middle_then_a_loop_is_exact() -> None:
    front = LoopFront(BUCKET)
    for number in range(3):
        places = empty(front, Bucket(number), 384)
        assert places[:3] == [384 // 2, 383 // 2, 382 // 2]
        assert places[3:] == list(range(380, -1, -1))  # the fourth hit finds 381 pages: the last one


def test_a_loop_that_leaves_pages_behind_teaches_the_slope() -> None:
    """256 hits pass 384 pages: 1.5 pages a hit. The last hit of a bucket must be near its beginning."""
    front = LoopFront(BUCKET)
    last = [empty(front, Bucket(number), 256)[-1] for number in range(30)]
    assert last[0] == 384 - 256  # as if alone
    assert max(last[15:]) <= 8
    middle = empty(front, Bucket(30), 128)[-1]
    assert abs(middle - 384 // 2) <= 8


def test_hits_all_over_stay_in_the_middle() -> None:
    front = LoopFront(BUCKET)
    buckets = [Bucket(number) for number in range(8)]
    for turn in range(400):
        bucket = buckets[turn * 5 % 8]
        assert front.hit(bucket) == bucket.pages // 2


def test_the_slope_outlives_the_front() -> None:
    front = LoopFront(BUCKET)
    for number in range(20):
        empty(front, Bucket(number), 256)
    front.forget()
    assert empty(front, Bucket(0), 256)[-1] <= 8


@given(
    st.lists(st.integers(0, 5), max_size=2000),
    st.sampled_from([1, 2, 8, 64]),
)
def test_a_place_is_always_inside_the_bucket(hits: list[int], most: int) -> None:
    front = LoopFront(most)
    buckets = [Bucket(number, most) for number in range(6)]
    for number in hits:
        bucket = buckets[number]
        assert 0 <= front.hit(bucket) < bucket.pages
        bucket.pages -= 1
        if bucket.pages == 0:
            buckets[number] = Bucket(bucket.number + 6, most)


@pytest.mark.parametrize("most", [1, 2, 512])
def test_a_front_that_never_moves_stays_in_range(most: int) -> None:
    front = LoopFront(most)
    bucket = Bucket(0, 1)
    for _ in range(10 * most + 100):
        assert front.hit(bucket) == 0
