# SPDX-License-Identifier: BSD-2-Clause
"""The summary names the measured designs, reports slow clocks, and counts cells."""

from collections import Counter
from dataclasses import asdict

import pytest
from litemrc_soc.boards.open_tools import Clock, Report

from scripts.boards.pnr import summary, wrong_clocks
from scripts.boards.pnr_soc import Estimate, SoC, arty_table, count_cells, soc_of, soc_table
from scripts.boards.pnr_units import Result

WITH, WITHOUT = SoC(11_500, 7_000, 92, 60.3, 50.0), SoC(7_700, 4_400, 40, 49.9, 50.0)
TAP = Result(162, 120, 0, (190.0, 182.22, 187.5, 201.0, 199.0), 100, 65536, None, "25k")


def test_summary_has_five_figures_of_each() -> None:
    assert summary({"dram_tap": TAP, "soc_ulx3s": WITH}) == {
        "dram_tap": {"lut4": 162, "ff": 120, "dp16kd": 0, "fmax_mhz": 182.22, "target_mhz": 100},
        "soc_ulx3s": {"lut4": 11_500, "ff": 7_000, "dp16kd": 92, "fmax_mhz": 60.3, "target_mhz": 50.0},
    }


def test_every_slow_clock_is_reported() -> None:
    assert wrong_clocks({"dram_tap": TAP}, {"soc_ulx3s": WITH}) == []
    slow = Result(162, 120, 0, (99.99, 120.0, 110.0, 130.0, 115.0), 100, 65536, None, "25k")
    assert wrong_clocks({"dram_tap": slow}, {"soc_ulx3s": WITH, "without": WITHOUT}) == [
        "dram_tap: 100 MHz asked for with each seed; seed 1: 99.99",
        "without: 49.90 MHz, 50 asked for",
    ]


def test_cost_is_the_difference() -> None:
    assert soc_table(WITH, WITHOUT).splitlines()[2:] == [
        "| with the monitor | 11,500 | 7,000 | 92 | 60.3 | 50 |",
        "| without | 7,700 | 4,400 | 40 | 49.9 | 50 |",
        "| cost of adding LiteMRC | 3,800 | 2,600 | 52 | | |",
    ]


def test_a_board_is_reported_with_the_clock_closest_to_missing_its_target() -> None:
    clocks = {"sys": Clock(60.3, 50.0), "usb": Clock(49.0, 48.0)}
    report = asdict(Report(lut4=11_500, ff=7_000, dp16kd=92, clocks=clocks, seed=2))
    assert soc_of(report) == SoC(11_500, 7_000, 92, 49.0, 48.0, seed=2)


def test_cells_of_an_artix_are_counted() -> None:
    cells = Counter(LUT2=10, LUT6=5, RAM32M=3, RAM64X1D=1, FDRE=20, FDSE=2, RAMB36E1=4, RAMB18E1=3, CARRY4=9)
    assert count_cells(cells) == Estimate(lut=15 + 3 * 4 + 2, ff=22, bram36=5.5)


@pytest.mark.parametrize(
    ("lut", "bram36", "fits"), [(20_800, 50, True), (20_801, 50, False), (20_800, 50.5, False)]
)
def test_arty_fits_or_not(lut: int, bram36: float, fits: bool) -> None:
    estimate = Estimate(lut, 9_000, bram36)
    assert estimate.fits() is fits
    assert f"| BRAM36 | {bram36:g} | 50 |" in arty_table(estimate)
