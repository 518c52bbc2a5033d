# SPDX-License-Identifier: BSD-2-Clause
"""Checks the owners of frames against the page tables of the Linux that ran, as `page_owners` printed them.

The kernel's account is independent of the driver's: it names the process that maps a frame, or says that the
frame is free or the kernel's own. Frames that several processes map, and those of files, are not compared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.device.simulation.recording import OPS, Recording
from litemrc.errors import UserError

KERNEL, UNKNOWN = 0, -1
_SNAPSHOT = re.compile(r"snapshot (\d+) (\d+)")
_PROCESS = re.compile(r"process (\d+) (\d+) (\d+)((?: [0-9a-f]+\+[0-9a-f]+)*)")
_FLAGS = re.compile(r"kernel((?: [0-9a-f]+\+[0-9a-f]+)*)")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Frames as the kernel knew them between the ends of two epochs, with the followed processes stopped.

    Attributes
    ----------
    first, second
        numbers of the epochs.
    context
        int16[frames]: the context of the only process that maps the frame; 0 also of free frames and of those
        of slabs and page tables; `UNKNOWN` of others.
    migrations
        by context and pid, how often a followed process had changed from one hart to another.
    """

    first: int
    second: int
    context: NDArray[np.int16]
    migrations: dict[tuple[int, int], int]


@dataclass(frozen=True)
class PageTableCheck:
    """Owners in a recording, compared with page tables.

    Attributes
    ----------
    snapshots
        how many.
    frames
        frames compared, of all snapshots; followed: of these, those that a followed process maps.
    unknown
        frames of which the kernel names no single owner, of all snapshots.
    accesses
        accesses to the frames compared since each got its owner, each counted once.
    misattributed
        of these, accesses charged to another context than the kernel's.
    difference
        the first frame that differs; empty if there is none.
    """

    snapshots: int
    frames: int
    followed: int
    unknown: int
    accesses: int
    misattributed: int
    difference: str


def read_snapshots(text: str, frames: int) -> list[Snapshot]:
    """Read what `page_owners` printed about a memory of so many frames.

    Raises
    ------
    UserError
        a line is not one of its lines.
    """
    snapshots = []
    context, migrations = np.full(frames, UNKNOWN, np.int16), {}
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _PROCESS.fullmatch(line):
            owner, pid, changes = (int(match[i]) for i in (1, 2, 3))
            context[_listed(match[4], frames)] = owner
            if owner:
                migrations[owner, pid] = changes
        elif match := _FLAGS.fullmatch(line):
            context[_listed(match[1], frames)] = KERNEL
        elif match := _SNAPSHOT.fullmatch(line):
            snapshots.append(Snapshot(int(match[1]), int(match[2]), context, migrations))
            context, migrations = np.full(frames, UNKNOWN, np.int16), {}
        else:
            raise UserError(f"line {number} is not one of page_owners: {line[:80]!r}")
    return snapshots


def _listed(runs: str, frames: int) -> NDArray[np.intp]:
    numbers, behind = [], 0
    for run in runs.split():
        gap, count = (int(part, 16) for part in run.split("+"))
        numbers.append(np.arange(behind + gap, behind + gap + count))
        behind += gap + count
    if behind > frames:
        raise UserError(f"page_owners lists frame {behind - 1:,}, but the memory has {frames:,}")
    return np.concatenate(numbers) if numbers else np.empty(0, np.intp)


def check_page_tables(recording: Recording, snapshots: Sequence[Snapshot], frames: int) -> PageTableCheck:
    """Compare the owner of each frame at the ends of the epochs of each snapshot.

    A frame that a followed process maps must have its context at both ends, as the process was stopped. Any
    other one must be context 0's at the second end.
    """
    owners = _Owners(recording, frames)
    compared = followed = unknown = accesses = misattributed = 0
    difference = ""
    for each in snapshots:
        stopped = np.where(each.context > KERNEL, each.context, UNKNOWN)
        for epoch, context in ((each.first, stopped), (each.second, each.context)):
            owners.advance_behind(epoch)
            known = context != UNKNOWN
            wrong = known & (context != owners.context)
            if wrong.any() and not difference:
                frame = int(np.argmax(wrong))
                difference = (
                    f"epoch {epoch}, frame {frame}: context {owners.context[frame]}, but the kernel's is "
                    f"{context[frame]}"
                )
            accesses += int(owners.accesses[known].sum())
            misattributed += int(owners.accesses[wrong].sum())
            owners.accesses[known] = 0
        compared += int(known.sum())
        followed += int((stopped != UNKNOWN).sum())
        unknown += int((~known).sum())
    return PageTableCheck(len(snapshots), compared, followed, unknown, accesses, misattributed, difference)


class _Owners:
    """The context of each frame as claims and invalidations say, and its accesses since then."""

    def __init__(self, recording: Recording, frames: int) -> None:
        self._recording, self._at = recording, 0
        self.context = np.zeros(frames, np.int16)
        self.accesses = np.zeros(frames, np.int64)

    def advance_behind(self, epoch: int) -> None:
        """Take the events up to the end of this epoch."""
        events, start = self._recording, self._at
        end = int(np.searchsorted(events.epoch, epoch, side="right"))
        op, frame = events.op[start:end], events.frame[start:end]
        (cleared,) = np.nonzero(op == OPS.index("clear"))
        if cleared.size:
            self.context[:], self.accesses[:] = KERNEL, 0
            op, frame = op[cleared[-1] + 1 :], frame[cleared[-1] + 1 :]
            start += int(cleared[-1]) + 1
        claim = op == OPS.index("claim")
        (changes,) = np.nonzero(claim | (op == OPS.index("invalidate")))
        last = np.full(self.context.size, -1)
        np.maximum.at(last, frame[changes], changes)
        (changed,) = np.nonzero(last >= 0)
        contexts = events.context[start:end]
        self.context[changed] = np.where(claim[last[changed]], contexts[last[changed]], KERNEL)
        self.accesses[changed] = 0
        (accesses,) = np.nonzero(op == OPS.index("access"))
        counted = accesses[accesses > last[frame[accesses]]]
        self.accesses += np.bincount(frame[counted], minlength=self.context.size)
        self._at = end
