"""Messages that a device numbers from 0: how many are missing between those that came."""


class MessageGaps:
    """Counts messages lost since the first one.

    Attributes:
        lost: so far.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._next_index: int | None = None

    def note(self, index: int) -> None:
        """A message came; its index is modulo 2^32."""
        if self._next_index is not None:
            self.lost += (index - self._next_index) % 2**32
        self._next_index = index + 1
