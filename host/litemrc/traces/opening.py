"""Opens and creates traces of any format; the format is named or follows from the file name."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path, replacing
from litemrc.traces.formats.streams import STDIN, SUFFIXES, open_sink, open_source, plain_name
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.places import Place, is_url
from litemrc.traces.trace import PAGE_BYTES, Trace, TraceWriter, WriteOptions

__all__ = ["FORMATS", "Format", "Trace", "WriteOptions", "create_trace", "format_of", "open_trace"]


@dataclass(frozen=True)
class Format:
    """A format of trace files.

    Attributes:
        suffixes: file suffixes in lower case, without compression; the first is the usual one.
        columns: columns of a chunk that it keeps, besides pages.
        open: returns a reader for a path and the page size in bytes for addresses.
        create: returns a writer for an open file; None: the format is read only.
        compresses: the format has its own compression and takes no .gz, .zst or .xz.
        open_columns: returns a reader for a path and the columns as in `formats/column_names.py`; None: the
            format's columns are fixed.
    """

    suffixes: tuple[str, ...]
    columns: frozenset[str]
    open: Callable[[Place, int], Trace]
    create: Callable[[BinaryIO, WriteOptions], TraceWriter] | None
    compresses: bool = False
    open_columns: Callable[[Place, str], Trace] | None = None


def _of(module: str, name: str) -> Any:
    """Return a reader or writer of `litemrc.traces.formats`, imported now: most of them load pyarrow."""
    return getattr(import_module(f"litemrc.traces.formats.{module}"), name)


_ALL = frozenset({"times", "writes", "contexts"})


def _reader(module: str, name: str, path: Place, *options: Any, **more: Any) -> Trace:
    source = open_source(path)
    try:
        reader: Trace = _of(module, name)(source, *options, **more)
    except BaseException:
        source.close()
        raise
    return reader


def _delimited(path: Place, columns: str, *, is_csv: bool) -> Trace:
    parsed = _of("column_names", "parse_columns")(columns) if columns else {}
    return _reader("delimited", "DelimitedTrace", path, parsed, is_csv=is_csv)


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

    Raises:
        UserError: an unknown format or suffix.
    """
    if name is not None:
        if name not in FORMATS:
            raise UserError(f"unknown format {name!r}", remedy=f"choose {', '.join(FORMATS)}")
        return FORMATS[name]
    plain = plain_name(path).lower()
    for form in FORMATS.values():
        if plain.endswith(form.suffixes):
            return form
    endings = ", ".join(suffix for form in FORMATS.values() for suffix in form.suffixes)
    raise UserError(
        "the file's suffix belongs to no format",
        where=str(path),
        remedy=f"use --format, or one of {endings} (optionally with .gz, .zst or .xz)",
    )


def open_trace(
    path: str | Path, format: str | None = None, page_bytes: int | None = None, columns: str | None = None
) -> Trace:
    """Open a trace for reading: `with open_trace(path) as trace: for chunk in trace: ...`.

    Parameters:
        path: a file, compressed or not, at a path or a URL of fsspec (`s3://...`); `-` for stdin; or a URL
            `gen:...` (see `generators/urls.py`).
        format: name in `FORMATS`; None: by the file's suffix.
        page_bytes: page size, a power of two; None: that of the file, 4096 if it has none.
        columns: of text and CSV: which column holds what, such as "address" (addresses in place of pages) or
            "address=addr:hex,write=rw" (see `formats/column_names.py`); None: the usual columns.

    Raises:
        UserError: a missing file, an unknown format or column, or a page size other than that of the file.
    """
    if str(path).startswith(PREFIX):
        trace: Trace = GeneratedTrace(str(path))
    elif str(path) == STDIN and format is None:
        raise UserError("the format of stdin is unknown", where="-", remedy="name it with --format")
    else:
        if str(path) == STDIN and format_of(path, format).compresses:
            raise UserError(
                f"{format} needs a file: it is not read from its beginning to its end",
                where="stdin",
                remedy="name the file",
            )
        form = format_of(path, format)
        if columns is not None and form.open_columns is None:
            raise UserError(
                "columns can be named for text and CSV only",
                where=str(path),
                remedy="drop --column, or give --format text or csv",
            )
        place = path if is_url(path) else Path(path)
        if columns is not None and form.open_columns is not None:
            trace = form.open_columns(place, columns)
        else:
            trace = form.open(place, page_bytes or PAGE_BYTES)
    try:
        trace.settle_page_bytes(page_bytes)
    except UserError:
        trace.close()
        raise
    return trace


@contextmanager
def create_trace(
    path: str | Path, format: str | None = None, options: WriteOptions | None = None
) -> Iterator[TraceWriter]:
    """Yield a writer; the file appears only if the block ends without an exception.

    Raises:
        UserError: a read-only format, or a path that cannot be written.
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
