"""Verilog with the ports that Vitis HLS exports takes the place of the engine in Migen and counts the same.

Vitis has not been run: hls_export/group_stack.v stands in for what it would export.
"""

from pathlib import Path

import pytest
from builder import BUILD, COSIM, TRUE_SOURCES, Sizes, Sources, rtl_bench
from mutants import GATEWARE, Mutant
from mutation import mutated_source
from running import counts_of, run

pytestmark = pytest.mark.cosim

EXPORTED = COSIM / "hls_export" / "group_stack.v"
SIZES = Sizes(frames=8, groups=4, contexts=2)  # those it was "exported" for
ACCESSES = 300_000

# Faults of the ports' adapter, in copies of the gateware.
UNIT_MUTANTS = (
    Mutant(
        "unit_is_reset_while_the_soc_runs",
        f"{GATEWARE}/hls_unit.py",
        '"i_ap_rst_n": ~ResetSignal()',
        '"i_ap_rst_n": ResetSignal()',
    ),
    Mutant(
        "unit_outlives_a_reset",
        f"{GATEWARE}/hls_unit.py",
        '"i_ap_rst_n": ~ResetSignal()',
        '"i_ap_rst_n": 1',
    ),
    Mutant(
        "record_begins_in_the_highest_bits",
        f"{GATEWARE}/hls_unit.py",
        "word.eq(payload) if",
        "word.eq(payload[::-1]) if",
    ),
    Mutant(
        "idle_while_an_operation_is_inside",
        f"{GATEWARE}/hls_unit.py",
        "self.idle.eq((in_flight == 0) & ~self.source.valid)",
        "self.idle.eq(~self.source.valid)",
    ),
)
# Faults of the exported unit itself: name, text, what stands there instead.
EXPORT_MUTANTS = (
    ("answers_name_the_running_context", "wire       context_id = valid[frame] ? owner[frame] : op[5];",
     "wire       context_id = op[5];"),
    ("pages_are_not_swept_after_a_reset", "sweep <= 0;\n        busy", "sweep <= FRAMES;\n        busy"),
    ("invalidation_leaves_a_gap", "position[f] <= position[f] - 1;", "position[f] <= position[f];"),
)  # fmt: skip


def bench(sources: Sources = TRUE_SOURCES, exported: Path = EXPORTED) -> Path:
    """The bench of the chain around the exported engine."""
    return rtl_bench("chain", "hls_group_stack", SIZES, sources, verilog_units=(exported,))


def test_exported_unit_is_the_cpp_on_random_operations() -> None:
    counts = counts_of(bench(), "random", 1, ACCESSES)
    assert counts["accesses"] >= ACCESSES
    assert min(counts["invalidations"], counts["marks"], counts["hits"], counts["misses"]) > 1000
    assert min(counts["clears"], counts["resets"]) >= 5
    asked = sum(counts[kind] for kind in ("accesses", "invalidations", "clears", "marks"))
    assert asked - 2 * counts["resets"] <= counts["records_compared"] <= asked


@pytest.mark.parametrize("mutant", UNIT_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant_of_the_adapter(mutant: Mutant) -> None:
    assert_found(bench(mutant.sources()))


@pytest.mark.parametrize(("name", "old", "new"), EXPORT_MUTANTS, ids=lambda value: value.split("\n")[0][:40])
def test_bench_finds_the_mutant_of_the_export(name: str, old: str, new: str) -> None:
    mutant = BUILD / "mutants" / name / EXPORTED.name
    mutant.parent.mkdir(parents=True, exist_ok=True)
    mutant.write_text(mutated_source(EXPORTED, old, new))
    assert_found(bench(exported=mutant))


def assert_found(executable: Path) -> None:
    done = run(executable, "random", 1, ACCESSES)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
