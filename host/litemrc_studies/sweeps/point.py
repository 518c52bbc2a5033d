"""A point of a sweep, and what came of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from litemrc_studies.sweeps.inputs import Input
from litemrc_studies.sweeps.ranges import Value


@dataclass(frozen=True)
class Point:
    """One run of a command.

    Attributes:
        number: from 0, its place in the table of results.
        parameters: those of its grid.
        arguments: of the command, with fixed ones.
        inputs: the files that it reads.
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

    Attributes:
        key: of the point.
        rows: results, each with its columns; empty if the point failed.
        notes: what the command noted and warned about.
        seconds: it took.
        error: why it failed; empty: it did not.
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

        Raises:
            ValueError, LookupError, TypeError: it is no such line.
        """
        content = json.loads(line)
        outcome = cls(**content)
        if not isinstance(outcome.key, str) or not all(isinstance(row, dict) for row in outcome.rows):
            raise TypeError("not an outcome")
        return outcome


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item()
