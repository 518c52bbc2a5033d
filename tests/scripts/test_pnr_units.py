"""The figures of a unit are those of nextpnr's last report, and its ports are registered."""

from dataclasses import replace

import pytest
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from migen import Signal
from pnr_catalogue import UNITS
from pnr_units import Registered, Result, missed, parse_report, smallest_device, table

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


def test_table_has_a_row_for_each_unit() -> None:
    results = {
        "tap": Result(1466, 232, 0, 135.26, 125, 65536, None, "25k", seed=2),
        "slow": Result(7, 3, 0, 99.4, 100, None, 8, "45k", seed=3),
    }
    assert table(results).splitlines()[2:] == [
        "| `tap` | 65,536 |  | 1,466 | 232 | 0 | 135 | 125 | 25k | 2 |",
        "| `slow` |  | 8 | 7 | 3 | 0 | **99, missed** | 100 | 45k | 3 |",
    ]


def test_missed_target_is_reported() -> None:
    bucket_stack = UNITS["bucket_stack"]
    figures = {"lut4": 1, "ff": 1, "dp16kd": 0, "frames": None, "contexts": None, "device": "25k", "seed": 1}
    result = Result(**figures, fmax_mhz=124.9, target_mhz=bucket_stack.target_mhz)
    assert missed(result) == "124.90 MHz, 125 asked for, with the best of seeds 1 to 5"
    assert missed(replace(result, fmax_mhz=125.0)) is None
