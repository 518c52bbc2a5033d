# SPDX-License-Identifier: BSD-2-Clause
"""What the writers of files with a row per epoch share."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from litemrc.errors import OutputError
from litemrc.files.sealed_parquet import FileKind
from litemrc.files.sealed_writer import SealedWriter


class EpochWriter:
    """Writes a sealed file, a row per epoch, some rows at a time.

    In a `with` block the file appears at the block's end, also at that of an exception: then marked as
    interrupted, with the epochs so far. Without an epoch none appears. Otherwise call `close` or `discard`.
    Until then nothing is at the path, and what was there stays.

    Parameters
    ----------
    path, kind, version, types, units
        as in `SealedWriter`; the first column is the epoch's number.
    described
        of the file's description, all but `interrupted`.
    group_rows
        rows that are kept in memory.

    Attributes
    ----------
    path
        where the file will be.
    epochs
        appended so far.

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
        described: Mapping[str, Any],
        group_rows: int,
    ) -> None:
        self.path = Path(path)
        self._types, self._described, self._group_rows = types, dict(described), group_rows
        self._writer = SealedWriter(path, kind, version, types, units)
        self._rows: list[tuple[Any, ...]] = []
        self._last = -1
        self.epochs = 0

    def close(self, *, interrupted: bool = False, path: str | Path | None = None) -> None:
        """Complete the file.

        Parameters
        ----------
        interrupted
            mark it as such.
        path
            write it there, in place of the writer's path.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        if self._rows:
            self._flush()
        self._writer.finish(self._described | {"interrupted": interrupted}, path)

    def discard(self) -> None:
        """Write no file."""
        self._writer.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.epochs and not isinstance(error, OutputError):
            self.close(interrupted=error is not None)
        else:
            self.discard()

    def _add(self, row: tuple[Any, ...]) -> None:
        """Append a row; ValueError if its epoch does not follow."""
        epoch = row[0]
        if not self._last < epoch < 1 << 32:
            raise ValueError(f"epoch {epoch} after {self._last}")
        self._rows.append(row)
        self._last = epoch
        self.epochs += 1
        if len(self._rows) == self._group_rows:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True)
        arrays = (pa.array(column, kind) for column, kind in zip(columns, self._types.values(), strict=True))
        self._writer.write(dict(zip(self._types, arrays, strict=True)))
        self._rows = []
