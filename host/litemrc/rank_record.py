"""What a rank meter must have counted, from a record of the commands that reached the DRAM.

The record is the simulator's own, taken behind the rank gate: a structured array of `COMMANDS`, in order. It
goes through the reference model of the meter, so that counters of a device, and energies made of them, can be
compared with it. Wake-ups, waking and the working set do not show on the DFI: their counters stay 0.
"""

from collections.abc import Iterator
from enum import IntEnum
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from litemrc.golden.rank_meter import PowerState, RankMeterModel, RankSnapshot
from litemrc.golden.working_pages import WorkingPages

COMMANDS = np.dtype(
    [
        ("clock", "<u8"),  # of the system
        ("phase", "u1"),  # of the clock
        ("rank", "u1"),
        ("command", "u1"),  # `Command`
        ("cke", "u1"),  # of the rank, with the command
        ("bank", "u1"),
        ("address", "<u4"),  # row, column with bit 10 for auto-precharge, bit 10 for all banks, or mode
    ]
)
_A10 = 1 << 10
_PIECE = 1 << 16  # rows taken out of the array at once
_MR2, _PARTIAL = 2, 0b111


class Command(IntEnum):
    """RAS#, CAS# and WE# of a DDR3 command, and what is in a record besides."""

    MODE = 0
    REFRESH = 1
    PRECHARGE = 2
    ACTIVATE = 3
    WRITE = 4
    READ = 5
    CALIBRATE = 6
    NONE = 7  # CKE changed
    SNAPSHOT = 8  # the meter began a new snapshot with this clock


def snapshots_of(
    record: NDArray, domains: int, *, slice_rows: int | None = None, end: int | None = None
) -> list[RankSnapshot]:
    """Count a record as a rank meter does, and return a snapshot for each one that the record marks.

    A row is open from the clock of its activation on, closed from that of its precharge or of the access with
    auto-precharge; a low state lasts from the clock in which CKE falls up to that in which it rises.

    Parameters:
        record: `COMMANDS`, in order.
        domains: ranks; or slices of the one rank, which all see its refreshes and states.
        slice_rows: rows of a bank in a slice, if domains are slices; None: they are ranks.
        end: one more snapshot at this clock.

    Raises:
        ValueError: a command that no rank in this state takes, or a rank or row that is not there.
    """
    meter = RankMeterModel(domains, WorkingPages(domains, 1, 1, domains))
    ranks = [_Rank(meter, _Domains(rank, domains, slice_rows)) for rank in range(_ranks(domains, slice_rows))]
    snapshots = []
    for clock, rows in groupby(_rows(record), key=itemgetter(0)):
        events = list(rows)
        # A snapshot comes before all else of its clock, wherever it stands.
        if any(command == Command.SNAPSHOT for _, _, _, command, *_ in events):
            snapshots.append(meter.snapshot(clock))
        for _, _, rank, command, cke, bank, address in events:
            if command == Command.SNAPSHOT:
                continue
            if rank >= len(ranks):
                raise ValueError(f"clock {clock}: rank {rank} of {len(ranks)}")
            ranks[rank].take(clock, command, bool(cke), bank, address)
    if end is not None:
        snapshots.append(meter.snapshot(end))
    return snapshots


def _ranks(domains: int, slice_rows: int | None) -> int:
    return domains if slice_rows is None else 1


def _rows(record: NDArray) -> Iterator[tuple[int, ...]]:
    for start in range(0, record.size, _PIECE):
        yield from record[start : start + _PIECE].tolist()


class _Domains:
    """Which domains an event of a rank belongs to."""

    def __init__(self, rank: int, domains: int, slice_rows: int | None) -> None:
        self.all = [rank] if slice_rows is None else list(range(domains))
        self._slice_rows = slice_rows

    def of_row(self, row: int) -> int:
        place = 0 if self._slice_rows is None else row // self._slice_rows
        if place >= len(self.all):
            raise ValueError(f"row {row} lies behind the last slice")
        return self.all[place]


class _Rank:
    """Follows the open rows and the state of a rank, and tells the meter."""

    def __init__(self, meter: RankMeterModel, domains: _Domains) -> None:
        self._meter, self._domains = meter, domains
        self._open: dict[int, int] = {}  # row by bank
        self._low: PowerState | None = None
        self._partial = 0

    def take(self, clock: int, command: int, cke: bool, bank: int, address: int) -> None:
        if self._low is not None and not cke:
            return  # nothing is heard
        if self._low is not None:
            self._low = None
        elif not cke:
            self._fall_asleep(clock, command)
        if self._low is None:
            self._obey(clock, command, bank, address)
        state = self._low
        if state is None:
            state = PowerState.ACTIVE_STANDBY if self._open else PowerState.PRECHARGE_STANDBY
        for domain in self._domains.all:
            self._meter.enter(clock, domain, state)

    def _fall_asleep(self, clock: int, command: int) -> None:
        if self._open:
            raise ValueError(f"clock {clock}: CKE falls over open rows")
        if command == Command.REFRESH:
            self._low = PowerState.SELF_REFRESH_PARTIAL if self._partial else PowerState.SELF_REFRESH
        elif command == Command.NONE:
            self._low = PowerState.POWER_DOWN
        else:
            raise ValueError(f"clock {clock}: CKE falls with {Command(command).name}")

    def _obey(self, clock: int, command: int, bank: int, address: int) -> None:
        if command == Command.MODE and bank == _MR2:
            self._partial = address & _PARTIAL
        elif command == Command.REFRESH:
            for domain in self._domains.all:
                self._meter.refresh(clock, domain)
        elif command == Command.ACTIVATE:
            self._open[bank] = address
            self._meter.activate(clock, self._domains.of_row(address))
        elif command == Command.PRECHARGE:
            for closed in list(self._open) if address & _A10 else [bank]:
                self._open.pop(closed, None)
        elif command in (Command.READ, Command.WRITE):
            if bank not in self._open:
                raise ValueError(f"clock {clock}: {Command(command).name} of bank {bank}, which is closed")
            self._meter.access(clock, self._domains.of_row(self._open[bank]), command == Command.WRITE)
            if address & _A10:
                del self._open[bank]
