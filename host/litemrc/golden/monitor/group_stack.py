# SPDX-License-Identifier: BSD-2-Clause
"""The exact stack engine: an LRU stack for each context, exact to the page group (zhou2004, section 3.1)."""

from typing import NamedTuple, Protocol

from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.golden.monitor.positions import CLEAR, NONE, Position, PositionKind, check_access, check_sizes


class Move(NamedTuple):
    """A page changed its page group; None: it was, or is, in no stack."""

    page: int
    context: int  # the page's owner
    from_group: int | None
    to_group: int | None


class MoveListener(Protocol):
    """Receives the moves of pages between groups."""

    def move(self, move: Move) -> None:
        """Process the move of one page."""

    def clear(self) -> None:
        """Process the removal of all pages; no moves are reported."""


class GroupStack:
    """Exact LRU stacks of all contexts; a `StackEngine`.

    Parameters
    ----------
    pages
        pages of all stacks, numbered from 0.
    groups
        page groups of a stack; divides `pages`. A group holds pages / groups pages.
    contexts
        contexts, numbered from 0.
    listener
        receives every move between groups. For each operation, the move of its own page comes
        first, then the demotions to the next group, from the deepest group up.

    Raises
    ------
    ValueError
        if the sizes are inconsistent; in operations, if the page or context does not exist.
    """

    def __init__(self, pages: int, groups: int, contexts: int, listener: MoveListener | None = None) -> None:
        check_sizes(pages, groups, contexts)
        self._listener = listener
        self.pages, self.groups, self.contexts = pages, groups, contexts
        self.group_pages = pages // groups
        self.clear()

    def access(self, page: int, context: int) -> Position:
        """Move a page to the top of its owner's stack.

        The owner of an invalid page is the context that claimed it, or else `context`.
        """
        check_access(page, context, self.pages, self.contexts)
        owner = self._owner.setdefault(page, self._claims.pop(page, context))
        before = self._places(owner)
        lru_position = self._stacks[owner].access(page)
        self._report(page, owner, before)
        if lru_position is None:
            return Position(PositionKind.MISS, 0, owner)
        return Position(PositionKind.HIT, lru_position // self.group_pages, owner)

    def invalidate(self, page: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss and sets a new owner."""
        check_access(page, 0, self.pages, self.contexts)
        self._claims.pop(page, None)
        owner = self._owner.pop(page, None)
        if owner is not None:
            before = self._places(owner)
            self._stacks[owner].remove(page)
            self._report(page, owner, before)
        return NONE

    def claim(self, page: int, context: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss of `context`."""
        check_access(page, context, self.pages, self.contexts)
        self.invalidate(page)
        self._claims[page] = context
        return NONE

    def clear(self) -> Position:
        """Make every page invalid and remove all claims."""
        self._owner: dict[int, int] = {}  # of valid pages
        self._claims: dict[int, int] = {}  # contexts of invalid pages
        self._stacks = [LruStack[int]() for _ in range(self.contexts)]
        if self._listener is not None:
            self._listener.clear()
        return CLEAR

    def mark(self) -> Position:
        """Do nothing."""
        return NONE

    def stack(self, context: int) -> tuple[int, ...]:
        """Return the pages of a context's stack, most recently used first."""
        return self._stacks[context].pages

    def _places(self, context: int) -> dict[int, int]:
        """Return the group of each page of a stack; empty without a listener."""
        pages = self.stack(context) if self._listener is not None else ()
        return {page: position // self.group_pages for position, page in enumerate(pages)}

    def _report(self, page: int, owner: int, before: dict[int, int]) -> None:
        if self._listener is None:
            return
        after = self._places(owner)
        moves = [
            Move(other, owner, before.get(other), after.get(other))
            for other in before | after
            if before.get(other) != after.get(other)
        ]
        moves.sort(key=lambda move: (move.page != page, -(move.from_group or 0), -(move.to_group or 0)))
        for move in moves:
            self._listener.move(move)
