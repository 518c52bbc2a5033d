"""The working set of an epoch: the pages touched in it (Denning, The Working Set Model, CACM 1968)."""

from collections.abc import Hashable


class WorkingSet:
    """Detects the first access to each page in an epoch; an invalidated page counts as a new page."""

    def __init__(self) -> None:
        self._touched: set[Hashable] = set()

    def touch(self, page: Hashable) -> bool:
        """Record an access; return whether it is the page's first in the epoch."""
        first = page not in self._touched
        self._touched.add(page)
        return first

    def invalidate(self, page: Hashable) -> None:
        """Forget a page, because its frame will hold another page."""
        self._touched.discard(page)

    def clear(self) -> None:
        """Forget all pages, at a clear and at the end of an epoch."""
        self._touched.clear()
