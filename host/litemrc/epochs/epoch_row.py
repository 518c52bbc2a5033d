"""The counters of one context in one epoch, as they arrive from a device."""

from dataclasses import dataclass

from litemrc.curves.hit_counters import HitCounters


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

    def counters(self, engine_group_pages: int) -> HitCounters:
        """Return the counters with the refaults of the tail, as policies take them.

        Parameters:
            engine_group_pages: pages that the engine holds in a group; sampling is taken into account here.
        """
        return HitCounters.of(
            self.hits,
            self.misses,
            engine_group_pages << self.scale_log2,
            accesses=self.accesses,
            overflow=self.overflow,
            refaults=self.tail,
            scale_log2=self.scale_log2,
        )
