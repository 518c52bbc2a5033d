"""What a rank meter must have counted, from a record of the commands that reached the DRAM.

The record is the simulator's own, taken behind the rank gate: a structured array of `COMMANDS`, in order. It
goes through the reference model of the meter, so that counters of a device, and energies made of them, can be
compared with it. Wake-ups, waking and the working set do not show on the DFI: their counters stay 0.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from heapq import merge
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.golden.rank_meter import PowerState, RankMeterModel, RankSnapshot
from litemrc.golden.working_pages import WorkingPages

COMMANDS = np.dtype(
    [
        ("clock", "<u8"),  # of the system
        ("phase", "u1"),  # of the clock
        ("rank", "u1"),
        ("command", "u1"),  # `Command`
        ("cke", "u1"),  # of the rank, with the command
        ("bank", "u1"),  # or number of the mode register
        ("address", "<u4"),  # row, column with bit 10 for auto-precharge, bit 10 for all banks, or mode
    ]
)
ACTIVITY_CLOCKS = (
    1  # the meter's `DFIActivity` tells commands a clock later; CKE it has from rank power at once
)
_A10 = 1 << 10
_MR2, _PARTIAL = 2, 0b111
_PIECE = 1 << 16  # rows taken out of the array at once


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


class _Kind(IntEnum):
    """Events of one clock come in this order."""

    SNAPSHOT = 0
    COMMAND = 1
    CLOCK_ENABLE = 2


class _Event(NamedTuple):
    clock: int
    kind: _Kind
    rank: int
    command: int
    cke: bool
    bank: int
    address: int


def read_record(path: str | Path) -> NDArray:
    """The record that the simulator's DDR3 wrote; it stays on disk and is read as it is used.

    Raises:
        UserError: no such file, or another one.
    """
    try:
        record = np.load(path, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise UserError(f"no record of commands: {error}", where=str(path), remedy="run again") from error
    if record.dtype != COMMANDS:
        raise UserError(
            f"no record of commands: its columns are {record.dtype.names}",
            where=str(path),
            remedy="name the .npy file that the simulated DDR3 wrote",
        )
    return record


def snapshots_of(
    record: NDArray,
    domains: int,
    *,
    slice_of: Callable[[int, int], int] | None = None,
    end: int | None = None,
    activity_clocks: int = ACTIVITY_CLOCKS,
) -> list[RankSnapshot]:
    """Count a record as a rank meter does, and return a snapshot for each one that the record marks.

    A row is open from its activation on, closed from its precharge or an access with auto-precharge on; a low
    state lasts from the clock in which CKE falls up to that in which it rises.

    Parameters:
        record: `COMMANDS`, in order, a snapshot before the other rows of its clock.
        domains: ranks; or slices of the one rank, which all see its refreshes and states.
        slice_of: the slice in which a bank (first) has a row (second), if domains are slices.
        end: one more snapshot at this clock.
        activity_clocks: how much later than CKE the meter sees commands.

    Raises:
        ValueError: a command that no rank in this state takes, or a rank or slice that is not there.
    """
    meter = RankMeterModel(domains, WorkingPages(domains, 1, 1, domains))
    count = domains if slice_of is None else 1
    ranks = [
        _Rank(meter, [rank] if slice_of is None else list(range(domains)), slice_of) for rank in range(count)
    ]
    snapshots = []
    for event in merge(_at_once(record), _commands(record, activity_clocks), key=lambda event: event[:2]):
        if end is not None and event.clock >= end:
            break
        if event.kind == _Kind.SNAPSHOT:
            snapshots.append(meter.snapshot(event.clock))
            continue
        if event.rank >= count:
            raise ValueError(f"clock {event.clock}: rank {event.rank} of {count}")
        ranks[event.rank].take(event)
    if end is not None:
        snapshots.append(meter.snapshot(end))
    return snapshots


def _at_once(record: NDArray) -> Iterator[_Event]:
    """Snapshots, and changes of CKE, which is high at first, in order."""
    high: dict[int, int] = {}
    for clock, _, rank, command, cke, bank, address in _rows(record):
        if command == Command.SNAPSHOT:
            yield _Event(clock, _Kind.SNAPSHOT, rank, command, True, bank, address)
        elif high.get(rank, 1) != cke:
            high[rank] = cke
            yield _Event(clock, _Kind.CLOCK_ENABLE, rank, command, bool(cke), bank, address)


def _commands(record: NDArray, late: int) -> Iterator[_Event]:
    """Commands that a rank hears, in order."""
    for clock, _, rank, command, cke, bank, address in _rows(record):
        if cke and command < Command.NONE:
            yield _Event(clock + late, _Kind.COMMAND, rank, command, True, bank, address)


def _rows(record: NDArray) -> Iterator[tuple[int, ...]]:
    for start in range(0, record.size, _PIECE):
        yield from record[start : start + _PIECE].tolist()


class _Rank:
    """Follows the open rows and the state of a rank, and tells the meter."""

    def __init__(
        self, meter: RankMeterModel, domains: list[int], slice_of: Callable[[int, int], int] | None
    ) -> None:
        self._meter, self._domains, self._slice_of = meter, domains, slice_of
        self._open: dict[int, int] = {}  # the domain of the row, by bank
        self._low: PowerState | None = None
        self._told = PowerState.PRECHARGE_STANDBY
        self._partial = 0

    def take(self, event: _Event) -> None:
        if event.kind == _Kind.COMMAND:
            self._obey(event)
        elif event.cke:
            self._low = None
        else:
            self._fall_asleep(event)
        state = self._low
        if state is None:
            state = PowerState.ACTIVE_STANDBY if self._open else PowerState.PRECHARGE_STANDBY
        if state != self._told:
            self._told = state
            for domain in self._domains:
                self._meter.enter(event.clock, domain, state)

    def _fall_asleep(self, event: _Event) -> None:
        if self._open:
            raise ValueError(f"clock {event.clock}: CKE falls over open rows")
        if event.command == Command.REFRESH:
            self._low = PowerState.SELF_REFRESH_PARTIAL if self._partial else PowerState.SELF_REFRESH
        elif event.command == Command.NONE:
            self._low = PowerState.POWER_DOWN
        else:
            raise ValueError(f"clock {event.clock}: CKE falls with {Command(event.command).name}")

    def _obey(self, event: _Event) -> None:
        clock, _, _, command, _, bank, address = event
        if command == Command.MODE and bank == _MR2:
            self._partial = address & _PARTIAL
        elif command == Command.REFRESH:
            self._open.clear()
            for domain in self._domains:
                self._meter.refresh(clock, domain)
        elif command == Command.ACTIVATE:
            self._open[bank] = self._domain_of(clock, bank, address)
            self._meter.activate(clock, self._open[bank])
        elif command == Command.PRECHARGE:
            for closed in list(self._open) if address & _A10 else [bank]:
                self._open.pop(closed, None)
        elif command in (Command.READ, Command.WRITE):
            if bank not in self._open:
                raise ValueError(f"clock {clock}: {Command(command).name} of bank {bank}, which is closed")
            self._meter.access(clock, self._open[bank], command == Command.WRITE)
            if address & _A10:
                del self._open[bank]

    def _domain_of(self, clock: int, bank: int, row: int) -> int:
        place = 0 if self._slice_of is None else self._slice_of(bank, row)
        if not 0 <= place < len(self._domains):
            raise ValueError(f"clock {clock}: row {row} of bank {bank} is in slice {place}")
        return self._domains[place]
