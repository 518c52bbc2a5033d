# SPDX-License-Identifier: BSD-2-Clause
"""Measures the traces of `litemrc mrc` and `compare`, with progress; Ctrl-C keeps the curves so far."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from litemrc.api.stacks import (
    Context,
    ContextStacks,
    EngineParameters,
    count_pages,
    curves_of,
    frames_for,
    has_frames,
    lacks_tracker_sizes,
    with_tracker_sizes,
)
from litemrc.api.windows import WindowedStack, for_windows
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import shown
from litemrc.curves.curve import Curve
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError
from litemrc.native.engines import DEFAULT_GROUPS, Engine, make_engine
from litemrc.native.os_tracker import OsTracker
from litemrc.traces import Trace, open_trace
from litemrc.traces.formats.streams import STDIN
from litemrc.traces.generators.urls import PREFIX


@dataclass(frozen=True)
class Measuring:
    """How traces are read and measured.

    Attributes
    ----------
    format, page_size, columns, bounded, sort
        as `open_trace` takes them.
    engine, parameters
        as `make_engine` takes them.
    context
        as `ContextStacks` takes it.
    """

    format: str | None = None
    page_size: int | None = None
    engine: str = "exact"
    parameters: EngineParameters = field(default_factory=EngineParameters)
    context: Context = "each"
    columns: str | None = None
    bounded: bool = True
    sort: int | None = None

    def check(self, traces: Sequence[str]) -> None:
        """Check, before the work, what can be checked without reading a trace.

        Raises
        ------
        UserError
            an impossible engine, or stdin where it cannot be read.
        """
        make_engine(self.engine, **self.parameters)
        if traces.count(STDIN) > 1:
            raise UserError("stdin can be read only once", where="-", remedy="name - once")
        if STDIN in traces and self._counts_pages:
            raise UserError(
                f"engine {self.engine} counts the pages of a trace first, but stdin can be read only once",
                where="-",
                remedy="give --frames",
            )

    @property
    def _counts_pages(self) -> bool:
        return has_frames(self.engine) and self.parameters.get("frames") is None

    def opened(self, trace: str) -> Trace:
        """Open a trace."""
        generated = trace.startswith(PREFIX)
        columns = None if generated else self.columns
        return open_trace(
            trace,
            None if generated else self.format,
            self.page_size,
            columns,
            bounded=self.bounded,
            sort=self.sort,
        )

    def maker(self, trace: str) -> Callable[[], Engine]:
        """Return a function that makes engines; it counts the pages of the trace if frames depend on them."""
        parameters = self.parameters
        if self._counts_pages:
            with self.opened(trace) as opened, closing(shown(opened, "counting pages")) as chunks:
                pages = count_pages(chunks)
                frames = frames_for(pages, parameters.get("groups"), trace)
                group_pages = frames // (parameters.get("groups") or DEFAULT_GROUPS)
                note(
                    f"{trace}: {frames:,} frames for {pages:,} pages; resolution {group_pages:,} pages,"
                    f" {size_text(group_pages, opened.page_bytes)} (see --frames and --groups)"
                )
                parameters = {**parameters, "frames": frames}
        elif lacks_tracker_sizes(self.engine, parameters) and trace != STDIN:
            with self.opened(trace) as opened, closing(shown(opened, "counting pages")) as chunks:
                pages = count_pages(chunks)
            parameters = with_tracker_sizes(parameters, pages)
            note(
                f"{trace}: {pages:,} pages; scan list {parameters['scan_list']:,} pages, a scan every"
                f" {parameters['period']:,} references, groups of {parameters['group_pages']:,} pages"
            )
        return lambda: make_engine(self.engine, **parameters)


@dataclass
class Measured:
    """What was measured.

    Attributes
    ----------
    curves
        of all traces and contexts, or of all windows.
    tracked
        of engine os, for each curve: faults, scans, overhead; else empty.
    notes
        of the readers of the traces.
    stopped
        Ctrl-C, if it ended the work early.
    """

    curves: list[Curve] = field(default_factory=list)
    tracked: list[dict[str, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: KeyboardInterrupt | None = None


def measure(how: Measuring, traces: Sequence[str]) -> Measured:
    """Measure a curve for each trace, or for each context of each trace.

    Raises
    ------
    UserError
        a trace that cannot be read, or without references.
    KeyboardInterrupt
        before the first reference.
    """
    measured = Measured()
    for name, path in zip(trace_names(traces), traces, strict=True):
        stacks = ContextStacks(how.maker(path), how.context)
        with how.opened(path) as trace:
            _read(trace, stacks, measured)
        found = curves_of(stacks, trace.page_bytes)
        measured.tracked += _tracked(stacks.by_context().values())
        measured.notes += _unresolved(stacks.by_context().values())
        if not found and not measured.stopped:
            raise UserError("the trace has no reference", where=path)
        for context, curve in found.items():
            prefix = "" if context is None or len(traces) == 1 else f"{name}, "
            named = replace(curve, name=prefix + (curve.name or name))
            known = trace.minimum_pages
            measured.curves.append(named if known == 1 else named.without_sizes_below(known))
        if measured.stopped:
            break
    if measured.stopped and not measured.curves:
        raise measured.stopped
    return measured


def measure_windows(
    how: Measuring, path: str, window: int, sizes_pages: Callable[[Trace], Sequence[int] | None]
) -> Measured:
    """Measure a curve for each window of references of a trace.

    Parameters
    ----------
    sizes_pages
        returns the memory sizes for a trace, or None for 8 in each power of two.

    Raises
    ------
    UserError
        as `measure`; or a trace with several contexts of which none is selected.
    KeyboardInterrupt
        before the first reference.
    """
    measured = Measured()
    how = replace(how, parameters=for_windows(how.engine, how.parameters))
    make = how.maker(path)
    with how.opened(path) as trace:
        sizes = sizes_pages(trace)
        stacks = ContextStacks(lambda: WindowedStack(make(), window, sizes), how.context)
        _read(trace, stacks, measured)
    found = stacks.by_context()
    if not found:
        raise measured.stopped or UserError("the trace has no reference", where=path)
    if len(found) > 1:
        raise UserError(
            f"the trace has contexts {', '.join(map(str, found))}: windows are of one",
            where=path,
            remedy="select one with --context N, or give --context all for one LRU stack",
        )
    if sizes is not None:
        trace.check_memory(min(sizes))
    ((_, stack),) = found.items()
    measured.curves = stack.curves(
        trace.page_bytes, known_from_pages=trace.minimum_pages, all_sizes=sizes is not None
    )
    return measured


def _tracked(engines: Iterable[Engine]) -> list[dict[str, float]]:
    trackers = [engine for engine in engines if isinstance(engine, OsTracker)]
    return [
        {"faults": each.events["fault"], "scans": each.events["scan"], "overhead": each.overhead}
        for each in trackers
    ]


def _unresolved(engines: Iterable[Engine]) -> list[str]:
    return [each.unresolved for each in engines if isinstance(each, OsTracker) and each.unresolved]


def _read(trace: Trace, stacks: ContextStacks[Any], measured: Measured) -> None:
    try:
        with closing(shown(trace, "measuring")) as chunks:
            for chunk in chunks:
                stacks.access(chunk)
    except KeyboardInterrupt as error:
        measured.stopped = error
    measured.notes += trace.notes


def trace_names(traces: Sequence[str]) -> list[str]:
    """Return a name for each trace: the program's, or the file's without folder and suffixes, if unique."""
    short = [_short(trace) for trace in traces]
    return [name if short.count(name) == 1 else trace for name, trace in zip(short, traces, strict=True)]


def _short(trace: str) -> str:
    if trace.startswith(PREFIX):
        return trace.removeprefix(PREFIX).partition("?")[0]
    if trace == STDIN:
        return "stdin"
    name = Path(trace).name
    return name.split(".")[0] or name
