# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of an epoch: reads, writes, row hits, ACTIVATEs and row conflicts of each bank.

Terms: JEDEC JESD79-3 (DDR3): ACTIVATE, PRECHARGE, REFRESH, auto-precharge, PRECHARGE ALL.
"""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

CYCLE_BITS = 36
WORDS_AHEAD = 8  # words of the window before those of bank 0
BANK_WORDS = 8  # words of a bank


class Commands(NamedTuple):
    """What a cycle has on the DRAM bus, and in the queue of the controller.

    Attributes
    ----------
    access
        bank of a read or write; None: there is none. The same for `activate` and `precharge`.
    write, auto_precharge
        of the access.
    precharge_all
        PRECHARGE ALL.
    accepted, issued
        requests that the controller accepted, and issued.
    """

    access: int | None = None
    write: bool = False
    auto_precharge: bool = False
    activate: int | None = None
    precharge: int | None = None
    precharge_all: bool = False
    refresh: bool = False
    accepted: int = 0
    issued: int = 0


@dataclass
class BankCounts:
    """Commands of a bank in an epoch."""

    reads: int = 0
    writes: int = 0
    row_hits: int = 0  # reads and writes that followed another one since the ACTIVATE of their row
    activates: int = 0
    row_conflicts: int = 0  # ACTIVATEs after a close for another row


@dataclass
class TrafficEpoch:
    """A finished epoch.

    In every bank the reads and writes are the row hits and the first accesses after an ACTIVATE.
    """

    banks: list[BankCounts]
    cycles: int = 0
    refreshes: int = 0
    queue_peak: int = 0
    overflow: bool = False  # cycles reached their limit

    def words(self, counter_bits: int = 32) -> list[int]:
        """Return the words of the window; a count above its limit is the limit."""
        limit = (1 << counter_bits) - 1
        low, high = self.cycles & 0xFFFFFFFF, self.cycles >> 32
        words = [low, high, min(self.refreshes, limit), self.queue_peak, *[0] * (WORDS_AHEAD - 4)]
        for bank in self.banks:
            counts = [min(count, limit) for count in vars(bank).values()]
            words += [*counts, *[0] * (BANK_WORDS - len(counts))]
        return words


class _Close(Enum):
    """How a bank was closed last, since its last ACTIVATE."""

    ALONE = auto()  # by its own PRECHARGE or an auto-precharge: for another row
    WITH_ALL = auto()  # by PRECHARGE ALL or a REFRESH
    NONE = auto()


@dataclass
class _Row:
    """The row of a bank: accesses since its ACTIVATE, and how it was closed."""

    accesses: int = 0
    close: _Close = _Close.NONE


@dataclass
class DRAMTraffic:
    """Counts the commands of each bank, and publishes them at the end of an epoch.

    Attributes
    ----------
    banks
        of the DRAM.
    cycle_bits
        width of the count of cycles, which stays at its limit.
    """

    banks: int
    cycle_bits: int = CYCLE_BITS
    _level: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._rows = [_Row() for _ in range(self.banks)]
        self.clear()

    def cycle(self, commands: Commands, counts: bool = True) -> None:
        """Follow the commands of a cycle; count them if the monitor does."""
        epoch = self._epoch if counts else TrafficEpoch([BankCounts() for _ in range(self.banks)])
        self._count(commands, epoch)
        self._close_and_open(commands)
        self._level += commands.accepted - commands.issued
        epoch.queue_peak = max(epoch.queue_peak, self._level)

    def clear(self) -> None:
        """Start the running epoch again from zero; rows and queue stay as they are."""
        self._epoch = TrafficEpoch([BankCounts() for _ in range(self.banks)], queue_peak=self._level)

    def end_epoch(self) -> TrafficEpoch:
        """Return the running epoch, and begin the next one from zero."""
        finished = self._epoch
        self.clear()
        return finished

    def _count(self, commands: Commands, epoch: TrafficEpoch) -> None:
        if epoch.cycles == (1 << self.cycle_bits) - 1:
            epoch.overflow = True
        else:
            epoch.cycles += 1
        epoch.refreshes += commands.refresh
        if commands.access is not None:
            bank = epoch.banks[commands.access]
            if commands.write:
                bank.writes += 1
            else:
                bank.reads += 1
            bank.row_hits += self._rows[commands.access].accesses > 0
        if commands.activate is not None:
            bank = epoch.banks[commands.activate]
            bank.activates += 1
            bank.row_conflicts += self._rows[commands.activate].close is _Close.ALONE

    def _close_and_open(self, commands: Commands) -> None:
        if commands.access is not None:
            self._rows[commands.access].accesses += 1
            if commands.auto_precharge:
                self._rows[commands.access].close = _Close.ALONE
        if commands.precharge is not None:
            self._rows[commands.precharge].close = _Close.ALONE
        if commands.precharge_all or commands.refresh:
            for row in self._rows:
                row.close = _Close.WITH_ALL
        if commands.activate is not None:
            self._rows[commands.activate] = _Row()
