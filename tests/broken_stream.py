# SPDX-License-Identifier: BSD-2-Clause
"""A stream of DRAM commands that breaks a rule, and the one beside it that does not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """A stream with {gap} in it.

    Attributes
    ----------
    text
        the stream.
    good, bad
        what to put for {gap}: a number of cycles, or lines.
    settings
        of check_stream.
    """

    text: str
    good: object
    bad: object
    settings: tuple[str, ...] = ()

    def accepted(self) -> str:
        return self.text.format(gap=self.good)

    def broken(self) -> str:
        return self.text.format(gap=self.bad)


def at_least(clocks: int, text: str, *settings: str) -> Broken:
    """`clocks` cycles keep the rule, one less breaks it."""
    return Broken(text, clocks, clocks - 1, settings)


def at_most(clocks: int, text: str) -> Broken:
    """`clocks` cycles keep the rule, one more breaks it."""
    return Broken(text, clocks, clocks + 1)
