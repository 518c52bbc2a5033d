# SPDX-License-Identifier: BSD-2-Clause
"""Generated traces under URLs such as `gen:zipf?alpha=1.0&pages=65536&n=1000000&seed=1`.

`n` is the number of references, `seed` any whole number, `writes` the share of writes (without it the trace
has no directions). The other parameters are those of the program in `programs.py`.
"""

import inspect
from collections.abc import Iterator
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError, choose_from
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.generators.draws import MOST_PAGES, U64, Indices, random_words
from litemrc.traces.generators.programs import PROGRAMS
from litemrc.traces.trace import Trace

PREFIX = "gen:"
COMMON = {"n": 1_000_000, "seed": 1, "writes": -1.0}

_PARTS = {"phases": "phases", "lists": "length", "sweeps": "regions"}  # at most the number of pages
_SHARES = ("share", "writes", "turn", "own", "consult")
_ZERO_ALLOWED = ("seed", "sleep", "alpha", *_SHARES)


class GeneratedTrace(Trace):
    """A trace that is computed instead of stored."""

    format = "generated"

    def __init__(self, url: str, section: range | None = None) -> None:
        """
        Parameters
        ----------
        section
            the numbers of the references that are wanted; None: all.

        Raises
        ------
        UserError
            an unknown program or parameter, or a value out of range.
        """
        super().__init__(url)
        program, _, query = url.removeprefix(PREFIX).partition("?")
        if program not in PROGRAMS:
            raise UserError(f"no program {program!r}", where=url, remedy=choose_from(program, PROGRAMS))
        # parse_qsl converts + to a blank, which no value contains.
        given = dict(parse_qsl(query, keep_blank_values=True))
        own = parameters(program)
        common = {name: value_of(url, name, given.pop(name, None), value) for name, value in COMMON.items()}
        unknown = given.keys() - own.keys()
        if unknown:
            raise UserError(
                f"{program} has no parameter {', '.join(sorted(unknown))}",
                where=url,
                remedy=choose_from(min(unknown), [*own, *COMMON]),
            )
        own = {name: value_of(url, name, given.get(name), value) for name, value in own.items()}
        _check(url, program, own)
        self.references, self._seed, self._writes = int(common["n"]), int(common["seed"]), common["writes"]
        self._pages = PROGRAMS[program](self._seed, **own)
        self._section = range(self.references) if section is None else section
        self._done = 0
        self._touches, self._sleep = 1, 0
        self._timed = program in ("intr", "linear")
        if self._timed:
            self.time_unit = "touches"
            self._touches, self._sleep = int(own.get("touches", 1)), int(own.get("sleep", 0))

    def __iter__(self) -> Iterator[Chunk]:
        begin, end = self._section.start, self._section.stop
        for start in range(begin, end, CHUNK_REFERENCES):
            numbers = np.arange(start, min(start + CHUNK_REFERENCES, end), dtype=np.uint64)
            yield Chunk(self._pages(numbers), self._directions(numbers), self._times(numbers))
            self._done += numbers.size

    @property
    def fraction(self) -> float:
        return self._done / len(self._section)

    def _directions(self, numbers: Indices) -> NDArray[np.bool_] | None:
        if self._writes < 0:
            return None
        return random_words(self._seed + 2, numbers) >> U64(11) < U64(round(self._writes * (1 << 53)))

    def _times(self, numbers: Indices) -> NDArray[np.uint64] | None:
        if not self._timed:
            return None
        return numbers + numbers // U64(self._touches) * U64(self._sleep)


def parameters(program: str) -> dict[str, int | float]:
    """Return the parameters of a program and their defaults, without the common ones."""
    signature = inspect.signature(PROGRAMS[program])
    return {name: p.default for name, p in signature.parameters.items() if name != "seed"}


def value_of(url: str, name: str, text: str | None, default: int | float) -> int | float:
    """Return the value of a parameter in a URL, with the type of its default.

    Raises
    ------
    UserError
        not a number, or out of range.
    """
    if text is None:
        return default
    whole = not isinstance(default, float)
    try:
        value = float(text)
        if whole:
            value = int(text) if text.isdigit() else int(value) if value.is_integer() else int(text)
    except (ValueError, OverflowError):
        kind = "whole number" if whole else "number"
        raise UserError(
            f"{name}={text} is not a {kind}", where=url, remedy=f"give a {kind}, such as {default}"
        ) from None
    lowest = 0 if name in _ZERO_ALLOWED else 1
    highest = 1 if name in _SHARES else 1 << 53
    if not lowest <= value <= highest:
        raise UserError(f"{name}={text} is out of range", where=url, remedy=f"give {lowest} to {highest}")
    return type(default)(value)


def _check(url: str, program: str, own: dict[str, int | float]) -> None:
    for name in ("pages", "loop_pages"):
        if own.get(name, 1) > MOST_PAGES:
            raise UserError(
                f"{name}={own[name]} is too large", where=url, remedy=f"give at most {MOST_PAGES} pages"
            )
    part = _PARTS.get(program)
    if part and own[part] > own["pages"]:
        raise UserError(
            f"{part}={own[part]} does not fit into pages={own['pages']}", where=url, remedy="give more pages"
        )
    if own.get("fanout", 2) < 2:
        raise UserError("fanout=1 makes no tree", where=url, remedy="give at least 2")
