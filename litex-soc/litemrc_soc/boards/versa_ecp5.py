# SPDX-License-Identifier: BSD-2-Clause
"""Lattice ECP5 Versa: ECP5-45F with 128 MB of DDR3."""

import sys

from litedram.modules import MT41K64M16
from litedram.phy import ECP5DDRPHY
from litex.build.generic_platform import IOStandard, Pins, Subsignal
from litex_boards.platforms import lattice_versa_ecp5
from litex_boards.targets.lattice_versa_ecp5 import _CRG

from litemrc_soc.boards import command
from litemrc_soc.boards.board import SEEDS, Board, BoardSoC, build_ecp5

BOARD = Board(
    name="versa_ecp5",
    title="Lattice ECP5 Versa",
    devices=("5G-45F", "45F"),
    sys_clk_hz=75_000_000,
    dram="MT41K64M16, DDR3, 128 MB",
    rom_bytes=52 * 1024,  # the 45F has 108 block RAMs of 18 Kbit
    link="USB connector (FT2232H, its second port)",
    console="expansion header X3: pin 4 sends, pin 5 receives",
)
CONSOLE = (
    "console",
    0,
    Subsignal("tx", Pins("X3:4")),
    Subsignal("rx", Pins("X3:5")),
    IOStandard("LVCMOS33"),
)


class VersaSoC(BoardSoC):
    """Parameters as of :class:`BoardSoC`, and ``device``, one of ``BOARD.devices``."""

    def __init__(self, device=BOARD.devices[0], monitor=True, boot="rom", **monitor_parameters):
        family = "LFE5UM5G" if device.startswith("5G") else "LFE5UM"
        platform = lattice_versa_ecp5.Platform(device=family, toolchain="trellis")
        platform.add_extension([CONSOLE])
        self.crg = _CRG(platform, BOARD.sys_clk_hz)
        super().__init__(platform, BOARD, device, monitor, boot)
        self.ddrphy = ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=BOARD.sys_clk_hz)
        self.comb += [self.crg.stop.eq(self.ddrphy.init.stop), self.crg.reset.eq(self.ddrphy.init.reset)]
        self.add_board_dram(self.ddrphy, MT41K64M16(BOARD.sys_clk_hz, "1:2"), **monitor_parameters)
        self.add_uarts(link=platform.request("serial"), console=platform.request("console"))


SOC = VersaSoC  # the same name in every board's module


def build(output, compile_gateware=True, seeds=SEEDS, **parameters):
    """Call :func:`build_ecp5`; ``parameters`` are those of :class:`VersaSoC`."""
    return build_ecp5(BOARD, VersaSoC(**parameters), output, compile_gateware, seeds)


if __name__ == "__main__":
    sys.exit(command.main("versa_ecp5"))
