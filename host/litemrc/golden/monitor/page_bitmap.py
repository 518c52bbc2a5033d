"""The frames accessed, and those written, in the last epoch: the accessed bits of zhou2004, section 3.2."""


class PageBitmap:
    """Keeps the frames of the running epoch, and publishes them at its end.

    Frames are counted, whatever they hold: an invalidation has no effect.

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
