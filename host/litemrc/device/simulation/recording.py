# SPDX-License-Identifier: BSD-2-Clause
"""The simulator's record of DRAM accesses: read, checked against the tap, and kept as Parquet.

The recorder writes two independent streams: accesses to the memory arrays of the DRAM model, and entries of
the monitor's queue. Each access of one must be in the other, later by the delay of the tap.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from litemrc.errors import UserError

OPS = ("access", "invalidate", "clear", "mark", "dropped", "claim")
LATEST_TAP_CLOCKS = 8
_PIECE = 65536  # events at a time as Python integers: millions at once would fill the memory
SETTINGS = {b"L": "lower", b"U": "upper", b"S": "sampling", b"W": "split"}  # sources of their changes
UNITS = {
    "cycle": "system clock cycles since the simulation began",
    "op": "access, dropped, invalidate, claim or clear",
    "frame": "page frame from the bottom of the DRAM; 0 for clear",
    "write": "true: a write",
    "context": "value of the context register; of a claim the context claimed for",
    "frozen": "true: the monitor was frozen",
    "epoch": "number of the epoch the event belongs to",
}


@dataclass(frozen=True)
class Settings:
    """Registers of the filter: first and last frame that count, and k of the sampling rate 1/2^k.

    split: 1 if writes count in contexts of their own.
    """

    lower: int
    upper: int
    sampling: int
    split: int = 0


@dataclass(frozen=True)
class TapCheck:
    """Comparison of the tap with the observer in the DRAM model.

    Attributes
    ----------
    accesses
        accesses the observer saw while the monitor was on.
    missed
        of these, how many the tap did not report, or with another frame or direction.
    invented
        accesses of the tap that the observer did not see.
    clocks
        delay from the memory array to the queue, in system cycles.
    """

    accesses: int
    missed: int
    invented: int
    clocks: int

    @property
    def exact(self) -> bool:
        return self.missed == self.invented == 0


@dataclass(frozen=True, eq=False)
class Recording:
    """Events at the monitor's queue, in order; if `tap.exact`, the accesses are those of the DRAM observer.

    Attributes
    ----------
    cycle
        uint64[n]; op: uint8[n], index of `OPS`; frame: uint32[n]; write: bool[n]; context: uint8[n].
    frozen
        bool[n], the monitor was frozen.
    epoch
        uint32[n], number of the epoch the event belongs to.
    epoch_end
        bool[n], the epoch ends behind this event.
    settings
        those of the filter, one after the other.
    setting
        uint32[n], index of those in force.
    tap
        the comparison of the two streams.
    """

    cycle: NDArray[np.uint64]
    op: NDArray[np.uint8]
    frame: NDArray[np.uint32]
    write: NDArray[np.bool_]
    context: NDArray[np.uint8]
    frozen: NDArray[np.bool_]
    epoch: NDArray[np.uint32]
    epoch_end: NDArray[np.bool_]
    settings: list[Settings]
    setting: NDArray[np.uint32]
    tap: TapCheck

    def counts(self) -> dict[str, int]:
        """Number of events of each kind."""
        return {name: int((self.op == number).sum()) for number, name in enumerate(OPS)}

    def events(self, *columns: str) -> Iterator[tuple[int, ...]]:
        """Yield the values of these columns for one event after the other."""
        for start in range(0, self.op.size, _PIECE):
            pieces = [getattr(self, name)[start : start + _PIECE].tolist() for name in columns]
            yield from zip(*pieces, strict=True)

    def save(self, path: str | Path, page_bytes: int) -> None:
        """Write the events as Parquet, marks left out; the metadata hold the page size."""
        shown = self.op != OPS.index("mark")
        fields = {
            "cycle": pa.array(self.cycle[shown]),
            "op": pa.DictionaryArray.from_arrays(self.op[shown], list(OPS)),
            "frame": pa.array(self.frame[shown]),
            "write": pa.array(self.write[shown]),
            "context": pa.array(self.context[shown]),
            "frozen": pa.array(self.frozen[shown]),
            "epoch": pa.array(self.epoch[shown]),
        }
        schema = pa.schema(
            [pa.field(name, array.type, metadata={"unit": UNITS[name]}) for name, array in fields.items()],
            metadata={"page_bytes": str(page_bytes)},
        )
        pq.write_table(pa.table(list(fields.values()), schema=schema), path, compression="zstd")


def read_recording(path: str | Path, page_shift: int) -> Recording:
    """Reads the recorder's file and lays its two streams side by side.

    Raises
    ------
    UserError
        the file is missing, or incomplete because the simulator was killed.
    """
    raw = raw_events(Path(path))
    queue = raw[raw["source"] == b"Q"]
    dropped = queue["dropped"]
    # At the queue a claim is an invalidation that writes.
    claim = (queue["kind"] == OPS.index("invalidate")) & queue["write"]
    op = queue["kind"].copy()
    op[claim], op[dropped] = OPS.index("claim"), OPS.index("dropped")
    seen = (op == OPS.index("access")) | dropped
    frame, write, epoch_end = queue["value"].copy(), queue["write"].copy(), queue["epoch_end"]
    frame[(op == OPS.index("clear")) | (op == OPS.index("mark"))] = 0

    settings, setting = _settings(raw)
    write[~seen] = False
    return Recording(
        cycle=queue["cycle"],
        op=op,
        frame=frame,
        write=write,
        context=queue["context"],
        frozen=queue["frozen"],
        epoch=(np.cumsum(epoch_end) - epoch_end).astype(np.uint32),
        epoch_end=epoch_end,
        settings=settings,
        setting=setting,
        tap=_check_tap(raw, queue[seen], page_shift),
    )


def raw_events(path: Path) -> NDArray:
    """Return what the recorder wrote: an array with the fields of its struct record.

    Raises
    ------
    UserError
        as `read_recording`.
    """
    try:
        raw = np.load(path, mmap_mode="r")
        whole = raw.offset + raw.nbytes == path.stat().st_size
    except (OSError, ValueError) as error:
        raise UserError(f"no complete record: {error}", where=str(path), remedy="run again") from error
    if not whole:  # the recorder writes the number of records when it ends
        raise UserError("the record is cut short", where=str(path), remedy="end the simulator by SIGTERM")
    return raw


def _settings(raw: NDArray) -> tuple[list[Settings], NDArray[np.uint32]]:
    """The settings one after the other, and for each event at the queue the index of those in force."""
    source = raw["source"]
    settings = [Settings(0, 0, 0)]
    changed = np.flatnonzero(np.isin(source, list(SETTINGS)))
    for place in changed.tolist():
        settings.append(replace(settings[-1], **{SETTINGS[source[place]]: int(raw["value"][place])}))
    return settings, np.searchsorted(changed, np.flatnonzero(source == b"Q")).astype(np.uint32)


def _check_tap(raw: NDArray, tapped: NDArray, page_shift: int) -> TapCheck:
    """Compare with the observer's accesses in the windows in which the monitor was on."""
    dram = raw[raw["source"] == b"D"]
    switches = raw[raw["source"] == b"E"]
    checks = []
    for clocks in range(LATEST_TAP_CLOCKS + 1):
        last_switch = np.searchsorted(switches["cycle"], dram["cycle"] + np.uint64(clocks), side="right")
        enabled = np.concatenate([[0], switches["value"]])[last_switch] != 0
        expected = dram[enabled]
        # At most one access a cycle, so cycle, frame and direction identify an access.
        there = _keys(
            expected["cycle"] + np.uint64(clocks), expected["value"] >> page_shift, expected["write"]
        )
        here = _keys(tapped["cycle"], tapped["value"], tapped["write"])
        missed = int((~np.isin(there, here, assume_unique=True)).sum())
        invented = int((~np.isin(here, there, assume_unique=True)).sum())
        checks.append(check := TapCheck(len(expected), missed, invented, clocks))
        if check.exact:
            break
    return min(checks, key=lambda check: check.missed + check.invented)


def _keys(cycle: NDArray, frame: NDArray, write: NDArray) -> NDArray:
    """Return one integer for a cycle, a frame (24 bits) and a direction."""
    return cycle << np.uint64(25) | frame.astype(np.uint64) << np.uint64(1) | write.astype(np.uint64)
