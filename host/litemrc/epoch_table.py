"""The epoch table: the counters a monitor sent, one row per epoch and context, in memory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curve import Curve

COLUMNS = {
    "epoch": np.dtype("u4"),
    "context": np.dtype("u1"),
    "accesses": np.dtype("u8"),
    "misses": np.dtype("u8"),
    "dropped": np.dtype("u8"),
    "overflow": np.dtype("bool"),
    "hits": np.dtype("u4"),
}


@dataclass(frozen=True, slots=True)
class EpochRow:
    """Counters of one context in one finished epoch, checked as it arrives; units as in `EpochTable`.

    Raises:
        ValueError: sum(hits) + misses != accesses although no counter saturated.
    """

    epoch: int
    context: int
    accesses: int
    misses: int
    dropped: int
    overflow: bool
    hits: tuple[int, ...]

    def __post_init__(self) -> None:
        total = sum(self.hits) + self.misses
        if total != self.accesses and not self.overflow:
            raise ValueError(
                f"epoch {self.epoch}, context {self.context}: sum(hits) + misses is {total},"
                f" but accesses is {self.accesses}"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class EpochTable:
    """Counters of a run of epochs, and the parameters of the monitor that counted them.

    Attributes:
        page_bytes, frames, groups, contexts, engine: parameters of the monitor.
        epoch: uint32[n], number of the epoch.
        context: uint8[n], number of the context; a pair (epoch, context) occurs once.
        accesses, misses: uint64[n].
        dropped: uint64[n], accesses lost in the whole epoch: the same value in all rows of one epoch.
        overflow: bool[n], a counter saturated: sum(hits) + misses == accesses is not promised in this row.
        hits: uint32[n, groups], most recently used group first.
        context_names: what ran in a context, where known.
        link_statistics: the serial link's frames, errors and losses, by name.
        interrupted: the collection was stopped before its end.

    Raises:
        ValueError: a column of wrong shape or range, or counters that contradict each other.
    """

    page_bytes: int
    frames: int
    groups: int
    contexts: int
    engine: str
    epoch: NDArray[np.uint32]
    context: NDArray[np.uint8]
    accesses: NDArray[np.uint64]
    misses: NDArray[np.uint64]
    dropped: NDArray[np.uint64]
    overflow: NDArray[np.bool_]
    hits: NDArray[np.uint32]
    context_names: Mapping[int, str] = field(default_factory=dict)
    link_statistics: Mapping[str, int] = field(default_factory=dict)
    interrupted: bool = False

    def __post_init__(self) -> None:
        if min(self.page_bytes, self.frames, self.groups, self.contexts) < 1 or self.frames % self.groups:
            raise ValueError(
                "page_bytes, frames, groups and contexts must be positive, frames a multiple of groups"
            )
        for name, dtype in COLUMNS.items():
            object.__setattr__(self, name, _column(name, getattr(self, name), dtype))
        for name in COLUMNS:
            shape = (self.epoch.size, self.groups) if name == "hits" else (self.epoch.size,)
            if getattr(self, name).shape != shape:
                raise ValueError(f"column {name} has shape {getattr(self, name).shape} instead of {shape}")
        self._check_rows()

    def _check_rows(self) -> None:
        def refuse(bad: NDArray[np.bool_], why: str) -> None:
            if bad.any():
                row = int(np.argmax(bad))
                raise ValueError(f"row {row} (epoch {self.epoch[row]}, context {self.context[row]}): {why}")

        refuse(self.context >= self.contexts, f"the monitor has only {self.contexts} contexts")
        total = self.hits.sum(axis=1, dtype=np.uint64) + self.misses
        refuse((total != self.accesses) & ~self.overflow, "sum(hits) + misses differs from accesses")
        pairs = self.epoch.astype(np.int64) << 8 | self.context
        repeated = np.ones(pairs.size, dtype=bool)
        repeated[np.unique(pairs, return_index=True)[1]] = False
        refuse(repeated, "an earlier row has the same epoch and context")
        _, first, epoch_index = np.unique(self.epoch, return_index=True, return_inverse=True)
        refuse(
            self.dropped != self.dropped[first][epoch_index], "dropped differs from other rows of this epoch"
        )

    @classmethod
    def from_rows(cls, rows: Iterable[EpochRow], **parameters: Any) -> "EpochTable":
        """Build a table from rows, or from none at all; `parameters` are the other attributes."""
        rows = list(rows)
        columns: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
        if not rows:
            columns["hits"] = np.empty((0, parameters["groups"]))
        return cls(**columns, **parameters)

    @property
    def group_pages(self) -> int:
        """Pages in a group: the resolution of the curves."""
        return self.frames // self.groups

    @property
    def contexts_with_data(self) -> list[int]:
        """Contexts that counted at least one access, in order."""
        return [int(context) for context in np.unique(self.context[self.accesses > 0])]

    def name_of(self, context: int) -> str:
        """What ran in a context, or "context N" where it is not known."""
        return self.context_names.get(context) or f"context {context}"

    def between(self, start: int | None, stop: int | None) -> "EpochTable":
        """The rows of epochs `start` up to, not including, `stop`; None: no limit on that side."""
        kept = np.ones(self.epoch.size, dtype=bool)
        if start is not None:
            kept &= self.epoch >= start
        if stop is not None:
            kept &= self.epoch < stop
        return replace(self, **{name: getattr(self, name)[kept] for name in COLUMNS})

    def curve(self, context: int | None = None) -> Curve:
        """The curve of one context over all epochs of the table; without a context, all contexts summed.

        `dropped` is summed once per epoch that has a row of the context: what was lost may have been its own.
        """
        rows = np.ones(self.epoch.size, dtype=bool) if context is None else self.context == context
        _, first = np.unique(self.epoch[rows], return_index=True)
        return Curve.of_counters(
            self.hits[rows].sum(axis=0, dtype=np.uint64),
            int(self.misses[rows].sum()),
            self.group_pages,
            accesses=int(self.accesses[rows].sum()),
            dropped=int(self.dropped[rows][first].sum()),
            context=context,
            overflow=bool(self.overflow[rows].any()),
        )


def _column(name: str, values: ArrayLike, dtype: np.dtype) -> NDArray:
    given = np.asarray(values)
    column = np.ascontiguousarray(given, dtype=dtype)
    if not np.array_equal(column, given):
        raise ValueError(f"column {name} holds values that are no {dtype.name}")
    return column
