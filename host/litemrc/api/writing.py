# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.write_trace`: a trace stored in another format, or generated."""

from __future__ import annotations  # help() shows the names of types

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from litemrc.api.sources import Source, opened
from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.generators.urls import PREFIX
from litemrc.traces.opening import FORMATS, WriteOptions, create_trace, format_of
from litemrc.traces.trace import Trace

INTERVALS = "intervals"
_COLUMNS = ("times", "writes", "contexts")


@dataclass(frozen=True)
class WrittenTrace:
    """A trace that was written.

    Attributes
    ----------
    path
        the file.
    references
        number of references.
    page_bytes
        bytes of a page.
    lost
        columns of the source that the format does not keep: times, writes, contexts.
    notes
        what the reader of the source left out or assumed.
    """

    path: Path
    references: int
    page_bytes: int
    lost: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def write_trace(
    source: Source,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    page_bytes: int | None = None,
    interval: int | None = None,
    source_format: str | None = None,
    columns: str | None = None,
    bounded: bool = True,
    sort: int | None = None,
) -> WrittenTrace:
    """Write a trace in any format, as `litemrc trace convert` and `litemrc trace generate` do.

    Parameters
    ----------
    source
        as in `litemrc.mrc`; "gen:zipf?pages=1000&n=100000" generates a trace.
    path
        file to write; it appears when it is complete.
    format
        of `path`; None: by its suffix. A further suffix .gz, .zst, .xz or .bz2 compresses the file.
    page_bytes
        as in `litemrc.mrc`.
    interval
        write IN/OUT records (Glass and Cao 1997, section 2.1) with intervals of n time units.
    source_format, columns, bounded, sort
        of a file, as --format, --column, --unbounded and --sort.

    Raises
    ------
    UserError
        a source that cannot be read, a read-only or unknown format, an interval with another
        format, or a path that cannot be written.
    """
    out = Path(path)
    name = output_format(out, interval, format)
    function = "litemrc.write_trace"
    with opened(source, page_bytes, function, source_format, columns, bounded=bounded, sort=sort) as trace:
        generated = trace.name if trace.name.startswith(PREFIX) else None
        return stored(trace, out, name, options_of(trace, interval, generated))


def options_of(trace: Trace, interval: int | None, origin: str | None = None) -> WriteOptions:
    """Return how a trace is written; `origin` None: that of the trace."""
    return WriteOptions(
        trace.page_bytes,
        trace.time_unit,
        interval or WriteOptions.interval,
        trace.origin if origin is None else origin,
    )


def stored(
    trace: Iterable[Chunk], out: Path, name: str | None, options: WriteOptions, notes: list[str] | None = None
) -> WrittenTrace:
    """Write the chunks of a trace; the file appears when they are complete.

    Parameters
    ----------
    name
        of the format; None: by the suffix.
    notes
        of the reader, complete after the last chunk; None: those of `trace`, if it has some.

    Raises
    ------
    UserError
        as `create_trace`.
    """
    kept = format_of(out, name).columns
    lost: set[str] = set()
    references = 0
    with create_trace(out, name, options) as writer:
        for chunk in trace:
            writer.write(chunk)
            references += len(chunk)
            lost.update({each for each in _COLUMNS if getattr(chunk, each) is not None} - kept)
    said = trace.notes if notes is None and isinstance(trace, Trace) else notes or []
    return WrittenTrace(out, references, options.page_bytes, tuple(sorted(lost)), tuple(said))


def output_format(
    out: Path, interval: int | None, name: str | None, options: tuple[str, str] = ("interval", "format")
) -> str | None:
    """Return the format to write, None: by the suffix of `out`; an interval selects IN/OUT records.

    Parameters
    ----------
    options
        names of `interval` and `name`, for messages.

    Raises
    ------
    UserError
        an interval, but another format by name or suffix.
    """
    if interval is None:
        return name
    if name not in (None, INTERVALS) or (name is None and not is_intervals(out)):
        raise UserError(
            f"{options[0]} writes IN/OUT records, but the file or {options[1]} selects another format",
            where=str(out),
            remedy=f"drop {options[0]}, or name the file FILE.inout",
        )
    return INTERVALS


def is_intervals(out: Path) -> bool:
    """Return whether the suffix of a file is that of IN/OUT records."""
    return format_of(out) is FORMATS[INTERVALS]
