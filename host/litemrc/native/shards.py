"""Miss-ratio curves from a sample of the pages: SHARDS (Waldspurger et al., FAST 2015).

A page is sampled if the hash of its number is below a threshold; distances among sampled pages are scaled up.
The number of sampled accesses differs from its expectation, depending on whether very hot pages are sampled.
Both engines add the difference to the smallest distance (SHARDS-adj).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

MOST_PAGES = 1 << 28  # largest fixed-size sample


class ShardsFixedRate:
    """Samples a share of all pages; memory grows with the footprint.

    Parameters:
        rate: share of the pages, above 0 and at most 1.

    Raises:
        UserError: another rate.
    """

    def __init__(self, rate: float) -> None:
        if not 0 < rate <= 1:
            raise UserError(
                f"the sampling rate must be above 0 and at most 1 (got {rate})",
                remedy="give a rate such as 0.01",
            )
        self.rate = rate
        self._core = _core.ShardsFixedRate(rate)

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises:
            UserError: as in `page_array`.
        """
        self._core.access(page_array(pages))

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio at multiples of 1 / rate.

        Raises:
            UserError: no access is to a sampled page.
        """
        histogram = self._core.histogram().astype(np.float64)
        sizes = np.round(np.arange(1, histogram.size) / self.rate).astype(np.int64)
        hits, cold_misses = histogram[1:] / self.rate, histogram[0] / self.rate
        return _adjusted(self._core.accesses, sizes, hits, cold_misses, page_bytes)


class ShardsFixedSize:
    """Samples at most a given number of pages by lowering the rate; memory is constant.

    Parameters:
        most_pages: sampled pages, 1 to 2^28; 8,192 give errors of about 0.002.

    Raises:
        UserError: another number of pages.
    """

    def __init__(self, most_pages: int) -> None:
        if not 1 <= most_pages <= MOST_PAGES:
            raise UserError(
                f"the sample must be 1 to {MOST_PAGES} pages (got {most_pages})",
                remedy=f"give 1 to {MOST_PAGES}",
            )
        self._core = _core.ShardsFixedSize(most_pages)

    @property
    def rate(self) -> float:
        """Return the current sampling rate."""
        return self._core.rate

    def access(self, pages: ArrayLike) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises:
            UserError: as in `page_array`.
        """
        self._core.access(page_array(pages))

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio at sizes at most 1/256 apart."""
        sizes = self._core.distances()[1:].astype(np.int64)
        weights, cold_misses = self._core.weights()[1:], self._core.cold_weight
        return _adjusted(self._core.accesses, sizes, weights, cold_misses, page_bytes)


def _adjusted(
    accesses: int,
    sizes: NDArray[np.int64],
    hits: NDArray[np.float64],
    cold_misses: float,
    page_bytes: int,
) -> Curve:
    """Return the curve of estimated hits at each size, adjusted to the number of accesses."""
    if accesses and not hits.any() and not cold_misses:
        raise UserError(
            "no page of the trace is in the sample", remedy="choose a higher rate, or engine exact"
        )
    if hits.size == 0:  # no page was accessed twice
        return Curve(np.ones(1, np.int64), np.ones(1), accesses, accesses, page_bytes)
    hits = hits.copy()
    hits[0] += accesses - (hits.sum() + cold_misses)
    miss_ratio = np.clip(1 - np.cumsum(hits) / max(accesses, 1), 0, 1)
    return Curve(sizes, miss_ratio, accesses, min(round(cold_misses), accesses), page_bytes)
