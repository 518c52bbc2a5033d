# SPDX-License-Identifier: BSD-2-Clause
"""PageBitmap equals the C++ and std::sets, an operation a cycle; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.builder import Sizes, replay, rtl_bench
from tests.cosim.monitor_mutants import BITMAP_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.vectors import write_page_bitmap_vectors

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)  # 8 words: most operations meet their word in flight
SOC = Sizes(frames=8192, groups=64, contexts=8)
TINY = Sizes(frames=16, groups=4, contexts=1)  # less than a word
OPERATIONS = 2_000_000


@pytest.mark.parametrize(("sizes", "seed"), [(SMALL, 1), (SMALL, 2), (SOC, 3), (TINY, 4)], ids=str)
def test_rtl_is_the_cpp_on_random_operations(sizes: Sizes, seed: int) -> None:
    counts = counts_of(rtl_bench("bitmap", "bitmap", sizes), "random", seed, OPERATIONS)
    assert counts["operations"] == OPERATIONS
    assert min(counts["words"], counts["bits"], counts["epochs"]) > OPERATIONS // 100


def test_short_epochs_wait_for_the_sweep_once_in_sixteen() -> None:
    # In epochs 16 to 47 no cycle is free. In epoch 46 the words of both banks are waited for, behind the
    # access that is still in the register. Epoch 47 accesses frame 0 alone.
    counts = counts_of(rtl_bench("bitmap", "bitmap", SOC), "late")
    words = 2 * SOC.frames // 32
    assert counts == {"waits": words + 1, "words": words, "bits": 1}


@pytest.mark.parametrize("sizes", [SMALL, SOC], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: Sizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_page_bitmap_vectors(vectors, sizes, 7, operations=30_000)
    counts = counts_of(replay("page_bitmap", sizes), vectors)
    assert counts["operations"] == 30_000
    assert min(counts["epochs"], counts["frames"]) > 1_000


@pytest.mark.parametrize("mutant", BITMAP_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    bench = rtl_bench("bitmap", "bitmap", SMALL, mutant.sources())
    done = run(bench, "late")
    if not done.returncode:
        done = run(bench, "random", 1, OPERATIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MISMATCH" in done.stdout, done.stdout
    print(done.stdout, end="")
