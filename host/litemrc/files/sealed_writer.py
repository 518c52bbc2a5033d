# SPDX-License-Identifier: BSD-2-Clause
"""A sealed Parquet file whose rows are written as they come, for tables that memory would not hold."""

import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from litemrc.errors import OutputError
from litemrc.files.outputs import check_output_path, replacing
from litemrc.files.sealed_parquet import FileKind, sealed, sealed_metadata, sealed_schema


class SealedWriter:
    """Writes rows to a file without a name; `finish` seals them and gives them one.

    Nothing is left of a writer that is dropped, or of a process that is killed, before `finish`.

    Parameters
    ----------
    path
        where the file will be; `finish` may choose another one.
    types, units
        of the columns, by name.
    optional
        columns that may have empty fields.

    Raises
    ------
    UserError
        a file cannot be written there.
    """

    def __init__(
        self,
        path: str | Path,
        kind: FileKind,
        version: int,
        types: Mapping[str, pa.DataType],
        units: Mapping[str, str],
        optional: Collection[str] = (),
    ) -> None:
        self._path = check_output_path(path)
        self._kind, self._version, self._units = kind, version, units
        self._schema = sealed_schema(types, units, optional)
        folder = None if self._path.is_relative_to("/dev") else self._path.parent
        with self._refused():
            self._rows = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (`finish` and `discard` close it)
            self._parquet = pq.ParquetWriter(
                self._rows, self._schema, compression="zstd", write_page_checksum=True
            )

    def write(self, columns: Mapping[str, pa.Array]) -> None:
        """Append rows, as a row group of their own.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        with self._refused():
            self._parquet.write_table(pa.table(dict(columns), schema=self._schema))

    def finish(self, described: Mapping[str, Any], path: str | Path | None = None) -> None:
        """Write the description and the seal; the file replaces what was there.

        Parameters
        ----------
        described
            as in `write_sealed`.
        path
            None: that of the writer.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        with self._refused():
            self._parquet.add_key_value_metadata(
                sealed_metadata(self._kind, self._version, self._units, described)
            )
            self._parquet.close()
            self._rows.seek(0)
            content = sealed(self._rows.read())
        self._rows.close()
        with replacing(self._path if path is None else path) as partial:
            partial.write_bytes(content)

    def discard(self) -> None:
        """Forget the rows."""
        self._parquet.close()
        self._rows.close()

    @contextmanager
    def _refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"cannot write: {error.strerror or error}",
                where=str(self._path),
                remedy="check that the folder has room",
            ) from error
