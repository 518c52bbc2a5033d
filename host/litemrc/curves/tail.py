"""The tail of a curve: what an operating system counted of evicted pages."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Tail:
    """Refaults in a curve: accesses to pages that the operating system had evicted.

    The evicted pages, the last evicted first, continue the LRU stack behind the resident pages, so a refault
    has an LRU stack distance as any hit has. The number of resident pages varies: it is given as the mean and
    the range over the epochs of the curve.

    Attributes:
        refaults: accesses that hit only in a memory larger than was resident.
        unidentified: evictions and refaults whose page or order is unknown; such refaults remain misses.
        resident_pages: mean number of resident pages: where "resident | evicted" lies.
        resident_least, resident_most: range of that number.
        evicted_pages: mean number of evicted pages that had not returned.
        open_refaults: part of `refaults` at the last size that the device counts: they may need more memory.
    """

    refaults: int
    unidentified: int
    resident_pages: float
    resident_least: int
    resident_most: int
    evicted_pages: float = 0.0
    open_refaults: int = 0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: a negative one, or a mean out of its range.
        """
        counts = (
            self.refaults,
            self.unidentified,
            self.resident_least,
            self.evicted_pages,
            self.open_refaults,
        )
        if not min(counts) >= 0 or not self.resident_least <= self.resident_pages <= self.resident_most:
            raise ValueError(f"no such tail can have been counted: {self}")
        if self.open_refaults > self.refaults:
            raise ValueError(f"{self.open_refaults} of {self.refaults} refaults")

    @property
    def evicts(self) -> bool:
        """Whether pages were evicted at all: else the resident pages are no limit of the curve."""
        return bool(self.refaults or self.unidentified or self.evicted_pages)

    def resized(self, old_page_bytes: int, new_page_bytes: int) -> "Tail":
        """Return the tail in pages of another size; the range is rounded outwards."""
        share = old_page_bytes / new_page_bytes
        return replace(
            self,
            resident_pages=self.resident_pages * share,
            resident_least=self.resident_least * old_page_bytes // new_page_bytes,
            resident_most=-(-self.resident_most * old_page_bytes // new_page_bytes),
            evicted_pages=self.evicted_pages * share,
        )
