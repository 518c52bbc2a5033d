"""The exact stack engine: an LRU stack for each context, answers in page groups (zhou2004, section 3.1)."""

from litemrc.golden.lru_stack import LruStack
from litemrc.golden.positions import CLEAR, NONE, Position, PositionKind, check_access, check_sizes


class GroupStack:
    """LRU stacks of all contexts, exact at every position; a `StackEngine`.

    :param pages: pages the stacks hold together, numbered from 0.
    :param groups: page groups of a stack; divides `pages`. A group holds pages / groups pages.
    :param contexts: contexts, numbered from 0.
    :raises ValueError: if sizes do not fit together; in operations, if the page or context does not exist.
    """

    def __init__(self, pages: int, groups: int, contexts: int) -> None:
        check_sizes(pages, groups, contexts)
        self.pages, self.groups, self.contexts = pages, groups, contexts
        self.group_pages = pages // groups
        self.clear()

    def access(self, page: int, context: int) -> Position:
        """Move a page to the top of its owner's stack; the owner of an invalid page is `context`."""
        check_access(page, context, self.pages, self.contexts)
        owner = self._owner.setdefault(page, context)
        lru_position = self._stacks[owner].access(page)
        if lru_position is None:
            return Position(PositionKind.MISS, 0, owner)
        return Position(PositionKind.HIT, lru_position // self.group_pages, owner)

    def invalidate(self, page: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss and finds a new owner."""
        check_access(page, 0, self.pages, self.contexts)
        owner = self._owner.pop(page, None)
        if owner is not None:
            self._stacks[owner].remove(page)
        return NONE

    def clear(self) -> Position:
        """Make every page invalid."""
        self._owner: dict[int, int] = {}
        self._stacks = [LruStack() for _ in range(self.contexts)]
        return CLEAR

    def mark(self) -> Position:
        """Do nothing."""
        return NONE

    def stack(self, context: int) -> tuple[int, ...]:
        """The pages in a context's stack, most recently used first."""
        return self._stacks[context].pages
