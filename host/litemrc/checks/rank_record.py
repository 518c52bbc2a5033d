# SPDX-License-Identifier: BSD-2-Clause
"""The expected counters of a rank meter, from a record of the commands that reached the DRAM.

The record is the simulator's own, taken behind the rank gate: a structured array of `COMMANDS`, in order. It
goes through the reference model of the meter, so that counters of a device, and energies made of them, can be
compared with it. Wake-ups, waking and the working set do not show on the DFI: their counters stay 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from heapq import merge
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.golden.ranks import dram_activity
from litemrc.golden.ranks.dram_activity import DRAMActivity, Slices
from litemrc.golden.ranks.meter import PowerState, RankMeterModel, RankSnapshot
from litemrc.golden.ranks.working_pages import WorkingPages
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import COLUMNS, RankTable

RECORDED = COUNTERS[: COUNTERS.index("wake_ups")]  # the rest does not show in a record of commands
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
ACTIVITY_CLOCKS = 1  # the meter has commands from `DFIActivity`, a clock later than CKE from rank power
_MR2, _PARTIAL = 2, 0b111
_PIECE = 65536  # rows taken out of the array at once


@dataclass(frozen=True)
class RankComparison:
    """Counters compared one by one.

    Attributes
    ----------
    counters
        compared.
    differences
        of these, how many differ.
    first_difference
        the first one, for people; empty without one.
    recorded
        the table with the record's counters in the place of the device's: what energy is compared
        with.
    """

    counters: int
    differences: int
    first_difference: str
    recorded: RankTable

    @property
    def equal(self) -> bool:
        """Something was compared, and nothing differs."""
        return self.counters > 0 and not self.differences


def compare_with_record(table: RankTable, snapshots: Sequence[RankSnapshot]) -> RankComparison:
    """Compare the epochs of a table with the record's snapshots; epoch n is the n-th, from 0.

    Raises
    ------
    ValueError
        the record has fewer snapshots than the table has epochs.
    """
    last = int(table.epochs[-1]) if table.epochs.size else -1
    if last >= len(snapshots):
        raise ValueError(f"the record has {len(snapshots)} snapshots, but the device sent epoch {last}")
    columns = {name: getattr(table, name).copy() for name in COLUMNS}
    compared, differences, first = 0, 0, ""
    for row, (epoch, domain) in enumerate(zip(table.epoch.tolist(), table.domain.tolist(), strict=True)):
        snapshot = snapshots[epoch]
        expected = {"clocks": snapshot.clocks}
        expected |= {
            name: snapshot.counters[domain][place] for place, name in enumerate(COUNTERS) if name in RECORDED
        }
        for name, value in expected.items():
            found = int(columns[name][row])
            compared += 1
            if found != value:
                differences += 1
                where = f"epoch {epoch}, domain {domain}, {name}"
                first = first or f"{where}: {found:,} instead of {value:,}"
            columns[name][row] = value
    return RankComparison(compared, differences, first, replace(table, **columns))


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


# The same by name; other commands count nothing.
_METERED = {Command[each.name]: each for each in dram_activity.Command}


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

    Raises
    ------
    UserError
        no such file, or another one.
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
    slices: Slices | None = None,
    end: int | None = None,
    activity_clocks: int = ACTIVITY_CLOCKS,
) -> list[RankSnapshot]:
    """Count a record as a rank meter does, and return a snapshot for each one that the record marks.

    A row is open from its activation on, closed from its precharge or an access with auto-precharge on; a low
    state lasts from the clock in which CKE falls up to that in which it rises.

    Parameters
    ----------
    record
        `COMMANDS`, in order, a snapshot before the other rows of its clock.
    domains
        ranks; or slices of the one rank, which all see its refreshes and states.
    slices
        which they are, if domains are slices.
    end
        one more snapshot at this clock.
    activity_clocks
        how much later than CKE the meter sees commands.

    Raises
    ------
    ValueError
        a command that no rank in this state takes, or a rank or slice that is not there.
    """
    meter = RankMeterModel(domains, WorkingPages(domains, 1, 1, domains))
    ranks = 1 if slices else domains
    bus = _Bus(DRAMActivity(meter, ranks, slices), ranks)
    snapshots = []
    for event in merge(_at_once(record), _commands(record, activity_clocks), key=lambda event: event[:2]):
        if end is not None and event.clock >= end:
            break
        if event.kind == _Kind.SNAPSHOT:
            snapshots.append(meter.snapshot(event.clock))
        else:
            bus.take(event)
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


class _Bus:
    """Tracks mode registers and clock enables, and derives the activity of each rank."""

    def __init__(self, activity: DRAMActivity, ranks: int) -> None:
        self._activity, self._ranks = activity, ranks
        self._partial = [0] * ranks

    def take(self, event: _Event) -> None:
        clock, _, rank, command, *_ = event
        if rank >= self._ranks:
            raise ValueError(f"clock {clock}: rank {rank} of {self._ranks}")
        if event.kind == _Kind.COMMAND:
            self._obey(event)
        elif event.cke:
            self._activity.awake(clock, rank)
        elif self._activity.has_open_rows(rank):
            raise ValueError(f"clock {clock}: CKE falls over open rows")
        elif command == Command.REFRESH:
            partial = self._partial[rank]
            low = PowerState.SELF_REFRESH_PARTIAL if partial else PowerState.SELF_REFRESH
            self._activity.sleep(clock, rank, low)
        elif command == Command.NONE:
            self._activity.sleep(clock, rank, PowerState.POWER_DOWN)
        else:
            raise ValueError(f"clock {clock}: CKE falls with {Command(command).name}")

    def _obey(self, event: _Event) -> None:
        clock, _, rank, command, _, bank, address = event
        if command == Command.MODE and bank == _MR2:
            self._partial[rank] = address & _PARTIAL
        elif command in _METERED:
            try:
                self._activity.command(clock, _METERED[Command(command)], rank, bank, address)
            except KeyError:
                raise ValueError(
                    f"clock {clock}: {Command(command).name} of bank {bank}, which is closed"
                ) from None
