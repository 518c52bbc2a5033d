# SPDX-License-Identifier: BSD-2-Clause
"""HitCounters with one position a cycle equals the C++, window for window."""

import pytest

from tests.cosim.builder import Sizes, rtl_bench
from tests.cosim.monitor_mutants import COUNTER_MUTANTS
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

# Few and narrow counters, so that they are counted cycle after cycle and saturate.
NARROW = Sizes(frames=16, groups=8, contexts=2, counter_bits=6)
POSITIONS = 1_000_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_windows_of_the_rtl_are_those_of_the_cpp(seed: int) -> None:
    counts = counts_of(rtl_bench("counters", "counters", NARROW), "random", seed, POSITIONS)
    assert counts["positions"] >= POSITIONS
    assert min(counts["epochs_compared"], counts["epochs_with_overflow"], counts["clears"]) > 1000
    # Half of the runs offer a position every cycle, the others in 70 % of the cycles; turns cost the rest.
    assert counts["clocks"] < 1.3 * counts["positions"]


def test_turns_cost_as_many_clocks_as_documented() -> None:
    clocks = counts_of(rtl_bench("counters", "counters", NARROW), "clocks")
    assert clocks == {"hit": 1, "epoch_end": 1 + 4 * NARROW.contexts + 1, "clear": 1 + 1}


@pytest.mark.parametrize("mutant", COUNTER_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("counters", "counters", NARROW, mutant.sources()), "random", 1, POSITIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
