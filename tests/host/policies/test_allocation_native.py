# SPDX-License-Identifier: BSD-2-Clause
"""The native division of memory is that of the plain model, and as good as it says."""

from pathlib import Path

import litemrc.golden.allocation as golden
import numpy as np
import pytest
from litemrc.native import allocation as native
from litemrc.policies.allocation.division import Demand, allocate
from litemrc_studies.zhou2004.results.allocation import curve_sets

from tests.mutation import mutated_module


def random_demand(rng: np.random.Generator, sizes: int, name: str) -> Demand:
    """Exponentials, a few steps, or nearly straight lines, at sizes of any distance; steps of 1/8: ties."""
    hits = [
        lambda: np.exp(-np.arange(sizes) / (sizes * rng.uniform(0.02, 0.6))),
        lambda: (rng.random(sizes) < 3 / sizes) * rng.random(sizes),
        lambda: rng.random(sizes),
        lambda: np.ones(sizes),  # exactly straight
        lambda: np.arange(sizes) % rng.integers(1, 4) < 1,
    ][rng.integers(5)]()
    if hits.dtype == bool:
        ratio = np.maximum(8 - np.cumsum(hits), 0) / 8
    else:
        ratio = np.clip(1 - rng.random() * np.cumsum(hits) / max(hits.sum(), 1e-9), 0, 1)
    return Demand(
        name,
        np.cumsum(rng.integers(1, rng.integers(2, 5), sizes)),
        ratio,
        100,
        weight=float(rng.choice([0.5, 1, 1, 3])),
        minimum_pages=int(rng.choice([0, 0, 7])),
    )


def both(rng: np.random.Generator, processes: int, sizes: int, free: int):
    """What the native functions and what the model take; delta from 1 to 3 pages."""
    delta = int(rng.integers(1, 4))
    demands = [random_demand(rng, sizes, f"p{i}") for i in range(processes)]
    minimums = [-(-demand.minimum_pages // delta) for demand in demands]
    curves = [
        (d.sizes_pages, d.miss_ratio, d.value, minimum) for d, minimum in zip(demands, minimums, strict=True)
    ]
    gains = [
        golden.Gains.of_curve(
            d.sizes_pages.tolist(),
            (d.value * (1 - d.miss_ratio)).tolist(),
            delta_pages=delta,
            minimum=minimum,
            free=free,
            priority=d.weight,
        )
        for d, minimum in zip(demands, minimums, strict=True)
    ]
    return curves, gains, {"delta_pages": delta, "free": free}


@pytest.mark.parametrize(
    ("trials", "processes", "sizes", "most_free"), [(150, 9, 40, 100), (12, 12, 700, 1500)]
)
def test_native_is_the_model(trials, processes, sizes, most_free):
    rng = np.random.default_rng(processes)
    limited = 0
    for _ in range(trials):
        free = int(rng.integers(0, most_free))
        curves, gains, options = both(rng, int(rng.integers(1, processes)), int(rng.integers(1, sizes)), free)
        for work in (native.WORK, 12 * (free + 1), 0):
            given = native.concave_hull(curves, work=work, **options)
            assert given == golden.concave_hull(gains, free, work)
            limited += given[1] > golden.total_gain(gains, given[0])
        assert native.optimum(curves, **options) == golden.optimum(gains, free)
        priorities = [process.priority for process in gains]
        if sizes < 100:  # the model of it is slow
            assert native.steepest_gradient(curves, priorities, **options) == golden.steepest_gradient(
                gains, free
            )
    assert limited  # else the bound was never put to the test


def test_what_little_work_allows_stays_within_its_bound():
    rng = np.random.default_rng(8)
    for _ in range(60):
        free = int(rng.integers(1, 300))
        curves, gains, options = both(rng, 6, 100, free)
        most = golden.total_gain(gains, native.optimum(curves, **options))
        for work in (0, 5 * (free + 1), 50 * (free + 1)):
            given, bound = native.concave_hull(curves, work=work, **options)
            assert sum(given) <= free
            assert golden.total_gain(gains, given) <= most + 1e-12 <= bound + 2e-12


def test_the_hull_and_its_repair_are_near_the_optimum_where_others_fail():
    greedy, bare, repaired = [], [], []
    for each in curve_sets(150, seed=2004):
        best = allocate(each.demands, each.memory_pages, delta_pages=1, method="optimal").utility
        gains = [
            golden.Gains.of_curve(
                d.sizes_pages.tolist(),
                (d.value * (1 - d.miss_ratio)).tolist(),
                delta_pages=1,
                minimum=0,
                free=each.memory_pages,
            )
            for d in each.demands
        ]
        bare.append(golden.total_gain(gains, golden.bare_hull(gains, each.memory_pages)) / best)
        for method, shares in (("greedy", greedy), ("hull", repaired)):
            shares.append(
                allocate(each.demands, each.memory_pages, delta_pages=1, method=method).utility / best
            )
            if each.kind == "concave":
                assert shares[-1] == pytest.approx(1)
    assert np.mean(repaired) >= 0.99 and min(repaired) >= 0.95
    assert min(greedy) < 0.3 and min(bare) < 0.8  # else the sets are too easy


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("candidate > after[units:]", "candidate >= after[units:]"),  # of equal choices another
        ("if g1 > g0 and u1 - u0 <= left", "if g1 > g0 and u1 - u0 < left"),  # never fills up
        ("top - (g - self.slope * u)", "top - g"),  # regret that forgets the memory
        ("list(self.places), self.left", "list(self.places), 0"),  # fills nothing
        ("segment[0], -segment[2]", "segment[0], segment[2]"),  # ties to the last
        (">= (g2 - g1) * (u1 - u0)", "> (g2 - g1) * (u1 - u0)"),  # straight lines lose their points
    ],
)
def test_a_mutant_of_the_model_is_found(old, new):
    mutant = mutated_module(Path(golden.__file__), old, new)
    rng = np.random.default_rng(7)
    for _ in range(300):
        free = int(rng.integers(1, 40))
        curves, gains, options = both(rng, 5, 15, free)
        for work in (native.WORK, 12 * (free + 1), 0):
            if native.concave_hull(curves, work=work, **options) != mutant.concave_hull(gains, free, work):
                return
    pytest.fail("the mutant was not found")
