# SPDX-License-Identifier: BSD-2-Clause
"""HotPages equals the C++, an access a cycle: lists, flags and queues."""

import os

import pytest

from tests.cosim.builder import HotSizes, rtl_bench
from tests.cosim.monitor_mutants import HOT_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

# Few sets, so that most accesses meet their set in flight; counts that saturate.
SMALL = HotSizes(256, 16, 4, 32, hot_sets=8, hot_pages=8, hot_count_bits=7, hot_error_bits=3)
BOARD = HotSizes(65536, 64, 8)
MANY = int(os.environ.get("LITEMRC_HOT_OPERATIONS", "0"))  # make hot-cosim: 20 million


@pytest.mark.parametrize(("sizes", "seed"), [(SMALL, 1), (BOARD, 2)], ids=["small", "board"])
def test_rtl_is_the_cpp_on_random_epochs(sizes: HotSizes, seed: int) -> None:
    if sizes == BOARD and not MANY:
        pytest.skip("takes minutes: make hot-cosim")
    counts = counts_of(rtl_bench("hot", "hot", sizes), seed, MANY or 500_000, seconds=7200)
    assert counts["operations"] == (MANY or 500_000)
    assert min(counts[name] for name in ("listed", "queued", "empty", "overflows", "waits")) > 10
    if sizes == SMALL:
        assert min(counts["saturated"], counts["more"]) > 10


@pytest.mark.parametrize("mutant", HOT_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("hot", "hot", SMALL, mutant.sources()), 1, 200_000)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
