# SPDX-License-Identifier: BSD-2-Clause
"""Opens and creates traces of any format; the format is named or follows from the file name."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from litemrc.errors import UserError, choose_from
from litemrc.files.outputs import check_output_path, replacing
from litemrc.traces.formats.streams import STDIN, SUFFIXES, ByteSource, open_sink, open_source, plain_name
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.places import Place, is_url
from litemrc.traces.trace import PAGE_BYTES, Trace, TraceWriter, WriteOptions

__all__ = ["FORMATS", "Format", "Trace", "WriteOptions", "create_trace", "format_of", "open_trace"]


@dataclass(frozen=True)
class Format:
    """A format of trace files.

    Attributes
    ----------
    suffixes
        file suffixes in lower case, without compression; the first is the usual one.
    columns
        columns of a chunk that it keeps, besides pages.
    open
        returns a reader for a path (or an open source, unless the format compresses) and the page size
        in bytes for addresses.
    create
        returns a writer for an open file; None: the format is read only.
    compresses
        the format has its own compression and takes no .gz, .zst or .xz.
    open_columns
        returns a reader for a path and the columns as in `formats/column_names.py`; None: the
        format's columns are fixed.
    """

    suffixes: tuple[str, ...]
    columns: frozenset[str]
    open: Callable[[Any, int], Trace]
    create: Callable[[BinaryIO, WriteOptions], TraceWriter] | None
    compresses: bool = False
    open_columns: Callable[[Any, str], Trace] | None = None


def _of(module: str, name: str) -> Any:
    """Return a reader or writer of `litemrc.traces.formats`, imported now: most of them load pyarrow."""
    return getattr(import_module(f"litemrc.traces.formats.{module}"), name)


_ALL = frozenset({"times", "writes", "contexts"})


def _reader(module: str, name: str, path: Place | ByteSource, *options: Any, **more: Any) -> Trace:
    source = path if isinstance(path, ByteSource) else open_source(path)
    try:
        reader: Trace = _of(module, name)(source, *options, **more)
    except BaseException:
        source.close()
        raise
    return reader


def _delimited(path: Place | ByteSource, columns: str, *, is_csv: bool) -> Trace:
    parsed = _of("column_names", "parse_columns")(columns) if columns else {}
    return _reader("delimited", "DelimitedTrace", path, parsed, is_csv=is_csv)


def _npy(path: Place | ByteSource, columns: str) -> Trace:
    parsed = _of("column_names", "parse_columns")(columns) if columns else {}
    return _reader("npy", "NpyTrace", path, parsed)


FORMATS = {
    "text": Format(
        (".txt", ".trace"),
        _ALL,
        lambda path, _: _reader("text", "TextTrace", path),
        lambda sink, options: _of("text", "TextWriter")(sink, options),
        open_columns=lambda path, columns: _delimited(path, columns, is_csv=False),
    ),
    "csv": Format(
        (".csv",),
        _ALL,
        lambda path, _: _delimited(path, "", is_csv=True),
        None,
        open_columns=lambda path, columns: _delimited(path, columns, is_csv=True),
    ),
    "oracleGeneral": Format(
        (".oraclegeneral", ".oraclegeneral.bin"),
        frozenset({"times"}),
        lambda path, _: _reader("oracle_general", "OracleGeneralTrace", path),
        lambda sink, options: _of("oracle_general", "OracleGeneralWriter")(sink, options),
    ),
    "lackey": Format(
        (".lackey",),
        frozenset({"times", "writes"}),
        lambda path, page_bytes: _reader("lackey", "LackeyTrace", path, page_bytes),
        None,
    ),
    "perf": Format(
        (".perf",),
        _ALL,
        lambda path, page_bytes: _reader("recorders.perf", "PerfTrace", path, page_bytes),
        None,
    ),
    "dynamorio": Format(
        (".memtrace", ".drmemtrace"),
        _ALL,
        lambda path, page_bytes: _reader("recorders.dynamorio", "dynamorio_trace", path, page_bytes),
        None,
    ),
    "damon": Format(
        (".damon", "damon.data"),
        frozenset({"times", "contexts"}),
        lambda path, page_bytes: _reader("recorders.damon", "DamonTrace", path, page_bytes),
        None,
    ),
    "dinero": Format(
        (".din", ".xdin"),
        frozenset({"times", "writes"}),
        lambda path, page_bytes: _reader("dinero", "DineroTrace", path, page_bytes),
        None,
    ),
    "lcs": Format(
        (".lcs",),
        _ALL,
        lambda path, _: _reader("libcachesim", "LcsTrace", path),
        None,
    ),
    "vscsi": Format(
        (".vscsi", ".vscsitrace", ".vscsi1", ".vscsi2"),
        frozenset({"times", "writes"}),
        lambda path, _: _reader("libcachesim", "VscsiTrace", path),
        None,
    ),
    "npy": Format(
        (".npy",),
        _ALL,
        lambda path, _: _npy(path, ""),
        None,
        open_columns=_npy,
    ),
    "parquet": Format(
        (".parquet",),
        _ALL,
        lambda path, _: _of("columnar", "ColumnarTrace")(path),
        lambda sink, options: _of("columnar", "ParquetWriter")(sink, options),
        compresses=True,
    ),
    "arrow": Format(
        (".arrow", ".feather"),
        _ALL,
        lambda path, _: _of("columnar", "ColumnarTrace")(path),
        None,
        compresses=True,
    ),
    "intervals": Format(
        (".inout",),
        frozenset({"times"}),
        lambda path, _: _reader("intervals", "IntervalTrace", path),
        lambda sink, options: _of("intervals", "IntervalWriter")(sink, options),
    ),
}


def format_of(path: str | Path, name: str | None = None) -> Format:
    """Return the format `name`, or the format of the file's suffix.

    Raises
    ------
    UserError
        an unknown format or suffix.
    """
    if name is not None:
        if name not in FORMATS:
            raise UserError(f"unknown format {name!r}", remedy=choose_from(name, FORMATS))
        return FORMATS[name]
    plain = plain_name(path).lower()
    for form in FORMATS.values():
        if plain.endswith(form.suffixes):
            return form
    endings = ", ".join(suffix for form in FORMATS.values() for suffix in form.suffixes)
    raise UserError(
        "the file's suffix belongs to no format",
        where=str(path),
        remedy=f"use --format, or one of {endings} (optionally with .gz, .zst, .xz or .bz2)",
    )


def open_trace(
    path: str | Path,
    format: str | None = None,
    page_bytes: int | None = None,
    columns: str | None = None,
    *,
    bounded: bool = True,
    sort: int | None = None,
) -> Trace:
    """Open a trace for reading: `with open_trace(path) as trace: for chunk in trace: ...`.

    Parameters
    ----------
    path
        a file, compressed or not, at a path or a URL of fsspec (`s3://...`); `-` for stdin; or a URL
        `gen:...` (see `generators/urls.py`).
    format
        name in `FORMATS`; None: by the file's suffix.
    page_bytes
        page size, a power of two; None: that of the file, 4096 if it has none.
    columns
        of text, CSV and npy: which column holds what, such as "address" (addresses in place of
        pages) or "address=addr:hex,write=rw" (see `formats/column_names.py`); None: the usual columns.
    bounded
        refuse a file that stands for far more than its size (`bounds.py`).
    sort
        how many references one may come too late by its time; None: times must not step back.

    Raises
    ------
    UserError
        a missing file, an unknown format or column, or a page size other than that of the file.
    """
    if str(path).startswith(PREFIX):
        trace: Trace = GeneratedTrace(str(path))
    else:
        if str(path) == STDIN and format is not None and format_of(path, format).compresses:
            raise UserError(
                f"{format} needs a file: it is not read from its beginning to its end",
                where="stdin",
                remedy="name the file",
            )
        trace = _opened(path if is_url(path) else Path(path), format, page_bytes or PAGE_BYTES, columns)
    if sort is not None:
        trace = _sorted(trace, sort)
    trace.bounded = bounded
    try:
        trace.settle_page_bytes(page_bytes)
    except UserError:
        trace.close()
        raise
    return trace


def _sorted(trace: Trace, window: int) -> Trace:
    try:
        sorted_trace: Trace = _of("sorting", "SortedTrace")(trace, window)
    except UserError:
        trace.close()
        raise
    return sorted_trace


def _opened(place: Place, format: str | None, page_bytes: int, columns: str | None) -> Trace:
    """Open a file by its format: as given, by its suffix, or by its first lines (text, stdin, no suffix)."""
    source: ByteSource | None = None
    named = format
    if format is None and columns is None and (str(place) == STDIN or _may_be_any_text(place)):
        source = open_source(place)
        try:
            named = _of("recognition", "recognised")(source)
            if named is None and str(place) == STDIN:
                raise UserError(
                    "the first lines on stdin show no format", where="-", remedy="name it with --format"
                )
            form = format_of(place, named)
        except UserError:
            source.close()
            raise
    else:
        if str(place) == STDIN and format is None:
            named = "text"
        form = format_of(place, named)
    if columns is not None:
        if form.open_columns is None:
            raise UserError(
                "columns can be named for text and CSV only, and for npy",
                where=str(place),
                remedy="drop --column, or give --format text, csv or npy",
            )
        return form.open_columns(place, columns)
    trace = form.open(source or place, page_bytes)
    if source is not None and named not in (None, "text"):
        trace.notes.append(f"read as {named}, by its first lines (see --format)")
    return trace


def _may_be_any_text(place: Place) -> bool:
    """Return whether a name is that of a text, or states no format."""
    name = plain_name(place).lower()
    if name.endswith(FORMATS["text"].suffixes):
        return True
    return (
        not is_url(place)
        and Path(place).is_file()
        and not name.endswith(tuple(suffix for form in FORMATS.values() for suffix in form.suffixes))
    )


@contextmanager
def create_trace(
    path: str | Path, format: str | None = None, options: WriteOptions | None = None
) -> Iterator[TraceWriter]:
    """Yield a writer; the file appears only if the block ends without an exception.

    Raises
    ------
    UserError
        a read-only format, or a path that cannot be written.
    """
    form = format_of(path, format)
    if form.create is None:
        raise UserError(
            "this format is read only",
            where=str(path),
            remedy="write text, oracleGeneral or parquet",
        )
    path = check_output_path(path)
    if form.compresses and path.suffix.lower() in SUFFIXES:
        raise UserError(
            "this format has its own compression",
            where=str(path),
            remedy=f"remove {path.suffix} from the name",
        )
    with (
        replacing(path) as partial,
        open_sink(partial, path) as sink,
        closing(form.create(sink, options or WriteOptions())) as writer,
    ):
        yield writer
        writer.finish()
