# SPDX-License-Identifier: BSD-2-Clause
"""The pages of the last epoch: the working set, the frames accessed, and those written.

Sources: Denning, The Working Set Model, CACM 1968; accessed bits: zhou2004, section 3.2.
"""

from collections.abc import Hashable


class WorkingSet:
    """Detects the first access to each page in an epoch; an invalidated or claimed page is a new page."""

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


class PageBitmap:
    """Keeps the frames of the running epoch, and publishes them at its end.

    Frames are counted, whatever they hold: invalidations and claims have no effect.

    :ivar accessed: frames accessed in the last epoch that ended.
    :ivar written: those of them that were written.
    """

    def __init__(self) -> None:
        self.accessed: frozenset[int] = frozenset()
        self.written: frozenset[int] = frozenset()
        self.clear()

    def access(self, frame: int, write: bool = False) -> None:
        """Record an access."""
        self._accessed.add(frame)
        if write:
            self._written.add(frame)

    def clear(self) -> None:
        """Forget the frames of the running epoch."""
        self._accessed: set[int] = set()
        self._written: set[int] = set()

    def end_epoch(self) -> None:
        """Publish the running epoch, and begin the next one without frames."""
        self.accessed, self.written = frozenset(self._accessed), frozenset(self._written)
        self.clear()
