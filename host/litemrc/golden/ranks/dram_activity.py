# SPDX-License-Identifier: BSD-2-Clause
"""Converts commands on a DRAM bus into events of the rank meter's power domains."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from litemrc.golden.ranks.meter import PowerState, RankMeterModel

A10 = 1 << 10  # precharge of all banks; auto-precharge of a read or write


class Command(Enum):
    """Commands that the meter counts."""

    ACTIVATE = auto()
    READ = auto()
    WRITE = auto()
    PRECHARGE = auto()
    REFRESH = auto()


@dataclass(frozen=True)
class Slices:
    """Equal slices of one rank's addresses.

    Parameters
    ----------
    domains
        number of slices; a power of two.
    bank_bits, row_bits
        of the rank.
    bank_row_column
        banks are contiguous; otherwise the bank bits lie below the row bits.
    """

    domains: int
    bank_bits: int
    row_bits: int
    bank_row_column: bool = False

    def slice_of(self, bank: int, row: int) -> int:
        """Return the slice that holds a row of a bank."""
        banks, rows = 1 << self.bank_bits, 1 << self.row_bits
        place = bank * rows + row if self.bank_row_column else row * banks + bank
        return place * self.domains // (banks * rows)


class DRAMActivity:
    """Tracks the open rows and CKE states and reports events to a rank meter.

    A domain is a rank, or a slice of a single rank; slices share refreshes and states. A row is closed by a
    precharge of its bank or of all banks, by a read or write with auto-precharge, in the cycle of the
    command, and by a refresh. Commands to a sleeping rank are ignored.

    Parameters
    ----------
    meter
        receives the events; its domains are the ranks, or the slices.
    ranks
        1 if there are slices.
    slices
        None: a domain is a rank.

    Raises
    ------
    ValueError
        if the meter's domains are neither the ranks nor the slices.
    """

    def __init__(self, meter: RankMeterModel, ranks: int, slices: Slices | None = None) -> None:
        if meter.domains != (slices.domains if slices else ranks) or (slices and ranks != 1):
            raise ValueError(
                f"dram activity: the meter's {meter.domains} domains are neither the {ranks} ranks nor the "
                "slices of a single rank"
            )
        self._meter, self._slices = meter, slices
        self._rows: dict[tuple[int, int], int] = {}  # (rank, bank): the open row
        self._asleep: dict[int, PowerState] = {}

    def command(self, cycle: int, command: Command, rank: int, bank: int = 0, address: int = 0) -> None:
        """Process a command to one rank.

        Parameters
        ----------
        address
            value of the address lines.

        Raises
        ------
        KeyError
            if a bank without an open row is read or written.
        """
        if rank in self._asleep:
            return
        if command == Command.ACTIVATE:
            self._rows[rank, bank] = address
            self._meter.activate(cycle, self._domain(rank, bank))
        elif command in (Command.READ, Command.WRITE):
            self._meter.access(cycle, self._domain(rank, bank), command == Command.WRITE)
            if address & A10:
                del self._rows[rank, bank]
        elif command == Command.PRECHARGE and not address & A10:
            self._rows.pop((rank, bank), None)
        else:
            self._rows = {place: row for place, row in self._rows.items() if place[0] != rank}
            if command == Command.REFRESH:
                for domain in self._domains(rank):
                    self._meter.refresh(cycle, domain)
        self._report_state(cycle, rank)

    def sleep(self, cycle: int, rank: int, state: PowerState) -> None:
        """Set CKE of a rank low from this cycle on."""
        self._asleep[rank] = state
        self._report_state(cycle, rank)

    def awake(self, cycle: int, rank: int) -> None:
        """Set CKE of a rank high from this cycle on."""
        self._asleep.pop(rank, None)
        self._report_state(cycle, rank)

    def has_open_rows(self, rank: int) -> bool:
        """Return whether the rank has an open row."""
        return any(place[0] == rank for place in self._rows)

    def _domain(self, rank: int, bank: int) -> int:
        row = self._rows[rank, bank]
        return self._slices.slice_of(bank, row) if self._slices else rank

    def _domains(self, rank: int) -> Iterable[int]:
        return range(self._slices.domains) if self._slices else (rank,)

    def _report_state(self, cycle: int, rank: int) -> None:
        is_open = self.has_open_rows(rank)
        standby = PowerState.ACTIVE_STANDBY if is_open else PowerState.PRECHARGE_STANDBY
        for domain in self._domains(rank):
            self._meter.enter(cycle, domain, self._asleep.get(rank, standby))
