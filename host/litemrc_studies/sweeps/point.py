# SPDX-License-Identifier: BSD-2-Clause
"""A point of a sweep, the contents of the files that it reads, and its outcome."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from litemrc_studies.sweeps.ranges import Value

_PART_BYTES = 1 << 20


@dataclass(frozen=True)
class Input:
    """A file that a point reads.

    Attributes
    ----------
    path
        absolute.
    size
        bytes.
    digest
        of the whole file up to 2 MiB, otherwise of its first and last MiB.
    mtime_ns
        time of the last change of a larger file, else 0.
    """

    path: str
    size: int
    digest: str
    mtime_ns: int = 0


def input_of(path: str) -> Input | None:
    """Return what a file is now; None: there is no regular file that can be read."""
    try:
        if not os.path.isfile(path):
            return None
        found = os.stat(path)
        digest = _digest(path, found.st_size, found.st_mtime_ns)
    except (OSError, ValueError):
        return None
    large = found.st_size > 2 * _PART_BYTES
    return Input(path, found.st_size, digest, found.st_mtime_ns if large else 0)


def first_difference(inputs: Iterable[Input]) -> str | None:
    """Return why a file of this machine is not the one of the sweep; None: all are, or are not there.

    The time is not compared: copies on other machines may have another. A missing file is the command's
    to report.
    """
    for given in inputs:
        here = input_of(given.path)
        if here and (here.size, here.digest) != (given.size, given.digest):
            return f"{given.path} differs from the file that the sweep was started with"
    return None


@lru_cache(maxsize=4096)
def _digest(path: str, size: int, mtime_ns: int) -> str:
    found = blake2b(digest_size=8)
    with open(path, "rb") as file:
        if size <= 2 * _PART_BYTES:
            found.update(file.read())
        else:
            found.update(file.read(_PART_BYTES))
            file.seek(-_PART_BYTES, os.SEEK_END)
            found.update(file.read())
    return found.hexdigest()


@dataclass(frozen=True)
class Point:
    """One run of a command.

    Attributes
    ----------
    number
        from 0, its place in the table of results.
    parameters
        those of its grid.
    arguments
        of the command, with fixed ones.
    inputs
        the files that it reads.
    """

    number: int
    parameters: Mapping[str, Value]
    arguments: tuple[str, ...]
    inputs: tuple[Input, ...] = ()

    def key(self, build: str) -> str:
        """Return a digest of all that its result depends on: code, arguments, files."""
        content = [build, self.arguments, [asdict(each) for each in self.inputs]]
        return blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """What came of a point.

    Attributes
    ----------
    key
        of the point.
    rows
        results, each with its columns; empty if the point failed.
    notes
        what the command noted and warned about.
    seconds
        it took.
    error
        why it failed; empty: it did not.
    """

    key: str
    rows: list[dict[str, Any]]
    notes: list[str]
    seconds: float
    error: str = ""

    def line(self) -> bytes:
        """Return the outcome as a line of a journal."""
        return json.dumps(asdict(self), default=_plain, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "Outcome":
        """Return the outcome of a line.

        Raises
        ------
        ValueError, LookupError, TypeError
            it is no such line.
        """
        content = json.loads(line)
        outcome = cls(**content)
        if not isinstance(outcome.key, str) or not all(isinstance(row, dict) for row in outcome.rows):
            raise TypeError("not an outcome")
        return outcome


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item()
