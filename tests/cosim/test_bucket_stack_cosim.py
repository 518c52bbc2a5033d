# SPDX-License-Identifier: BSD-2-Clause
"""The RTL chain BucketStack -> HitCounters equals the C++, record for record, and takes an access a cycle."""

import pytest

from tests.cosim.builder import TRUE_SOURCES, Sizes, rtl_bench
from tests.cosim.mutants import Mutant
from tests.cosim.running import counts_of, run
from tests.cosim.stack_mutants import BUCKET_MUTANTS, PART_MUTANT, SWEEP_MUTANT

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)
SOC = Sizes(frames=8192, groups=64, contexts=8)
EDGE = Sizes(frames=16, groups=16, contexts=1)  # groups of one page: an id for every second closed hit
TINY = Sizes(frames=8, groups=4, contexts=2)  # nearly every operation meets its page in flight
BOARD = Sizes(frames=65536, groups=64, contexts=8)  # 256 MB
ACCESSES = 4_000_000


@pytest.mark.parametrize(
    ("sizes", "seed"),
    [(SMALL, 1), (SMALL, 2), (SOC, 3), (EDGE, 4), (TINY, 5)],
    ids=lambda value: str(value),
)
def test_rtl_is_the_cpp_on_random_operations(sizes: Sizes, seed: int) -> None:
    counts = counts_of(rtl_bench("chain", "bucket_stack", sizes), "random", seed, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert min(counts["claims"], counts["marks"], counts["hits"], counts["misses"]) > 4000
    assert counts["invalidations"] - counts["claims"] > 4000
    assert min(counts["clears"], counts["resets"]) >= 5
    assert counts["renumberings"] >= 30
    assert counts["epochs_compared"] > 400
    window_words = 2 * sizes.groups * sizes.contexts
    assert counts["window_words_compared"] >= counts["epochs_compared"] * window_words
    # What a reset swallows: operations under way and answers that wait, 32 at most.
    asked = sum(counts[kind] for kind in ("accesses", "invalidations", "clears", "marks"))
    assert asked - 32 * counts["resets"] <= counts["records_compared"] <= asked
    not_met = {name for name, count in counts.items() if name.startswith("covers_") and count == 0}
    cannot_be = {
        *(["covers_other_context_waits_for_renumbering"] if sizes.contexts == 1 else []),
        # Buckets of half a group with one page.
        *(["covers_same_closed_bucket_next_clock"] if sizes.frames <= 2 * sizes.groups else []),
    }
    # Groups of many pages renumber seldom, and an end of epoch then is rarer still.
    rare = (
        {f"covers_epoch_end_{how}_renumbering" for how in ("in_flight_at", "waits_for")}
        if sizes is SOC
        else set()
    )
    assert cannot_be <= not_met <= cannot_be | rare


def test_nothing_is_dropped_at_995_of_1000_clocks() -> None:
    counts = counts_of(rtl_bench("rate", "bucket_stack", BOARD), "uniform", 995, 10_000_000)
    assert counts["dropped"] == 0
    assert counts["records_compared"] == 10_000_000
    assert counts["renumberings"] > 50
    assert counts["peak"] < 400  # of 512


def test_nothing_is_dropped_at_790_of_1000_clocks_from_one_bank() -> None:
    """The worst pattern: the sweep gets only the cycles without an access."""
    counts = counts_of(rtl_bench("rate", "bucket_stack", BOARD), "one_bank", 790, 3_000_000)
    assert counts["dropped"] == 0
    assert counts["renumberings"] > 10


@pytest.mark.parametrize("mutant", BUCKET_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(rtl_bench("chain", "bucket_stack", SMALL, mutant.sources()), "random", 1, ACCESSES)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")


def test_bench_of_the_rate_finds_a_renumbering_that_does_not_wait_for_the_sweep() -> None:
    """One access a cycle from one bank: the sweep has not met half of its pages when ids run short again."""
    for sources, returncode in ((TRUE_SOURCES, 0), (SWEEP_MUTANT.sources(), 1)):
        done = run(rtl_bench("rate", "bucket_stack", BOARD, sources), "one_bank", 1000, 1_000_000)
        assert done.returncode == returncode, done.stdout + done.stderr


def test_bench_of_the_rate_finds_a_page_read_from_the_wrong_part() -> None:
    """With fewer pages a bank is one part."""
    done = run(rtl_bench("rate", "bucket_stack", BOARD, PART_MUTANT.sources()), "uniform", 900, 1_000_000)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
