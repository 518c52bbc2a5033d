# SPDX-License-Identifier: BSD-2-Clause
"""RankMeter after GroupStack equals the C++, window for window; the moves equal the C++'s."""

from pathlib import Path

import pytest

from tests.cosim.builder import MeterSizes, Sizes, replay, rtl_bench
from tests.cosim.meter_mutants import METER_MUTANTS, MOVE_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.vectors import write_meter_vectors

pytestmark = pytest.mark.cosim

SMALL = MeterSizes(frames=256, groups=16, contexts=4, domains=4)
SOC = MeterSizes(frames=8192, groups=64, contexts=8, domains=4)
MANY_DOMAINS = MeterSizes(frames=256, groups=16, contexts=4, counter_bits=12, domains=16)
ONE_DOMAIN = MeterSizes(frames=16, groups=16, contexts=1, counter_bits=8, domains=1)
SHALLOW = MeterSizes(frames=16, groups=4, contexts=2, counter_bits=8, domains=2)
CLOCKS = 1_000_000

SMALL_STACK = Sizes(frames=256, groups=16, contexts=4)
EIGHT_PAGES = Sizes(frames=8, groups=4, contexts=2)
ACCESSES = 300_000


@pytest.mark.parametrize(
    ("sizes", "seed"), [(SMALL, 1), (SOC, 2), (MANY_DOMAINS, 3), (ONE_DOMAIN, 4), (SHALLOW, 5)], ids=str
)
def test_windows_of_the_rtl_are_those_of_the_cpp(sizes: MeterSizes, seed: int) -> None:
    counts = counts_of(rtl_bench("meter", "meter", sizes), "random", seed, CLOCKS)
    words = 16 * sizes.domains + sizes.contexts
    assert counts["clocks"] > 0.99 * CLOCKS
    # A snapshot takes two rounds of 15 cycles a domain; the last one before a reset may not be read out.
    assert counts["snapshots"] > 500
    assert counts["words_compared"] >= (counts["snapshots"] - counts["resets"] - 1) * words
    assert min(counts["moves"], counts["ops"]) > 50_000
    assert min(counts["sizes_set"], 50 * counts["clears"], 20 * counts["resets"]) >= 100
    if sizes.counter_bits <= 12:
        assert counts["overflows"] > 0


@pytest.mark.parametrize("sizes", [SMALL_STACK, Sizes(frames=8192, groups=64, contexts=8)], ids=str)
def test_moves_of_the_rtl_are_those_of_the_cpp_on_random_operations(sizes: Sizes) -> None:
    counts = counts_of(rtl_bench("chain", "group_stack_moves", sizes), "random", 1, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert counts["moves_compared"] > 2 * ACCESSES


def test_moves_of_the_rtl_are_those_of_the_cpp_in_every_order_of_eight_pages() -> None:
    counts = counts_of(rtl_bench("chain", "group_stack_moves", EIGHT_PAGES), "exhaustive")
    assert counts["orders"] == 40_320  # 8!
    assert counts["moves_compared"] > 3 * counts["accesses"]


def test_telling_moves_costs_no_clock() -> None:
    sizes = Sizes(frames=8192, groups=64, contexts=8)
    with_moves = counts_of(rtl_bench("chain", "group_stack_moves", sizes), "clocks")
    assert with_moves == counts_of(rtl_bench("chain", "group_stack", sizes), "clocks")


@pytest.mark.parametrize("sizes", [SMALL, MANY_DOMAINS], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: MeterSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_meter_vectors(vectors, sizes, seed=6, clocks=20_000)
    counts = counts_of(replay("rank_meter", sizes), vectors)
    assert counts["clocks"] == 20_000
    assert counts["moves"] > 10_000
    assert counts["window_words_compared"] > 50 * (16 * sizes.domains + sizes.contexts)


@pytest.mark.parametrize("mutant", METER_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("meter", "meter", SMALL, mutant.sources()), "random", 1, CLOCKS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")


@pytest.mark.parametrize("mutant", MOVE_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_of_the_moves_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("chain", "group_stack_moves", SMALL_STACK, mutant.sources()), "random", 1, ACCESSES)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
