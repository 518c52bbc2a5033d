# SPDX-License-Identifier: BSD-2-Clause
"""PageFilter with fast and slow engines equals the C++; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.builder import FilterSizes, replay, rtl_bench
from tests.cosim.monitor_mutants import FILTER_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.vectors import write_filter_vectors

pytestmark = pytest.mark.cosim

WHOLE = FilterSizes(256, 16, 4, memory_frames=256)  # nothing need be left out: compared with exact stacks too
LARGE_MEMORY = FilterSizes(256, 16, 4, counter_bits=7, memory_frames=2048, recent_pages=3)  # counts saturate
ONE_PAGE = FilterSizes(16, 16, 1, memory_frames=16, recent_pages=1)
ONE_RECENT_PAGE = FilterSizes(256, 16, 4, memory_frames=256, recent_pages=1)
SOC = FilterSizes(8192, 64, 8, memory_frames=65536)
ACCESSES = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "seed"),
    [(WHOLE, 1), (WHOLE, 2), (LARGE_MEMORY, 3), (LARGE_MEMORY, 4), (ONE_PAGE, 5), (SOC, 6)],
    ids=lambda value: str(value),
)
def test_rtl_is_the_cpp_on_random_operations(sizes: FilterSizes, seed: int) -> None:
    counts = counts_of(rtl_bench("filter", "filter", sizes), "random", seed, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert min(counts["absorbed"], counts["nothing"], counts["claims"], counts["marks"]) > 1000
    assert (counts["touches"] > 1000) == (sizes.recent_pages > 1)
    assert counts["touches"] <= counts["absorbed"]
    assert min(counts["clears"], counts["changes"], counts["resets"]) > 30
    assert (counts["split_writes"] > 1000) == (sizes.frames == sizes.memory_frames and sizes.contexts > 1)
    assert counts["epochs_compared"] > 1000
    # A reset swallows what is under way: 64 answers due and a few in registers.
    asked = sum(counts[kind] for kind in ("accesses", "invalidations", "clears", "marks"))
    assert asked - 75 * counts["resets"] <= counts["positions_compared"] <= asked
    assert (counts["reference_compared"] > 0.5 * ACCESSES) == (sizes.frames == sizes.memory_frames)


def test_an_operation_takes_a_clock_and_touches_one_each() -> None:
    accesses = 10_000
    clocks = counts_of(rtl_bench("filter", "filter", WHOLE), "clocks", accesses)
    assert (clocks["in_turn"], clocks["in_turn_touches"]) == (accesses, 0)
    assert (clocks["absorbed"], clocks["absorbed_touches"]) == (accesses, 0)
    # The last accesses are still on their way to the slots when the bench stops counting.
    assert abs(clocks["worst"] - accesses - clocks["worst_touches"]) <= 2 * WHOLE.recent_pages
    assert 1.7 * accesses < clocks["worst"] <= (2 - 1 / WHOLE.recent_pages) * accesses


def test_with_one_recent_page_every_operation_takes_a_clock() -> None:
    accesses = 10_000
    clocks = counts_of(rtl_bench("filter", "filter", ONE_RECENT_PAGE), "clocks", accesses)
    assert {clocks[name] for name in ("in_turn", "absorbed", "mixed", "worst")} == {accesses}
    assert clocks["mixed_touches"] == clocks["worst_touches"] == 0


@pytest.mark.parametrize("sizes", [WHOLE, LARGE_MEMORY, SOC], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: FilterSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_filter_vectors(vectors, FilterSizes(**{**vars(sizes), "counter_bits": 32}), 7, operations=100_000)
    counts = counts_of(replay("page_filter", FilterSizes(**{**vars(sizes), "counter_bits": 32})), vectors)
    assert counts["operations"] == 100_000
    assert min(counts["absorbed"], counts["touches"], counts["engine_ops_compared"]) > 1000


@pytest.mark.parametrize("mutant", FILTER_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    for sizes in (WHOLE, LARGE_MEMORY):  # some faults show in one of them only
        done = run(rtl_bench("filter", "filter", sizes, mutant.sources()), "random", 1, ACCESSES)
        assert done.returncode in (0, 1), done.stderr
        if done.stdout.startswith("MISMATCH"):
            print(done.stdout, end="")
            return
    pytest.fail("not found")
