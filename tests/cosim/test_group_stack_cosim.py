# SPDX-License-Identifier: BSD-2-Clause
"""The RTL chain GroupStack -> HitCounters equals the C++, record for record and counter for counter."""

from pathlib import Path

import pytest

from tests.cosim.builder import Sizes, replay, rtl_bench
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.stack_mutants import PARTS_MUTANT, STACK_MUTANTS
from tests.cosim.vectors import write_vectors

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)
SOC = Sizes(frames=8192, groups=64, contexts=8)
EDGE = Sizes(frames=16, groups=16, contexts=1)  # groups of one page, a single context
EIGHT_PAGES = Sizes(frames=8, groups=4, contexts=2)
ACCESSES = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "seed"),
    [(SMALL, 1), (SMALL, 2), (SMALL, 3), (SOC, 4), (EDGE, 5)],
    ids=lambda value: str(value),
)
def test_rtl_is_the_cpp_on_random_operations(sizes: Sizes, seed: int) -> None:
    counts = counts_of(rtl_bench("chain", "group_stack", sizes), "random", seed, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert min(counts["claims"], counts["marks"], counts["hits"], counts["misses"]) > 1000
    assert counts["invalidations"] - counts["claims"] > 1000
    assert min(counts["clears"], counts["resets"]) >= 5
    assert counts["epochs_compared"] > 100
    window_words = 2 * sizes.groups * sizes.contexts
    assert counts["window_words_compared"] >= counts["epochs_compared"] * window_words
    # What a reset swallows: the position in the answer register and those of operations at work.
    asked = sum(counts[kind] for kind in ("accesses", "invalidations", "clears", "marks"))
    assert asked - 2 * counts["resets"] <= counts["records_compared"] <= asked


def test_rtl_is_the_cpp_and_the_reference_in_every_order_of_eight_pages() -> None:
    counts = counts_of(rtl_bench("chain", "group_stack", EIGHT_PAGES), "exhaustive")
    assert counts["orders"] == 40_320  # 8!
    assert counts["partial_orders"] == 5_914  # 0! + 1! + .. + 7!
    # Each page in each order: 8 accesses make the order, then the page is accessed, invalidated or claimed.
    # In each partial order of n pages the same with n accesses, and 8 more that probe what is left.
    full = 40_320 * 8
    partial_orders = (1, 1, 2, 6, 24, 120, 720, 5040)
    accesses = 8 + full * (3 * 8 + 1) + sum(n * 8 * (3 * (k + 8) + 1) for k, n in enumerate(partial_orders))
    assert counts["accesses"] == accesses
    assert counts["invalidations"] == 2 * counts["claims"] == 2 * (full + 5_914 * 8)
    asked = accesses + counts["invalidations"] + counts["clears"] + counts["marks"]
    assert counts["records_compared"] == counts["reference_compared"] == asked


def test_clocks_an_operation_takes_are_as_documented() -> None:
    clocks = counts_of(rtl_bench("chain", "group_stack", SOC), "clocks")
    assert (clocks["again"], clocks["mark"]) == (1, 1)
    assert (clocks["other_top"], clocks["invalidate_invalid"]) == (3, 3)
    for group in range(SOC.groups):
        assert clocks[f"group_{group}"] == group + 7
    assert (clocks["miss_empty"], clocks["miss_full"]) == (7, SOC.groups - 1 + 7)
    assert clocks["clear"] == SOC.frames + 1


def test_rtl_of_arrays_in_parts_is_the_cpp_and_takes_six_clocks_more() -> None:
    bench = rtl_bench("chain", "group_stack_in_parts", SMALL)
    counts = counts_of(bench, "random", 7, ACCESSES // 4)
    assert min(counts["invalidations"], counts["hits"], counts["misses"]) > 1000
    assert counts["epochs_compared"] > 25
    clocks = counts_of(bench, "clocks")
    assert (clocks["again"], clocks["mark"]) == (1, 1)
    assert (clocks["other_top"], clocks["invalidate_invalid"]) == (6, 6)
    for group in range(SMALL.groups):
        assert clocks[f"group_{group}"] == group + 13
    assert (clocks["miss_empty"], clocks["miss_full"]) == (13, SMALL.groups - 1 + 13)
    assert clocks["clear"] == SMALL.frames + 1


@pytest.mark.parametrize("sizes", [SMALL, SOC], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: Sizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_vectors(vectors, "group_stack", sizes, seed=6, operations=100_000)
    counts = counts_of(replay("group_stack", sizes), vectors)
    assert counts["operations"] == 100_000
    assert counts["window_words_compared"] > 50 * 2 * sizes.groups * sizes.contexts


@pytest.mark.parametrize("mutant", STACK_MUTANTS, ids=lambda mutant: mutant.name)
def test_both_benches_find_the_mutant(mutant: Mutant) -> None:
    sources = mutant.sources()
    for sizes, arguments in ((SMALL, ("random", 1, ACCESSES)), (EIGHT_PAGES, ("exhaustive",))):
        done = run(rtl_bench("chain", "group_stack", sizes, sources), *arguments)
        assert done.returncode == 1, f"{arguments[0]}: {done.stdout}{done.stderr}"
        assert done.stdout.startswith("MISMATCH"), done.stdout
        print(f"{arguments[0]}: {done.stdout}", end="")


def test_bench_finds_the_mutant_of_arrays_in_parts() -> None:
    bench = rtl_bench("chain", "group_stack_in_parts", SMALL, PARTS_MUTANT.sources())
    done = run(bench, "random", 7, ACCESSES // 4)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
