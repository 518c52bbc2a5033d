# SPDX-License-Identifier: BSD-2-Clause
"""Synthetic programs: each returns, for its parameters, a function from reference numbers to pages.

Every function takes the seed and its parameters; its docstring, which --help prints, describes the model.
`PROGRAMS` names them; parameters and defaults are those of the functions.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.generators.draws import U64, Indices, permutation, random_words
from litemrc.traces.generators.draws import uniform as draw_uniform
from litemrc.traces.generators.draws import zipf as draw_zipf

Pages = Callable[[Indices], NDArray[np.uint64]]


def zipf(seed: int, pages: int = 65536, alpha: float = 1.0) -> Pages:
    """independent references, page k with weight 1 / (k + 1) ** alpha"""
    draw = draw_zipf(pages, alpha)
    return lambda i: draw(random_words(seed, i))


def uniform(seed: int, pages: int = 65536) -> Pages:
    """independent references, all pages equally likely"""
    draw = draw_uniform(pages)
    return lambda i: draw(random_words(seed, i))


def loop(seed: int, pages: int = 65536, touches: int = 1) -> Pages:
    """all pages in order, each `touches` times, repeatedly"""
    return lambda i: i // U64(touches) % U64(pages)


def phases(seed: int, pages: int = 65536, phases: int = 4, length: int = 1_000_000) -> Pages:
    """uniform in one of `phases` equal parts of the pages; the next part after `length` references"""
    part = pages // phases
    draw = draw_uniform(part)
    return lambda i: draw(random_words(seed, i)) + i // U64(length) % U64(phases) * U64(part)


def zipf_loop(
    seed: int, pages: int = 65536, alpha: float = 1.0, loop_pages: int = 16384, share: float = 0.5
) -> Pages:
    """a loop over `loop_pages` extra pages; a share `share` of its references is replaced by zipf ones"""
    draw = draw_zipf(pages, alpha)
    limit = U64(round(share * (1 << 53)))

    def refer(i: Indices) -> NDArray[np.uint64]:
        hot = np.flatnonzero(random_words(seed + 1, i) >> U64(11) < limit)
        referred = i % U64(loop_pages) + U64(pages)
        referred[hot] = draw(random_words(seed, i[hot]))
        return referred

    return refer


def zipf_stream(
    seed: int, pages: int = 65536, alpha: float = 1.0, loop_pages: int = 16384, period: int = 10
) -> Pages:
    """zipf references; every `period`-th one advances a loop over `loop_pages` extra pages"""
    draw = draw_zipf(pages, alpha)

    def refer(i: Indices) -> NDArray[np.uint64]:
        referred = draw(random_words(seed, i))
        streaming = i % U64(period) == U64(period - 1)
        referred[streaming] = i[streaming] // U64(period) % U64(loop_pages) + U64(pages)
        return referred

    return refer


def chase(seed: int, pages: int = 65536) -> Pages:
    """pointers from page to page in one random cycle through all of them"""
    order = permutation(pages, seed)
    return lambda i: order[i % U64(pages)]


def intr(seed: int, pages: int = 65536, alpha: float = 1.0, touches: int = 1000, sleep: int = 9000) -> Pages:
    """INTR of Zhou 2004, 4.2.1: alternates `touches` zipf references and `sleep` units of sleep"""
    return zipf(seed, pages, alpha)


def linear(seed: int, pages: int = 65536) -> Pages:
    """LINEAR of Zhou 2004, 4.2.1: a loop over all pages, one per unit of time"""
    return loop(seed, pages)


def intensive(seed: int, pages: int = 65536, fanout: int = 16) -> Pages:
    """Glass 1997, 2.2, first category (databases, simulators): look-ups of random keys in a tree of pages"""
    widths = [1]
    while sum(widths) + widths[-1] * fanout <= pages:
        widths.append(widths[-1] * fanout)
    widths[-1] += pages - sum(widths)  # the lowest level gets the remaining pages
    bases = np.cumsum([0, *widths[:-1]]).astype(np.uint64)
    sizes = np.array(widths, dtype=np.uint64)

    def refer(i: Indices) -> NDArray[np.uint64]:
        level = i % U64(len(widths))
        key = random_words(seed, i // U64(len(widths))) >> U64(24)
        return bases[level] + (key * sizes[level] >> U64(40))

    return refer


def lists(seed: int, pages: int = 65536, length: int = 32, alpha: float = 0.6) -> Pages:
    """Glass 1997, 2.2, second category (compilers, interpreters): whole linked lists, chosen by zipf"""
    draw = draw_zipf(pages // length, alpha)
    order = permutation(pages, seed + 1)

    def refer(i: Indices) -> NDArray[np.uint64]:
        chosen = draw(random_words(seed, i // U64(length)))
        return order[chosen * U64(length) + i % U64(length)]

    return refer


def sweeps(seed: int, pages: int = 65536, regions: int = 16, turn: int = 0) -> Pages:
    """Glass 1997, 2.2, third category: `regions` arrays swept concurrently; turn=1: forth, then back"""
    size = pages // regions

    def refer(i: Indices) -> NDArray[np.uint64]:
        place = i // U64(regions) % U64(2 * size if turn else size)
        if turn:
            place = np.minimum(place, U64(2 * size - 1) - place)
        return i % U64(regions) * U64(size) + place

    return refer


PROGRAMS: dict[str, Callable[..., Pages]] = {
    "zipf": zipf,
    "uniform": uniform,
    "loop": loop,
    "phases": phases,
    "zipf+loop": zipf_loop,
    "zipf+stream": zipf_stream,
    "chase": chase,
    "intr": intr,
    "linear": linear,
    "intensive": intensive,
    "lists": lists,
    "sweeps": sweeps,
}
