"""What the commands on a DRAM bus do in each power domain: commands in, events of the rank meter out."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from litemrc.golden.ranks.meter import PowerState, RankMeterModel

A10 = 1 << 10  # all banks of a precharge; auto-precharge of a read or write


class Command(Enum):
    """Commands that the meter knows; others do nothing to it."""

    ACTIVATE = auto()
    READ = auto()
    WRITE = auto()
    PRECHARGE = auto()
    REFRESH = auto()


@dataclass(frozen=True)
class Slices:
    """Equal slices of the addresses of one rank.

    :param domains: how many; a power of two.
    :param bank_bits, row_bits: of the rank.
    :param bank_row_column: banks are contiguous; else bank bits stand below the row.
    """

    domains: int
    bank_bits: int
    row_bits: int
    bank_row_column: bool = False

    def slice_of(self, bank: int, row: int) -> int:
        """The slice that a row of a bank lies in."""
        banks, rows = 1 << self.bank_bits, 1 << self.row_bits
        place = bank * rows + row if self.bank_row_column else row * banks + bank
        return place * self.domains // (banks * rows)


class DRAMActivity:
    """Keeps the rows open and the states of CKE, and tells a meter.

    A domain is a rank; or a slice of the one rank there is: then refreshes and states are those of all. A row
    is closed by the precharge of its bank or of all banks, by a read or write with auto-precharge, with that
    command, and by a refresh. Commands to a rank that sleeps are none.

    :param meter: whom to tell; its domains are the ranks, or the slices.
    :param ranks: 1 if there are slices.
    :param slices: None: a domain is a rank.
    :raises ValueError: if the meter's domains are neither.
    """

    def __init__(self, meter: RankMeterModel, ranks: int, slices: Slices | None = None) -> None:
        if meter.domains != (slices.domains if slices else ranks) or (slices and ranks != 1):
            raise ValueError(
                f"dram activity: {meter.domains} domains of the meter are neither the {ranks} ranks nor the "
                "slices of a single one"
            )
        self._meter, self._slices = meter, slices
        self._rows: dict[tuple[int, int], int] = {}  # (rank, bank): the open row
        self._asleep: dict[int, PowerState] = {}

    def command(self, clock: int, command: Command, rank: int, bank: int = 0, address: int = 0) -> None:
        """A command to one rank; `address` is that on the address lines.

        :raises KeyError: if a bank without an open row is read or written.
        """
        if rank in self._asleep:
            return
        if command == Command.ACTIVATE:
            self._rows[rank, bank] = address
            self._meter.activate(clock, self._domain(rank, bank))
        elif command in (Command.READ, Command.WRITE):
            self._meter.access(clock, self._domain(rank, bank), command == Command.WRITE)
            if address & A10:
                del self._rows[rank, bank]
        elif command == Command.PRECHARGE and not address & A10:
            self._rows.pop((rank, bank), None)
        else:
            self._rows = {place: row for place, row in self._rows.items() if place[0] != rank}
            if command == Command.REFRESH:
                for domain in self._domains(rank):
                    self._meter.refresh(clock, domain)
        self._tell_state(clock, rank)

    def sleep(self, clock: int, rank: int, state: PowerState) -> None:
        """CKE of a rank is low from this clock on."""
        self._asleep[rank] = state
        self._tell_state(clock, rank)

    def awake(self, clock: int, rank: int) -> None:
        """CKE of a rank is high from this clock on."""
        self._asleep.pop(rank, None)
        self._tell_state(clock, rank)

    def has_open_rows(self, rank: int) -> bool:
        """A row of the rank is open."""
        return any(place[0] == rank for place in self._rows)

    def _domain(self, rank: int, bank: int) -> int:
        row = self._rows[rank, bank]
        return self._slices.slice_of(bank, row) if self._slices else rank

    def _domains(self, rank: int) -> Iterable[int]:
        return range(self._slices.domains) if self._slices else (rank,)

    def _tell_state(self, clock: int, rank: int) -> None:
        is_open = self.has_open_rows(rank)
        standby = PowerState.ACTIVE_STANDBY if is_open else PowerState.PRECHARGE_STANDBY
        for domain in self._domains(rank):
            self._meter.enter(clock, domain, self._asleep.get(rank, standby))
