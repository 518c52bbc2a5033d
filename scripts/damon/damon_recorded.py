# SPDX-License-Identifier: BSD-2-Clause
"""One run of a workload under DAMON, as the guest and the recorder saw it."""

from dataclasses import dataclass

import numpy as np
from litemrc.traces.formats.recorders.damon_records import Snapshot
from numpy.typing import NDArray


@dataclass(frozen=True)
class Setting:
    """How DAMON monitors.

    Attributes
    ----------
    ops
        vaddr, paddr, or none to run without DAMON.
    sample_us, aggregate_us, update_us
        intervals in microseconds.
    least, most
        regions.
    ns_log2
        binary logarithm of the nanoseconds of an instruction; 32 ns are 31 million a second.
    """

    ops: str
    sample_us: int = 5000
    aggregate_us: int = 100_000
    update_us: int = 1_000_000
    least: int = 10
    most: int = 1000
    ns_log2: int = 5

    @property
    def physical(self) -> bool:
        """Return whether the regions are of physical addresses."""
        return self.ops == "paddr"

    @property
    def words(self) -> str:
        """Arguments of damon-record."""
        numbers = (self.sample_us, self.aggregate_us, self.update_us, self.least, self.most)
        return " ".join([self.ops, *map(str, numbers)])


@dataclass(frozen=True, eq=False)
class GuestLog:
    """What hotset.c wrote.

    Attributes
    ----------
    first
        virtual address of page 0.
    frames
        int64[pages], frame of each page.
    mark_frames, mark_ns
        int64[marks], the frame that was read, and the time before.
    moves
        time of each move of the hot set, and by how many pages it is moved then.
    """

    first: int
    frames: NDArray[np.int64]
    mark_frames: NDArray[np.int64]
    mark_ns: NDArray[np.int64]
    moves: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Recorded:
    """One run: DAMON's snapshots, and what the recorder saw from the reset on.

    Attributes
    ----------
    times, frames, writes
        of each DRAM access, by number of instruction.
    counted_times, counted_frames, counted
        references to a page in the interval that ended then.
    """

    setting: Setting
    log: GuestLog
    snapshots: list[Snapshot]
    times: NDArray[np.int64]
    frames: NDArray[np.uint32]
    writes: NDArray[np.bool_]
    counted_times: NDArray[np.int64]
    counted_frames: NDArray[np.uint32]
    counted: NDArray[np.uint16]


def parse_log(text: str) -> GuestLog:
    """Return the contents of hotset's FILE.

    Raises
    ------
    ValueError
        a line is missing.
    """
    rows: dict[str, list[list[int]]] = {"first": [], "page": [], "mark": [], "move": []}
    for line in text.splitlines():
        kind, *numbers = line.split()
        rows[kind].append([int(number) for number in numbers])
    if not rows["first"] or not rows["page"] or not rows["mark"]:
        raise ValueError("the log of hotset has no first address, no page or no mark")
    marks = np.array(rows["mark"], np.int64)
    pages = np.array(rows["page"], np.int64)[:, 0]
    return GuestLog(rows["first"][0][0], pages, marks[:, 0], marks[:, 1], [(a, b) for a, b in rows["move"]])


def perf_script(text: str) -> bytes:
    """Return lines of the kernel's tracing as `perf script` prints them: the event with its system."""
    return text.replace(": damon_aggregated:", ": damon:damon_aggregated:").encode()
