# SPDX-License-Identifier: BSD-2-Clause
"""LiteDRAM's own controller with the DDR3 model: data are correct, and the violated rules are known."""

import pytest

from tests.cosim.dram_builder import ModelMutant, dram_bench
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

CLOCKS = 400_000

# What LiteDRAM is known to break (ddr3_model/README.md): tRAS before a refresh where the clock is fast, the
# preamble between two ranks' bursts.
KNOWN = {
    ("800", 1): set(),
    ("1066", 2): {"broken_RANK_SWITCH"},
    ("1600", 1): {"broken_tRAS_PREA"},
    ("1600", 4): {"broken_tRAS_PREA", "broken_RANK_SWITCH"},
}


def broken(counts: dict[str, float]) -> set[str]:
    return {name for name in counts if name.startswith("broken_")}


@pytest.mark.parametrize(("grade", "ranks"), KNOWN)
def test_litedram_keeps_every_rule_but_those_it_is_known_to_break(grade, ranks):
    address_map = "row_bank_column" if ranks == 1 else "bank_row_column"
    counts = counts_of(dram_bench(grade, ranks, address_map), CLOCKS, ranks)
    assert broken(counts) == KNOWN[grade, ranks]
    assert min(counts["reads"], counts["writes"]) > CLOCKS // 20


# LiteDRAM with one of its timings, in controller cycles, too small for the grade, or its refreshes too rare.
BROKEN_CONTROLLERS = {
    "tRCD=2": "broken_tRCD",  # 8 DRAM cycles and less, 13.75 ns are 11
    "tRP=2": "broken_tRP",  # 8 of 11
    "tRRD=1": "broken_tRRD",  # 4 of 6
    "tRFC=20": "broken_tRFC",  # 80 of 128
    "tREFI=16000": "broken_REFRESH_DEBT",  # 80 us, and 9 tREFI are 70.3
}


@pytest.mark.parametrize("timing", BROKEN_CONTROLLERS)
def test_a_controller_with_a_wrong_timing_is_caught_under_its_rule(timing):
    done = run(dram_bench("1600", 1, "row_bank_column", timing), CLOCKS, 1)
    counts = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert broken(counts) - KNOWN["1600", 1] == {BROKEN_CONTROLLERS[timing]}, done.stdout + done.stderr
    assert (done.returncode == 1) == ("REFRESH_DEBT" in BROKEN_CONTROLLERS[timing])  # data were lost


MODEL_MUTANTS = (
    ModelMutant("mask_ignored", "storage.hpp", "if (masked >> i & 1)", "if (false)"),
    ModelMutant("one_row", "rank_commands.hpp", "row & (geometry_.rows() - 1)", "row & 1"),
    ModelMutant("early_data", "dfi/dfi_port.hpp", "reply.due = now_ + read_latency_", "reply.due = now_ + 1"),
)


@pytest.mark.parametrize("mutant", MODEL_MUTANTS, ids=lambda mutant: mutant.name)
def test_the_bench_finds_a_fault_in_the_model(mutant):
    done = run(dram_bench("800", 1, "row_bank_column", mutant=mutant), CLOCKS, 1)
    assert done.returncode == 1, done.stdout
    assert "MISMATCH" in done.stdout
    print(done.stdout, end="")
