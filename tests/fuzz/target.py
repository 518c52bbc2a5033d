# SPDX-License-Identifier: BSD-2-Clause
"""A fuzz target: a decoder of bytes that this project does not trust."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "targets").glob("*.py"))


@dataclass(frozen=True)
class Target:
    """What is fuzzed, and what it may do.

    Attributes
    ----------
    consume
        reads one input; whatever it returns is ignored.
    refusals
        exceptions by which it refuses an input, such as `UserError`. Any other is a finding.
    seeds
        well-formed inputs to begin with, beside those of `corpus/NAME`.
    longest
        bytes of the longest input tried.
    seconds
        that one input may take.
    megabytes
        that the process may use.
    """

    consume: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...]
    seeds: Callable[[], Iterable[bytes]] = tuple
    longest: int = 4096
    seconds: int = 5
    megabytes: int = 1024

    def try_one(self, content: bytes) -> None:
        """Read one input.

        Raises
        ------
        Exception
            one that is not among `refusals`: a finding.
        """
        with suppress(*self.refusals):
            self.consume(content)


def target(name: str) -> Target:
    """Return the target that `targets/NAME.py` calls TARGET."""
    return import_module(f"tests.fuzz.targets.{name}").TARGET


def kept_inputs(name: str) -> list[bytes]:
    """Return the inputs of `corpus/NAME`, a file of hexadecimal digits each."""
    return [bytes.fromhex(path.read_text()) for path in sorted((HERE / "corpus" / name).glob("*.hex"))]
