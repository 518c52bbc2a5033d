# SPDX-License-Identifier: BSD-2-Clause
"""The task of a worker: measure one part of a trace, report how far it is, and stop early if asked to."""

import ctypes
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from distributed import WorkerPlugin, get_worker
from numpy.typing import ArrayLike

from litemrc.cluster.build import build
from litemrc.errors import UserError
from litemrc.native.part_engines import PartState, make_first_reading, make_part_engine
from litemrc.native.shards_size_part import SmallestPages
from litemrc.traces import Trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.sections import Part, Section

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_TRIM_BYTES, _MMAP_BYTES = 256 << 20, 32 << 20
REPORT_EVERY_S = 0.5
FIRST, SECOND = range(2)  # readings of a part


def keep_freed_chunks() -> None:
    """Reuse the memory of one chunk for the next one, in this process.

    Dask starts workers with MALLOC_TRIM_THRESHOLD_=65536: each chunk of references is returned to the
    operating system and faulted in again, page by page, which doubled the time of a part. Another C library
    than glibc is left as it is.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
        library.mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)


@dataclass(frozen=True)
class Facts:
    """What is known of consecutive references besides their curve.

    Attributes
    ----------
    begins
        the section of the first reference, for messages.
    page_bytes
        bytes of a page, by the first section.
    stored_page_bytes
        those that a file has; None: none has them.
    first_time, last_time
        of the references; None without times.
    minimum_pages
        smallest memory whose misses are known, as `Trace.minimum_pages`.
    complete
        whether these are all references of the sections, not stopped before their end.
    notes
        of the readers, with their place.
    """

    begins: str
    page_bytes: int
    stored_page_bytes: int | None = None
    first_time: int | None = None
    last_time: int | None = None
    minimum_pages: int = 1
    complete: bool = True
    notes: tuple[str, ...] = ()

    def join(self, later: "Facts") -> "Facts":
        """Return the facts of these references and the following ones.

        Raises
        ------
        UserError
            time falls between them, or their pages have several sizes.
        """
        self._check_order(later)
        stored, theirs = self.stored_page_bytes, later.stored_page_bytes
        if stored and theirs and stored != theirs:
            raise UserError(
                f"pages of {theirs} bytes come after pages of {stored} bytes",
                where=later.begins,
                remedy="measure the files of each page size by themselves",
            )
        return replace(
            self,
            stored_page_bytes=stored or theirs,
            first_time=later.first_time if self.first_time is None else self.first_time,
            last_time=self.last_time if later.last_time is None else later.last_time,
            minimum_pages=max(self.minimum_pages, later.minimum_pages),
            complete=self.complete and later.complete,
            notes=self.notes + later.notes,
        )

    def _check_order(self, later: "Facts") -> None:
        before, after = self.last_time, later.first_time
        if before is not None and after is not None and after < before:
            raise UserError(
                f"time {after} comes after time {before}, at which the part before it ends",
                where=later.begins,
                remedy="rename the parts so that their natural order is that of time",
            )


@dataclass(frozen=True, eq=False)
class PartResult:
    """The state and the facts of consecutive parts."""

    state: PartState
    facts: Facts

    def __sizeof__(self) -> int:
        """Return the bytes in memory, by which Dask decides what to spill and to send."""
        return object.__sizeof__(self) + self.state.nbytes

    def join(self, later: "PartResult") -> "PartResult":
        """Return the result of these parts and the following ones.

        Raises
        ------
        UserError
            as `Facts.join`, or the engine cannot hold the pages of both.
        """
        facts = self.facts.join(later.facts)  # before the work
        return PartResult(self.state.join(later.state), facts)

    def only_counts(self) -> "PartResult":
        """Return what the client needs; it cannot be joined."""
        return PartResult(self.state.only_counts(), self.facts)


@dataclass(frozen=True)
class Task:
    """How the parts of a trace are measured.

    Attributes
    ----------
    run
        a name for these parts alone: of the topic of their reports and of their `StopSwitch`.
    build
        of the client's LiteMRC; workers must have the same.
    engine, parameters
        as `make_part_engine` takes them.
    page_bytes
        as `open_trace` takes it.
    all_contexts
        count the references of all contexts in one LRU stack.
    """

    run: str
    build: str
    engine: str
    parameters: dict[str, Any] = field(default_factory=dict)
    page_bytes: int | None = None
    all_contexts: bool = False


class StopSwitch(WorkerPlugin):
    """On each worker: whether the parts of a run are to stop where they are."""

    def __init__(self, run: str) -> None:
        self.name = run
        self.on = False


def stop(run: str, dask_worker: Any = None) -> None:
    """Stop the parts of a run on this worker; for `Client.run`."""
    if run in dask_worker.plugins:
        dask_worker.plugins[run].on = True


def read_first(task: Task, part: Part, number: int) -> SmallestPages:
    """Read a part before `measure_part` does, for an engine that needs it, within a task of Dask.

    Raises
    ------
    UserError
        as `measure_part`.
    """
    reading = make_first_reading(task.engine, **task.parameters)
    assert reading is not None  # the run asks only if it is needed
    _measure_sections(task, part, _Reports(task.run, FIRST, number, len(part)), reading)
    return reading.state()


def measure_part(task: Task, part: Part, number: int, before: SmallestPages | None = None) -> PartResult:
    """Measure a part, within a task of Dask.

    Parameters
    ----------
    number
        of the part, for reports.
    before
        as `make_part_engine` takes it.

    Raises
    ------
    UserError
        a file cannot be read or is damaged; contexts; the engine cannot hold the pages; or this
        worker has another LiteMRC.
    """
    engine = make_part_engine(task.engine, before, **task.parameters)
    facts = _measure_sections(task, part, _Reports(task.run, SECOND, number, len(part)), engine)
    return PartResult(engine.state(), facts)


def _measure_sections(task: Task, part: Part, reports: "_Reports", engine: "_Takes") -> Facts:
    if build() != task.build:
        raise UserError(
            f"a worker has LiteMRC {build()}, and this is {task.build}",
            where=get_worker().address,
            remedy="install the same LiteMRC on each worker, and start the workers again",
        )
    keep_freed_chunks()
    facts: Facts | None = None
    for section in part:
        with section.open(task.page_bytes) as trace:
            found = _measure_section(task, section, trace, reports.of(trace), engine)
        # The bytes of a page are those of the beginning of the file, as when it is read by itself.
        facts = found if facts is None else facts.join(found)
        if not found.complete:
            break
    assert facts is not None  # a part has a section
    reports.send(final=True)
    return facts


def _measure_section(
    task: Task, section: Section, trace: Trace, chunks: Iterable[Chunk], engine: "_Takes"
) -> Facts:
    first = last = None
    switch = get_worker().plugins.get(task.run)
    complete = True
    for chunk in chunks:
        if chunk.contexts is not None and not task.all_contexts:
            raise UserError(
                "the trace has contexts, and a part does not know the owner of a page: its first context",
                where=str(section),
                remedy="give --context all for one LRU stack of all contexts",
            )
        engine.access(chunk.pages)
        if chunk.times is not None and chunk.times.size:
            first = int(chunk.times[0]) if first is None else first
            last = int(chunk.times[-1])
        if isinstance(switch, StopSwitch) and switch.on:
            complete = False
            break
    notes = tuple(f"{section}: {note}" for note in trace.notes)
    stored = trace.stored_page_bytes if section.begins else None
    return Facts(str(section), trace.page_bytes, stored, first, last, trace.minimum_pages, complete, notes)


class _Takes(Protocol):
    def access(self, pages: ArrayLike) -> None: ...


class _Reports:
    """Reports the references so far, and the share of the part, to those who listen to the run's topic."""

    def __init__(self, run: str, reading: int, number: int, sections: int) -> None:
        self._run, self._part, self._sections = run, (reading, number), sections
        self._references = 0
        self._section = -1
        self._share = 0.0
        self._due = 0.0

    def of(self, trace: Trace) -> Iterable[Chunk]:
        """Yield the chunks of the next section."""
        self._section += 1
        for chunk in trace:
            yield chunk
            self._references += len(chunk)
            self._share = (self._section + (trace.fraction or 0.0)) / self._sections
            self.send()

    def send(self, *, final: bool = False) -> None:
        """Send a report if the last one is old enough, or if it is the final one."""
        if final or time.monotonic() >= self._due:
            self._due = time.monotonic() + REPORT_EVERY_S
            share = 1.0 if final else self._share
            get_worker().log_event(self._run, (*self._part, self._references, share))
