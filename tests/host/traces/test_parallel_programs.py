# SPDX-License-Identifier: BSD-2-Clause
"""The stand-ins for parallel programs, against loops that do in order what their docstrings say."""

from collections.abc import Callable, Iterator
from itertools import count, islice

import numpy as np
import pytest
from litemrc.traces.generators.draws import random_words, uniform, zipf
from litemrc.traces.generators.parallel import PAPER_REFERENCES, PARALLEL_PROGRAMS
from litemrc.traces.shared.generated import shared_parameters

Program = Iterator[tuple[int, bool]]  # (word, write)
SEED = 5
SPARSE = 64


def drawn(draw: Callable, seed: int, index: int) -> int:
    return int(draw(random_words(seed, np.array([index], np.uint64)))[0])


def first_touches(p: int, parts: list[tuple[int, int]], *shared: tuple[int, int]) -> Program:
    """Its part of each array; then processor 0 the shared words, while the others write their last word."""
    word = 0
    for start, part in parts:
        for word in range(start + p * part, start + (p + 1) * part, SPARSE):
            yield word, True
    for start, words in shared:
        for common in range(start, start + words, SPARSE):
            yield (common if p == 0 else word), True


def fft(p: int, processors: int, side: int) -> Program:
    words = 2 * side * side
    part, points = words // processors, words // processors // 2
    yield from first_touches(p, [(0, part), (words, part)], (2 * words, 2 * side))
    for turn in count():
        source, target = (0, words) if turn % 2 == 0 else (words, 0)
        mine = source + p * part
        for stage in range(side.bit_length() - 1):
            for point in range(points):
                wing = point ^ 1 << stage % (points.bit_length() - 1)
                root = 2 * words + 2 * (point % 2 ** (stage + 1)) % (2 * side)
                yield from ((mine + 2 * point, False), (mine + 2 * wing, False), (root, False))
                yield from ((mine + 2 * point, True), (mine + 2 * wing, True))
        for word in range(p * part, (p + 1) * part):
            row, column, half = word // 2 // side, word // 2 % side, word % 2
            yield source + 2 * (column * side + row) + half, False
            yield target + word, True


def simple(p: int, processors: int, side: int, variables: int, table: int) -> Program:
    cells = side * side
    part, columns = cells // processors, max(side // processors, 1)
    sums, tables = variables * cells, variables * cells + processors
    yield from first_touches(
        p, [(variable * cells, part) for variable in range(variables)], (sums, processors), (tables, table)
    )
    pick, number = zipf(table, 0.8), count()
    for sweep in count():
        for at in range(p * part, (p + 1) * part):
            for kind in range(5):
                next(number)
                yield (kind + sweep) % 7 * cells + at, False
            for beside in (-side, side):
                next(number)
                yield cells + (at + beside) % cells, False
            yield tables + drawn(pick, SEED, next(number) * processors + p), False
            next(number)
            yield (1 + sweep % 4) * cells + at, True
        for column in range(p * columns, (p + 1) * columns):
            for row in range(side):
                at = row * side + column % side
                for variable, write in ((7 if sweep % 2 == 0 else 9, False), (8, False), (8, True)):
                    next(number)
                    yield variable * cells + at, write
        for each in range(2 * processors):
            next(number)
            own = each % 16 == 0
            yield sums + (p if own else each % processors), own


def weather(p: int, processors: int, side: int, layers: int, table: int, apart: int) -> Program:
    words, row = side * side * layers, side * layers
    part = words // processors
    yield from first_touches(p, [(0, part)], (words, table))
    pick, number = zipf(table, 0.8), count()
    for _ in count():
        for sample in range(words // apart):
            next(number)
            yield sample * apart, False
        for at in range(p * part, (p + 1) * part):
            reach = row if at // side % layers < 2 else 1
            for beside in (0, -reach, reach, 0, None, None, 0):
                index = next(number) * processors + p
                if beside is None:
                    yield words + drawn(pick, SEED, index), False
                else:
                    yield (at + beside) % words, False
            next(number)
            yield at, True


def speech(
    p: int, processors: int, words: int, focus: int, phase: int, share: float, own: float, consult: float,
    boards: int, writes: float,
) -> Program:  # fmt: skip
    part = words // processors
    yield from first_touches(p, [(0, part)])
    near, far = zipf(focus, 0.6), zipf(words // SPARSE, 0.5)
    for j in count():
        index = j * processors + p
        begin = drawn(uniform(words - focus + 1), SEED + 1, j // phase * processors + p)
        in_focus = begin + drawn(near, SEED + 2, index)
        on_board = drawn(uniform(boards), SEED + 2, index)
        popular = drawn(far, SEED + 2, index) * 0x9E3779B1 % (words // SPARSE) * SPARSE
        anywhere = popular + drawn(uniform(SPARSE), SEED + 3, index)
        at_home = p * part + drawn(uniform(part), SEED + 2, index)
        chance, write = (
            drawn(lambda word: word >> np.uint64(11), SEED + each, index) for each in (4, 5)
        )  # of 2^53
        if write < round(writes * 2**53):
            yield (in_focus if chance % 2 == 0 else on_board), True
        elif chance < round(share * 2**53):
            yield in_focus, False
        elif chance < round((share + own) * 2**53):
            yield at_home, False
        elif chance < round((share + own + consult) * 2**53):
            yield on_board, False
        else:
            yield anywhere, False


MODELS = {"fft": fft, "simple": simple, "weather": weather, "speech": speech}
SPEECH = {
    "words": 2048, "focus": 64, "phase": 100, "share": 0.5, "own": 0.2, "consult": 0.1, "boards": 128,
    "writes": 0.2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "parameters", "references"),
    [
        ("fft", {"processors": 4, "side": 16}, 1700),
        ("fft", {"processors": 64, "side": 16}, 250),
        ("simple", {"processors": 4, "side": 16, "variables": 10, "table": 100}, 4500),
        ("simple", {"processors": 64, "side": 16, "variables": 11, "table": 64}, 1100),
        ("weather", {"processors": 4, "side": 16, "layers": 3, "table": 200, "apart": 48}, 4200),
        ("speech", {"processors": 4, **SPEECH}, 500),
    ],
)
def test_a_program_is_the_loops_of_its_description(program, parameters, references):
    refer = PARALLEL_PROGRAMS[program](SEED, **parameters)
    numbers = np.arange(references, dtype=np.uint64)
    for p in {0, 1, parameters["processors"] - 1}:
        words, writes = refer(np.full(references, p, np.uint64), numbers)
        expected = list(islice(MODELS[program](p, **parameters), references))
        assert list(zip(words.tolist(), writes.tolist(), strict=True)) == expected


def test_programs_without_parameters_are_those_of_the_published_results():
    assert PAPER_REFERENCES == {  # table 1(a), in millions: 7.44, 27.03, 31.76, 11.77
        "fft": 7_440_000, "simple": 27_030_000, "weather": 31_760_000, "speech": 11_770_000,
    }  # fmt: skip
    assert {program: shared_parameters(program) for program in PARALLEL_PROGRAMS} == {
        "fft": {"processors": 64, "side": 128},
        "simple": {"processors": 64, "side": 256, "variables": 10, "table": 512},
        "weather": {"processors": 64, "side": 256, "layers": 21, "table": 512, "apart": 64},
        "speech": {
            "processors": 64, "words": 524_288, "focus": 512, "phase": 32_000, "share": 0.6, "own": 0.15,
            "consult": 0.03, "boards": 3072, "writes": 0.16,
        },
    }  # fmt: skip
