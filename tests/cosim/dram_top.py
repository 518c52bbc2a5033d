# SPDX-License-Identifier: BSD-2-Clause
"""LiteDRAM's controller with the ports of a DDR3ModelPHY, and native ports for traffic: Verilog, parameters.

python -m tests.cosim.dram_top GRADE RANKS MAP OUT.v OUT.hpp [TIMING=CLOCKS]

GRADE: 800, 1066, 1600. MAP: row_bank_column, bank_row_column. The parameters, in OUT.hpp, are what the bench
gives the DRAM model; the controller's own timings are LiteDRAM's, but for TIMING: a broken controller.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

from litedram.core.controller import ControllerSettings, LiteDRAMController
from litedram.core.crossbar import LiteDRAMCrossbar
from litedram.modules import MT41J128M16
from litemrc_gateware.tap.dram_address import complete_bank_row_column
from litemrc_soc.simulation.ddr3 import NPHASES, DDR3ModelPHY, pad_widths
from litex.gen.fhdl.verilog import convert

from tests.cosim.rtl_top import BenchTop

# The controller's clock (for which LiteDRAM computes the grade's CL and CWL), the model's name of the grade.
CLOCKS_HZ = {"800": (100e6, "800E"), "1066": (133e6, "1066F"), "1600": (200e6, "1600K")}
DATA_WIDTH = 16
PORTS = 4  # a port waits for a bank before it goes to another: several keep banks busy


class DRAMTop(BenchTop):
    """Controller, crossbar, PHY; `port<n>_...` are native ports, the other ports those of the PHY."""

    def __init__(self, grade: str, ranks: int, address_map: str, timings: dict[str, int]) -> None:
        super().__init__()
        clk_freq, name = CLOCKS_HZ[grade]
        module = MT41J128M16(clk_freq, f"1:{NPHASES}", speedgrade=grade)
        vars(module.timing_settings).update(timings)
        pads = {
            name: self.add_port(name, width) for name, width in pad_widths(module, DATA_WIDTH, ranks).items()
        }
        self.phy = phy = DDR3ModelPHY(module, SimpleNamespace(**pads), clk_freq, DATA_WIDTH, ranks)
        bank_bytes = module.nrows * module.ncols * DATA_WIDTH // 8
        settings = ControllerSettings(
            bank_byte_alignment=bank_bytes if address_map == "bank_row_column" else 0
        )
        self.controller = controller = LiteDRAMController(
            phy.settings, module.geom_settings, module.timing_settings, clk_freq, settings
        )
        self.comb += controller.dfi.connect(phy.dfi)
        self.crossbar = crossbar = LiteDRAMCrossbar(controller.interface)
        complete_bank_row_column(crossbar)
        for number in range(PORTS):
            self._add_native_port(f"port{number}", crossbar.get_port())
        self.parameters = {
            "GRADE": f'"{name}"',
            "RANKS": ranks,
            "ROW_BITS": module.geom_settings.rowbits,
            "COLUMN_BITS": module.geom_settings.colbits,
            "ADDRESS_BITS": module.geom_settings.addressbits,
            "DATA_BYTES": DATA_WIDTH // 8,
            "MAP": f"ddr3::AddressMap::{address_map}",
            "TCK_FS": round(1e15 / (clk_freq * NPHASES)),
            "CL": phy.settings.cl,
            "CWL": phy.settings.cwl,
            "READ_LATENCY": phy.settings.read_latency,
            "WRITE_LATENCY": phy.settings.write_latency,
            "PORTS": PORTS,
        }

    def _add_native_port(self, prefix, port):
        for name, inwards in (("cmd", True), ("wdata", True), ("rdata", False)):
            stream = getattr(port, name)
            layout = [(field, width) for field, width, *_ in stream.description.payload_layout]
            self.add_stream(f"{prefix}_{name}", stream, layout, inwards)


def main():
    grade, ranks, address_map, verilog, header, *timings = sys.argv[1:]
    timings = {name: int(clocks) for name, clocks in (timing.split("=") for timing in timings)}
    top = DRAMTop(grade, int(ranks), address_map, timings)
    Path(verilog).write_text(str(convert(top, ios=top.ios, name="top")))
    lines = [f"#define DRAM_{name} {value}\n" for name, value in top.parameters.items()]
    Path(header).write_text("".join(lines))


if __name__ == "__main__":
    main()
