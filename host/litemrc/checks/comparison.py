# SPDX-License-Identifier: BSD-2-Clause
"""Results of comparisons with the golden models; plain data."""

from dataclasses import dataclass

from litemrc.curves.curve import Curve


@dataclass(frozen=True)
class ContextComparison:
    """One context: how many counters were compared, over all epochs, and how many of them differ."""

    context: int
    counters: int
    differences: int


@dataclass(frozen=True)
class Comparison:
    """The verdict over all contexts.

    Attributes
    ----------
    contexts
        one entry per context compared.
    accesses
        recorded accesses the golden model was run over.
    first_difference
        its place and both values; empty if there is none.
    """

    contexts: tuple[ContextComparison, ...]
    accesses: int
    first_difference: str = ""

    @property
    def counters(self) -> int:
        """Counters compared."""
        return sum(context.counters for context in self.contexts)

    @property
    def differences(self) -> int:
        """Counters that differ."""
        return sum(context.differences for context in self.contexts)

    @property
    def equal(self) -> bool:
        """True if something was compared and nothing differs."""
        return self.counters > 0 and self.differences == 0


@dataclass(frozen=True)
class ContextAccuracy:
    """One context: its estimated curve and the exact one over the same accesses.

    Attributes
    ----------
    exact
        the curve of exact LRU stacks, at the resolution of the estimated one.
    mean_error, largest_error
        absolute errors of the miss ratio over all sizes.
    mean_error_in_use
        the mean over the sizes up to the largest reuse distance; curves are flat
        beyond it.
    one_group_off, further_off
        accesses whose estimated LRU stack distance is one group, or more groups,
        from the exact one.
    """

    context: int
    exact: Curve
    mean_error: float
    mean_error_in_use: float
    largest_error: float
    one_group_off: int
    further_off: int
