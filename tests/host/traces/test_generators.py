# SPDX-License-Identifier: BSD-2-Clause
"""Generated traces: the same for the same seed, and what their names say."""

from collections import Counter

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.generators import draws, urls
from litemrc.traces.generators.programs import PROGRAMS

from tests.host.trace_columns import columns


def pages_of(url: str) -> list[int]:
    return columns(url)["pages"]


def test_words_are_those_of_splitmix64():
    # Written out once more in plain integers, after the published algorithm.
    def word(seed: int, index: int) -> int:
        mask = 2**64 - 1
        z = ((index + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1342543DE82EF95) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    indices = np.array([0, 1, 2**40], dtype=np.uint64)
    assert draws.random_words(0, indices).tolist() == [word(0, i) for i in (0, 1, 2**40)]
    assert draws.random_words(7, indices).tolist() == [word(7, i) for i in (0, 1, 2**40)]
    assert word(0, 0) == 0xE220A8397B1DCDAF  # the first output of SplitMix64 for state 0, as published


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_url_gives_the_same_trace_however_it_is_cut(program, monkeypatch):
    url = f"gen:{program}?pages=64&n=1000&seed=3&writes=0.25" + ("&length=50" * (program == "phases"))
    whole = columns(url)
    monkeypatch.setattr(urls, "CHUNK_REFERENCES", 7)
    assert columns(url) == whole
    assert len(whole["pages"]) == 1000
    assert max(whole["pages"]) < 64 + 16384 * (program in ("zipf+loop", "zipf+stream"))


@pytest.mark.parametrize("program", sorted(PROGRAMS.keys() - {"loop", "linear", "sweeps"}))
def test_another_seed_gives_another_trace(program):
    assert pages_of(f"gen:{program}?n=1000&seed=1") != pages_of(f"gen:{program}?n=1000&seed=2")


@pytest.mark.parametrize("alpha", [0, 0.6, 1.0, 1.5])
@pytest.mark.parametrize("pages", [1, 2, 100])
def test_zipf_has_the_weights_of_its_definition(alpha, pages):
    n = 200_000
    counts = Counter(pages_of(f"gen:zipf?alpha={alpha}&pages={pages}&n={n}"))
    weights = [1 / (page + 1) ** alpha for page in range(pages)]
    expected = [n * weight / sum(weights) for weight in weights]
    chi_squared = sum((counts[page] - e) ** 2 / e for page, e in enumerate(expected))
    # Mean pages - 1, variance 2 (pages - 1); the seed is fixed, so five deviations are far enough.
    freedom = pages - 1
    assert chi_squared <= freedom + 5 * (2 * freedom) ** 0.5
    assert counts.keys() <= set(range(pages))


def test_uniform_draws_all_pages_equally():
    counts = Counter(pages_of("gen:uniform?pages=50&n=100000"))
    chi_squared = sum((counts[page] - 2000) ** 2 / 2000 for page in range(50))
    assert chi_squared < 49 + 5 * 98**0.5


def test_loop_goes_round_and_touches_each_page_the_given_number_of_times():
    assert pages_of("gen:loop?pages=3&n=7") == [0, 1, 2, 0, 1, 2, 0]
    assert pages_of("gen:loop?pages=2&touches=2&n=6") == [0, 0, 1, 1, 0, 0]


def test_linear_is_a_loop_in_time():
    read = columns("gen:linear?pages=3&n=5")
    assert (read["pages"], read["times"]) == ([0, 1, 2, 0, 1], [0, 1, 2, 3, 4])


def test_intr_touches_and_sleeps():
    read = columns("gen:intr?pages=9&touches=3&sleep=100&n=7")
    assert read["times"] == [0, 1, 2, 103, 104, 105, 206]
    assert read["pages"] == pages_of("gen:zipf?pages=9&n=7")


def test_chase_visits_every_page_once_a_round_in_the_same_order():
    pages = pages_of("gen:chase?pages=50&n=150")
    assert sorted(pages[:50]) == list(range(50)) and pages[:50] != list(range(50))
    assert pages[50:100] == pages[:50] == pages[100:]


def test_phases_move_from_part_to_part():
    pages = pages_of("gen:phases?pages=40&phases=4&length=100&n=500")
    parts = [{page // 10 for page in pages[begin : begin + 100]} for begin in range(0, 500, 100)]
    assert parts == [{0}, {1}, {2}, {3}, {0}]


def test_zipf_and_loop_share_the_references_as_given():
    pages = np.array(pages_of("gen:zipf+loop?pages=10&loop_pages=5&share=0.25&n=40000"))
    loop = pages >= 10
    assert abs(loop.mean() - 0.75) < 5 * (0.25 * 0.75 / 40000) ** 0.5
    assert (pages[loop] == 10 + np.arange(40000)[loop] % 5).all()


def test_zipf_and_stream_take_turns():
    pages = np.array(pages_of("gen:zipf+stream?pages=10&alpha=0.5&loop_pages=3&period=4&n=4000"))
    stream = np.arange(4000) % 4 == 3
    assert (pages[stream] == 10 + np.arange(1000) % 3).all()
    assert sorted(set(pages[~stream].tolist())) == list(range(10))


def test_intensive_walks_a_tree_from_its_root_to_a_leaf():
    # 21 pages, fan-out 4: levels of 1, 4 and 16 pages, from 0, 1 and 5 on.
    pages = pages_of("gen:intensive?pages=21&fanout=4&n=3000")
    for root, inner, leaf in zip(pages[::3], pages[1::3], pages[2::3], strict=True):
        assert root == 0
        assert (leaf - 5) // 4 == inner - 1  # the inner page is the leaf's parent
    assert set(pages) == set(range(21))


def test_lists_are_walked_wholly_and_in_the_same_order():
    pages = pages_of("gen:lists?pages=40&length=8&n=800")
    walks = {tuple(pages[begin : begin + 8]) for begin in range(0, 800, 8)}
    assert len(walks) == 5 and sorted(page for walk in walks for page in walk) == list(range(40))


def test_sweeps_run_side_by_side_and_may_turn():
    assert pages_of("gen:sweeps?pages=6&regions=2&n=8") == [0, 3, 1, 4, 2, 5, 0, 3]
    assert pages_of("gen:sweeps?pages=3&regions=1&turn=1&n=8") == [0, 1, 2, 2, 1, 0, 0, 1]


def test_writes_have_their_share():
    writes = columns("gen:loop?writes=0.3&n=40000")["writes"]
    assert abs(np.mean(writes) - 0.3) < 5 * (0.3 * 0.7 / 40000) ** 0.5
    assert columns("gen:loop?n=10")["writes"] is None


def test_a_billion_references_begin_at_once():
    with open_trace("gen:zipf?n=1000000000") as trace:
        chunk = next(iter(trace))
    assert len(chunk) == urls.CHUNK_REFERENCES


@pytest.mark.parametrize(
    "url, complaint",
    [
        ("gen:fractal", "no program 'fractal'"),
        ("gen:zipf?beta=1", "zipf has no parameter beta"),
        ("gen:zipf?alpha=much", "alpha=much is not a number"),
        ("gen:zipf?alpha=nan", "alpha=nan is out of range"),
        ("gen:zipf?pages=-5", "pages=-5 is out of range"),
        ("gen:zipf?pages=0", "pages=0 is out of range"),
        ("gen:zipf?pages=1.5", "pages=1.5 is not a whole number"),
        ("gen:zipf?pages=1e9", "pages=1000000000 is too large"),
        ("gen:zipf?n=0", "n=0 is out of range"),
        ("gen:zipf?n=inf", "n=inf is not a whole number"),
        ("gen:phases?pages=3&phases=4", "phases=4 does not fit"),
        ("gen:zipf+loop?share=1.5", "share=1.5 is out of range"),
        ("gen:intensive?fanout=1", "fanout=1 makes no tree"),
    ],
)
def test_what_cannot_be_generated_is_refused(url, complaint):
    with pytest.raises(UserError) as caught:
        open_trace(url)
    assert complaint in caught.value.what and caught.value.where == url and caught.value.remedy
