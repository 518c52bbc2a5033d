# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's units as yosys makes them of the ECP5's cells equal the C++, as their RTL does."""

import re
from pathlib import Path

import pytest

from tests.cosim.builder import FilterSizes, Sizes, rtl_bench
from tests.cosim.ecp5_cells import gates
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

UNITS = {
    "bucket_stack": ("chain", "bucket_stack", Sizes(256, 16, 4)),
    "hit_counters": ("counters", "counters", Sizes(frames=16, groups=8, contexts=2, counter_bits=6)),
    "page_filter": ("filter", "filter", FilterSizes(256, 16, 4, memory_frames=256)),
}
OPERATIONS = 100_000


@pytest.mark.parametrize("unit", UNITS)
def test_gates_are_the_cpp_on_random_operations(unit: str) -> None:
    counts = counts_of(rtl_bench(*UNITS[unit], netlist=gates), "random", 1, OPERATIONS)
    done = counts["positions"] if unit == "hit_counters" else counts["accesses"]
    assert done >= OPERATIONS
    assert counts["epochs_compared"] > 10


def gates_with_a_wrong_table(verilog: Path) -> list[Path]:
    """A bit of every tenth lookup table is another."""
    netlist, cells = gates(verilog)
    tables = iter(range(10**6))

    def change(found: re.Match) -> str:
        value = int(found[2], 16)
        return f"{found[1]}{value ^ (1 << 8) if next(tables) % 10 == 0 else value:x})"

    text, count = re.subn(r"(\.INIT\(16'h)([0-9a-f]+)\)", change, netlist.read_text())
    assert count > 100
    netlist.write_text(text)
    return [netlist, cells]


def gates_with_a_block_ram_that_keeps_a_byte(verilog: Path) -> list[Path]:
    """Of words of 18 bits the upper byte is not written."""
    netlist, cells = gates(verilog)
    text = cells.read_text()
    changed = text.replace("if (address[1]) written[17:9]", "if (0) written[17:9]")
    assert changed != text
    cells.write_text(changed)
    return [netlist, cells]


@pytest.mark.parametrize(
    ("unit", "netlist"),
    [
        *((unit, gates_with_a_wrong_table) for unit in UNITS),
        ("bucket_stack", gates_with_a_block_ram_that_keeps_a_byte),
    ],
)
def test_bench_finds_the_mutant(unit: str, netlist) -> None:
    done = run(rtl_bench(*UNITS[unit], netlist=netlist), "random", 1, OPERATIONS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
