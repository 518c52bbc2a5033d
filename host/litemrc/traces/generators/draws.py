# SPDX-License-Identifier: BSD-2-Clause
"""Random numbers as functions of a seed and an index, and pages drawn with them.

numpy's generators are not used: their streams may change between releases, and a section in the middle of a
long trace must be available without the references before it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

U64 = np.uint64
Indices = NDArray[np.uint64]
Draw = Callable[[NDArray[np.uint64]], NDArray[np.uint64]]  # random words -> pages

MOST_PAGES = 1 << 24  # 40 bits of a word choose a page, the other 24 bits choose between it and its alias

_GOLDEN = U64(0x9E3779B97F4A7C15)


def random_words(seed: int, indices: Indices) -> NDArray[np.uint64]:
    """Return the word of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at each index."""
    words = (indices + U64(1)) * _GOLDEN
    words += U64(seed * 0xD1342543DE82EF95 & 0xFFFFFFFFFFFFFFFF)
    words ^= words >> U64(30)
    words *= U64(0xBF58476D1CE4E5B9)
    words ^= words >> U64(27)
    words *= U64(0x94D049BB133111EB)
    words ^= words >> U64(31)
    return words


def uniform(pages: int) -> Draw:
    """Return a draw of `pages` equally likely pages."""
    return lambda words: (words >> U64(24)) * U64(pages) >> U64(40)


def zipf(pages: int, alpha: float) -> Draw:
    """Return a draw of page k (from 0) with a probability proportional to 1 / (k + 1) ** alpha.

    This is Walker's alias method: page k keeps a share of its 1/pages and gives the rest to one likelier
    page. The surplus of likely pages covers the deficit of the others in order, so prefix sums find both.
    """
    weights = np.arange(1, pages + 1, dtype=np.float64) ** -alpha
    weights *= pages / weights.sum()
    heavy, light = np.flatnonzero(weights > 1), np.flatnonzero(weights <= 1)
    keep, alias = np.ones(pages), np.arange(pages)
    if heavy.size:
        surplus = np.cumsum(weights[heavy] - 1)
        deficit = np.concatenate([[0.0], np.cumsum(1 - weights[light])])
        giver = np.minimum(np.searchsorted(surplus, deficit[:-1], side="right"), heavy.size - 1)
        keep[light], alias[light] = weights[light], heavy[giver]
        # A heavy page that gave too much takes the difference from the next heavy page.
        covered = deficit[np.searchsorted(giver, np.arange(heavy.size - 1), side="right")]
        keep[heavy[:-1]] = np.clip(1 - (covered - surplus[:-1]), 0, 1)
        alias[heavy[:-1]] = heavy[1:]
    table = np.rint(keep * (1 << 24)).astype(np.uint64) << U64(32) | alias.astype(np.uint64)
    pick = uniform(pages)

    def draw(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        own = pick(words)
        entries = table[own]
        kept = (words & U64(0xFFFFFF)) < entries >> U64(32)
        return np.where(kept, own, entries & U64(0xFFFFFFFF))

    return draw


def permutation(pages: int, seed: int) -> NDArray[np.uint64]:
    """Return the pages in a random order."""
    words = random_words(seed, np.arange(pages, dtype=np.uint64))
    return np.argsort(words, kind="stable").astype(np.uint64)
