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


def first_touches(p: int, parts: list[tuple[int, int]], shared: tuple[int, int] = (0, 0)) -> Program:
    """Its part of each array; then processor 0 the shared words, while the others write their last word."""
    word = 0
    for start, part in parts:
        for word in range(start + p * part, start + (p + 1) * part, SPARSE):
            yield word, True
    for common in range(shared[0], sum(shared), SPARSE):
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


def simple(p: int, processors: int, side: int, variables: int) -> Program:
    cells = side * side
    part, columns = cells // processors, max(side // processors, 1)
    yield from first_touches(
        p, [(variable * cells, part) for variable in range(variables)], (variables * cells, processors)
    )
    for sweep in count():
        for at in range(p * part, (p + 1) * part):
            for variable in range(5):
                yield variable * cells + at, False
            yield cells + (at - side) % cells, False
            yield cells + (at + side) % cells, False
            yield (1 + sweep % 4) * cells + at, True
        for column in range(p * columns, (p + 1) * columns):
            for row in range(side):
                at = row * side + column % side
                yield from ((7 * cells + at, False), (8 * cells + at, False), (8 * cells + at, True))
        for number in range(2 * processors):
            own = number % 16 == 0
            yield variables * cells + (p if own else number % processors), own


def weather(p: int, processors: int, side: int, levels: int, table: int, apart: int) -> Program:
    layer = side * side
    part, grid = layer // processors, layer * levels
    yield from first_touches(
        p, [(copy * grid + level * layer, part) for copy in (0, 1) for level in range(levels)],
        (2 * grid, table),
    )  # fmt: skip
    pick, number = zipf(table, 0.8), count()
    for step in count():
        old, new = (0, grid) if step % 2 == 0 else (grid, 0)
        for level in range(levels):
            for at in range(p * part, (p + 1) * part):
                for beside in (0, -side, side, -1, 1, 0, None, None, 0):
                    index = next(number) * processors + p
                    if beside is None:
                        yield 2 * grid + drawn(pick, SEED, index), False
                    else:
                        yield old + level * layer + (at + beside) % layer, False
                next(number)
                yield new + level * layer + at, True
        for at in range(0, grid // apart * apart, apart):
            next(number)
            yield new + at, False


def speech(
    p: int, processors: int, words: int, focus: int, phase: int, share: float, own: float, boards: int,
    writes: float,
) -> Program:  # fmt: skip
    part = words // processors
    yield from first_touches(p, [(0, part)])
    near, far = zipf(focus, 0.6), zipf(words // SPARSE, 0.7)
    for j in count():
        index = j * processors + p
        begin = focus * drawn(uniform(words // focus), SEED + 1, j // phase * processors + p)
        in_focus = begin + drawn(near, SEED + 2, index)
        on_board = drawn(uniform(boards), SEED + 2, index)
        popular = drawn(far, SEED + 2, index) * 0x9E3779B1 % (words // SPARSE) * SPARSE
        anywhere = popular + drawn(uniform(SPARSE), SEED + 3, index)
        at_home = p * part + drawn(uniform(part), SEED + 2, index)
        chance, write = (
            drawn(lambda word: word >> np.uint64(11), SEED + each, index) for each in (4, 5)
        )  # of 2^53
        even = chance % 2 == 0
        if write < round(writes * 2**53):
            yield (in_focus if even else on_board), True
        elif chance < round(share * 2**53):
            yield in_focus, False
        elif chance < round((share + own) * 2**53):
            yield at_home, False
        else:
            yield (anywhere if even else on_board), False


MODELS = {"fft": fft, "simple": simple, "weather": weather, "speech": speech}
SPEECH = {"words": 2048, "focus": 64, "phase": 100, "share": 0.5, "own": 0.2, "boards": 128, "writes": 0.2}


@pytest.mark.parametrize(
    ("program", "parameters", "references"),
    [
        ("fft", {"processors": 4, "side": 16}, 1700),
        ("fft", {"processors": 64, "side": 16}, 250),
        ("simple", {"processors": 4, "side": 16, "variables": 10}, 4500),
        ("simple", {"processors": 64, "side": 16, "variables": 9}, 1100),
        ("weather", {"processors": 4, "side": 16, "levels": 3, "table": 200, "apart": 48}, 4200),
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
        "simple": {"processors": 64, "side": 256, "variables": 10},
        "weather": {"processors": 64, "side": 256, "levels": 8, "table": 4096, "apart": 64},
        "speech": {
            "processors": 64, "words": 524_288, "focus": 1024, "phase": 23_000, "share": 0.7, "own": 0.15,
            "boards": 12_800, "writes": 0.14,
        },
    }  # fmt: skip
