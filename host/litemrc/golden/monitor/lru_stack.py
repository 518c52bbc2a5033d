# SPDX-License-Identifier: BSD-2-Clause
"""LRU stacks: Mattson's (zhou2004, section 2.2), and that of objects that differ in size (Mattson 1970)."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Page = TypeVar("Page", bound=Hashable)


class LruStack(Generic[Page]):
    """One exact LRU stack of pages."""

    def __init__(self) -> None:
        self._pages: list[Page] = []  # most recently used first, so that searches of local traces are short

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page: Page) -> bool:
        return page in self._pages

    @property
    def pages(self) -> tuple[Page, ...]:
        """Return the pages, most recently used first."""
        return tuple(self._pages)

    def access(self, page: Page) -> int | None:
        """Move a page to the top of the stack.

        Returns
        -------
        LRU position before the access, in pages, 0 = most recently used; None if the page was not in
        the stack (infinite stack distance). The paper's stack distance is this position plus one.
        """
        pages = self._pages
        if pages and pages[0] == page:
            return 0
        position = self.remove(page)
        pages.insert(0, page)
        return position

    def remove(self, page: Page) -> int | None:
        """Remove a page from the stack; the pages below it move up by one.

        Returns
        -------
        LRU position of the page, in pages; None if it was not in the stack.
        """
        try:
            position = self._pages.index(page)
        except ValueError:
            return None
        del self._pages[position]
        return position


class LruByteStack:
    """One exact LRU stack of objects with sizes; an object has the size of its latest access."""

    def __init__(self) -> None:
        self._stack: list[tuple[Hashable, int]] = []  # most recently used first

    def access(self, key: Hashable, size: int) -> int | None:
        """Move an object to the top of the stack, with `size` bytes from now on.

        Returns
        -------
        stack distance in bytes, at least 1: the sizes of all objects used since the object's last
        access, and its own size as of now. None if the object was not in the stack.
        """
        distance = None
        for position, (other, _) in enumerate(self._stack):
            if other == key:
                distance = max(sum(bytes_ for _, bytes_ in self._stack[:position]) + size, 1)
                del self._stack[position]
                break
        self._stack.insert(0, (key, size))
        return distance
