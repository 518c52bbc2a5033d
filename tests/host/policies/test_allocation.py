# SPDX-License-Identifier: BSD-2-Clause
"""Memory divided by marginal gain: hand arithmetic, all divisions of small memories, and what is refused."""

import itertools

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.policies.allocation import division
from litemrc.policies.allocation.division import METHODS, Demand, allocate, cheapest, may_grow

# A loop of 3 pages, and a program that gains less by each page.
LOOP = Demand("loop", [3], [0.1], 100)
ZIPF = Demand("zipf", [1, 2, 3, 4], [0.6, 0.4, 0.3, 0.25], 100)


def by_trying(demands: list[Demand], memory: int, delta: int = 1) -> float:
    """The largest utility over all divisions."""
    units = memory // delta
    minimums = [-(-demand.minimum_pages // delta) for demand in demands]
    return max(
        sum(demand.utility(given * delta) for demand, given in zip(demands, division, strict=True))
        for division in itertools.product(*(range(minimum, units + 1) for minimum in minimums))
        if sum(division) <= units
    )


def random_demand(rng: np.random.Generator, name: str) -> Demand:
    count = int(rng.integers(1, 5))
    return Demand(
        name,
        np.sort(rng.choice(np.arange(1, 13), count, replace=False)),
        np.sort(rng.random(count))[::-1],
        100,
        weight=float(rng.choice([0.5, 1, 2])),
        minimum_pages=int(rng.choice([0, 0, 2])),
    )


def test_utility_is_the_weighted_hit_ratio_and_with_a_rate_the_hits():
    assert [ZIPF.utility(pages) for pages in (0, 1, 2, 9)] == [0, 0.4, 0.6, 0.75]
    assert Demand("a", [2], [0.25], 100, weight=2).utility(2) == 1.5
    assert Demand("a", [2], [0.25], 100, weight=2, reference_rate=1000).utility(2) == 1500
    assert Demand("a", [2], [0.25], 100, weight=2, reference_rate=1000).utility(1) == 0


def test_greedy_follows_the_gradient_and_is_blind_for_a_step():
    # zipf gains 0.4, 0.2, 0.1, 0.05; the loop nothing before its third page.
    given = allocate([LOOP, ZIPF], 5, delta_pages=1, method="greedy")
    assert given.pages == {"loop": 1, "zipf": 4}
    assert given.miss_ratio == {"loop": 1, "zipf": 0.25}
    assert (given.utility, given.free_pages, given.utility_bound) == (0.75, 0, None)


@pytest.mark.parametrize("method", ["hull", "optimal"])
def test_a_loop_that_fits_gets_its_memory(method):
    # 0.9 for 3 pages is 0.3 a page: behind zipf's first page (0.4), before its second (0.2).
    given = allocate([LOOP, ZIPF], 5, delta_pages=1, method=method)
    assert given.pages == {"loop": 3, "zipf": 2}
    assert given.utility == pytest.approx(0.9 + 0.6)
    assert given.utility_bound == given.utility


def test_a_segment_that_does_not_fit_is_repaired():
    # With 3 pages the hull gives zipf one (0.4) and has two left for the loop, which wants three: 0.4. All of
    # the loop is 0.9, all three to zipf 0.7.
    given = allocate([LOOP, ZIPF], 3, delta_pages=1)
    assert given.pages == {"loop": 3, "zipf": 0}
    assert given.utility == pytest.approx(0.9)


def test_a_bound_beyond_rounding_is_reported(monkeypatch):
    # All 3 pages for the loop: 0.9; what a repair leaves unproven is added.
    for gain, bound in ((1.2, 1.2), (0.9 + 1e-9, 0.9 + 1e-9), (0.9 + 1e-15, 0.9)):
        monkeypatch.setattr(division.native, "concave_hull", lambda *_, gain=gain, **__: ([3, 0], gain))
        given = allocate([LOOP, ZIPF], 3, delta_pages=1)
        assert (given.utility, given.utility_bound) == (0.9, bound)


@pytest.mark.parametrize("method", METHODS)
def test_memory_nobody_gains_from_stays_free(method):
    given = allocate([LOOP, ZIPF], 100, delta_pages=1, method=method)
    assert (given.pages, given.free_pages) == ({"loop": 3, "zipf": 4}, 93)


@pytest.mark.parametrize("method", METHODS)
def test_minimums_are_kept_and_rounded_up_to_units(method):
    held = Demand("held", [8], [0.9], 100, minimum_pages=3)
    given = allocate([held, Demand("b", [2, 4], [0.7, 0.5], 100)], 9, delta_pages=2, method=method)
    # 3 pages are 2 units; 2 of the 4 units of 9 pages are left, and one page is no unit.
    assert (given.pages, given.free_pages) == ({"held": 4, "b": 4}, 1)


def test_weights_and_rates_decide_the_order():
    a, b = [1], [0.5]
    assert allocate([Demand("a", a, b, 9), Demand("b", a, b, 9, weight=2)], 1, delta_pages=1).pages["b"] == 1
    rated = [Demand("a", a, b, 9, reference_rate=7), Demand("b", a, b, 9, weight=2, reference_rate=3)]
    assert allocate(rated, 1, delta_pages=1).pages == {"a": 1, "b": 0}


def test_ties_of_gradients_go_to_the_weight_and_then_to_the_first():
    flat = [Demand("a", [9], [0.5], 9), Demand("b", [9], [0.5], 9, weight=2), Demand("c", [9], [0.5], 9)]
    assert allocate(flat, 10, delta_pages=1, method="greedy").pages == {"a": 1, "b": 9, "c": 0}
    assert allocate(flat[::2], 10, delta_pages=1, method="greedy").pages == {"a": 9, "c": 1}


def test_no_division_is_better_than_the_optimum_and_the_hull_finds_it():
    rng = np.random.default_rng(4)
    for _ in range(150):
        demands = [random_demand(rng, f"p{i}") for i in range(rng.integers(1, 4))]
        memory, delta = int(rng.integers(6, 13)), int(rng.integers(1, 3))
        most = by_trying(demands, memory, delta)
        for method in ("optimal", "hull"):
            given = allocate(demands, memory, delta_pages=delta, method=method)
            assert given.utility == pytest.approx(most)
            assert given.utility_bound == pytest.approx(most)
            assert sum(given.pages.values()) + given.free_pages == memory


def test_greedy_is_the_optimum_on_concave_curves():
    rng = np.random.default_rng(5)
    for _ in range(50):
        demands = [
            Demand(f"p{i}", np.arange(1, 31), 1 - np.cumsum(np.sort(rng.dirichlet(np.ones(40)))[:9:-1]), 100)
            for i in range(4)
        ]
        greedy, best = (allocate(demands, 60, delta_pages=1, method=m).utility for m in ("greedy", "optimal"))
        assert greedy == pytest.approx(best)


def test_reclamation_takes_where_least_is_lost():
    # zipf loses 0.05 going from 4 to 3 pages, 0.2 from 2 to 1; the loop 0.9 at 3 pages, nothing at 5.
    assert cheapest([LOOP, ZIPF], [3, 4], 1) == 1
    assert cheapest([LOOP, ZIPF], [5, 4], 1) == 0
    assert cheapest([LOOP, ZIPF], [3, 4], 4) == 1  # the loop cannot give 4


def test_reclamation_respects_minimums_and_takes_ties_from_the_largest():
    held = Demand("held", [9], [0.5], 100, minimum_pages=5)
    other = Demand("other", [9], [0.5], 100)
    assert cheapest([held, other], [6, 4], 1) == 0
    assert cheapest([held, other], [5, 4], 1) == 1
    assert cheapest([held, other], [4, 4], 1) == 1
    assert cheapest([other, held], [4, 4], 1) == 0
    assert cheapest([held, other], [5, 0], 1) is None


def test_a_faulting_process_grows_if_it_gains_more_than_another_loses():
    assert may_grow([LOOP, ZIPF], [2, 4], 0, 1)  # 0.9 against 0.05
    assert not may_grow([LOOP, ZIPF], [3, 1], 1, 1)  # 0.2 against 0.9
    assert may_grow([LOOP, ZIPF], [4, 1], 1, 1)  # 0.2 against nothing
    assert not may_grow([LOOP, ZIPF], [1, 4], 0, 1)  # nothing yet, against 0.05
    assert not may_grow([LOOP, ZIPF], [1, 5], 0, 1)  # nothing, against nothing
    assert not may_grow([LOOP, ZIPF], [2, 0], 0, 1)  # nobody has any
    assert not may_grow([LOOP], [2], 0, 1)


@pytest.mark.parametrize(
    ("change", "what", "where"),
    [
        ({"miss_ratio": [0.5, 0.6]}, "rises with memory", "miss_ratio[1] = 0.6, before it 1 and 0.5"),
        ({"miss_ratio": [1.5, 0.6]}, "not in 0..1", "miss_ratio[0] = 1.5"),
        ({"miss_ratio": [0.5, -0.1]}, "not in 0..1", "miss_ratio[1] = -0.1"),
        ({"miss_ratio": [0.5, float("nan")]}, "not in 0..1", "miss_ratio[1] = nan"),
        ({"miss_ratio": [0.5]}, "2 sizes_pages and 1 miss_ratio", "'x'"),
        ({"sizes_pages": [2, 2]}, "sizes do not rise", "sizes_pages[1] = 2"),
        ({"sizes_pages": [0, 2]}, "below one page", "sizes_pages[0] = 0"),
        ({"sizes_pages": [1.5, 2]}, "sizes_pages must be a list of int64", "'x'"),
        ({"sizes_pages": "12"}, "sizes_pages must be a list of int64", "'x'"),
        ({"miss_ratio": [None, 0.1]}, "miss_ratio must be a list of float64", "'x'"),
        ({"miss_ratio": [], "sizes_pages": []}, "0 sizes_pages", "'x'"),
        ({"weight": -1.0}, "weight cannot be -1.0", "'x'"),
        ({"minimum_pages": -1}, "minimum_pages cannot be -1", "'x'"),
        ({"reference_rate": float("inf")}, "reference_rate cannot be inf", "'x'"),
    ],
)
def test_a_bad_curve_is_refused_with_its_place(change, what, where):
    given = {"name": "x", "sizes_pages": [1, 2], "miss_ratio": [0.5, 0.1], "accesses": 9} | change
    with pytest.raises(UserError) as caught:
        Demand(**given)
    assert what in caught.value.what
    assert where in caught.value.where


def test_minimums_that_do_not_fit_are_named():
    held = [
        Demand(name, [9], [0.5], 9, minimum_pages=pages) for name, pages in (("a", 5), ("b", 0), ("c", 7))
    ]
    with pytest.raises(UserError, match="need 14 pages, the memory has 13") as caught:
        allocate(held, 13, delta_pages=2)
    assert caught.value.where == "in units of 2 pages, a: 6, c: 8"


@pytest.mark.parametrize(
    ("demands", "options", "what"),
    [
        ([], {}, "no process demands memory"),
        ([LOOP, ZIPF, LOOP], {}, "several curves have the name loop"),
        ([LOOP], {"memory_pages": 0}, "the memory must be at least 1 page (got 0)"),
        ([LOOP], {"memory_pages": -4}, "the memory must be at least 1 page (got -4)"),
        ([LOOP], {"delta_pages": 0}, "the unit (delta) must be at least 1 page (got 0)"),
        ([LOOP], {"method": "best"}, "unknown method 'best'"),
        ([LOOP, Demand("r", [1], [0.5], 9, reference_rate=1.0)], {}, "rate is missing for loop"),
        ([LOOP], {"memory_pages": 2**40, "method": "optimal"}, "too much to compute"),
        ([LOOP], {"memory_pages": 2**40}, "units of memory are too many"),
    ],
)
def test_what_cannot_be_divided_is_refused(demands, options, what):
    with pytest.raises(UserError) as caught:
        allocate(demands, **{"memory_pages": 8, "delta_pages": 1} | options)
    assert what in caught.value.what
