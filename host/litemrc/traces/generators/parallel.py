# SPDX-License-Identifier: BSD-2-Clause
"""Synthetic stand-ins for the parallel programs of "Reference counters", table 1(a).

The paper's traces are not public. The stand-ins have its numbers of processors, references and bytes, and the
typical sharing patterns of such programs, which the docstrings describe. Each program returns, for its
parameters, a function from (processor, reference number) to (word, write). Processors alternate by single
references. The first references of a processor write its own part of the data, one word in `SPARSE`, so that
pages are placed by first touch. Every phase is computed for all references, and then selected: before a phase
begins, its unsigned differences wrap around and are not selected.

Defaults that the paper's text decides; reference_counters/page.md varies those of the last two:

- simple, `variables`: ten arrays of 256 x 256 words are the working set. A processor reads a page of 1 KiB
  of the columns' variables up to 136 times in a run, so the best DELAY is 256.
- weather, `layers`: the working set. `apart`: in a run, means read 12 words of each KiB, 192 words of a page
  of 16 KiB. Their copies cost more than they save, so for all page sizes DELAY must exceed 192. `table`:
  2 KiB of constants; with few pages worth a copy, waiting for DELAY reads costs little, up to 2,048.
- speech, `boards`: 12 KiB that all write. A processor reads each KiB 410 times in a run, so the best DELAY
  is 512. `focus`: a task's structures, 2 KiB that begin anywhere; the larger the page, the more of it belongs
  to others. `phase`: a processor has six tasks in a run; the more, the costlier a long DELAY. `writes`: with
  copies of all pages, each write sends 63 updates; 16 % of writes make a NAMC of 23.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.generators.draws import U64, Indices, random_words, uniform, zipf

References = Callable[[Indices, Indices], tuple[NDArray[np.uint64], NDArray[np.bool_]]]

SPARSE = 64  # distance in words between the first writes


def fft(seed: int, processors: int = 64, side: int = 128) -> References:
    """a side x side matrix of complex points by rows, transformed in six steps: stages over the processor's
    own rows, with roots of unity that processor 0 wrote and all read, and transpositions, in which each
    processor reads a few words of all other rows"""
    matrix = 2 * side * side  # words; source and target alternate between two
    part = matrix // processors
    stages = side.bit_length() - 1
    roots = 2 * matrix
    row_steps, transposing = 5 * (part // 2) * stages, 2 * part

    def refer(p: Indices, j: Indices) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        period = row_steps + transposing
        t, turn = j % U64(period), j // U64(period) % U64(2)
        source, target = turn * U64(matrix), (U64(1) - turn) * U64(matrix)
        # Butterfly: reads two words and a root, writes two words.
        kind, point = t % U64(5), t // U64(5) % U64(part // 2)
        stage = t // U64(5 * (part // 2)) % U64(stages)
        wing = point ^ (U64(1) << (stage % U64((part // 2).bit_length() - 1)))
        own = source + p * U64(part) + np.where((kind == 1) | (kind == 4), wing, point) * U64(2)
        root = U64(roots) + point % (U64(2) << stage) * U64(2) % U64(2 * side)
        # Transposition: word t of the own rows comes from a column, in the rows of all processors.
        t = t - U64(row_steps)
        index, half = t // U64(2), t % U64(2)
        row, column = (p * U64(part) + index) // U64(2 * side), (p * U64(part) + index) // U64(2) % U64(side)
        column_word = source + (column * U64(side) + row) * U64(2) + index % U64(2)
        moved = np.where(half == 0, column_word, target + p * U64(part) + index)
        in_rows = j % U64(period) < U64(row_steps)
        word = np.where(in_rows, np.where(kind == 2, root, own), moved)
        return word, np.where(in_rows, kind > 2, half == 1)

    return _after_first_touch(refer, processors, [(0, part), (matrix, part)], [(roots, 2 * side)])


def simple(
    seed: int, processors: int = 64, side: int = 256, variables: int = 10, table: int = 512
) -> References:
    """a side x side grid by rows: sweeps along the processor's own rows and the adjacent rows of its
    neighbours, with a read-only equation of state of `table` words; then sweeps along columns that read and
    write the rows of all processors; a few words that all write and read"""
    cells = side * side
    part = cells // processors  # cells per processor, for each variable
    columns = max(side // processors, 1)
    row_steps, column_steps = 9 * part, 3 * columns * side
    sums, tables = cells * variables, cells * variables + processors
    pick = zipf(table, 0.8)

    def refer(p: Indices, j: Indices) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        period = row_steps + column_steps + 2 * processors
        t, sweep = j % U64(period), j // U64(period)
        # Along rows: reads five of seven variables of a cell, the cells above and below, and the table, and
        # writes one.
        cell, kind = t // U64(9) % U64(part), t % U64(9)
        at = p * U64(part) + cell
        place = np.select(
            [kind == 5, kind == 6], [(at + U64(cells - side)) % U64(cells), (at + U64(side)) % U64(cells)], at
        )
        variable = np.select(
            [kind < 5, kind < 7], [(kind + sweep) % U64(7), U64(1) + kind * U64(0)], U64(1) + sweep % U64(4)
        )
        looked_up = U64(tables) + pick(random_words(seed, j * U64(processors) + p))
        row_word, row_write = np.where(kind == 7, looked_up, variable * U64(cells) + place), kind == 8
        # Along columns: reads two variables, one of them in every second sweep, and writes one.
        c = t - U64(row_steps)
        cell, kind = c // U64(3) % U64(columns * side), c % U64(3)
        place = cell % U64(side) * U64(side) + (p * U64(columns) + cell // U64(side)) % U64(side)
        variable = np.where(kind == 0, U64(7) + sweep % U64(2) * U64(2), U64(8))
        column_word, column_write = variable * U64(cells) + place, kind == 2
        # Sums: writes its own, reads those of all.
        s = t - U64(row_steps + column_steps)
        sum_write = s % U64(16) == 0
        sum_word = U64(sums) + np.where(sum_write, p, s % U64(processors))
        in_rows, in_columns = t < U64(row_steps), t < U64(row_steps + column_steps)
        word = np.where(in_rows, row_word, np.where(in_columns, column_word, sum_word))
        return word, np.where(in_rows, row_write, np.where(in_columns, column_write, sum_write))

    parts = [(variable * cells, part) for variable in range(variables)]
    return _after_first_touch(refer, processors, parts, [(sums, processors), (tables, table)])


def weather(
    seed: int, processors: int = 64, side: int = 256, layers: int = 21, table: int = 512, apart: int = 64
) -> References:
    """a side x side grid by bands of rows, with `layers` values (levels and fields) per cell, stored by rows:
    in each step all processors first read one word in `apart` of the whole grid, for means; then mostly own
    cells, the neighbours' adjacent rows in two of the layers, and read-only tables of `table` words"""
    words, row = side * side * layers, side * layers
    part = words // processors
    pick = zipf(table, 0.8)
    sampled, exchanged = words // apart, 2

    def refer(p: Indices, j: Indices) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        t = j % U64(sampled + 8 * part)
        in_step, cell = t >= U64(sampled), t - U64(sampled)
        kind, at = cell % U64(8), p * U64(part) + cell // U64(8) % U64(part)
        # Reads a cell, two beside it, it again, the tables twice, and it again; writes it.
        reach = np.where(at // U64(side) % U64(layers) < U64(exchanged), U64(row), U64(1))
        place = np.select([kind == 1, kind == 2], [at + U64(words) - reach, at + reach], at) % U64(words)
        looked_up = U64(words) + pick(random_words(seed, j * U64(processors) + p))
        word = np.where((kind == 4) | (kind == 5), looked_up, place)
        return np.where(in_step, word, t * U64(apart)), in_step & (kind == 7)

    return _after_first_touch(refer, processors, [(0, part)], [(words, table)])


def speech(
    seed: int,
    processors: int = 64,
    words: int = 524288,
    focus: int = 512,
    phase: int = 32000,
    share: float = 0.6,
    own: float = 0.15,
    consult: float = 0.03,
    boards: int = 3072,
    writes: float = 0.16,
) -> References:
    """a Lisp heap searched by tasks: share `share` of the reads goes to `focus` words that begin anywhere and
    change after `phase` references, share `own` to the processor's part, share `consult` to `boards` words
    that all write, and the rest anywhere; share `writes` of the references are writes, half to the focus and
    half to the boards"""
    part = words // processors
    near, far, spot = zipf(focus, 0.6), zipf(words // SPARSE, 0.5), uniform(SPARSE)
    place, on_boards, at_home = uniform(words - focus + 1), uniform(boards), uniform(part)
    near_limit, own_limit, board_limit, write_limit = (
        U64(round(x * (1 << 53))) for x in (share, share + own, share + own + consult, writes)
    )

    def refer(p: Indices, j: Indices) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        numbers = j * U64(processors) + p
        window = place(random_words(seed + 1, j // U64(phase) * U64(processors) + p))
        drawn = random_words(seed + 2, numbers)
        in_focus, on_board = window + near(drawn), on_boards(drawn)
        # Popular objects are spread over the heap: an odd factor permutes them.
        popular = far(drawn) * U64(0x9E3779B1) % U64(words // SPARSE) * U64(SPARSE)
        anywhere = popular + spot(random_words(seed + 3, numbers))
        choice = random_words(seed + 4, numbers) >> U64(11)
        read = np.where(choice < board_limit, on_board, anywhere)
        read = np.where(choice < own_limit, p * U64(part) + at_home(drawn), read)
        read = np.where(choice < near_limit, in_focus, read)
        write = random_words(seed + 5, numbers) >> U64(11) < write_limit
        return np.where(write, np.where(choice % U64(2) == 0, in_focus, on_board), read), write

    return _after_first_touch(refer, processors, [(0, part)], [])


def _after_first_touch(
    refer: References, processors: int, parts: list[tuple[int, int]], shared: list[tuple[int, int]]
) -> References:
    """Prepend first touches: each processor writes its part of each array, processor 0 the shared words.

    Parameters
    ----------
    parts
        (first word, words per processor) of each array.
    shared
        (first word, words).
    """
    each = [start + np.arange(0, part, SPARSE, dtype=np.uint64) for start, part in parts]
    own = np.concatenate(each)
    strides = np.repeat(np.array([part for _, part in parts], np.uint64), [words.size for words in each])
    common = np.concatenate(
        [
            np.empty(0, np.uint64),
            *(start + np.arange(0, count, SPARSE, dtype=np.uint64) for start, count in shared),
        ]
    )
    first = own.size + common.size

    def all_references(p: Indices, j: Indices) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        word, write = refer(p, j - U64(first))
        begins = np.flatnonzero(j < U64(first))
        if begins.size:
            at, who = j[begins].astype(int), p[begins]
            mine = np.minimum(at, own.size - 1)
            touched = own[mine] + who * strides[mine]
            if common.size:
                rest = np.maximum(at - own.size, 0)
                # The other processors meanwhile repeat writes to their own words.
                touched = np.where((at >= own.size) & (who == 0), common[rest], touched)
            word[begins], write[begins] = touched, True
        return word, write

    return all_references


PARALLEL_PROGRAMS: dict[str, Callable[..., References]] = {
    "fft": fft,
    "simple": simple,
    "weather": weather,
    "speech": speech,
}
PAPER_REFERENCES = {"fft": 7_440_000, "simple": 27_030_000, "weather": 31_760_000, "speech": 11_770_000}
