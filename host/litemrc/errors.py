# SPDX-License-Identifier: BSD-2-Clause
"""The exception for everything that the user can correct: what is wrong, where, and what to do."""

from collections.abc import Iterable


def closest(given: object, known: Iterable[str]) -> str:
    """Return "did you mean NAME?" for the known name that is close to an unknown one; "" if none is."""
    from difflib import get_close_matches  # imported here: each command would pay for it at its start

    lower = {name.lower(): name for name in known}
    close = get_close_matches(str(given)[:100].lower(), lower, n=1)
    return f"did you mean {lower[close[0]]}?" if close else ""


def choose_from(given: object, known: Iterable[str]) -> str:
    """Return the remedy for an unknown name: the closest known one, if one is close, and all of them."""
    names = list(known)
    return f"{closest(given, names)} choose from {', '.join(names)}".lstrip()


class UserError(Exception):
    """Bad input or a broken environment; the CLI prints it without a traceback and exits with `exit_code`.

    Parameters
    ----------
    what
        what is wrong, one sentence without a full stop.
    where
        file and line, byte offset, port, frame number ...; empty if no place is known.
    remedy
        what the user can do; empty if nothing is known to help.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.remedy})" if self.remedy else text


class OutputError(UserError):
    """A result cannot be written: the disk is full, the reader has gone; the input may be good."""

    exit_code = 1
