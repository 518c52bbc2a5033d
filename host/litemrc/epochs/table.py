# SPDX-License-Identifier: BSD-2-Clause
"""The epoch table: the counters a monitor sent, one row per epoch and context, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters, sees_the_kernel, without_evictions
from litemrc.curves.points import Tail
from litemrc.epochs.columns import (
    COLUMNS,
    DEFAULT_COLUMNS,
    LARGEST_SCALE_LOG2,
    OF_THE_EPOCH,
    Rows,
    evictions,
    exact_column,
    groups_of_memory,
    joined_columns,
    make_rows,
    open_group,
    repeated_rows,
    rows_between,
    rows_dtype,
)
from litemrc.epochs.processes import Owner, Process, check_processes
from litemrc.epochs.split import ACCESSES, owning_contexts, rows_together
from litemrc.texts import printable

# Whose rows: of a context, of an owner, of several owners; None: all.
Whose = int | Owner | Sequence[Owner] | None


def _empty() -> NDArray[np.uint32]:
    return np.zeros(0, np.uint32)


@dataclass(frozen=True, kw_only=True, eq=False)
class EpochTable:
    """Counters of a run of epochs, and the parameters of the monitor that counted them.

    Attributes
    ----------
    page_bytes, frames
        of the memory watched: bytes of a page, number of page frames.
    engine, pages, groups, contexts, recent_pages
        of the monitor: its stack engine, the pages that holds,
        the groups a stack is cut into, the number of contexts, the pages it answers without the engine.
    epoch
        uint32[n], number of the epoch.
    context
        uint8[n], number of the context; a pair (epoch, context) occurs once.
    accesses, misses
        uint64[n]; where pages are sampled, those of sampled pages.
    touched
        uint64[n], distinct pages accessed; where pages are sampled, sampled ones.
    dropped, outside, unsampled
        uint64[n], accesses lost, out of the address range, and to pages not
        sampled, in the whole epoch: the same value in all rows of one epoch.
    scale_log2
        uint8[n], 1 page of 2^scale_log2 took part; the same value in all rows of one epoch.
    overflow
        bool[n], a counter saturated, or `dropped`, `outside` or `unsampled` is at its limit,
        2^32 - 1: the sums of the account are not promised in this row.
    hits
        uint32[n, groups], most recently used group first; a group has pages / groups pages that took
        part, and stands for 2^scale_log2 times as many of the memory.
    resident, evicted
        uint32[n], pages of the context's memory cgroup at the end of the epoch: charged to
        it, and evicted from it; 0 without a memory cgroup.
    unidentified
        uint32[n], evictions and refaults of the epoch whose page or order is unknown.
    tail
        uint32[n, t], refaults: accesses to evicted pages, by the group of their LRU position, as `hits`
        is; t is the length of the longest tail of a row. They are counted whether or not the page is
        sampled. The hardware counts the same access as a miss, in the same epoch or the next one. Empty
        columns of this and the last three are those of a table without tails.
    split
        bool[n], the epoch counted reads and writes apart: the row of a context c + contexts / 2
        has the writes to the pages of context c; the same value in all rows of one epoch.
    context_names
        what ran in a context, where known.
    processes
        those that contexts followed, and in which epochs; none without an operating system.
    system
        name and release of the device's operating system; empty without one.
    link_statistics
        the serial link's frames, errors and losses, by name.
    interrupted
        the collection was stopped before its end.

    Raises
    ------
    ValueError
        a column of wrong shape or range, or counters that contradict each other.
    """

    page_bytes: int
    frames: int
    engine: str
    pages: int
    groups: int
    contexts: int
    recent_pages: int
    epoch: NDArray[np.uint32]
    context: NDArray[np.uint8]
    accesses: NDArray[np.uint64]
    misses: NDArray[np.uint64]
    touched: NDArray[np.uint64]
    dropped: NDArray[np.uint64]
    outside: NDArray[np.uint64]
    unsampled: NDArray[np.uint64]
    scale_log2: NDArray[np.uint8]
    overflow: NDArray[np.bool_]
    hits: NDArray[np.uint32]
    resident: NDArray[np.uint32] = field(default_factory=_empty)
    evicted: NDArray[np.uint32] = field(default_factory=_empty)
    unidentified: NDArray[np.uint32] = field(default_factory=_empty)
    tail: NDArray[np.uint32] = field(default_factory=_empty)
    split: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    context_names: Mapping[int, str] = field(default_factory=dict)
    processes: tuple[Process, ...] = ()
    system: str = ""
    link_statistics: Mapping[str, int] = field(default_factory=dict)
    interrupted: bool = False

    def __post_init__(self) -> None:
        if min(self.page_bytes, self.groups, self.contexts) < 1 or self.pages % self.groups:
            raise ValueError("page_bytes, groups and contexts must be positive, pages a multiple of groups")
        if not self.groups <= self.pages <= self.frames:
            raise ValueError(f"{self.groups} groups, {self.pages} pages, {self.frames} frames: not ascending")
        rows = np.size(self.epoch)
        for name, dtype in COLUMNS.items():
            given = getattr(self, name)
            if name in DEFAULT_COLUMNS and not np.size(given):
                given = np.zeros((rows, 0) if name == "tail" else rows, dtype)
            object.__setattr__(self, name, exact_column(name, given, dtype))
        of_groups = {"hits": self.groups, "tail": self.tail.shape[-1]}
        for name in COLUMNS:
            shape = (rows, of_groups[name]) if name in of_groups else (rows,)
            if getattr(self, name).shape != shape:
                raise ValueError(f"column {name} has shape {getattr(self, name).shape} instead of {shape}")
        self._check_rows()
        check_processes(self.processes, self.contexts)

    def _check_rows(self) -> None:
        def refuse(bad: NDArray[np.bool_], why: str) -> None:
            if bad.any():
                row = int(np.argmax(bad))
                raise ValueError(f"row {row} (epoch {self.epoch[row]}, context {self.context[row]}): {why}")

        refuse(self.context >= self.contexts, f"the monitor has only {self.contexts} contexts")
        total = self.hits.sum(axis=1, dtype=np.uint64) + self.misses
        refuse((total != self.accesses) & ~self.overflow, "sum(hits) + misses differs from accesses")
        refuse((self.touched > self.accesses) & ~self.overflow, "more pages touched than accesses")
        refuse(self.scale_log2 > LARGEST_SCALE_LOG2, f"scale_log2 is above {LARGEST_SCALE_LOG2}")
        deepest = self.groups - np.argmax(self.hits[:, ::-1] != 0, axis=1)
        room = [
            groups_of_memory(self.frames, self.pages, self.groups, scale)
            for scale in self.scale_log2.tolist()
        ]
        refuse(self.hits.any(axis=1) & (deepest > np.array(room, dtype=int)), "hits deeper than the memory")
        refuse(repeated_rows(self.epoch, self.context), "an earlier row has the same epoch and context")
        _, first, epoch_index = np.unique(self.epoch, return_index=True, return_inverse=True)
        for name in OF_THE_EPOCH:
            column = getattr(self, name)
            refuse(column != column[first][epoch_index], f"{name} differs from other rows of this epoch")

    @classmethod
    def from_rows(cls, parts: Sequence[Rows], *, groups: int, **parameters: Any) -> "EpochTable":
        """Build a table from the rows of epochs, or of none; `parameters` are the other attributes."""
        columns = joined_columns(parts or [np.zeros(0, rows_dtype(groups, 0))])
        return cls(**columns, groups=groups, **parameters)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by their names."""
        return {name: getattr(self, name) for name in COLUMNS}

    @property
    def rows(self) -> Rows:
        """A copy of the rows."""
        return make_rows(self.columns, self.epoch.size, self.groups, self.tail.shape[1])

    def select(self, rows: NDArray[np.bool_]) -> "EpochTable":
        """Return the table with some of its rows, bool[n], alone."""
        return replace(self, **{name: column[rows] for name, column in self.columns.items()})

    def together(self) -> "EpochTable":
        """Return the table with one row for each owner of pages and epoch: reads and writes summed."""
        if not self.split.any():
            return self
        return replace(self, **joined_columns([rows_together(self.rows, self.contexts)]))

    @property
    def scales(self) -> list[int]:
        """The values of `scale_log2`, in order; without rows, the one the monitor needs at least."""
        return np.unique(self.scale_log2).tolist() or [(self.frames // self.pages).bit_length() - 1]

    @property
    def scale(self) -> int:
        """The one value of `scale_log2`.

        Raises
        ------
        ValueError
            epochs differ in it; they have no curve in common.
        """
        if len(self.scales) > 1:
            raise ValueError(f"epochs of different scale_log2 have no curve in common: {self.scales}")
        return self.scales[0]

    @property
    def group_pages(self) -> int:
        """Pages of the memory that a group stands for: the resolution of the curves.

        Raises
        ------
        ValueError
            as `scale`.
        """
        return self.pages // self.groups << self.scale

    @property
    def accesses_in_all(self) -> int:
        """All accesses of the memory in these epochs: counted, lost, out of range or not sampled."""
        return int(self.accesses.sum()) + sum(
            self.sum_of_epochs(name) for name in ("dropped", "outside", "unsampled")
        )

    def rows_of(self, whose: Whose = None) -> NDArray[np.bool_]:
        """bool[n], the rows of a context, of an owner, of several owners, or of all.

        Those of a context are those of its pages: where reads and writes counted apart, of both.
        """
        if whose is None:
            return np.ones(self.epoch.size, dtype=bool)
        if isinstance(whose, int):
            return self.owning_context == whose
        if not isinstance(whose, Owner):
            return np.logical_or.reduce([self.rows_of(owner) for owner in whose])
        of_context = self.owning_context == whose.context
        if whose.accesses:
            of_context &= self.split & ((self.context != self.owning_context) == (whose.accesses == "writes"))
        if whose.process is not None:
            return of_context & self._in_epochs_of(whose.process)
        return of_context & ~np.logical_or.reduce(
            [self._in_epochs_of(each) for each in self.processes if each.context == whose.context],
            initial=False,
        )

    @cached_property
    def owning_context(self) -> NDArray[np.uint8]:
        """uint8[n], the context that owns the pages of a row; that of writes is another one."""
        return owning_contexts(self.context, self.split, self.contexts)

    def _in_epochs_of(self, process: Process) -> NDArray[np.bool_]:
        return (self.epoch >= process.first_epoch) & (self.epoch <= process.last_epoch)

    def sum_of_epochs(self, name: str, whose: Whose = None) -> int:
        """Sum of a column that belongs to the epoch, over the epochs that have a row (of the owner)."""
        rows = self.rows_of(whose)
        _, first = np.unique(self.epoch[rows], return_index=True)
        return int(getattr(self, name)[rows][first].sum())

    @property
    def working_set_pages(self) -> NDArray[np.int64]:
        """Pages of the memory each row's context accessed in its epoch, int64[n]; estimated where sampled."""
        return self.touched.astype(np.int64) << self.scale_log2

    def working_set(self, whose: Whose = None) -> dict[int, int]:
        """Pages of the memory accessed in each epoch in which the owner has a row; without one, by all.

        Source: Denning, The Working Set Model for Program Behavior, CACM 1968; the window is the epoch.
        """
        sizes: dict[int, int] = {}
        rows = self.rows_of(whose)
        for epoch, pages in zip(
            self.epoch[rows].tolist(), self.working_set_pages[rows].tolist(), strict=True
        ):
            sizes[epoch] = sizes.get(epoch, 0) + pages
        return sizes

    @property
    def contexts_with_data(self) -> list[int]:
        """Contexts that counted at least one access, in order."""
        return [int(context) for context in np.unique(self.owning_context[self.accesses > 0])]

    @property
    def owners_with_data(self) -> list[Owner]:
        """Whose accesses were counted, by context: each process apart, and what else a context has."""
        owners = [
            Owner(context, process)
            for context in self.contexts_with_data
            for process in (None, *self.processes)
            if process is None or process.context == context
        ]
        return [owner for owner in owners if self.accesses[self.rows_of(owner)].any()]

    def parts_of(self, owner: Owner) -> list[Owner]:
        """The owner's reads, and its writes, where they were counted apart and there are some."""
        parts = [replace(owner, accesses=accesses) for accesses in ACCESSES]
        return [part for part in parts if self.accesses[self.rows_of(part)].any()]

    def name_of(self, whose: int | Owner) -> str:
        """A process, else what ran in the context, or "context N" where it is not known."""
        if isinstance(whose, Owner):
            if whose.accesses:
                return f"{self.name_of(replace(whose, accesses=''))} {whose.accesses}"
            if whose.process:
                return whose.process.label
            if any(process.context == whose.context for process in self.processes):
                return f"context {whose.context}, others"
            whose = whose.context
        return printable(self.context_names.get(whose, "")) or f"context {whose}"

    def between(self, start: int | None, stop: int | None) -> "EpochTable":
        """The rows of epochs `start` up to, not including, `stop`; None: no limit on that side."""
        return self.select(rows_between(self.epoch, start, stop))

    def counters(self, whose: Whose = None) -> HitCounters:
        """The hit counters of one context or owner, summed over all its epochs; of several or of all, summed.

        Raises
        ------
        ValueError
            as `counters_of`.
        """
        return self.counters_of(self.rows_of(whose))

    def counters_of(self, rows: NDArray[np.bool_]) -> HitCounters:
        """The hit counters of rows, bool[n], summed; without one, those of nothing.

        Hits of the kernel that evicts pages are those of the first group: `without_evictions`.

        Raises
        ------
        ValueError
            they differ in `scale_log2`.
        """
        scales = np.unique(self.scale_log2[rows]).tolist() or self.scales[-1:]
        if len(scales) > 1:
            raise ValueError(f"epochs of different scale_log2 have no curve in common: {scales}")
        groups = groups_of_memory(self.frames, self.pages, self.groups, scales[0])
        hits = self._hits_without_evictions(rows)[:, :groups]
        return HitCounters.of(
            hits.sum(axis=0, dtype=np.uint64),
            int(self.misses[rows].sum()),
            self.pages // self.groups << scales[0],
            accesses=int(self.accesses[rows].sum()),
            overflow=bool(self.overflow[rows].any()),
            refaults=self.tail[rows].sum(axis=0, dtype=np.uint64),
            scale_log2=scales[0],
        )

    def combined_hits(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return hits and refaults of rows, bool[n], by group, float64[rows, groups], in sampled accesses."""
        combined = np.zeros((int(rows.sum()), max(self.groups, self.tail.shape[1])))
        combined[:, : self.groups] = self._hits_without_evictions(rows)
        combined[:, : self.tail.shape[1]] += self.tail[rows] / 2.0 ** self.scale_log2[rows, None]
        return combined

    def _hits_without_evictions(self, rows: NDArray[np.bool_]) -> NDArray[np.unsignedinteger]:
        hits = self.hits[rows]
        if not sees_the_kernel(self.engine):
            return hits
        return without_evictions(hits, self.evictions[rows] / 2.0 ** self.scale_log2[rows])

    @cached_property
    def evictions(self) -> NDArray[np.int64]:
        """The pages evicted in each epoch from the context of each row, at least, int64[n]."""
        return evictions(self.columns)

    def without_tail(self) -> "EpochTable":
        """Return the table with the hardware's counters alone: no refaults, no resident and evicted pages."""
        return replace(self, resident=_empty(), evicted=_empty(), unidentified=_empty(), tail=_empty())

    def tail_of(self, whose: Whose = None) -> Tail | None:
        """What was counted of evicted pages; None if they were tracked in no row of the owner."""
        rows = self.rows_of(whose) & self.has_tail
        if not rows.any():
            return None
        refaults = self.tail[rows].sum(axis=0, dtype=np.uint64)
        resident = self.resident[rows]
        last = open_group(self.groups)
        return Tail(
            int(refaults.sum()),
            int(self.unidentified[rows].sum()),
            float(resident.mean()),
            int(resident.min()),
            int(resident.max()),
            float(self.evicted[rows].mean()),
            int(refaults[last:].sum()),
        )

    @cached_property
    def has_tail(self) -> NDArray[np.bool_]:
        """bool[n], the rows of contexts whose evicted pages were tracked."""
        counted: NDArray[np.bool_] = (self.resident > 0) | (self.evicted > 0) | (self.unidentified > 0)
        return counted | self.tail.any(axis=1)

    def curve(self, whose: Whose = None) -> Curve:
        """The curve of `counters`, with sizes up to the whole memory, and beyond it where refaults reach.

        `dropped` is summed once per epoch that has a row of the owner: the lost accesses may be its own.

        Raises
        ------
        ValueError
            as `counters_of`.
        """
        aliases: tuple[str, ...] = ()
        if isinstance(whose, Owner):
            aliases = whose.process.aliases if whose.process else (str(whose.context),)
        return self.counters(whose).curve(
            self.page_bytes,
            name=self.name_of(whose) if isinstance(whose, int | Owner) else "",
            aliases=aliases,
            dropped=self.sum_of_epochs("dropped", whose),
            tail=self.tail_of(whose),
        )
