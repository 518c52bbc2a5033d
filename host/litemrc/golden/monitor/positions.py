"""What a stack engine answers to one operation."""

from enum import IntEnum
from typing import NamedTuple, Protocol


class PositionKind(IntEnum):
    """Kind of an answer, numbered as in the hardware's position record."""

    HIT = 0
    MISS = 1
    NONE = 2  # the operation counts nothing: invalidate, mark
    CLEAR = 3


class Position(NamedTuple):
    """Answer to one operation: group from 0 = most recent, context of the page's owner; both 0 if unused."""

    kind: PositionKind
    group: int = 0
    context: int = 0

    @property
    def counts(self) -> bool:
        """Whether this answers an access that counts."""
        return self.kind in (PositionKind.HIT, PositionKind.MISS)


NONE = Position(PositionKind.NONE)
CLEAR = Position(PositionKind.CLEAR)


class StackEngine(Protocol):
    """Pages of all contexts in LRU order: operations in, exactly one position for each out.

    A page belongs to the context that first touches it while it is invalid. Later accesses, from whatever
    context, move it in its owner's stack.
    """

    def access(self, page: int, context: int) -> Position:
        """HIT with the group the page lay in, or MISS; both with the page's owner."""

    def invalidate(self, page: int) -> Position:
        """NONE; the page, if it was valid, has left its owner's stack: its next access is a miss."""

    def clear(self) -> Position:
        """CLEAR; every page is invalid."""

    def mark(self) -> Position:
        """NONE; nothing but an operation."""


def check_sizes(pages: int, groups: int, contexts: int) -> None:
    """Refuse sizes that no stack engine has.

    :raises ValueError: if `groups` does not divide `pages`, or a number is below 1.
    """
    if min(pages, groups, contexts) < 1 or pages % groups:
        raise ValueError(
            f"stack engine: {pages} frames, {groups} groups, {contexts} contexts: choose at least 1 of each "
            "and a number of groups that divides the frames"
        )


def check_access(page: int, context: int, pages: int, contexts: int) -> None:
    """Refuse an operation on what does not exist.

    :raises ValueError: if the page or the context does not.
    """
    if not (0 <= page < pages and 0 <= context < contexts):
        raise ValueError(
            f"monitor model: no frame {page} in context {context}; frames are 0..{pages - 1}, "
            f"contexts 0..{contexts - 1}"
        )
