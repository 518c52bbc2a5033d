# SPDX-License-Identifier: BSD-2-Clause
"""Ranks sleep and wake beside LiteDRAM: no word is lost, no rule broken, no cycle added while none sleeps."""

import pytest

from tests.cosim.builder import rank_bench
from tests.cosim.rank_mutants import RANK_MUTANTS, RankMutant
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

RATES = ("800", "1066", "1600")
ACCESSES = 150_000

# In cycles of the controller, 4 of the DRAM: tXP is max(3 nCK, 7.5 ns) at 2.5 and 1.875 ns, max(3 nCK, 6 ns)
# at 1.25; tXSDLL is 512 nCK (JESD79-3F, table 68).
TXP = {"800": 1, "1066": 1, "1600": 2}
TXSDLL = 128


@pytest.mark.parametrize("rate", RATES)
def test_every_read_returns_the_last_written_value_and_no_rule_is_broken(rate: str) -> None:
    counts = counts_of(rank_bench("power", rate), "random", 1, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert counts["rules_broken"] == 0
    assert min(counts["power_downs"], counts["self_refreshes"], counts["wakes"]) > ACCESSES // 100


def test_virtual_ranks_sleep_together_and_lose_nothing() -> None:
    bench = rank_bench("power", "1600", ranks=1, domains=4, bank_row_column=0)
    assert counts_of(bench, "random", 2, ACCESSES)["self_refreshes"] > ACCESSES // 100
    counts_of(bench, "policies")


# At DDR3-1600 LiteDRAM's own refresher breaks tRAS, which rank power repairs (RankPower's `repair_tras`).
@pytest.mark.parametrize("rate", ["800"])
def test_while_nothing_sleeps_the_dfi_is_that_of_litedram_alone(rate: str) -> None:
    runs = [counts_of(rank_bench(kind, rate), "trace", 3, 1_000_000) for kind in ("stock", "power")]
    assert runs[0] == runs[1]
    assert runs[0]["clocks_with_commands"] > 100_000


@pytest.mark.parametrize("rate", RATES)
def test_a_sleeping_rank_answers_within_the_exit_time_and_4_clocks(rate: str) -> None:
    clocks = counts_of(rank_bench("power", rate), "wake")
    assert clocks["power_down_most"] <= clocks["awake_least"] + TXP[rate] + 4
    assert clocks["self_refresh_most"] <= clocks["awake_least"] + TXSDLL + 4


@pytest.mark.parametrize("rate", RATES)
def test_an_idle_rank_enters_power_down_within_the_threshold_and_4_clocks(rate: str) -> None:
    clocks = counts_of(rank_bench("power", rate), "threshold")
    assert clocks["read_least"] >= 0
    assert clocks["read_most"] <= 4
    assert clocks["write_most"] <= 8  # behind a write, short thresholds wait for tWR


def test_partial_self_refresh_keeps_the_selected_part() -> None:
    # Banks kept by the 8 values of MR2's field (JESD79-3F, MR2): 8, 4, 2, 1, 6, 4, 2, 1.
    assert counts_of(rank_bench("power", "800"), "partial") == {"kept": 28, "lost": 8 * 8 - 28}


def test_every_policy_brings_idle_ranks_to_its_states() -> None:
    assert counts_of(rank_bench("power", "800"), "policies") == {"checks": 36}


def test_an_idle_rank_stays_asleep_over_refreshes() -> None:
    counts = counts_of(rank_bench("power", "800"), "residency")
    assert counts["self_refresh_clocks"] >= 100_000
    assert counts["power_down_clocks"] > 95_000  # raised for each refresh, for PRE, REF and tRFC


def test_debts_of_many_sleeps_are_paid() -> None:
    counts_of(rank_bench("power", "800"), "sleeps")


def test_entries_cost_a_busy_rank_few_clocks() -> None:
    counts = counts_of(rank_bench("power", "800"), "cost")
    # Less than a refresh of 1 Gb: tRP + tRFC and the reopening of the row, some 30 cycles.
    assert counts["power_down_clocks_an_entry"] < 30
    assert counts["self_refresh_clocks_an_entry"] < 60  # with the refresh of the wake-up


def test_ranks_are_awake_while_software_drives_the_dfi() -> None:
    counts_of(rank_bench("power", "800"), "software")


@pytest.mark.parametrize("mutant", RANK_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: RankMutant) -> None:
    done = run(rank_bench("power", mutant.rate, 2, 2, sources=mutant.sources()), *mutant.mode)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MISMATCH" in done.stdout, done.stdout
    print(done.stdout, end="")
