# SPDX-License-Identifier: BSD-2-Clause
"""Opens and creates traces of shared memory; the format follows from the name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path, replacing
from litemrc.traces.formats.streams import open_sink, open_source, plain_name
from litemrc.traces.generators.urls import PREFIX
from litemrc.traces.shared.chunk import PAGE_BYTES, SharedTrace
from litemrc.traces.shared.generated import SharedGeneratedTrace

if TYPE_CHECKING:
    from litemrc.traces.shared.columnar import SharedParquetWriter
    from litemrc.traces.shared.text import SharedTextWriter

_PARQUET, _TEXT = (".parquet",), (".txt", ".trace")


def open_shared_trace(path: str | Path) -> SharedTrace:
    """Open a file, text (compressed or not) or Parquet, or a URL `gen:PROGRAM?...`.

    Raises
    ------
    UserError
        a missing file or unknown format.
    """
    if str(path).startswith(PREFIX):
        return SharedGeneratedTrace(str(path))
    # Imported here and below: pyarrow takes long to load.
    if _format(path) is _PARQUET:
        from litemrc.traces.shared.columnar import SharedParquetTrace

        return SharedParquetTrace(Path(path))
    from litemrc.traces.shared.text import SharedTextTrace

    return SharedTextTrace(open_source(path))


@contextmanager
def create_shared_trace(
    path: str | Path, page_bytes: int = PAGE_BYTES, origin: str = "", time_unit: str = ""
) -> "Iterator[SharedTextWriter | SharedParquetWriter]":
    """Yield a writer; the file appears only if the block ends without an exception.

    Raises
    ------
    UserError
        a name without a known suffix, or a path that cannot be written.
    """
    from litemrc.traces.shared.columnar import SharedParquetWriter
    from litemrc.traces.shared.text import SharedTextWriter

    form = _format(path)
    path = check_output_path(path)
    with replacing(path) as partial, open_sink(partial, path) as sink:
        writer: SharedTextWriter | SharedParquetWriter
        if form is _PARQUET:
            writer = SharedParquetWriter(sink, page_bytes, origin, time_unit)
        else:
            writer = SharedTextWriter(sink, page_bytes, origin)
        with closing(writer):
            yield writer
            writer.finish()


def _format(path: str | Path) -> tuple[str, ...]:
    name = plain_name(path).lower()
    for form in (_PARQUET, _TEXT):
        if name.endswith(form):
            return form
    raise UserError(
        "the file's suffix belongs to no format",
        where=str(path),
        remedy="name it FILE.parquet, or FILE.txt (optionally with .gz, .zst or .xz)",
    )
