# SPDX-License-Identifier: BSD-2-Clause
"""Generated programs against their descriptions, one reference at a time; probabilities of the draws."""

from itertools import islice

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.generators import draws
from litemrc.traces.generators.programs import PROGRAMS
from litemrc.traces.generators.traffic import Traffic, traffic_stream, xorshift32
from litemrc.traces.generators.urls import COMMON, parameters

from tests.host.trace_columns import columns

SEED, N = 3, 400


def word(seed: int, index: int) -> int:
    return int(draws.random_words(seed, np.array([index], np.uint64))[0])


def drawn(draw: draws.Draw, seed: int, index: int) -> int:
    return int(draw(draws.random_words(seed, np.array([index], np.uint64)))[0])


def shuffled(pages: int, seed: int) -> list[int]:
    return sorted(range(pages), key=lambda page: word(seed, page))


def zipf_loop(i: int) -> int:
    hot = word(SEED + 1, i) >> 11 < 0.25 * 2**53
    return drawn(draws.zipf(10, 0.7), SEED, i) if hot else 10 + i % 5


def zipf_stream(i: int) -> int:
    return 10 + i // 4 % 3 if i % 4 == 3 else drawn(draws.zipf(10, 0.7), SEED, i)


def phases(i: int) -> int:
    return i // 30 % 4 * 10 + drawn(draws.uniform(10), SEED, i)


def intensive(i: int) -> int:
    base, width = ((0, 1), (1, 4), (5, 18))[i % 3]  # of 23 pages, the leaves have those that are left
    return base + (word(SEED, i // 3) >> 24) * width // 2**40


def lists(i: int) -> int:
    chosen = drawn(draws.zipf(5, 0.7), SEED, i // 8)
    return shuffled(40, SEED + 1)[chosen * 8 + i % 8]


def sweeps(i: int) -> int:
    there, back = divmod(i // 3 % 10, 5)
    return i % 3 * 5 + (4 - back if there else back)


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("zipf?pages=10&alpha=0.7", lambda i: drawn(draws.zipf(10, 0.7), SEED, i)),
        ("uniform?pages=10", lambda i: drawn(draws.uniform(10), SEED, i)),
        ("zipf+loop?pages=10&alpha=0.7&loop_pages=5&share=0.25", zipf_loop),
        ("zipf+stream?pages=10&alpha=0.7&loop_pages=3&period=4", zipf_stream),
        ("phases?pages=40&phases=4&length=30", phases),
        ("chase?pages=40", lambda i: shuffled(40, SEED)[i % 40]),
        ("intensive?pages=23&fanout=4", intensive),
        ("lists?pages=40&length=8&alpha=0.7", lists),
        ("sweeps?pages=15&regions=3&turn=1", sweeps),
    ],
)
def test_a_program_is_its_description_one_reference_at_a_time(url, model):
    read = columns(f"gen:{url}&n={N}&seed={SEED}&writes=0.3")
    assert read["pages"] == [model(i) for i in range(N)]
    assert read["writes"] == [word(SEED + 2, i) >> 11 < round(0.3 * 2**53) for i in range(N)]


def test_urls_without_parameters_mean_the_same_trace_in_every_release():
    assert COMMON == {"n": 1_000_000, "seed": 1, "writes": -1.0}
    assert {program: parameters(program) for program in PROGRAMS} == {
        "zipf": {"pages": 65536, "alpha": 1.0},
        "uniform": {"pages": 65536},
        "loop": {"pages": 65536, "touches": 1},
        "phases": {"pages": 65536, "phases": 4, "length": 1_000_000},
        "zipf+loop": {"pages": 65536, "alpha": 1.0, "loop_pages": 16384, "share": 0.5},
        "zipf+stream": {"pages": 65536, "alpha": 1.0, "loop_pages": 16384, "period": 10},
        "chase": {"pages": 65536},
        "intr": {"pages": 65536, "alpha": 1.0, "touches": 1000, "sleep": 9000},
        "linear": {"pages": 65536},
        "intensive": {"pages": 65536, "fanout": 16},
        "lists": {"pages": 65536, "length": 32, "alpha": 0.6},
        "sweeps": {"pages": 65536, "regions": 16, "turn": 0},
    }


@pytest.mark.parametrize("pages", [1, 2, 3, 7, 64])
def test_uniform_takes_equal_parts_of_the_words(pages):
    """The upper 40 bits of a word choose: page k begins at ceil(k 2^40 / pages)."""
    firsts = [-(-page * 2**40 // pages) for page in range(pages + 1)]
    for shift, of in ((0, 0), (-1, -1)):
        words = np.array([first + shift << 24 for first in firsts[-of : pages - of]], np.uint64)
        assert draws.uniform(pages)(words).tolist() == list(range(pages))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("pages", [1, 2, 3, 10, 100])
def test_zipf_draws_each_page_with_its_probability(pages, alpha):
    """All upper parts of a word, and every 4,096th of its lower 24 bits, which choose between two pages."""
    uppers = np.array([-(-page * 2**40 // pages) for page in range(pages)], np.uint64)
    lowers = np.arange(2**11, 2**24, 2**12, dtype=np.uint64)
    drawn_pages = draws.zipf(pages, alpha)((uppers[:, None] << np.uint64(24) | lowers).ravel())
    weights = np.array([(page + 1) ** -alpha for page in range(pages)])
    shares = np.bincount(drawn_pages.astype(int), minlength=pages) / (pages * lowers.size)
    np.testing.assert_allclose(shares, weights / weights.sum(), rtol=0, atol=1 / lowers.size)


def value(url: str) -> object:
    trace = open_trace(f"gen:{url}")
    return trace.references, trace._seed, trace._writes


def test_values_at_their_limits_are_taken():
    assert value("loop?n=1e3&seed=0&writes=1") == (1000, 0, 1.0)
    assert value(f"loop?n={2**53}&seed={2**53}&writes=0") == (2**53, 2**53, 0.0)
    for url in ("phases?pages=4&phases=4&n=4", "lists?pages=8&length=8&n=4", "sweeps?pages=3&regions=3&n=4"):
        assert len(columns(f"gen:{url}")["pages"]) == 4
    assert columns("gen:intr?sleep=0&touches=1&n=3")["times"] == [0, 1, 2]
    assert columns("gen:intensive?pages=3&fanout=2&n=2")["pages"][0] == 0
    assert len(columns("gen:zipf+loop?share=1&loop_pages=1&pages=1&alpha=0&n=3")["pages"]) == 3
    assert open_trace("gen:loop?pages=16777216").references == 1_000_000


@pytest.mark.parametrize(
    ("url", "why"),
    [
        *(("loop?n=9007199254740993", "n="), ("loop?writes=1.01", "writes="), ("loop?seed=-1", "seed=")),
        *(("loop?touches=0", "touches=0"), ("sweeps?turn=2", "turn=2"), ("zipf?alpha=-0.1", "alpha=")),
        *(("loop?pages=16777217", "too large"), ("zipf+loop?loop_pages=16777217", "too large")),
        *(("lists?pages=8&length=9", "does not fit"), ("sweeps?pages=3&regions=4", "does not fit")),
    ],
)
def test_values_beyond_their_limits_are_refused(url, why):
    with pytest.raises(UserError, match=why):
        open_trace(f"gen:{url}")


def test_progress_counts_the_references_read():
    with open_trace(f"gen:loop?n={3 << 17}") as trace:
        seen = []
        for _ in trace:
            seen.append(trace.fraction)
        assert seen == [0.0, 1 / 3, 2 / 3] and trace.fraction == 1.0
        assert (trace.time_unit, trace.minimum_pages, trace.interval) == ("", 1, 0)


def test_xorshift_is_marsaglias():
    """Xorshift RNGs, 2003: x ^= x << 13; x ^= x >> 17; x ^= x << 5; his seed 2463534242 gives 723471715."""
    assert xorshift32(2463534242) == 723471715
    assert xorshift32(1) == 1 << 18 | 1 << 13 | 1 << 5 | 1  # 1 ^ 1 << 13 = 8193; 0; 8193 << 5


def test_the_traffic_generator_steps_by_its_stride_or_draws_words():
    stepping = Traffic(base=100, words_log2=3, random=False, stride=3, writes=256, seed=7)
    assert list(islice(traffic_stream(stepping), 4)) == [(100, True), (103, True), (106, True), (101, True)]
    states = [xorshift32(7)]
    for _ in range(200):
        states.append(xorshift32(states[-1]))
    drawing = Traffic(base=100, words_log2=3, random=True, stride=3, writes=64, seed=7)
    expected = [(100 + state % 8, state >> 24 < 64) for state in states]
    assert list(islice(traffic_stream(drawing), len(states))) == expected
