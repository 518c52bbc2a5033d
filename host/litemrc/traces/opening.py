"""Opens a trace of any format, and creates one: the format follows from the name, or is named."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path, replacing
from litemrc.traces.formats.columnar import ColumnarTrace, ParquetWriter
from litemrc.traces.formats.intervals import IntervalTrace, IntervalWriter
from litemrc.traces.formats.lackey import LackeyTrace
from litemrc.traces.formats.oracle_general import OracleGeneralTrace, OracleGeneralWriter
from litemrc.traces.formats.streams import SUFFIXES, open_sink, open_source, plain_name
from litemrc.traces.formats.text import TextTrace, TextWriter
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.trace import PAGE_BYTES, Trace, TraceWriter, WriteOptions

__all__ = ["FORMATS", "Format", "Trace", "WriteOptions", "create_trace", "format_of", "open_trace"]


@dataclass(frozen=True)
class Format:
    """One format of trace files.

    Attributes:
        suffixes: endings of file names, lower case, before that of a compression; the first is the usual one.
        columns: those of a chunk it keeps, beside the pages.
        open: makes a reader of a path and the bytes of a page.
        create: makes a writer of an open file; None: cannot be written.
        compresses: it does so by itself: no .gz, .zst or .xz behind its ending.
    """

    suffixes: tuple[str, ...]
    columns: frozenset[str]
    open: Callable[[Path, int], Trace]
    create: Callable[[BinaryIO, WriteOptions], TraceWriter] | None
    compresses: bool = False


_ALL = frozenset({"times", "writes", "contexts"})

FORMATS = {
    "text": Format(
        (".txt", ".trace"),
        _ALL,
        lambda path, _: TextTrace(open_source(path)),
        lambda sink, _: TextWriter(sink),
    ),
    "oracleGeneral": Format(
        (".oraclegeneral", ".oraclegeneral.bin"),
        frozenset({"times"}),
        lambda path, _: OracleGeneralTrace(open_source(path)),
        OracleGeneralWriter,
    ),
    "lackey": Format(
        (".lackey",),
        frozenset({"times", "writes"}),
        lambda path, page_bytes: LackeyTrace(open_source(path), page_bytes),
        None,
    ),
    "parquet": Format(
        (".parquet",), _ALL, lambda path, _: ColumnarTrace(path), ParquetWriter, compresses=True
    ),
    "arrow": Format((".arrow", ".feather"), _ALL, lambda path, _: ColumnarTrace(path), None, compresses=True),
    "intervals": Format(
        (".inout",),
        frozenset({"times"}),
        lambda path, _: IntervalTrace(open_source(path)),
        IntervalWriter,
    ),
}


def format_of(path: str | Path, name: str | None = None) -> Format:
    """The format called `name`, or else that of the file's ending.

    Raises:
        UserError: no such format, or an ending that belongs to none.
    """
    if name is not None:
        if name not in FORMATS:
            raise UserError(f"no format {name!r}", remedy=f"formats: {', '.join(FORMATS)}")
        return FORMATS[name]
    plain = plain_name(path).lower()
    for form in FORMATS.values():
        if plain.endswith(form.suffixes):
            return form
    endings = ", ".join(suffix for form in FORMATS.values() for suffix in form.suffixes)
    raise UserError(
        "the file's ending does not tell its format",
        where=str(path),
        remedy=f"use --format, or one of {endings} (and .gz, .zst or .xz behind it)",
    )


def open_trace(path: str | Path, format: str | None = None, page_bytes: int = PAGE_BYTES) -> Trace:
    """Open a trace for reading: `with open_trace(path) as trace: for chunk in trace: ...`.

    Parameters:
        path: a file, compressed or not, or a URL `gen:...` (see `generators/urls.py`).
        format: name in `FORMATS`; None: by the file's ending.
        page_bytes: size of a page, a power of two, for formats that hold addresses.

    Raises:
        UserError: no such file or format.
    """
    if str(path).startswith(PREFIX):
        return GeneratedTrace(str(path))
    return format_of(path, format).open(Path(path), page_bytes)


@contextmanager
def create_trace(
    path: str | Path, format: str | None = None, options: WriteOptions | None = None
) -> Iterator[TraceWriter]:
    """Yield a writer; the file appears under its name when the block ends well, and not at all if not.

    Raises:
        UserError: a format that cannot be written, or a path that cannot.
    """
    form = format_of(path, format)
    if form.create is None:
        raise UserError(
            "traces of this format are read only",
            where=str(path),
            remedy="write text, oracleGeneral or parquet",
        )
    path = check_output_path(path)
    if form.compresses and path.suffix.lower() in SUFFIXES:
        raise UserError(
            "this format compresses by itself",
            where=str(path),
            remedy=f"leave out {path.suffix} behind its name",
        )
    with (
        replacing(path) as partial,
        open_sink(partial, path) as sink,
        closing(form.create(sink, options or WriteOptions())) as writer,
    ):
        yield writer
        writer.finish()
