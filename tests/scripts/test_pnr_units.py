# SPDX-License-Identifier: BSD-2-Clause
"""The figures of a unit are those of nextpnr's last report, and its ports are registered."""

from dataclasses import replace
from pathlib import Path

import pytest
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from migen import Signal

from scripts.boards.pnr_catalogue import UNITS
from scripts.boards.pnr_units import (
    Registered,
    Result,
    fill_rows,
    missed,
    parse_report,
    smallest_device,
    table,
)

# From nextpnr-ecp5 0.11.1's log of hit_counters: an estimate stands before what was routed.
LOG = """\
Info:     Total LUT4s:      1635/24288     6%
Info:         logic LUTs:   1209/24288     4%
Info:         carry LUTs:    138/24288     0%
Info:           RAM LUTs:    192/ 3036     6%
Info:          RAMW LUTs:     96/ 6072     1%
Info:      Total DFFs:       573/24288     2%
Info: 	          TRELLIS_IO:      92/    197    46%
Info: 	              DP16KD:       3/     56     5%
Info: 	          TRELLIS_FF:     573/  24288     2%
Info: Max frequency for clock '$glbnet$clk$TRELLIS_IO_IN': 96.96 MHz (FAIL at 150.00 MHz)
Info: Routing..
Warning: Max frequency for clock '$glbnet$clk$TRELLIS_IO_IN': 97.21 MHz (FAIL at 150.00 MHz)
"""


def test_report_is_read_from_the_last_frequency() -> None:
    assert parse_report(LOG) == {"lut4": 1635, "ff": 573, "dp16kd": 3, "fmax_mhz": 97.21}


def test_log_of_a_failed_run_is_refused() -> None:
    with pytest.raises(ValueError, match="no line for fmax_mhz"):
        parse_report("\n".join(line for line in LOG.splitlines() if "frequency" not in line))


@pytest.mark.parametrize(
    ("lut4", "dp16kd", "device"),
    # Three quarters of the block RAMs of a 25k are 42, of a 45k 81; all of an 85k.
    [(700, 42, "25k"), (700, 43, "45k"), (700, 82, "85k"), (43_000, 0, "85k"), (1, 208, "85k")],
)
def test_smallest_device_that_fits_is_taken(lut4: int, dp16kd: int, device: str) -> None:
    assert smallest_device(lut4, dp16kd).name == device


def test_unit_that_fits_no_device_is_refused() -> None:
    with pytest.raises(ValueError, match="209 DP16KD fit no device"):
        smallest_device(1, 209)


def test_every_port_has_a_register() -> None:
    class Inverter(LiteXModule):
        def __init__(self) -> None:
            self.a, self.b = Signal(3), Signal(3)
            self.comb += self.b.eq(~self.a)

    top = Registered(Inverter(), ("a", "b"))
    verilog = str(convert(top, top.ios, name="top"))
    assert verilog.count("<= 3'd0") == 2  # on reset: one register before, one behind the inverter


CLOCKS = (135.26, 131.0, 127.31, 140.04, 125.0)


def test_table_has_a_row_for_each_unit() -> None:
    slow = (99.4, 120.0, 101.55, 99.99, 100.0)
    results = {
        "tap": Result(1466, 232, 0, CLOCKS, 125, 65536, None, "25k", "static"),
        "slow": Result(7, 3, 0, slow, 100, None, 8, "45k"),
    }
    assert table(results).splitlines()[2:] == [
        "| `tap` | 65,536 |  | 1,466 | 232 | 0 | 125.0 | 131.0 | 140.0 | 125 | 25k | static |",
        "| `slow` |  | 8 | 7 | 3 | 0 | **99.4, 2 of 5 missed** | 100.0 | 120.0 | 100 | 45k | heap |",
    ]


def test_figures_have_the_clock_of_each_seed() -> None:
    figures = Result(1466, 232, 0, CLOCKS, 125, 65536, None, "25k").as_json()
    assert figures["seeds_mhz"] == {"1": 135.26, "2": 131.0, "3": 127.31, "4": 140.04, "5": 125.0}
    assert (figures["fmax_mhz"], figures["median_mhz"], figures["max_mhz"]) == (125.0, 131.0, 140.04)


def test_target_must_be_met_with_each_seed() -> None:
    result = Result(1, 1, 0, CLOCKS, UNITS["bucket_stack"].target_mhz, None, None, "25k")
    assert missed(result) is None
    slow = replace(result, seeds_mhz=(*CLOCKS[:2], 124.99, 150.0, 124.0))
    assert missed(slow) == "125 MHz asked for with each seed; seed 3: 124.99, seed 5: 124.00"


def test_rows_of_some_units_are_filled_in_and_the_others_stay(tmp_path: Path) -> None:
    page, kept = tmp_path / "page.md", "| `other` | 1 |  | 1 | 1 | 0 | 99.4, seed 2 | | | 100 | 25k | heap |"
    before = "| `tap` | 1 |  | 1 | 1 | 0 | **99.4, 1 of 5 missed** | 1.0 | 2.0 | 100 | 25k | heap |"
    page.write_text(f"| `tap` | of another table |\n\n{before}\n{kept}\n")
    results = {"tap": Result(1466, 232, 0, CLOCKS, 125, 65536, None, "25k", "static")}
    fill_rows(page, results)
    row = table(results).splitlines()[2]
    assert page.read_text() == f"| `tap` | of another table |\n\n{row}\n{kept}\n"
    with pytest.raises(ValueError, match="0 rows of new"):
        fill_rows(page, {"new": results["tap"]})
