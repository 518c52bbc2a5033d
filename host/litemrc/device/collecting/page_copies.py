"""Copies of remote pages that a device's program keeps: what it did, epoch by epoch, and what that cost."""

from dataclasses import dataclass

from litemrc.device.collecting.message_gaps import MessageGaps
from litemrc.device.link.protocol import Message


@dataclass(frozen=True)
class PagesRow:
    """What a program did from its beginning to the end of an epoch.

    Attributes:
        copies: pages that have one now; room: that local memory holds.
        references: the processor's, local + remote_reads + remote_writes.
        home: accesses of the memory's other master, where the pages are at home.
        replications, refused, drops, kept: decisions; refused for want of room.
        updates_sent, updates_received: writes to pages that have a copy, by the processor and by the other.
        cost: cycles of the paper's machine, home's accesses included.
        lost: accesses and events that the counters lost since the reset of the device.
        damaged: words that were not what was written.
    """

    epoch: int
    context: int
    copies: int
    room: int
    references: int
    local: int
    remote_reads: int
    remote_writes: int
    home: int
    replications: int
    refused: int
    drops: int
    kept: int
    updates_sent: int
    updates_received: int
    cost: int
    lost: int
    damaged: int

    @property
    def cost_per_access(self) -> float | None:
        """Mean over both masters' accesses since the beginning; None before the first."""
        accesses = self.references + self.home
        return self.cost / accesses if accesses else None

    @classmethod
    def of_message(cls, message: Message) -> "PagesRow":
        """Return the row of a pages message."""
        return cls(**{name: getattr(message, name) for name in cls.__dataclass_fields__})


class PagesRows:
    """Rows of a device.

    Attributes:
        rows: in the order they came.
    """

    def __init__(self) -> None:
        self.rows: list[PagesRow] = []
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Messages lost; the next message contains their counts."""
        return self._gaps.lost

    def note(self, message: Message) -> None:
        """Note a pages message."""
        self._gaps.note(message.index)
        self.rows.append(PagesRow.of_message(message))
