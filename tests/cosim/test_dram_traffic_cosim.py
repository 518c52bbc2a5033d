# SPDX-License-Identifier: BSD-2-Clause
"""DRAMTraffic equals the C++ and plain integers, commands in every cycle; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.builder import TrafficSizes, replay, rtl_bench
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.traffic_mutants import TRAFFIC_MUTANTS
from tests.cosim.vectors import write_traffic_vectors

pytestmark = pytest.mark.cosim

FOUR = TrafficSizes(banks=4, ranks=2, counter_bits=5, cycle_bits=12)  # counts that saturate
EIGHT = TrafficSizes(banks=8)
SIXTEEN = TrafficSizes(banks=16, ranks=2)
THIRTY_TWO = TrafficSizes(banks=32, ranks=4)  # two of them count together
SINGLE = TrafficSizes(banks=4, ranks=2, counter_bits=5, cycle_bits=12, at_once=1)  # all in one tally
ALL = (FOUR, EIGHT, SIXTEEN, THIRTY_TWO, SINGLE)
CYCLES = 2_000_000


@pytest.mark.parametrize(("sizes", "seed"), [*zip(ALL, range(1, 6), strict=True)], ids=str)
def test_rtl_is_the_cpp_on_random_commands(sizes: TrafficSizes, seed: int) -> None:
    counts = counts_of(rtl_bench("traffic", "traffic", sizes), "random", seed, CYCLES)
    assert counts["cycles"] >= CYCLES
    assert min(counts["accesses"], counts["activates"], counts["paused"]) > CYCLES // 20
    assert min(counts["epochs"], counts["clears"], counts["early_clears"], counts["words"]) > 500
    assert min(counts["counts"], counts["ended_while_asked"], counts["hits"], counts["conflicts"]) > 200
    assert min(counts["limits"], counts["overflows"]) > (20 if sizes.counter_bits == 5 else -1)


@pytest.mark.parametrize("sizes", ALL, ids=str)
def test_rtl_is_the_cpp_around_every_end_and_clear(sizes: TrafficSizes) -> None:
    """Commands in each cycle, end or clear in each of 12 cycles, for pairs of banks; all words are read."""
    counts = counts_of(rtl_bench("traffic", "traffic", sizes), "directed")
    pairs = len(range(0, sizes.banks**2, sizes.banks - 3 if sizes.banks > 4 else 1))
    assert counts["clears"] == 12 * pairs
    assert counts["epochs"] == 3 * 12 * pairs  # one in each case, and the one after it
    words = 8 + 8 * min(sizes.banks, 16)
    assert counts["words"] == 2 * 2 * 12 * pairs * words
    assert min(counts["hits"], counts["conflicts"]) > 12 * pairs


@pytest.mark.parametrize("sizes", ALL, ids=str)
def test_ready_after_as_many_free_cycles_as_there_are_words(sizes: TrafficSizes) -> None:
    # 4 counters for each bank in a tally, or 8 in the only one, 4 words each; in two areas after a reset. A
    # strobe takes effect a cycle later, and the sweep then waits for a cycle of the first copy.
    words = 4 * 4 * min(sizes.banks, 16) * (2 if sizes == SINGLE else 1)
    cycles = {"reset": 2 * words, "end": words + 3, "clear": words + 3}
    assert counts_of(rtl_bench("traffic", "traffic", sizes), "sweep") == cycles


@pytest.mark.parametrize("sizes", ALL, ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: TrafficSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_traffic_vectors(vectors, sizes, 7, cycles=60_000)
    counts = counts_of(replay("dram_traffic", sizes), vectors)
    assert counts["cycles"] == 60_000
    assert min(counts["epochs"], counts["commands"]) > 1_000
    assert (counts["overflows"] > 0) == (sizes.counter_bits == 5)


@pytest.mark.parametrize("mutant", TRAFFIC_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    bench = rtl_bench("traffic", "traffic", FOUR, mutant.sources())
    done = run(bench, "directed")
    if not done.returncode:
        done = run(bench, "random", 1, CYCLES)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MISMATCH" in done.stdout, done.stdout
    print(done.stdout, end="")
