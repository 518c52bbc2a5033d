# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.hot`: the hottest pages of each epoch of a trace."""

from __future__ import annotations  # help() shows the names of types

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from litemrc.api.epochs import MERGED, epoch_parts, no_references, of_one_context
from litemrc.api.results import Result
from litemrc.api.sources import References, Source
from litemrc.errors import UserError
from litemrc.native.hot_pages import (
    SETS,
    SHARE_LOG2,
    WAYS,
    ExactHotPages,
    HotCounter,
    HotEpoch,
    HotOptions,
    HotPages,
    recall,
)
from litemrc.traces.chunk import Chunk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPOCH, FRAMES = 1_000_000, 1 << 20  # references of an epoch, page frames of the memory, by default


@dataclass(frozen=True)
class HotCount:
    """The hot pages of an epoch, and the exactly hottest ones.

    Attributes
    ----------
    unit
        pages and counts of the hardware's unit.
    exact
        those of a counter for each page; None: not counted.
    recall
        share of the exactly hottest pages that the unit lists; None: not counted, or none is hot.
    """

    unit: HotEpoch
    exact: HotEpoch | None = None
    recall: float | None = None

    def document(self) -> dict[str, Any]:
        """Return the epoch as an object of `litemrc hot --json`."""
        found: dict[str, Any] = {
            "pages": _pairs(self.unit),
            "accesses": self.unit.accesses,
            "more": self.unit.more,
            "saturated": self.unit.saturated,
        }
        return found | ({"exact": _pairs(self.exact), "recall": self.recall} if self.exact else {})


class HotCounting:
    """Counts the hot pages of epochs.

    Parameters
    ----------
    frames
        page frames of the memory.
    exact
        also count each page.

    Raises
    ------
    UserError
        the unit was not compiled for n frames.
    """

    def __init__(self, options: HotOptions, frames: int, *, exact: bool) -> None:
        self._options, self._frames = options, frames
        self._unit = HotPages(frames, options)
        self._exact = ExactHotPages(options) if exact else None

    def epochs(
        self, chunks: Iterable[Chunk], length: int, context: int | None, where: str, remedy: str = "omit only"
    ) -> Iterator[HotCount]:
        """Yield the hot pages of each epoch of `length` references.

        Parameters
        ----------
        context
            as in `epoch_parts`.
        where, remedy
            name of the trace, and what to do without directions, for messages.

        Raises
        ------
        UserError
            only reads or writes are counted, but the trace does not say which they are.
        """
        counters: list[HotCounter] = [self._unit, *([self._exact] if self._exact else [])]
        for unit, *others in hot_epochs(self._directed(chunks, where, remedy), counters, length, context):
            if self._exact and others:
                (true,) = others
                yield HotCount(unit, true, recall(unit, true, self._exact.counts_of(unit.pages)))
            else:
                yield HotCount(unit)

    def _directed(self, chunks: Iterable[Chunk], where: str, remedy: str) -> Iterator[Chunk]:
        for chunk in chunks:
            if chunk.writes is None and not (self._options.reads and self._options.writes):
                raise UserError(
                    "the trace does not say which references are writes",
                    where=where,
                    remedy=remedy,
                )
            yield chunk

    def document(self) -> dict[str, Any]:
        """Return the unit as the object "engine" of `litemrc hot --json`."""
        return {
            "unit": "hot_pages",
            "frames": self._frames,
            "sets": SETS,
            "ways": WAYS,
            "k": self._options.wanted,
            "threshold": self._options.threshold,
            "hot_share": 1 / (1 << SHARE_LOG2),
            "reads": self._options.reads,
            "writes": self._options.writes,
            "sampling": 1 << self._options.sampling_log2,
        }


@dataclass(frozen=True, eq=False, repr=False)
class HotResult(Result):
    """The hot pages of a trace.

    Attributes
    ----------
    epochs
        in order; the last one may be shorter.
    engine
        sizes and options of the counting unit.
    name
        path or URL of the trace; may be empty.
    """

    epochs: tuple[HotCount, ...]
    engine: dict[str, Any]
    name: str = ""

    def document(self) -> dict[str, Any]:
        """Return the object of `litemrc hot --json`."""
        epochs = [epoch.document() for epoch in self.epochs]
        return {"epochs": epochs, "engine": self.engine, "interrupted": False}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each page of each epoch: epoch, page, count, share of the epoch's accesses."""
        return [
            {"epoch": number, "page": page, "count": count, "share": count / epoch.unit.accesses}
            for number, epoch in enumerate(self.epochs)
            for page, count in _pairs(epoch.unit)
        ]

    def summary(self) -> str:
        """Return the numbers of epochs and of hot pages in one line."""
        pages = {page for epoch in self.epochs for page in epoch.unit.pages.tolist()}
        return f"{self.name or 'trace'}, {len(self.epochs):,} epochs, {len(pages):,} pages hot in one of them"

    def _figure(self) -> Figure:
        from litemrc.plots.hot import hot_figure

        lists = [(epoch.unit.pages.tolist(), epoch.unit.counts.tolist()) for epoch in self.epochs]
        return hot_figure(lists, title=self.name)


def hot(
    trace: Source,
    *,
    epoch: int = EPOCH,
    k: int = 64,
    threshold: int = 2,
    only: str | None = None,
    sample: int = 0,
    frames: int = FRAMES,
    context: int | None = None,
    exact: bool = False,
    page_bytes: int | None = None,
) -> HotResult:
    """List the hottest pages of each epoch of a trace, as `litemrc hot` does.

    Parameters
    ----------
    trace
        as the source of `litemrc.mrc`.
    epoch
        references of an epoch.
    k
        pages listed, 1 to 1024.
    threshold
        accesses that make a page hot.
    only
        "reads" or "writes": count these alone.
    sample
        count 1 access of 2^sample, at random, 0 to 15.
    frames
        page frames of the memory: 8192, 65536, 262144 or 1048576.
    context
        count the references of one context; None: of all.
    exact
        also count each page, for the recall.
    page_bytes
        as in `litemrc.mrc`.

    Raises
    ------
    UserError
        no reference, a value out of range, no context or no directions where they are asked for,
        or more pages than frames.

    Warns
    -----
    UserWarning
        contexts are counted together, or what the reader of a trace file left out or assumed.
    """
    if only not in (None, "reads", "writes"):
        raise UserError(
            f'only must be "reads" or "writes" (got {only!r})', remedy="give one of them, or None"
        )
    if epoch < 1:
        raise UserError(f"an epoch must have at least 1 reference (got {epoch})", remedy="give 1 or more")
    counting = HotCounting(
        HotOptions(k, threshold, only != "writes", only != "reads", sample), frames, exact=exact
    )
    references = References(trace, page_bytes, "litemrc.hot")
    chunks = of_one_context(
        references, context, references.where, lambda: warnings.warn(f"{MERGED} (see context)", stacklevel=6)
    )
    epochs = tuple(counting.epochs(chunks, epoch, context, references.where))
    if not epochs:
        raise no_references(context, references.where)
    return HotResult(epochs, counting.document(), references.name)


def hot_epochs(
    chunks: Iterable[Chunk], counters: Sequence[HotCounter], epoch_accesses: int, context: int | None = None
) -> Iterator[list[HotEpoch]]:
    """Yield what each counter lists at the end of each epoch; the last epoch may be shorter.

    Parameters
    ----------
    epoch_accesses, context
        as in `epoch_parts`.
    """
    for part in epoch_parts(chunks, epoch_accesses, context):
        for counter in counters:
            counter.access(part.pages, part.writes)
        if part.ends:
            yield [counter.end_epoch() for counter in counters]


def _pairs(epoch: HotEpoch) -> list[list[int]]:
    return np.stack([epoch.pages, epoch.counts], axis=1).tolist() if epoch.pages.size else []
