"""Curves of several epochs, contexts and devices: their counters summed where that is possible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters
from litemrc.epochs.table import EpochTable

SUMMED, WEIGHTED = "counters summed", "curves weighted by accesses"


@dataclass(frozen=True)
class Counted:
    """Counters of one context over some epochs.

    Attributes:
        dropped: accesses lost in these epochs, of all contexts.
    """

    counters: HitCounters
    page_bytes: int
    name: str
    dropped: int

    @property
    def grain(self) -> tuple[int, int, int]:
        """Counters of equal grain can be summed: bytes of a page, pages of a group, sampling."""
        return self.page_bytes, self.counters.group_pages, self.counters.scale_log2

    @property
    def group_bytes(self) -> int:
        """Memory that a hit counter stands for."""
        return self.counters.group_pages * self.page_bytes

    @property
    def weight(self) -> int:
        """Accesses; of sampled pages those of all pages, estimated."""
        return self.counters.accesses << self.counters.scale_log2

    def curve(self) -> Curve:
        """Return the curve."""
        return self.counters.curve(self.page_bytes, name=self.name, dropped=self.dropped)


def counted(table: EpochTable) -> dict[int, Counted]:
    """Return the counters of each context of a table whose epochs have one sampling."""
    return {
        context: Counted(
            table.counters(context),
            table.page_bytes,
            table.name_of(context),
            table.sum_of_epochs("dropped", context),
        )
        for context in table.contexts_with_data
    }


def merged(parts: Sequence[Counted]) -> tuple[Curve, str]:
    """Return the curve of all parts, and how it was made: `SUMMED` or `WEIGHTED`.

    Counters of different grain have no sum. Then the miss ratio at a size is the mean of the parts' miss
    ratios, weighted by their accesses, at the sizes of the coarsest part; a finer curve is exact there if its
    groups divide the coarsest one's, otherwise its miss ratio is that of the largest size that fits.
    """
    by_grain: dict[tuple[int, int, int], list[Counted]] = {}
    for part in parts:
        by_grain.setdefault(part.grain, []).append(part)
    sums = [_sum(equal) for equal in by_grain.values()]
    if len(sums) == 1:
        return sums[0].curve(), SUMMED
    return _weighted(sums), WEIGHTED


def _sum(parts: Sequence[Counted]) -> Counted:
    first = parts[0]
    return replace(
        first,
        counters=HitCounters.of(
            _padded_sum(part.counters.hits for part in parts),
            sum(part.counters.misses for part in parts),
            first.counters.group_pages,
            accesses=sum(part.counters.accesses for part in parts),
            overflow=any(part.counters.overflow for part in parts),
            refaults=_padded_sum(part.counters.refaults for part in parts),
            scale_log2=first.counters.scale_log2,
        ),
        dropped=sum(part.dropped for part in parts),
        name=parts[-1].name,
    )


def _padded_sum(counters: Iterable[np.ndarray]) -> np.ndarray:
    each = list(counters)
    total = np.zeros(max(one.size for one in each), np.uint64)
    for one in each:
        total[: one.size] += one
    return total


def _weighted(sums: Sequence[Counted]) -> Curve:
    coarsest = max(sums, key=lambda one: one.group_bytes)
    longest = max(one.counters.combined_hits.size * one.group_bytes for one in sums)
    sizes = np.arange(1, -(-longest // coarsest.group_bytes) + 1, dtype=np.int64) * coarsest.group_bytes
    weights = [one.weight for one in sums]
    ratios = np.full(sizes.size, np.nan)
    if sum(weights):
        curves = [one.curve() for one in sums if one.weight]
        points = [[curve.at(bytes=size) for size in sizes.tolist()] for curve in curves]
        ratios = np.average(points, axis=0, weights=[weight for weight in weights if weight])
    last = coarsest.curve()
    return Curve(
        sizes // coarsest.page_bytes,
        np.minimum.accumulate(ratios),  # the mean of falling curves falls, but for its last digit
        sum(one.counters.accesses for one in sums),
        sum(one.curve().misses for one in sums),
        coarsest.page_bytes,
        sums[-1].name,
        resolution_pages=last.resolution_pages,
        dropped=sum(one.dropped for one in sums),
        overflow=any(one.counters.overflow for one in sums),
    )
