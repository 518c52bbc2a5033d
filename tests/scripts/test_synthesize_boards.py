# SPDX-License-Identifier: BSD-2-Clause
"""Counts of yosys become sizes, and a SoC larger than its FPGA is reported."""

import pytest

from scripts.boards.synthesize_boards import FAMILIES, ROOM, parse_cells, size_of

# As yosys 0.70 prints them.
REPORT = """
=== litemrc ===

        +----------Local Count, excluding submodules.
        |
    11054 wires
    12961 cells
      686   CCU2C
       81   DP16KD
     6365   LUT4
      185   TRELLIS_DPR16X4
     5625   TRELLIS_FF
"""


def test_look_up_tables_are_logic_carries_and_small_memories() -> None:
    size = size_of("ulx3s", parse_cells(REPORT))
    assert size.luts == 6365 + 2 * 686 + 6 * 185
    assert (size.memories, size.memory) == (81, "DP16KD")
    assert size.fits


def test_half_a_block_ram_counts_half() -> None:
    cells = parse_cells("  25   RAMB18E1\n  36   RAMB36E1\n  100   LUT6\n  2   RAM32M\n")
    size = size_of("arty", cells)
    assert (size.luts, size.memories) == (100 + 2 * 4, 36 + 25 / 2)
    assert size.fits
    cells["RAMB36E1"] += 2
    assert not size_of("arty", cells).fits


def test_statistics_without_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="name no cell"):
        parse_cells("=== litemrc ===\n   11054 wires\n")


def test_every_board_has_a_family_and_an_fpga() -> None:
    assert set(FAMILIES) == set(ROOM)
