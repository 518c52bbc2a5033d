"""Mattson's LRU stack (zhou2004, section 2.2): the most recently used page lies on top."""

from collections.abc import Hashable


class LruStack:
    """One LRU stack of pages, exact at every position."""

    def __init__(self) -> None:
        self._pages: list[Hashable] = []  # most recent first, so that local traces are found after few steps

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, page: Hashable) -> bool:
        return page in self._pages

    @property
    def pages(self) -> tuple[Hashable, ...]:
        """The pages of the stack, most recently used first."""
        return tuple(self._pages)

    def access(self, page: Hashable) -> int | None:
        """Move a page to the top of the stack.

        :param page: any hashable name of a page.
        :return: LRU position before the access, in pages, 0 = most recently used; None if the page was not in
            the stack (stack distance infinite). The paper's stack distance is this position plus one.
        """
        pages = self._pages
        if pages and pages[0] == page:
            return 0
        position = self.remove(page)
        pages.insert(0, page)
        return position

    def remove(self, page: Hashable) -> int | None:
        """Take a page out of the stack; the pages below it move up by one.

        :return: LRU position the page had, in pages; None if it was not in the stack.
        """
        try:
            position = self._pages.index(page)
        except ValueError:
            return None
        del self._pages[position]
        return position
