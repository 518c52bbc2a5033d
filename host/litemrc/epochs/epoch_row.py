"""The counters of one context in one epoch, as they arrive from a device."""

from dataclasses import dataclass

import numpy as np

from litemrc.curves.hit_counters import HitCounters, without_evictions


@dataclass(frozen=True, slots=True)
class EpochRow:
    """Counters of one context in one finished epoch, checked as it arrives; units as in `EpochTable`.

    Raises:
        ValueError: sum(hits) + misses != accesses, or touched > accesses, although no counter saturated.
    """

    epoch: int
    context: int
    accesses: int
    misses: int
    touched: int
    dropped: int
    outside: int
    unsampled: int
    scale_log2: int
    overflow: bool
    hits: tuple[int, ...]
    resident: int = 0
    evicted: int = 0
    unidentified: int = 0
    tail: tuple[int, ...] = ()
    split: bool = False

    def __post_init__(self) -> None:
        total = sum(self.hits) + self.misses
        if total != self.accesses and not self.overflow:
            raise ValueError(
                f"epoch {self.epoch}, context {self.context}: sum(hits) + misses is {total},"
                f" but accesses is {self.accesses}"
            )
        if self.touched > self.accesses and not self.overflow:
            raise ValueError(
                f"epoch {self.epoch}, context {self.context}: {self.touched} pages touched"
                f" by {self.accesses} accesses"
            )

    def evictions(self, evicted_before: int | None) -> int:
        """Return the pages that were evicted in the epoch, at least: some may be gone since.

        Parameters:
            evicted_before: `evicted` of the epoch before; None, and so no evictions: not known.
        """
        if evicted_before is None:
            return 0
        return max(self.evicted - evicted_before + sum(self.tail), 0)

    def counters(self, engine_group_pages: int, evictions: int = 0) -> HitCounters:
        """Return the counters with the refaults of the tail, as policies take them.

        Parameters:
            engine_group_pages: pages that the engine holds in a group; sampling is taken into account here.
            evictions: in the epoch; see `without_evictions`.
        """
        sampled = np.array([evictions / (1 << self.scale_log2)])
        return HitCounters.of(
            without_evictions(np.array([self.hits], np.uint64), sampled)[0],
            self.misses,
            engine_group_pages << self.scale_log2,
            accesses=self.accesses,
            overflow=self.overflow,
            refaults=self.tail,
            scale_log2=self.scale_log2,
        )
