"""Messages that a device numbers from 0, and those missing between the received ones."""

from collections.abc import Callable
from typing import Generic, TypeVar

from litemrc.device.link.protocol import Message

Row = TypeVar("Row")


class MessageGaps:
    """Counts messages lost since the first one.

    Attributes:
        lost: so far.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._next_index: int | None = None

    def note(self, index: int) -> None:
        """Note a received message; its index is modulo 2^32."""
        if self._next_index is not None:
            self.lost += (index - self._next_index) % 2**32
        self._next_index = index + 1


class NumberedRows(Generic[Row]):
    """Rows of one kind of message.

    Attributes:
        rows: in the order of arrival.
    """

    def __init__(self, of_message: Callable[[Message], Row]) -> None:
        self.rows: list[Row] = []
        self._of_message = of_message
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Messages lost since the first one."""
        return self._gaps.lost

    def note(self, message: Message) -> None:
        """Append the row of a message."""
        self._gaps.note(message.index)
        self.rows.append(self._of_message(message))
