"""Verilog with the ports that Vitis HLS exports takes the place of the engine in Migen and counts the same.

Vitis has not been run: hls_export/group_stack.v stands in for what it would export.
"""

from pathlib import Path

import pytest
from builder import COSIM, TRUE_SOURCES, Sizes, Sources, rtl_bench
from mutants import GATEWARE, Mutant
from running import counts_of, run

pytestmark = pytest.mark.cosim

EXPORTED = COSIM / "hls_export" / "group_stack.v"
SIZES = Sizes(frames=8, groups=4, contexts=2)  # those it was "exported" for
ACCESSES = 300_000

# Faults of the ports' adapter, in copies of the gateware.
UNIT_MUTANTS = (
    Mutant(
        "unit_outlives_a_reset",
        f"{GATEWARE}/stacks/hls_unit.py",
        '"i_ap_rst_n": ~ResetSignal()',
        '"i_ap_rst_n": 1',
    ),
    Mutant(
        "record_begins_in_the_highest_bits",
        f"{GATEWARE}/stacks/hls_unit.py",
        "word.eq(payload) if",
        "word.eq(payload[::-1]) if",
    ),
)


def bench(sources: Sources = TRUE_SOURCES) -> Path:
    """The bench of the chain around the exported engine."""
    return rtl_bench("chain", "hls_group_stack", SIZES, sources, verilog_units=(EXPORTED,))


def test_exported_unit_is_the_cpp_on_random_operations() -> None:
    counts = counts_of(bench(), "random", 1, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert min(counts["invalidations"], counts["marks"], counts["hits"], counts["misses"]) > 1000
    assert min(counts["clears"], counts["resets"]) >= 5
    asked = sum(counts[kind] for kind in ("accesses", "invalidations", "clears", "marks"))
    assert asked - 2 * counts["resets"] <= counts["records_compared"] <= asked


@pytest.mark.parametrize("mutant", UNIT_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant_of_the_adapter(mutant: Mutant) -> None:
    done = run(bench(mutant.sources()), "random", 1, ACCESSES)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
