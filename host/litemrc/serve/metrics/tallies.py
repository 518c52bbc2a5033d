# SPDX-License-Identifier: BSD-2-Clause
"""Counters of a device since the server started: they go on over sessions, each of which begins at zero."""

import threading
from collections import Counter, OrderedDict, defaultdict
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import accumulate

import numpy as np

from litemrc.curves.hit_counters import sees_the_kernel
from litemrc.epochs.epoch_row import EpochRow
from litemrc.epochs.split import rows_together
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
        self._link_before: Counter[str] = Counter()
        self._link: Counter[str] = Counter()
        self._parameters: DeviceParameters | None = None
        self._evicted: dict[int, int] = {}

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
                self._evicted.clear()
        elif isinstance(event, FeedEpoch) and self._parameters:
            with self.lock:
                self._add(event, self._parameters)

    def _add(self, epoch: FeedEpoch, parameters: DeviceParameters) -> None:
        self.epochs += 1
        self.last_arrived = epoch.arrived
        self._link = Counter(asdict(epoch.link)) + Counter(epoch_messages_lost=epoch.lost)
        for name in ("dropped", "outside", "unsampled"):
            self.others[name] += getattr(epoch.rows[0], name)
        rows = list(epoch.rows)
        for row in rows_together(rows, parameters.contexts) if rows[0].split else rows:
            program = row.context, epoch.names.get(row.context) or f"context {row.context}"
            self._count(self.programs.setdefault(program, ProgramTally()), row, parameters)
            self.programs.move_to_end(program)
        while len(self.programs) > PROGRAMS:
            self.programs.popitem(last=False)
        for rank in epoch.ranks:
            activity = RankActivity.of_counters(rank.counters)
            tally = self.ranks.setdefault(rank.domain, RankTally())
            for state in PowerState:
                name = state.name.lower()
                tally.seconds[name] += activity.residency(state) / parameters.clock_hz
                tally.shares[name] = activity.share(state)
            for name in ("reads", "writes", "wake_ups"):
                tally.commands[name] += getattr(activity, name)

    def _count(self, tally: ProgramTally, row: EpochRow, parameters: DeviceParameters) -> None:
        before = self._evicted.get(row.context)
        self._evicted[row.context] = row.evicted
        evictions = row.evictions(before) if sees_the_kernel(parameters.engine) else 0
        scale = 1 << row.scale_log2
        group_pages = parameters.pages // parameters.groups
        hits, misses = list(accumulate(row.hits)), float(row.misses)
        if row.tail or evictions:
            counters = row.counters(group_pages, evictions)
            hits, misses = np.cumsum(counters.combined_hits).tolist(), counters.combined_misses
        tally.accesses += row.accesses * scale
        tally.misses += max(round(misses * scale), 0)
        tally.working_set_bytes = row.touched * scale * parameters.page_bytes
        for groups in _ladder(parameters.groups):
            within = hits[min(groups, len(hits)) - 1] * scale
            tally.hits[groups * group_pages * scale * parameters.page_bytes] += round(within)


@cache
def _ladder(groups: int) -> list[int]:
    """Return 1, 2, 4 ... groups, and all of them: sizes at which a curve is exact."""
    return sorted({1 << step for step in range(groups.bit_length()) if 1 << step <= groups} | {groups})
