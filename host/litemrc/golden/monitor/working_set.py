"""The working set of an epoch: the pages touched in it (Denning, The Working Set Model, CACM 1968)."""

from collections.abc import Hashable


class WorkingSet:
    """Tells the first touch of each page in an epoch; a page that was invalidated is a new one."""

    def __init__(self) -> None:
        self._touched: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self._touched)

    def touch(self, page: Hashable) -> bool:
        """Whether this is the page's first touch in the epoch."""
        first = page not in self._touched
        self._touched.add(page)
        return first

    def invalidate(self, page: Hashable) -> None:
        """Forget a page: what comes to lie in its frame is another one."""
        self._touched.discard(page)

    def clear(self) -> None:
        """Forget all pages, at a clear and when an epoch ends."""
        self._touched.clear()
