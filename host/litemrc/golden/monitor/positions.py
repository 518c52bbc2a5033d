# SPDX-License-Identifier: BSD-2-Clause
"""Positions: the answers of a stack engine, one for each operation."""

from enum import IntEnum
from typing import NamedTuple, Protocol


class PositionKind(IntEnum):
    """Kind of an answer, numbered as in the hardware's position record."""

    HIT = 0
    MISS = 1
    NONE = 2  # the operation is not counted: invalidate, claim, mark
    CLEAR = 3


class Position(NamedTuple):
    """Answer to one operation: group (0 = most recent) and owner of the page; both 0 if unused."""

    kind: PositionKind
    group: int = 0
    context: int = 0

    @property
    def counts(self) -> bool:
        """Return whether this is the position of a counted access."""
        return self.kind in (PositionKind.HIT, PositionKind.MISS)


NONE = Position(PositionKind.NONE)
CLEAR = Position(PositionKind.CLEAR)


class StackEngine(Protocol):
    """Pages of all contexts in LRU order; returns exactly one position for each operation.

    A page belongs to the context that claimed it since it became invalid, or else to the context that first
    accesses it. Later accesses, from any context, move it in its owner's stack.
    """

    def access(self, page: int, context: int) -> Position:
        """Return HIT with the page's group, or MISS; both with the page's owner."""
        ...

    def invalidate(self, page: int) -> Position:
        """Remove a page from its owner's stack, so that its next access is a miss; return NONE.

        A claim of the page is removed, too.
        """
        ...

    def claim(self, page: int, context: int) -> Position:
        """Invalidate a page; its next access is a miss of `context`, whatever runs then; return NONE."""
        ...

    def clear(self) -> Position:
        """Make every page invalid and remove all claims; return CLEAR."""
        ...

    def mark(self) -> Position:
        """Count as one operation and change nothing; return NONE."""
        ...


def check_sizes(pages: int, groups: int, contexts: int) -> None:
    """Check the sizes of a stack engine.

    Raises
    ------
    ValueError
        if `groups` does not divide `pages`, or a number is below 1.
    """
    if min(pages, groups, contexts) < 1 or pages % groups:
        raise ValueError(
            f"stack engine: {pages} frames, {groups} groups, {contexts} contexts: each must be at least 1, "
            "and the groups must divide the frames"
        )


def check_access(page: int, context: int, pages: int, contexts: int) -> None:
    """Check that an operation's page and context exist.

    Raises
    ------
    ValueError
        if one does not exist.
    """
    if not (0 <= page < pages and 0 <= context < contexts):
        raise ValueError(
            f"monitor model: no frame {page} in context {context}; frames are 0..{pages - 1}, "
            f"contexts 0..{contexts - 1}"
        )
