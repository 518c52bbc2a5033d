"""The place of a page in its bucket: the middle, unless a loop empties the bucket."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.loop_front import LoopFront

GROUP = 1024


@dataclass(eq=False)
class Bucket:
    number: int
    pages: int = 768


def empty(front: LoopFront, bucket: Bucket, hits: int) -> list[int]:
    """What the front says of hits in a row that each take a page out of the bucket."""
    places = []
    for _ in range(hits):
        places.append(front.hit(bucket))
        bucket.pages -= 1
    return places


def test_the_first_three_hits_of_a_bucket_are_in_its_middle_then_a_loop_is_exact() -> None:
    front = LoopFront(GROUP)
    for number in range(3):
        places = empty(front, Bucket(number), 768)
        assert places[:3] == [768 // 2, 767 // 2, 766 // 2]
        assert places[3:] == list(range(764, -1, -1))  # the fourth hit finds 765 pages: the last one


def test_a_loop_that_leaves_pages_behind_teaches_the_slope() -> None:
    """512 hits pass 768 pages: 1.5 pages a hit. The last hit of a bucket must be near its beginning."""
    front = LoopFront(GROUP)
    last = [empty(front, Bucket(number), 512)[-1] for number in range(30)]
    assert last[0] == 768 - 512  # as if alone
    assert max(last[15:]) <= 8
    middle = empty(front, Bucket(30), 256)[-1]
    assert abs(middle - 768 // 2) <= 8


def test_hits_all_over_stay_in_the_middle() -> None:
    front = LoopFront(GROUP)
    buckets = [Bucket(number) for number in range(8)]
    for turn in range(400):
        bucket = buckets[turn * 5 % 8]
        assert front.hit(bucket) == bucket.pages // 2


def test_the_slope_outlives_the_front() -> None:
    front = LoopFront(GROUP)
    for number in range(20):
        empty(front, Bucket(number), 512)
    front.forget()
    assert empty(front, Bucket(0), 512)[-1] <= 8


@given(
    st.lists(st.integers(0, 5), max_size=2000),
    st.sampled_from([1, 2, 8, 64]),
)
def test_a_place_is_always_inside_the_bucket(hits: list[int], group_pages: int) -> None:
    front = LoopFront(group_pages)
    buckets = [Bucket(number, group_pages) for number in range(6)]
    for number in hits:
        bucket = buckets[number]
        assert 0 <= front.hit(bucket) < bucket.pages
        bucket.pages -= 1
        if bucket.pages == 0:
            buckets[number] = Bucket(bucket.number + 6, group_pages)


@pytest.mark.parametrize("group_pages", [1, 2, 1024])
def test_a_front_that_never_moves_stays_in_range(group_pages: int) -> None:
    front = LoopFront(group_pages)
    bucket = Bucket(0, 1)
    for _ in range(10 * group_pages + 100):
        assert front.hit(bucket) == 0
