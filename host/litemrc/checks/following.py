# SPDX-License-Identifier: BSD-2-Clause
"""Checks who claimed which pages, and the owners of frames, against the simulator's record.

No golden model is used. Each claim at the monitor's queue is recorded; the device reports which process was
followed in which epochs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litemrc.device.simulation.recording import OPS, Recording
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable


@dataclass(frozen=True)
class FollowCheck:
    """Pages claimed for processes.

    Attributes
    ----------
    claims
        by process, claims for its context while it was followed.
    late
        of these, claims in the epoch that began when the process ended.
    strangers
        claims for, or accesses under, a context other than 0 that followed no process then.
    first_stranger
        the first of these; empty if there is none.
    """

    claims: dict[Process, int]
    late: int
    strangers: int
    first_stranger: str


def check_following(recording: Recording, processes: Sequence[Process]) -> FollowCheck:
    """Check the context of every recorded claim and access."""
    shown = np.isin(recording.op, [OPS.index(name) for name in ("access", "dropped", "claim")])
    context, epoch = recording.context[shown], recording.epoch[shown]
    claim = recording.op[shown] == OPS.index("claim")
    followed = context == 0
    claims, late = {}, 0
    for process in processes:
        last = process.last_epoch if process.ended_after is None else process.ended_after + 1
        mine = (context == process.context) & (epoch >= process.first_epoch) & (epoch <= last)
        claims[process] = int((mine & claim).sum())
        if process.ended_after is not None:
            late += int((mine & claim & (epoch == process.ended_after + 1)).sum())
        followed |= mine
    first = ""
    if not followed.all():
        place = int(np.argmin(followed))
        cycle = int(recording.cycle[shown][place])
        first = f"epoch {epoch[place]}, context {context[place]}, cycle {cycle:,}"
    return FollowCheck(claims, late, int((~followed).sum()), first)


@dataclass(frozen=True)
class OwnershipCheck:
    """Counters of contexts from a plain table of frame owners, compared with a device's.

    Attributes
    ----------
    compared
        numbers of accesses, misses and touched pages compared, of each context in each epoch.
    difference
        the first that differs; empty if there is none.
    reused
        first touches of frames that had an owner since the last clear, but were invalidated.
    fresh
        first touches of frames not accessed since the last clear.
    """

    compared: int
    difference: str
    reused: int
    fresh: int


def check_ownership(recording: Recording, table: EpochTable) -> OwnershipCheck:
    """Recount accesses, misses and touched pages by owner.

    The owner is the context that claimed the frame since it became invalid, or else that touches it first.

    Only of a recording in which the range is all of the memory, nothing is sampled, and writes count with
    the reads.

    Raises
    ------
    ValueError
        it is another recording.
    """
    whole = {
        (setting.lower, setting.upper, setting.sampling, setting.split) for setting in recording.settings[1:]
    }
    if table.scale or whole - {(0, table.frames - 1, 0, 0), (0, 0, 0, 0)}:
        raise ValueError("ownership is recounted only where every page of the memory takes part")
    owner: list[int | None] = [None] * table.frames
    claims: dict[int, int] = {}  # contexts of invalid frames
    used, last_epoch = [False] * table.frames, [-1] * table.frames
    counts: dict[tuple[int, int], list[int]] = {}
    reused = fresh = 0
    access, invalidate, claim, clear = map(OPS.index, ("access", "invalidate", "claim", "clear"))
    columns = ("op", "frame", "context", "frozen", "epoch")
    for op, frame, context, frozen, epoch in recording.events(*columns):
        if op == access:
            holder = owner[frame]
            miss = holder is None
            if holder is None:
                owner[frame] = holder = claims.pop(frame, context)
                reused += used[frame]
                fresh += not used[frame]
                used[frame] = True
            if frozen:
                continue
            count = counts.setdefault((epoch, holder), [0, 0, 0])
            count[0] += 1
            count[1] += miss
            if last_epoch[frame] != epoch:
                count[2] += 1
                last_epoch[frame] = epoch
        elif op in (invalidate, claim):
            owner[frame], last_epoch[frame] = None, -1
            claims.pop(frame, None)
            if op == claim:
                claims[frame] = context
        elif op == clear:
            owner, claims = [None] * table.frames, {}
            used, last_epoch = [False] * table.frames, [-1] * table.frames
            counts = {key: count for key, count in counts.items() if key[0] != epoch}
            reused = fresh = 0
    compared, difference = _compare(counts, table)
    return OwnershipCheck(compared, difference, reused, fresh)


def _compare(counts: dict[tuple[int, int], list[int]], table: EpochTable) -> tuple[int, str]:
    epochs = set(table.epoch.tolist())
    collected = {
        (epoch, context): list(row)
        for epoch, context, *row in zip(
            table.epoch.tolist(),
            table.context.tolist(),
            table.accesses.tolist(),
            table.misses.tolist(),
            table.touched.tolist(),
            strict=True,
        )
    }
    compared, difference = 0, ""
    for key in sorted(collected.keys() | {key for key in counts if key[0] in epochs}):
        recounted, counted = counts.get(key, [0, 0, 0]), collected.get(key, [0, 0, 0])
        compared += 3
        if recounted != counted:
            where = f"epoch {key[0]}, context {key[1]}"
            what = "(accesses, misses, touched)"
            difference = difference or f"{where}: {what} recounted {recounted}, device {counted}"
    return compared, difference
