# SPDX-License-Identifier: BSD-2-Clause
"""OrangeCrab r0.2: ECP5 with 128 MB of DDR3, on a Feather board."""

import sys

from litedram.modules import MT41K64M16
from litedram.phy import ECP5DDRPHY
from litex.build.generic_platform import IOStandard, Pins, Subsignal
from litex_boards.platforms import gsd_orangecrab
from litex_boards.targets.gsd_orangecrab import _CRGSDRAM

from litemrc_soc.boards import command
from litemrc_soc.boards.board import SEEDS, Board, BoardSoC, build_ecp5

BOARD = Board(
    name="orangecrab",
    title="OrangeCrab r0.2",
    devices=("85F",),
    sys_clk_hz=48_000_000,
    dram="MT41K64M16, DDR3, 128 MB",
    link="pins 1 (sends) and 0 (receives)",
    console="pins 5 (sends) and 6 (receives)",
    sd_card="the board's slot, microSD",
)
CONSOLE = (
    "console",
    0,
    Subsignal("tx", Pins("GPIO:5")),
    Subsignal("rx", Pins("GPIO:6")),
    IOStandard("LVCMOS33"),
)


class OrangeCrabSoC(BoardSoC):
    """Parameters as of :class:`BoardSoC`, and ``device``, one of ``BOARD.devices``."""

    def __init__(self, device=BOARD.devices[0], monitor=True, boot="rom", **monitor_parameters):
        platform = gsd_orangecrab.Platform(revision="0.2", device=device, toolchain="trellis")
        platform.add_extension([CONSOLE, *gsd_orangecrab.feather_serial])
        self.crg = _CRGSDRAM(platform, BOARD.sys_clk_hz)
        super().__init__(platform, BOARD, device, monitor, boot)
        pads = platform.request("ddram")
        # Byte lanes, command delay and termination as litex-boards has them for this board.
        self.ddrphy = phy = ECP5DDRPHY(
            pads, sys_clk_freq=BOARD.sys_clk_hz, dm_remapping={0: 1, 1: 0}, cmd_delay=100
        )
        phy.settings.rtt_nom = "disabled"
        self.comb += [
            pads.vccio.eq(0b111111),
            pads.gnd.eq(0),
            self.crg.stop.eq(phy.init.stop),
            self.crg.reset.eq(phy.init.reset),
        ]
        self.add_board_dram(phy, MT41K64M16(BOARD.sys_clk_hz, "1:2"), **monitor_parameters)
        self.add_uarts(link=platform.request("serial"), console=platform.request("console"))


SOC = OrangeCrabSoC  # the same name in every board's module


def build(output, compile_gateware=True, seeds=SEEDS, **parameters):
    """Call :func:`build_ecp5`; ``parameters`` are those of :class:`OrangeCrabSoC`."""
    return build_ecp5(BOARD, OrangeCrabSoC(**parameters), output, compile_gateware, seeds)


if __name__ == "__main__":
    sys.exit(command.main("orangecrab"))
