# SPDX-License-Identifier: BSD-2-Clause
"""Generated traces of shared memory under URLs such as `gen:speech?n=1000000&seed=1&processors=64`.

`n` is the number of references of all processors; the default is the paper's number. Processors alternate;
time is the number of the turn. The other parameters are those of the program in `generators/parallel.py`.
"""

import inspect
from collections.abc import Iterator
from textwrap import fill
from urllib.parse import parse_qsl

import numpy as np

from litemrc.errors import UserError, choose_from
from litemrc.traces.chunk import CHUNK_REFERENCES
from litemrc.traces.generators.parallel import PAPER_REFERENCES, PARALLEL_PROGRAMS, SPARSE
from litemrc.traces.generators.urls import PREFIX, value_of
from litemrc.traces.shared.chunk import SharedChunk, SharedTrace

_MOST_PROCESSORS = 4096
_MOST_WORDS = 1 << 24  # of one array; the resolution of draws.py
_MOST_SIDE = 2048


class SharedGeneratedTrace(SharedTrace):
    """A trace that is computed instead of stored.

    Raises
    ------
    UserError
        an unknown program or parameter, or a value out of range.
    """

    time_unit = "turns"

    def __init__(self, url: str) -> None:
        super().__init__(url)
        program, _, query = url.removeprefix(PREFIX).partition("?")
        if program not in PARALLEL_PROGRAMS:
            raise UserError(
                f"no parallel program {program!r}",
                where=url,
                remedy=choose_from(program, PARALLEL_PROGRAMS),
            )
        given = dict(parse_qsl(query, keep_blank_values=True))
        defaults = {"n": PAPER_REFERENCES[program], "seed": 1, **shared_parameters(program)}
        unknown = given.keys() - defaults.keys()
        if unknown:
            raise UserError(
                f"{program} has no parameter {', '.join(sorted(unknown))}",
                where=url,
                remedy=choose_from(min(unknown), defaults),
            )
        values = {name: value_of(url, name, given.get(name), value) for name, value in defaults.items()}
        self.references, self.processors = int(values.pop("n")), int(values["processors"])
        _check(url, program, values)
        self.origin = url
        self._refer = PARALLEL_PROGRAMS[program](**values)
        self._done = 0

    def __iter__(self) -> Iterator[SharedChunk]:
        for start in range(0, self.references, CHUNK_REFERENCES):
            numbers = np.arange(start, min(start + CHUNK_REFERENCES, self.references), dtype=np.uint64)
            turns, processors = np.divmod(numbers, np.uint64(self.processors))
            words, writes = self._refer(processors, turns)
            yield SharedChunk(words, processors.astype(np.uint16), writes, turns)
            self._done = start + numbers.size

    @property
    def fraction(self) -> float:
        return self._done / self.references


def shared_parameters(program: str) -> dict[str, int | float]:
    """Return the parameters of a program and their defaults, without the seed."""
    signature = inspect.signature(PARALLEL_PROGRAMS[program])
    return {name: p.default for name, p in signature.parameters.items() if name != "seed"}


def _check(url: str, program: str, values: dict[str, int | float]) -> None:
    processors = int(values["processors"])
    if processors & (processors - 1) or not 2 <= processors <= _MOST_PROCESSORS:
        raise UserError(
            f"processors={processors}", where=url, remedy=f"give a power of two from 2 to {_MOST_PROCESSORS}"
        )
    side = int(values.get("side", _MOST_SIDE))
    if side & (side - 1) or not 4 * processors <= side * side <= _MOST_SIDE**2:
        raise UserError(
            f"side={side}",
            where=url,
            remedy=f"give a power of two up to {_MOST_SIDE}, with a square of at least 4 per processor",
        )
    if "words" in values:
        words, focus = values["words"], values["focus"]
        if words % (SPARSE * processors) or words > _MOST_WORDS or focus > words or values["boards"] > words:
            raise UserError(
                f"words={words}",
                where=url,
                remedy=f"give a multiple of {SPARSE * processors} up to {_MOST_WORDS}, above focus, boards",
            )
        if values["share"] + values["own"] + values["consult"] > 1:
            raise UserError(
                "share, own and consult sum to more than 1", where=url, remedy="reduce one of them"
            )
    if not 10 <= values.get("variables", 10) <= 64:
        raise UserError(
            f"variables={values['variables']}", where=url, remedy="give 10 to 64; the sweeps use ten"
        )
    if values.get("table", 1) > _MOST_WORDS:
        raise UserError(f"table={values['table']}", where=url, remedy=f"give up to {_MOST_WORDS}")


def described(program: str) -> str:
    """Return the description of a program as indented lines."""
    text = " ".join((PARALLEL_PROGRAMS[program].__doc__ or "").split())
    return fill(text, 104, initial_indent=" " * 4, subsequent_indent=" " * 4)
