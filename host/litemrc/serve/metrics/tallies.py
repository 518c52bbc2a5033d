# SPDX-License-Identifier: BSD-2-Clause
"""Counters of a device since the server started: they go on over sessions, each of which begins at zero."""

import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.hit_counters import sees_the_kernel, without_evictions
from litemrc.epochs.columns import Rows
from litemrc.epochs.split import rows_together
from litemrc.epochs.traffic import Traffic
from litemrc.feed.feed import Event
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.activity import PowerState, RankActivity

PROGRAMS = 256  # of a device that have counters: those that counted last

Program = tuple[int, str]  # context, name


@dataclass
class ProgramTally:
    """Accesses of a program; where pages are sampled, estimated.

    Attributes
    ----------
    hits
        of them, those that would hit in a memory of n bytes.
    """

    accesses: int = 0
    misses: int = 0
    working_set_bytes: int = 0
    hits: Counter[int] = field(default_factory=Counter)


@dataclass
class RankTally:
    """Seconds in each state, and commands; shares are those of the last epoch."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    shares: dict[str, float] = field(default_factory=dict)
    commands: Counter[str] = field(default_factory=Counter)


class Tallies:
    """Counters of one device; a listener of its feed. Hold `lock` to read.

    Attributes
    ----------
    epochs
        counts of accesses that belong to no context: dropped, outside, unsampled.
    dram
        of commands to the DRAM, and the seconds that they cover; only what the device knows.
    link
        of frames, by the names of `LinkCounts`, and `epoch_messages_lost`.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.epochs = self.sessions = 0
        self.last_arrived: float | None = None
        self.others: Counter[str] = Counter()
        self.programs: OrderedDict[Program, ProgramTally] = OrderedDict()
        self.ranks: dict[int, RankTally] = {}
        self.dram: dict[str, float] = {}
        self._link_before: Counter[str] = Counter()
        self._link: Counter[str] = Counter()
        self._parameters: DeviceParameters | None = None
        self._evicted = np.full(256, -1)  # of each context, so far; -1: not known

    @property
    def link(self) -> Counter[str]:
        """Counts of all sessions."""
        return self._link_before + self._link

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if isinstance(event, DeviceParameters):
            with self.lock:
                self.sessions += 1
                self._parameters = event
                self._link_before, self._link = self.link, Counter()
                self._evicted[:] = -1
        elif isinstance(event, FeedEpoch) and self._parameters:
            with self.lock:
                self._add(event, self._parameters)

    def _add(self, epoch: FeedEpoch, parameters: DeviceParameters) -> None:
        self.epochs += 1
        self.last_arrived = epoch.arrived
        self._link = Counter(asdict(epoch.link)) + Counter(epoch_messages_lost=epoch.lost)
        for name in ("dropped", "outside", "unsampled"):
            self.others[name] += int(epoch.rows[name][0])
        self._add_rows(rows_together(epoch.rows, parameters.contexts), epoch.names, parameters)
        while len(self.programs) > PROGRAMS:
            self.programs.popitem(last=False)
        for rank in epoch.ranks:
            activity = RankActivity.of_counters(rank["counters"].tolist())
            tally = self.ranks.setdefault(int(rank["domain"]), RankTally())
            for state in PowerState:
                name = state.name.lower()
                tally.seconds[name] += activity.residency(state) / parameters.clock_hz
                tally.shares[name] = activity.share(state)
            for name in ("reads", "writes", "wake_ups"):
                tally.commands[name] += getattr(activity, name)

        if epoch.traffic:
            for name, count in _counts(epoch.traffic).items():
                self.dram[name] = self.dram.get(name, 0) + count

    def _add_rows(self, rows: Rows, names: Mapping[int, str], parameters: DeviceParameters) -> None:
        hits, tail, scale = rows["hits"], rows["tail"], 1 << int(rows["scale_log2"][0])
        if sees_the_kernel(parameters.engine):
            hits = without_evictions(hits, self._evictions(rows) / scale)
        reused = np.zeros((rows.size, max(hits.shape[1], tail.shape[1])))
        reused[:, : hits.shape[1]] = hits * float(scale)
        reused[:, : tail.shape[1]] += tail
        ladder = np.array(_ladder(parameters.groups))
        sizes = ladder * (parameters.pages // parameters.groups * scale * parameters.page_bytes)
        misses = (rows["misses"] * scale).astype(np.int64) - tail.sum(axis=1, dtype=np.int64)
        columns = (
            rows["context"],
            rows["accesses"] * scale,
            np.maximum(misses, 0),
            rows["touched"] * (scale * parameters.page_bytes),
            np.cumsum(reused, axis=1)[:, ladder - 1],
        )
        for context, *counts, within in zip(*(column.tolist() for column in columns), strict=True):
            program = context, names.get(context) or f"context {context}"
            tally = self.programs.setdefault(program, ProgramTally())
            self.programs.move_to_end(program)
            tally.accesses += counts[0]
            tally.misses += counts[1]
            tally.working_set_bytes = counts[2]
            for size, reuses in zip(sizes.tolist(), within, strict=True):
                tally.hits[size] += int(reuses)

    def _evictions(self, rows: Rows) -> NDArray[np.int64]:
        """Return `evictions` of the rows of an epoch, behind those before it."""
        now, before = rows["evicted"].astype(np.int64), self._evicted[rows["context"]]
        self._evicted[rows["context"]] = now
        found = now - before + rows["tail"].sum(axis=1, dtype=np.int64)
        return np.where(before < 0, 0, np.maximum(found, 0))


def _counts(traffic: Traffic) -> dict[str, float]:
    """Return the counts that the device knows."""
    busy = None if traffic.cycles is None else traffic.accesses
    totals: dict[str, float | None] = {"seconds": traffic.seconds, "cycles": traffic.cycles}
    totals |= {"busy_cycles": busy, "refreshes": traffic.refreshes}
    of_banks = {name: getattr(traffic, name) for name in ("row_hits", "activates", "row_conflicts")}
    totals |= {n: None if each is None else int(each.sum(dtype=np.uint64)) for n, each in of_banks.items()}
    known = {name: count for name, count in totals.items() if count is not None}
    return known | {"bytes_read": traffic.bytes_read, "bytes_written": traffic.bytes_written}


@cache
def _ladder(groups: int) -> list[int]:
    """Return 1, 2, 4 ... groups, and all of them: sizes at which a curve is exact."""
    return sorted({1 << step for step in range(groups.bit_length()) if 1 << step <= groups} | {groups})
