"""What a comparison of collected counters with the golden model found; plain data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextComparison:
    """One context: how many counters were compared, over all epochs, and how many of them differ."""

    context: int
    counters: int
    differences: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict over all contexts.

    Attributes:
        contexts: one entry per context compared.
        accesses: recorded accesses the golden model was run over.
        first_difference: where, with both values; empty if there is none.
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
