# SPDX-License-Identifier: BSD-2-Clause
"""Radiona ULX3S: ECP5 with 32 MB of SDR SDRAM."""

import sys

from litedram import modules
from litedram.phy import GENSDRPHY
from litex_boards.platforms import radiona_ulx3s
from litex_boards.targets.radiona_ulx3s import _CRG

from litemrc_soc.boards import command
from litemrc_soc.boards.board import SEEDS, Board, BoardSoC, build_ecp5, uart_pads

BOARD = Board(
    name="ulx3s",
    title="Radiona ULX3S",
    devices=("85F", "45F"),
    sys_clk_hz=50_000_000,
    dram="MT48LC16M16 or alike, SDR SDRAM, 32 MB",
    link="USB connector US1 (FT231X)",
    console="header J1: GP0 sends, GN0 receives",
    sd_card="the board's slot, microSD",
)


class ULX3SSoC(BoardSoC):
    """Parameters as of :class:`BoardSoC`, and ``device``, one of ``BOARD.devices``.

    A simulation has another ``platform``, and other ``clocks``.
    """

    def __init__(
        self,
        device=BOARD.devices[0],
        monitor=True,
        boot="rom",
        platform=None,
        clocks=_CRG,
        **monitor_parameters,
    ):
        platform = platform or radiona_ulx3s.Platform(device=f"LFE5U-{device}", toolchain="trellis")
        self.crg = clocks(platform, BOARD.sys_clk_hz)
        super().__init__(platform, BOARD, device, monitor, boot)
        self.sdrphy = GENSDRPHY(platform.request("sdram"), BOARD.sys_clk_hz)
        self.add_board_dram(self.sdrphy, modules.MT48LC16M16(BOARD.sys_clk_hz, "1:1"), **monitor_parameters)
        header = platform.request("gpio", 0)
        self.add_uarts(link=platform.request("serial"), console=uart_pads(tx=header.p, rx=header.n))


SOC = ULX3SSoC  # the same name in every board's module


def build(output, compile_gateware=True, seeds=SEEDS, **parameters):
    """Call :func:`build_ecp5`; ``parameters`` are those of :class:`ULX3SSoC`."""
    return build_ecp5(BOARD, ULX3SSoC(**parameters), output, compile_gateware, seeds)


if __name__ == "__main__":
    sys.exit(command.main("ulx3s"))
