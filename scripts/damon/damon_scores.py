# SPDX-License-Identifier: BSD-2-Clause
"""How well a ranking of pages finds the hottest ones: precision, recall, and lag after a change."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.floating] | NDArray[np.integer]


@dataclass(frozen=True)
class Score:
    """Expected values, where pages of equal rank come in random order.

    Attributes
    ----------
    precision
        share of the reported pages that are hot; None if none is reported.
    recall
        share of the hot pages that are reported; None if none is hot.
    """

    precision: float | None
    recall: float | None


def hottest(counts: NDArray[np.integer], wanted: int) -> NDArray[np.bool_]:
    """Return the pages that are hot: bool[pages].

    As many as are wanted; more if pages have as many accesses as the last one of these: each of them is as
    good. A page without accesses is not hot.

    Parameters
    ----------
    counts
        int[pages], accesses.
    """
    last = np.partition(counts, counts.size - wanted)[counts.size - wanted]
    return (counts >= last) & (counts > 0)


def reported(ranks: Ranks, wanted: int) -> NDArray[np.float64]:
    """Return the probability that a page is among the first `wanted`: float64[pages].

    Pages of equal rank are in random order. Those of rank 0 were not found accessed and are not reported.
    """
    last = np.partition(ranks, ranks.size - wanted)[ranks.size - wanted]
    if last <= 0:
        return (ranks > 0).astype(np.float64)
    above, equal = ranks > last, ranks == last
    return above + equal * ((wanted - above.sum()) / equal.sum())


def score(ranks: Ranks, hot: NDArray[np.bool_], wanted: int) -> Score:
    """Compare the first `wanted` pages of a ranking with the hot ones.

    Parameters
    ----------
    ranks
        [pages], larger is hotter; 0: not found accessed.
    hot
        bool[pages].
    """
    chosen = reported(ranks, wanted)
    number, expected, found = chosen.sum(), min(wanted, int(hot.sum())), float(chosen[hot].sum())
    return Score(found / number if number else None, min(1.0, found / expected) if expected else None)


def mean_score(scores: Sequence[Score]) -> Score:
    """Return the means of those that have a value."""

    def mean(values: list[float]) -> float | None:
        return float(np.mean(values)) if values else None

    return Score(
        mean([each.precision for each in scores if each.precision is not None]),
        mean([each.recall for each in scores if each.recall is not None]),
    )


@dataclass(frozen=True)
class Lag:
    """Time until a change is detected: windows, the one of the change is 1; and nanoseconds."""

    windows: int
    ns: int


def lag(
    ends_ns: NDArray[np.integer], precisions: Sequence[float | None], moved_ns: int, until_ns: int
) -> Lag | None:
    """Return the lag until half of the reported pages are of the new hot set; None: not before `until_ns`.

    Parameters
    ----------
    ends_ns
        int[windows], ends of the windows, when their reports are there.
    precisions
        of each window, against the new set.
    moved_ns
        when the hot set changed.
    """
    first = int(np.searchsorted(ends_ns, moved_ns, side="right"))
    for number in range(first, len(ends_ns)):
        if ends_ns[number] > until_ns:
            break
        precision = precisions[number]
        if precision is not None and precision >= 0.5:
            return Lag(number - first + 1, int(ends_ns[number]) - moved_ns)
    return None
