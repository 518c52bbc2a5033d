# SPDX-License-Identifier: BSD-2-Clause
"""WorkingSet equals the C++ and a std::set, one operation a cycle; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.builder import Sizes, replay, rtl_bench
from tests.cosim.monitor_mutants import SET_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.vectors import write_working_set_vectors

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)  # 32 words: many operations meet their word in flight
SOC = Sizes(frames=8192, groups=64, contexts=8)
TINY = Sizes(frames=16, groups=4, contexts=1)  # two words
WIDE = Sizes(frames=16384, groups=64, contexts=8)  # words of 32 pages; those of the others have 8
OPERATIONS = 2_000_000


@pytest.mark.parametrize(("sizes", "seed"), [(SMALL, 1), (SMALL, 2), (SOC, 3), (TINY, 4), (WIDE, 5)], ids=str)
def test_rtl_is_the_cpp_on_random_operations(sizes: Sizes, seed: int) -> None:
    counts = counts_of(rtl_bench("set", "set", sizes), "random", seed, OPERATIONS)
    assert counts["operations"] == OPERATIONS
    assert min(counts["first_touches"], counts["epochs"]) > OPERATIONS // 100


def test_short_epochs_wait_for_the_sweep_once_in_eight() -> None:
    # Tags 0 to 15, an access and a cycle each: no cycle is free. Reset has zeroed the words for tags 0 to 7;
    # at tag 15 those after them are waited for, behind the access that is still in stage 0.
    for sizes, words in ((SOC, 8192 // 8), (WIDE, 16384 // 32)):
        assert counts_of(rtl_bench("set", "set", sizes), "waits") == {"waits": words + 1}


@pytest.mark.parametrize("sizes", [SMALL, SOC], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: Sizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_working_set_vectors(vectors, sizes, 7, operations=100_000)
    counts = counts_of(replay("working_set", sizes), vectors)
    assert counts["operations"] == 100_000
    assert counts["first_touches"] > 10_000


@pytest.mark.parametrize("mutant", SET_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("set", "set", SMALL, mutant.sources()), "random", 1, OPERATIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
