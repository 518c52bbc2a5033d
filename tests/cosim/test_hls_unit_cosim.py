# SPDX-License-Identifier: BSD-2-Clause
"""Units of an HLS compiler behind the monitor's ports, the C++ itself standing in for what it made."""

from pathlib import Path

import pytest

from tests.cosim.builder import TRUE_SOURCES, FilterSizes, Sizes, Sources, rtl_bench
from tests.cosim.hls_stand_in import STREAMS, write_stand_in
from tests.cosim.mutants import GATEWARE, Mutant
from tests.cosim.running import counts_of, run
from tests.products import product

pytestmark = pytest.mark.cosim

SIZES = Sizes(frames=256, groups=16, contexts=4)
FILTER_SIZES = FilterSizes(256, 16, 4, memory_frames=1024, recent_pages=3)
# By bench: its top, sizes, the units to stand in for, operations.
BENCHES = {
    "chain": ("hls_group_stack", SIZES, ("group_stack", "hit_counters"), 300_000),
    "counters": ("hls_counters", SIZES, ("hit_counters",), 300_000),
    "monitor": ("monitor-hls_group_stack", FILTER_SIZES, tuple(STREAMS), 1_000_000),
}
# Faults of the adapters, in copies of the gateware, and the bench that finds them.
MUTANTS = {
    "chain": (
        Mutant(
            "unit_outlives_a_reset",
            f"{GATEWARE}/hls/units.py",
            '"i_ap_rst_n": ~ResetSignal()',
            '"i_ap_rst_n": 1',
        ),
        Mutant(
            "record_begins_in_the_highest_bits",
            f"{GATEWARE}/hls/units.py",
            "word.eq(payload) if",
            "word.eq(payload[::-1]) if",
        ),
    ),
    "counters": (
        Mutant(
            "window_is_written_while_it_is_read",
            f"{GATEWARE}/hls/units.py",
            "window.write.adr[word_bits].eq(~shown)",
            "window.write.adr[word_bits].eq(shown)",
        ),
        Mutant(
            "window_is_addressed_by_words",
            f"{GATEWARE}/hls/units.py",
            "eq(address[2:])",
            "eq(address)",
        ),
    ),
    "monitor": (
        Mutant(
            "answer_leaves_before_the_working_set_answers",
            f"{GATEWARE}/filter/page_filter.py",
            "held.valid & (~waits | working_set.answered)",
            "held.valid",
        ),
        Mutant(
            "first_touch_of_the_wrong_page",
            f"{GATEWARE}/hls/units.py",
            "ops.frame.eq(self.page)",
            "ops.frame.eq(self.page & ~1)",
        ),
        Mutant(
            "the_page_of_the_last_touch_is_known_in_the_next_epoch",
            f"{GATEWARE}/hls/units.py",
            "known.eq(self.touch & ~self.advance)",
            "known.eq(self.touch)",
        ),
        Mutant(
            "the_end_of_an_epoch_does_not_empty_the_set",
            f"{GATEWARE}/hls/units.py",
            "ops.epoch_end.eq(self.advance)",
            "ops.epoch_end.eq(self.advance & ~self.touch)",
        ),
    ),
}


def bench(kind: str, sources: Sources = TRUE_SOURCES) -> Path:
    """The bench of a kind around units that stand in for an HLS compiler's."""
    top, sizes, units, _ = BENCHES[kind]
    generator = Path(write_stand_in.__code__.co_filename)
    verilog = [
        product(
            f"stand-in-{unit}-{sizes}.sv",
            [generator],
            lambda folder, unit=unit: write_stand_in(unit, sizes, folder),
        )
        for unit in units
    ]
    return rtl_bench(kind, top, sizes, sources, tuple(verilog), stand_ins=True)


@pytest.mark.parametrize("kind", BENCHES)
def test_units_behind_the_adapters_are_the_cpp_on_random_operations(kind: str) -> None:
    *_, operations = BENCHES[kind]
    counts = counts_of(bench(kind), "random", 1, operations)
    assert counts["epochs_compared"] > 50
    assert counts["resets"] >= 4
    assert counts.get("positions", counts.get("accesses")) > 0.8 * operations
    assert counts["clears"] >= 4


@pytest.mark.parametrize(
    ("kind", "mutant"),
    [(kind, mutant) for kind, mutants in MUTANTS.items() for mutant in mutants],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_bench_finds_the_mutant_of_the_adapter(kind: str, mutant: Mutant) -> None:
    done = run(bench(kind, mutant.sources()), "random", 1, 300_000)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
