# SPDX-License-Identifier: BSD-2-Clause
"""What is done already: outcomes in a file beside the table, a line each, which a kill cannot undo."""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from litemrc.errors import OutputError, UserError

from litemrc_studies.sweeps.point import Outcome

_HEADER = b'{"litemrc sweep journal": 1}\n'
_SYNC_EVERY_S = 1.0


def journal_path(table: Path) -> Path:
    """Return the path of the journal of a table."""
    return table.with_name(f"{table.name}.journal")


class _Index:
    """Where the outcomes are in a file, and which failed."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self.failed: set[str] = set()
        self.damaged = self.end = 0

    def note(self, outcome: Outcome, offset: int) -> None:
        """Take an outcome into account, in place of an earlier one of its key."""
        self.offsets[outcome.key] = offset
        if outcome.error:
            self.failed.add(outcome.key)
        else:
            self.failed.discard(outcome.key)

    def finished(self, key: str) -> bool:
        """Return whether a point was done without an error."""
        return key in self.offsets and key not in self.failed

    def read(self, path: Path, file: BinaryIO) -> "_Index":
        """Read a file up to the end of its last whole line; a kill may have left a part of one."""
        header = file.readline()
        if _HEADER.startswith(header) and header != _HEADER:  # a new file, or a kill when it was new
            return self
        if header != _HEADER:
            raise UserError(
                "is not the journal of a sweep", where=str(path), remedy="choose another --out, or move it"
            )
        self.end = len(header)
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                self.note(Outcome.parse(line), self.end)
            except (ValueError, LookupError, TypeError):
                self.damaged += 1
            self.end += len(line)
        return self


def finished_keys(table: Path) -> set[str]:
    """Return the keys of the points of a table that are done; a sweep may be writing its journal.

    Raises
    ------
    UserError
        the file is something else.
    """
    path = journal_path(table)
    try:
        with open(path, "rb") as file:
            index = _Index().read(path, file)
    except FileNotFoundError:
        return set()
    return {key for key in index.offsets if index.finished(key)}


class Journal:
    """Outcomes by their keys; of several with one key the last.

    Attributes
    ----------
    path
        of the file.
    damaged
        lines that could not be read.
    """

    def __init__(self, path: Path, index: _Index, file: BinaryIO, appended: FileIO) -> None:
        """
        Parameters
        ----------
        file
            to read; it ends where `index` does.
        appended
            the same, locked and without a buffer: what it took survives a kill.
        """
        self.path, self._index, self._file, self._appended = path, index, file, appended
        self.damaged = index.damaged
        self._synced = time.monotonic()
        if not index.end:
            self._write(_HEADER)

    def __contains__(self, key: str) -> bool:
        return key in self._index.offsets

    def finished(self, key: str) -> bool:
        """Return whether a point was done without an error."""
        return self._index.finished(key)

    def outcome(self, key: str) -> Outcome:
        """Return the outcome of a key.

        Raises
        ------
        KeyError
            there is none.
        """
        self._file.seek(self._index.offsets[key])
        return Outcome.parse(self._file.readline())

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Append outcomes; they survive a kill of this process at once, and a power failure a second later.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        lines = [(outcome, outcome.line()) for outcome in outcomes]
        offset = self._index.end
        self._write(b"".join(line for _, line in lines))
        for outcome, line in lines:
            self._index.note(outcome, offset)
            offset += len(line)

    def _write(self, content: bytes) -> None:
        """Append all of the content, or none."""
        try:
            written = 0
            while written < len(content):
                written += self._appended.write(content[written:])
            if time.monotonic() > self._synced + _SYNC_EVERY_S:
                os.fsync(self._appended.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            with suppress(OSError):
                self._appended.truncate(self._index.end)
            raise OutputError(
                f"cannot write: {error.strerror or error}", where=str(self.path), remedy="make room there"
            ) from error
        self._index.end += len(content)


@contextmanager
def open_journal(table: Path, *, restart: bool = False) -> Iterator[Journal]:
    """Yield the journal of a table, which no other process can open meanwhile.

    Parameters
    ----------
    restart
        forget what is done.

    Raises
    ------
    UserError
        another sweep writes it, or it is something else.
    OutputError
        it cannot be written.
    """
    path = journal_path(table)
    with ExitStack() as files:
        try:
            appended = files.enter_context(FileIO(path, "a"))
            _lock(path, appended)
            if restart:
                appended.truncate(0)
            with open(path, "rb") as file:
                index = _Index().read(path, file)
            appended.truncate(index.end)
            # Opened now: a buffer must not hold what was cut off.
            file = files.enter_context(open(path, "rb"))
        except OSError as error:
            raise OutputError(
                f"cannot write: {error.strerror or error}",
                where=str(path),
                remedy="check that the folder exists and can be written",
            ) from error
        yield Journal(path, index, file, appended)
        with suppress(OSError):  # `append` has reported what could not be written
            os.fsync(appended.fileno())


def _lock(path: Path, file: FileIO) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(
            "another sweep is writing its results there",
            where=str(path),
            remedy="wait for it, or choose another --out",
        ) from None
