"""Notes and warnings on stderr; `--quiet` drops the notes and the progress, never a warning."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_QUIET = ContextVar("quiet", default=False)


@contextmanager
def silenced(quiet: bool) -> Iterator[None]:
    """Drop notes and progress in this block if `quiet`."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_quiet() -> bool:
    """Return whether notes and progress are dropped."""
    return _QUIET.get()


def note(text: str) -> None:
    """Print what a user may want to know."""
    if not is_quiet():
        print(f"litemrc: note: {text}", file=sys.stderr)


def warning(text: str) -> None:
    """Print what makes a result incomplete or approximate."""
    print(f"litemrc: warning: {text}", file=sys.stderr)
