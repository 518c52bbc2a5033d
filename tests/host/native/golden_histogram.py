# SPDX-License-Identifier: BSD-2-Clause
"""What the golden LRU stack counts over a trace."""

from litemrc.golden.monitor.lru_stack import LruStack


def golden_histogram(pages: list[int]) -> list[int]:
    """Accesses by stack distance: [0] first ones, [d] to the page at LRU position d, from 1."""
    stack = LruStack()
    histogram = [0] * (len(set(pages)) + 1)
    for page in pages:
        position = stack.access(page)
        histogram[0 if position is None else position + 1] += 1
    return histogram
