# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of an epoch: reads, writes, row hits, ACTIVATEs and row conflicts of each bank.

Terms: JEDEC JESD79-3 (DDR3): ACTIVATE, PRECHARGE, REFRESH, auto-precharge, PRECHARGE ALL.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

CYCLE_BITS = 34
COUNTED_BANKS = 16  # those of more banks whose numbers are equal modulo 16 count together
WORDS_AHEAD = 8  # words of the window before those of bank 0
BANK_WORDS = 8  # words of a bank


class Commands(NamedTuple):
    """What a cycle has on the DRAM bus, and what enters and leaves the controller's queue.

    Attributes
    ----------
    access
        bank of a read or write; None: there is none. The same for `activate` and `precharge`.
    write, auto_precharge
        of the access.
    precharge_all, refresh
        ranks that get a PRECHARGE ALL, a REFRESH.
    accepted, issued
        requests that the controller accepted, and issued.
    """

    access: int | None = None
    write: bool = False
    auto_precharge: bool = False
    activate: int | None = None
    precharge: int | None = None
    precharge_all: Collection[int] = ()
    refresh: Collection[int] = ()
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
    refreshes: int = 0  # cycles with a REFRESH of any rank
    queue_peak: int = 0  # most requests that waited: accepted and not issued
    overflow: bool = False  # cycles reached their limit: they may be more

    def words(self, counter_bits: int = 32) -> list[int]:
        """Return the words of the window; a count above its limit is the limit."""
        limit = (1 << counter_bits) - 1
        low, high = self.cycles & 0xFFFFFFFF, self.cycles >> 32
        words = [low, high, min(self.refreshes, limit), self.queue_peak, *[0] * (WORDS_AHEAD - 4)]
        for bank in self.banks:
            counts = [min(count, limit) for count in vars(bank).values()]
            words += [*counts, *[0] * (BANK_WORDS - len(counts))]
        return words


class _State(Enum):
    """Of a bank; a PRECHARGE of a closed one does nothing."""

    OPEN = auto()
    CLOSED_ALONE = auto()  # by its own PRECHARGE or an auto-precharge: for another row
    CLOSED = auto()  # and its rank got a PRECHARGE ALL or a REFRESH since its ACTIVATE; or after reset


@dataclass
class _Row:
    """The row of a bank, and the accesses since its ACTIVATE."""

    accesses: int = 0
    state: _State = _State.CLOSED

    def close_alone(self) -> None:
        if self.state is _State.OPEN:
            self.state = _State.CLOSED_ALONE


class DRAMTraffic:
    """Counts the commands of each bank, and publishes them at the end of an epoch.

    Parameters
    ----------
    banks
        of all ranks.
    ranks
        of the DRAM; each has as many banks.
    cycle_bits
        the count of cycles stays at 2^cycle_bits.
    """

    def __init__(self, banks: int, ranks: int = 1, cycle_bits: int = CYCLE_BITS) -> None:
        self._rows = [_Row() for _ in range(banks)]
        self._rank_banks = banks // ranks
        self._most_cycles = 1 << cycle_bits
        self._level = 0  # requests that wait
        self._level_before = 0  # at the begin of the last cycle
        self.clear()

    def cycle(self, commands: Commands, counts: bool = True) -> None:
        """Follow the commands of a cycle; count them if the monitor does.

        The requests that wait at the begin of the cycle are the next cycle's: those of the cycle in which an
        epoch ends belong to the next epoch.
        """
        self._epoch.queue_peak = max(self._epoch.queue_peak, self._level_before)
        self._level_before = self._level
        if counts:
            self._count(commands, self._epoch)
        self._close_and_open(commands)
        self._level += commands.accepted - commands.issued

    def clear(self) -> None:
        """Start the running epoch again from zero; rows and queue stay as they are."""
        self._epoch = TrafficEpoch([BankCounts() for _ in self._rows[:COUNTED_BANKS]])

    def end_epoch(self) -> TrafficEpoch:
        """Return the running epoch, and begin the next one from zero."""
        finished = self._epoch
        self.clear()
        return finished

    def _count(self, commands: Commands, epoch: TrafficEpoch) -> None:
        epoch.cycles = min(epoch.cycles + 1, self._most_cycles)
        epoch.overflow = epoch.cycles == self._most_cycles
        epoch.refreshes += len(commands.refresh) > 0
        if commands.access is not None:
            bank = epoch.banks[commands.access % COUNTED_BANKS]
            if commands.write:
                bank.writes += 1
            else:
                bank.reads += 1
            bank.row_hits += self._rows[commands.access].accesses > 0
        if commands.activate is not None:
            bank = epoch.banks[commands.activate % COUNTED_BANKS]
            bank.activates += 1
            bank.row_conflicts += self._rows[commands.activate].state is _State.CLOSED_ALONE

    def _close_and_open(self, commands: Commands) -> None:
        if commands.access is not None:
            self._rows[commands.access].accesses += 1
            if commands.auto_precharge:
                self._rows[commands.access].close_alone()
        if commands.precharge is not None:
            self._rows[commands.precharge].close_alone()
        for rank in (*commands.precharge_all, *commands.refresh):
            for row in self._rows[rank * self._rank_banks : (rank + 1) * self._rank_banks]:
                row.state = _State.CLOSED
        if commands.activate is not None:
            self._rows[commands.activate] = _Row(state=_State.OPEN)
