# SPDX-License-Identifier: BSD-2-Clause
"""What records of epochs have of single pages, and what copies of pages cost."""

from dataclasses import dataclass

from litemrc.device.collecting.record_rows import items_of
from litemrc.device.link.record import Record
from litemrc.pages.hot_lists import HotList

_SATURATED = 2**32 - 1


@dataclass(frozen=True)
class AccessedEpoch:
    """Bits of the frames of an epoch; frame 0 is the lowest bit of the first byte.

    Attributes
    ----------
    accessed, written
        frames / 8 bytes.

    Raises
    ------
    ValueError
        a frame was written, but not accessed.
    """

    epoch: int
    accessed: bytes
    written: bytes

    def __post_init__(self) -> None:
        if int.from_bytes(self.written, "little") & ~int.from_bytes(self.accessed, "little"):
            raise ValueError(f"epoch {self.epoch}: a frame was written, but not accessed")


def accessed_epoch(record: Record) -> AccessedEpoch | None:
    """Return the bits of an epoch's frames; None: its record has none.

    Raises
    ------
    ValueError
        as `AccessedEpoch`.
    """
    if record.accessed is None or record.written is None:
        return None
    return AccessedEpoch(record.epoch, record.accessed.tobytes(), record.written.tobytes())


def hot_list(record: Record) -> HotList | None:
    """Return the hot pages of an epoch; None: its record has no list.

    Raises
    ------
    ValueError
        as `HotList`.
    """
    if record.hot is None:
        return None
    frames, counts = (tuple(record.hot[name].tolist()) for name in ("frame", "count"))
    accesses = int(record.head["hot_accesses"])
    if accesses == _SATURATED:
        accesses = max(accesses, sum(counts))
    return HotList(
        record.epoch, accesses, record.flag("hot_more"), record.flag("hot_saturated"), frames, counts
    )


@dataclass(frozen=True)
class PagesRow:
    """Counts of a program from its beginning to the end of an epoch.

    Attributes
    ----------
    copies
        pages with a copy now; room: capacity of local memory, in copies.
    references
        the processor's, local + remote_reads + remote_writes.
    home
        accesses of the memory's other master, where the pages are at home.
    replications, refused, drops, kept
        decisions; refused for want of room.
    updates_sent, updates_received
        writes to pages that have a copy, by the processor and by the other.
    cost
        cycles of the paper's machine, home's accesses included.
    lost
        accesses and events that the counters lost since the reset of the device.
    damaged
        words that were not what was written.
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


def pages_rows(record: Record) -> list[PagesRow]:
    """Return the rows of the programs that copy pages."""
    return [PagesRow(epoch=record.epoch, **values) for values in items_of(record.copies)]
