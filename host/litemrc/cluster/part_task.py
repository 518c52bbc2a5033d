"""The task of a worker: measure one part of a trace, report how far it is, and stop early if asked to."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from distributed import WorkerPlugin, get_worker
from numpy.typing import ArrayLike

from litemrc.cluster.allocator import keep_freed_chunks
from litemrc.cluster.build import build
from litemrc.cluster.part_result import Facts, PartResult
from litemrc.errors import UserError
from litemrc.native.part_engines import make_first_reading, make_part_engine
from litemrc.native.shards_size_part import SmallestPages
from litemrc.traces import Trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.parts.cutting import Part
from litemrc.traces.parts.section import Section

REPORT_EVERY_S = 0.5
FIRST, SECOND = range(2)  # readings of a part


@dataclass(frozen=True)
class Task:
    """How the parts of a trace are measured.

    Attributes:
        run: a name for these parts alone: of the topic of their reports and of their `StopSwitch`.
        build: of the client's LiteMRC; workers must have the same.
        engine, parameters: as `make_part_engine` takes them.
        page_bytes: as `open_trace` takes it.
        all_contexts: count the references of all contexts in one LRU stack.
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

    Raises:
        UserError: as `measure_part`.
    """
    reading = make_first_reading(task.engine, **task.parameters)
    assert reading is not None  # the run asks only if it is needed
    _measure_sections(task, part, _Reports(task.run, FIRST, number, len(part)), reading)
    return reading.state()


def measure_part(task: Task, part: Part, number: int, before: SmallestPages | None = None) -> PartResult:
    """Measure a part, within a task of Dask.

    Parameters:
        number: of the part, for reports.
        before: as `make_part_engine` takes it.

    Raises:
        UserError: a file cannot be read or is damaged; contexts; the engine cannot hold the pages; or this
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
