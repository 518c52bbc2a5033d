"""Random sets of miss-ratio curves, to compare ways of dividing memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.policies.allocation.demand import Demand

UNITS = 128  # sizes of a curve; memory is in these units
KINDS = ("concave", "steps", "mixed")


@dataclass(frozen=True)
class CurveSet:
    """Processes that share a memory.

    Attributes:
        kind: one of KINDS; the curves of `mixed` are of any kind.
        demands: 2 to 8 curves.
        memory_pages: a tenth to nine tenths of the total of all curves.
    """

    kind: str
    demands: Sequence[Demand]
    memory_pages: int


def curve_sets(count: int, seed: int) -> Iterator[CurveSet]:
    """Yield sets, the kinds in turn; the first sets of a seed do not depend on `count`."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        demands = [demand_of_kind(rng, kind, f"p{i}") for i in range(rng.integers(2, 9))]
        yield CurveSet(kind, demands, int(rng.uniform(0.1, 0.9) * UNITS * len(demands)))


def demand_of_kind(rng: np.random.Generator, kind: str, name: str, scale: int = 1) -> Demand:
    """Return a curve of `scale` times UNITS sizes, of random final hit ratio; weight 1/4 to 4, log-uniform.

    concave: falling exponentials, knees from 2 % to 50 % of the sizes; steps: 1 to 4 at random sizes, of
    random heights; mixed: one of these, or half of each in one curve.
    """
    sizes = scale * UNITS
    shape = rng.choice(["concave", "steps", "both"]) if kind == "mixed" else kind
    hits = {
        "concave": lambda: _concave(rng, sizes),
        "steps": lambda: _steps(rng, sizes),
        "both": lambda: (_concave(rng, sizes) + _steps(rng, sizes)) / 2,
    }[shape]()
    ratio = np.clip(1 - rng.uniform(0.3, 1) * np.cumsum(hits), 0, 1)
    return Demand(name, np.arange(1, sizes + 1), ratio, 1_000_000, weight=float(2 ** rng.uniform(-2, 2)))


def _concave(rng: np.random.Generator, sizes: int) -> np.ndarray:
    hits = np.exp(-np.arange(sizes) / (sizes * rng.uniform(0.02, 0.5)))
    return hits / hits.sum()


def _steps(rng: np.random.Generator, sizes: int) -> np.ndarray:
    hits = np.zeros(sizes)
    count = rng.integers(1, 5)
    hits[rng.choice(sizes, count, replace=False)] = rng.dirichlet(np.ones(count))
    return hits
