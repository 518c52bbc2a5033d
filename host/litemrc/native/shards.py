# SPDX-License-Identifier: BSD-2-Clause
"""Miss-ratio curves from a sample of the pages: SHARDS (Waldspurger et al., FAST 2015).

A page is sampled if the hash of its number is below a threshold; distances among sampled pages are scaled up.
The number of sampled accesses differs from its expectation, depending on whether very hot pages are sampled.
Both engines add the difference to the smallest distance (SHARDS-adj).

The confidence band is a delete-a-group jackknife (Kott, Journal of Official Statistics 17, 2001; Wolter,
Introduction to Variance Estimation, 2007, chapter 4): the sample is divided into 8 groups by the hashes of
pages, the curve is estimated from the sample without each group in turn, and the variance of a miss ratio
is 7/8 of the sum of the squared deviations from their mean. It contains the error of the distances as well
as that of the counts. The band is Student's t of 7 degrees of freedom, at 95 %, around the estimate, times
the root of 1 - rate, since nothing is left out at rate 1. It assumes pages that are sampled independently.
Pages of one block of 4,096 are sampled more evenly than that (see `stacks/spatial_sample.hpp`): there the
band is too wide. It holds for each size alone, and is no band for the whole curve. Beside a cliff the error
is not normal, and the band covers it less often.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

MOST_PAGES = 1 << 28  # largest fixed-size sample
GROUPS: int = _core.JACKKNIFE_GROUPS
_STUDENT_T = 2.3646  # 97.5 % quantile for 7 degrees of freedom

Histogram = NDArray[np.unsignedinteger]
Counts = tuple[NDArray[np.int64], NDArray[np.float64], float]  # sizes, hits at each, cold misses


class ShardsFixedRate:
    """Samples a share of all pages; memory grows with the footprint.

    Parameters
    ----------
    rate
        share of the pages, above 0 and at most 1.
    band
        estimate the confidence band, for about twice the work on the sample.

    Raises
    ------
    UserError
        another rate.
    """

    def __init__(self, rate: float, *, band: bool = False) -> None:
        check_rate(rate)
        self.rate = rate
        self._groups = GROUPS if band else 0
        self._core = _core.ShardsFixedRate(rate, band)

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        self._core.access(page_array(pages))

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio at multiples of 1 / rate.

        Raises
        ------
        UserError
            no access is to a sampled page.
        """
        without = [self._core.histogram_without(group) for group in range(self._groups)]
        return fixed_rate_curve(self._core.accesses, self._core.histogram(), without, self.rate, page_bytes)


class ShardsFixedSize:
    """Samples at most a given number of pages by lowering the rate; memory is constant.

    Parameters
    ----------
    most_pages
        sampled pages, 1 to 2^28; 8,192 give errors of about 0.002.
    band
        estimate the confidence band, for about twice the work on the sample.

    Raises
    ------
    UserError
        another number of pages.
    """

    def __init__(self, most_pages: int, *, band: bool = False) -> None:
        check_sample_pages(most_pages)
        self._groups = GROUPS if band else 0
        self._core = _core.ShardsFixedSize(most_pages, band)

    @property
    def rate(self) -> float:
        """Return the current sampling rate."""
        return self._core.rate

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of all accesses; the engine samples.

        Raises
        ------
        UserError
            as in `page_array`.
        """
        self._core.access(page_array(pages))

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the estimated miss ratio at sizes at most 1/256 apart."""
        without = [_weighted(self._core.weights_without(group)) for group in range(self._groups)]
        counts = _weighted(self._core.weights())
        return sampled_curve(self._core.accesses, counts, without, 1 - self.rate, page_bytes)


def check_rate(rate: float) -> None:
    """Check a share of pages to sample.

    Raises
    ------
    UserError
        not above 0 and at most 1.
    """
    if not 0 < rate <= 1:
        raise UserError(
            f"the sampling rate must be above 0 and at most 1 (got {rate})",
            remedy="give a rate such as 0.01",
        )


def check_sample_pages(most_pages: int) -> None:
    """Check a size of a sample.

    Raises
    ------
    UserError
        not 1 to `MOST_PAGES`.
    """
    if not 1 <= most_pages <= MOST_PAGES:
        raise UserError(
            f"the sample must be 1 to {MOST_PAGES} pages (got {most_pages})",
            remedy=f"give 1 to {MOST_PAGES}",
        )


def fixed_rate_curve(
    accesses: int,
    histogram: Histogram,
    without: Sequence[Histogram],
    rate: float,
    page_bytes: int,
) -> Curve:
    """Return the curve of histograms of sampled accesses: of the sample, and of it without each group.

    Raises
    ------
    UserError
        no access is to a sampled page.
    """
    others = [scaled_counts(each, rate * (GROUPS - 1) / GROUPS) for each in without]
    return sampled_curve(accesses, scaled_counts(histogram, rate), others, 1 - rate, page_bytes)


def scaled_counts(histogram: Histogram, rate: float) -> Counts:
    """Return the estimated counts of a histogram of sampled accesses by distance; [0]: first accesses.

    Parameters
    ----------
    rate
        share of the pages that is sampled.
    """
    sizes = np.round(np.arange(1, histogram.size) / rate).astype(np.int64)
    return sizes, histogram[1:] / rate, float(histogram[0] / rate)


def _weighted(weights: tuple[NDArray[np.uint64], NDArray[np.float64], float]) -> Counts:
    distances, hits, cold_misses = weights
    return distances[1:].astype(np.int64), hits[1:], cold_misses


def sampled_curve(
    accesses: int, counts: Counts, without: Sequence[Counts], left_out: float, page_bytes: int
) -> Curve:
    """Return the curve of estimated counts, adjusted to the number of accesses, and its band.

    Parameters
    ----------
    counts
        estimated counts: sizes, hits at each, cold misses.
    without
        the counts of the sample without each group; empty: no band.
    left_out
        share of the pages that is not sampled.
    """
    sizes, hits, cold_misses = counts
    if accesses and not hits.any() and not cold_misses:
        raise UserError(
            "no page of the trace is in the sample", remedy="choose a higher rate, or engine exact"
        )
    if hits.size == 0:  # no page was accessed twice
        return Curve(np.ones(1, np.int64), np.ones(1), accesses, accesses, page_bytes)
    estimate = _miss_ratios(counts, sizes, accesses)
    miss_ratio = np.clip(estimate, 0, 1)
    low = high = None
    if without:
        groups = len(without)
        others = np.stack([_miss_ratios(each, sizes, accesses) for each in without])
        variance = left_out * (groups - 1) * others.var(axis=0)  # (groups - 1) / groups of the sum of squares
        half = _STUDENT_T * np.sqrt(variance)
        low = np.clip(np.minimum(estimate - half, miss_ratio), 0, 1)
        high = np.clip(np.maximum(estimate + half, miss_ratio), 0, 1)
    misses = min(round(cold_misses), accesses)
    return Curve(sizes, miss_ratio, accesses, misses, page_bytes, low=low, high=high)


def _miss_ratios(counts: Counts, at_sizes: NDArray[np.int64], accesses: int) -> NDArray[np.float64]:
    """Return estimated misses, the accesses of larger distance, per access: float64[n], not limited to 0..1.

    The accesses that the sample lacks, or has too many of, are hits of the smallest distance (SHARDS-adj).
    """
    sizes, hits, cold_misses = counts
    further = np.append(np.cumsum(hits[::-1])[::-1], 0.0) + cold_misses
    return further[np.searchsorted(sizes, at_sizes, side="right")] / max(accesses, 1)
