"""Copies of remote pages kept by a device's program: counts and cost, epoch by epoch."""

from dataclasses import dataclass

from litemrc.device.link.protocol import Message


@dataclass(frozen=True)
class PagesRow:
    """Counts of a program from its beginning to the end of an epoch.

    Attributes:
        copies: pages with a copy now; room: capacity of local memory, in copies.
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
