# SPDX-License-Identifier: BSD-2-Clause
"""The chain of filter, engine, working set and counters equals the C++; the C++ equals the golden monitor."""

from pathlib import Path

import pytest

from tests.cosim.builder import FilterSizes, replay, rtl_bench
from tests.cosim.monitor_mutants import MONITOR_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.vectors import write_monitor_vectors

pytestmark = pytest.mark.cosim

SMALL = FilterSizes(256, 16, 4, memory_frames=256, recent_pages=1)
SAMPLED = FilterSizes(256, 16, 4, memory_frames=1024, recent_pages=3)
SOC = FilterSizes(8192, 64, 8, memory_frames=8192, recent_pages=1)
SOC_OF_GROUP_STACK = FilterSizes(8192, 64, 8, memory_frames=8192, recent_pages=4)
OPERATIONS = 1_000_000


@pytest.mark.parametrize(
    ("engine", "sizes", "seed"),
    [
        ("bucket_stack", SMALL, 1),
        ("bucket_stack", SAMPLED, 2),
        ("bucket_stack", SOC, 3),
        ("group_stack", SAMPLED, 4),
        ("group_stack", SOC_OF_GROUP_STACK, 5),
    ],
    ids=str,
)
def test_rtl_is_the_cpp_on_random_operations(engine: str, sizes: FilterSizes, seed: int) -> None:
    counts = counts_of(rtl_bench("monitor", f"monitor-{engine}", sizes), "random", seed, OPERATIONS)
    assert counts["accesses"] > 0.8 * OPERATIONS
    assert min(counts["claims"], counts["frozen"], counts["first_touches"], counts["marks"]) > 1000
    assert counts["epochs_compared"] > 500
    assert min(counts["changes"], counts["resets"], counts["clears"]) >= 4


@pytest.mark.parametrize(
    ("engine", "sizes"),
    [("bucket_stack", SMALL), ("bucket_stack", SAMPLED), ("group_stack", SAMPLED), ("bucket_stack", SOC)],
    ids=str,
)
def test_cpp_is_the_golden_monitor_on_its_vectors(engine: str, sizes: FilterSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_monitor_vectors(vectors, engine, sizes, 7, operations=50_000)
    counts = counts_of(replay(f"monitor-{engine}", sizes), vectors)
    assert counts["operations"] == 50_000
    assert min(counts["engine_ops"], counts["first_touches"], counts["frozen"]) > 500


def test_behind_the_filter_bucket_stack_loses_no_more_than_its_own_pauses_cost() -> None:
    accesses = 200_000
    counts = counts_of(rtl_bench("monitor", "monitor-bucket_stack", SOC), "rate", 1, accesses)
    # A cycle for each bucket of 96 pages that closes; at most 2 * 256 cycles for a renumbering, which leaves
    # at most 2 * 72 + 1 of 256 - 8 - 8 ids in use, so that at least 95 buckets close before the next one.
    assert counts["lost"] < (1 / 96 + 2 * 256 / (95 * 96)) * accesses


@pytest.mark.parametrize("mutant", MONITOR_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("monitor", "monitor-bucket_stack", SMALL, mutant.sources()), "random", 1, OPERATIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
