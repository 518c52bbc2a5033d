# SPDX-License-Identifier: BSD-2-Clause
"""Digilent Arty A7: Artix-7 with 256 MB of DDR3."""

import sys

from litedram.modules import MT41K128M16
from litedram.phy.s7ddrphy import A7DDRPHY
from litex_boards.platforms import digilent_arty
from litex_boards.targets.digilent_arty import _CRG

from litemrc_soc.boards import command
from litemrc_soc.boards.board import Board, BoardSoC
from litemrc_soc.boards.vivado import build_vivado

BOARD = Board(
    name="arty",
    title="Digilent Arty A7",
    devices=("a7-35", "a7-100"),
    sys_clk_hz=100_000_000,
    dram="MT41K128M16, DDR3, 256 MB",
    cpu="linux",
    # The A7-35T has 50 block RAMs of 36 Kbit.
    rom_bytes=40 * 1024,
    ram_bytes=20 * 1024,
    optimize="-Os -flto -DWITHOUT_PAIR",
    compact_l2=True,
    link="USB connector J10 (FT2232HQ, its second port)",
    console="Pmod JA: pin 2 sends, pin 3 receives (a Pmod USBUART fits)",
    sd_card="a Pmod with an SD card at JD",
)


# With 64 groups a page has 10 bits, 9 with 32: then all pages fit into the block RAMs of an A7-35T.
GROUPS = {"a7-35": 32}


class ArtySoC(BoardSoC):
    """Parameters as of :class:`BoardSoC`, and ``device``, one of ``BOARD.devices``."""

    def __init__(self, device=BOARD.devices[0], monitor=True, boot="rom", **monitor_parameters):
        platform = digilent_arty.Platform(variant=device, toolchain="vivado")
        platform.add_extension(digilent_arty.usb_pmod_io("pmoda"))
        platform.add_extension(digilent_arty.sdcard_pmod_io("pmodd"))
        self.crg = _CRG(platform, BOARD.sys_clk_hz)
        super().__init__(platform, BOARD, device, monitor, boot)
        self.ddrphy = A7DDRPHY(
            platform.request("ddram"), memtype="DDR3", nphases=4, sys_clk_freq=BOARD.sys_clk_hz
        )
        if device in GROUPS:
            monitor_parameters.setdefault("groups", GROUPS[device])
        self.add_board_dram(self.ddrphy, MT41K128M16(BOARD.sys_clk_hz, "1:4"), **monitor_parameters)
        self.add_uarts(link=platform.request("serial"), console=platform.request("usb_uart"))


SOC = ArtySoC  # the same name in every board's module


def build(output, compile_gateware=True, seeds=None, **parameters):
    """Call :func:`build_vivado`; ``parameters`` of :class:`ArtySoC`. Vivado has no seeds."""
    return build_vivado(BOARD, ArtySoC(**parameters), output, compile_gateware)


if __name__ == "__main__":
    sys.exit(command.main("arty"))
