# SPDX-License-Identifier: BSD-2-Clause
"""The miss-ratio curve of a trace in parts, on the workers of a Dask cluster."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from litemrc.cluster.build import build
from litemrc.cluster.joined_run import JoinedRun, new_run
from litemrc.cluster.part_task import PartResult
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.part_engines import make_part_engine
from litemrc.traces.sections import cut_into_parts, list_sections

if TYPE_CHECKING:
    from distributed import Client

PARTS_A_WORKER = 4
"""Parts for each thread of the workers: all end at about the same time, and a lost worker costs little."""

UNKNOWN_WORKERS = 16
"""Workers that are expected where none has joined yet."""


@dataclass(frozen=True)
class ClusterMeasuring:
    """How a trace is measured on a cluster.

    Attributes
    ----------
    engine, parameters
        as `make_engine` takes them; exact by pages, or shards.
    format, page_bytes, columns
        as `open_trace` takes them.
    all_contexts
        count the references of all contexts in one LRU stack.
    parts
        number of parts; None: `PARTS_A_WORKER` for each thread of the workers.
    allow_gaps
        as `list_sections` takes it.
    """

    engine: str = "exact"
    parameters: dict[str, Any] = field(default_factory=dict)
    format: str | None = None
    page_bytes: int | None = None
    columns: str | None = None
    all_contexts: bool = False
    parts: int | None = None
    allow_gaps: bool = False


Shown = Callable[[JoinedRun], "Generator[None, None, None]"]


@dataclass(frozen=True)
class ClusterCurve:
    """What was measured.

    Attributes
    ----------
    curve
        without a name.
    notes
        of the readers, and of parts that were measured again.
    stopped
        Ctrl-C, if it ended the work early: the curve is of the references before.
    """

    curve: Curve
    notes: tuple[str, ...]
    stopped: KeyboardInterrupt | None = None


def measure(client: "Client", trace: str, how: ClusterMeasuring, shown: Shown | None = None) -> ClusterCurve:
    """Measure the curve of a trace; it equals that of one engine that takes all references in order.

    Parameters
    ----------
    trace
        as `list_sections` takes it; every worker must be able to read it.
    shown
        passes on what `JoinedRun.wait` yields, and shows the run's progress.

    Raises
    ------
    UserError
        as `list_sections`, `make_part_engine`, `measure_part`, `JoinedRun.wait`; no reference.
    KeyboardInterrupt
        before the first reference.
    """
    from litemrc.cluster.part_task import Task  # loads Dask

    make_part_engine(how.engine, **how.parameters)  # checks them
    sections = list_sections(trace, how.format, how.columns, allow_gaps=how.allow_gaps)
    threads = sum(worker["nthreads"] for worker in client.scheduler_info(-1)["workers"].values())
    parts = cut_into_parts(sections, how.parts or PARTS_A_WORKER * (threads or UNKNOWN_WORKERS))
    task = Task(new_run(), build(), how.engine, how.parameters, how.page_bytes, how.all_contexts)
    stopped: KeyboardInterrupt | None = None
    with JoinedRun(client, task, parts) as run:
        found: PartResult | None
        try:
            for _ in shown(run) if shown else run.wait():
                pass
            found = run.result()
        except KeyboardInterrupt as error:
            stopped = error
            found = run.stop()
        notes = _notes(run.repeated, len(parts), threads)
    if stopped and (found is None or not found.state.accesses):
        raise stopped
    if found is None or not found.state.accesses:
        raise UserError("the trace has no reference", where=trace)
    curve = found.state.curve(found.facts.page_bytes)
    known = found.facts.minimum_pages
    return ClusterCurve(
        curve if known == 1 else curve.without_sizes_below(known), found.facts.notes + notes, stopped
    )


def _notes(repeated: int, parts: int, threads: int) -> tuple[str, ...]:
    notes = []
    if parts < threads:
        what = "1 part" if parts == 1 else f"{parts} parts"
        notes.append(f"{what} for {threads} workers: compressed streams and text are not cut")
    if repeated:
        were = "part was" if repeated == 1 else "parts were"
        notes.append(f"{repeated} {were} measured again, as workers were lost")
    return tuple(notes)
