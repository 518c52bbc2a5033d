# SPDX-License-Identifier: BSD-2-Clause
"""Notes and warnings on stderr, and standard streams that are closed, full or no longer read.

`--quiet` drops the notes and the progress, never a warning. A stream that fails shows no traceback, and no
result is lost in silence.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO

from litemrc.errors import OutputError, UserError
from litemrc.texts import printable_lines

_QUIET = ContextVar("quiet", default=False)
_COLLECTED: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def silenced(quiet: bool) -> Iterator[None]:
    """Drop notes and progress in this block if `quiet`."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Yield a list that receives the notes and warnings of this block; nothing is printed, nor progress."""
    texts: list[str] = []
    token = _COLLECTED.set(texts)
    try:
        with silenced(True):
            yield texts
    finally:
        _COLLECTED.reset(token)


def explained(error: UserError) -> str:
    """Return an error as users see it: what is wrong, where, and what to do."""
    if isinstance(error, OutputError):
        return str(error)  # one line
    lines = [error.what]
    if error.where:
        lines.append(f"  where:  {error.where}")
    if error.remedy:
        lines.append(f"  remedy: {error.remedy}")
    return "\n".join(lines)


def is_quiet() -> bool:
    """Return whether notes and progress are dropped."""
    return _QUIET.get()


def note(text: str) -> None:
    """Print what a user may want to know."""
    if (texts := _COLLECTED.get()) is not None:
        texts.append(f"note: {text}")
    elif not is_quiet():
        print(f"litemrc: note: {printable_lines(text)}", file=sys.stderr)


def warning(text: str) -> None:
    """Print what makes a result incomplete or approximate."""
    if (texts := _COLLECTED.get()) is not None:
        texts.append(f"warning: {text}")
    else:
        print(f"litemrc: warning: {printable_lines(text)}", file=sys.stderr)


class _Watched(io.FileIO):
    """A stream that keeps the error of a failed write: a library may drop it, as argparse does."""

    error: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.error = error
            raise


class _Dropping(io.FileIO):
    """A stream that drops what cannot be written: a note that fails must not end the work."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_standard_streams() -> None:
    """Open stdin, stdout and stderr if the caller closed them; let stderr drop what cannot be written.

    Otherwise the next file that is opened would take the number of a closed stream, and notes for a closed
    stderr would go to stdout. Reading a closed stdin and writing to a closed stdout fail (EBADF).
    Streams that were replaced, as tests do, are left alone.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Watched(1, "w", closefd=False), sys.stdout, errors="replace")
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Dropping(2, "w", closefd=False), sys.stderr, errors="backslashreplace")


def _text(file: io.FileIO, former: TextIO | None, errors: str) -> io.TextIOWrapper:
    """Return a text stream on a file; `errors` is used where the terminal lacks a character."""
    encoding = former.encoding if former else None
    lines = file.isatty() or getattr(former, "write_through", False) or file.fileno() == 2
    return io.TextIOWrapper(io.BufferedWriter(file), encoding, errors, line_buffering=lines)


def stdout_failure() -> str:
    """Flush stdout; return why a write to it failed, empty if none did. After a failure it drops all."""
    error: OSError | None = None
    try:
        sys.stdout.flush()
    except OSError as failed:
        error = failed
    file = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    error = getattr(file, "error", None) or error
    if error is None:
        return ""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at interpreter exit
    return f"cannot write to standard output: {error.strerror or error}"
