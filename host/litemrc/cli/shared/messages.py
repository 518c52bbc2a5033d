"""Notes and warnings on stderr; `--quiet` drops the notes and the progress, never a warning."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
