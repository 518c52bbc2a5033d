# SPDX-License-Identifier: BSD-2-Clause
"""Reference streams for tests of the engines."""

import numpy as np
from numpy.typing import NDArray


def zipf(accesses: int, pages: int, alpha: float, seed: int) -> NDArray[np.uint64]:
    """The i-th most popular of `pages` pages is drawn with probability proportional to i ** -alpha."""
    generator = np.random.default_rng(seed)
    cumulative = np.cumsum(np.arange(1, pages + 1) ** -alpha)
    ranks = np.searchsorted(cumulative, generator.random(accesses) * cumulative[-1])
    return generator.permutation(pages).astype(np.uint64)[ranks]


def loop(accesses: int, pages: int) -> NDArray[np.uint64]:
    """Pages 0, 1 ... in turn, again and again."""
    return np.arange(accesses, dtype=np.uint64) % np.uint64(pages)
