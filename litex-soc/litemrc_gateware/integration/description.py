# SPDX-License-Identifier: BSD-2-Clause
"""Constants of a SoC that describe the blocks added to it: in csr.json, for generators, and in soc.h."""

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoC
from litex.soc.interconnect.csr import CSRStatus

from litemrc_gateware.monitor.registers import REGISTERS_VERSION
from litemrc_gateware.ranks.registers import RANK_REGISTERS_VERSION
from litemrc_gateware.refs.registers import REF_COUNTER_REGISTERS_VERSION

# As in device trees: kind of the block and version of its register layout.
MONITOR = f"litex,litemrc-monitor-{REGISTERS_VERSION}"
RANKS = f"litex,litemrc-ranks-{RANK_REGISTERS_VERSION}"
REF_COUNTERS = f"litex,litemrc-reference-counters-{REF_COUNTER_REGISTERS_VERSION}"


def describe(soc: SoC, name: str, compatible: str, block: LiteXModule, sdram: object) -> None:
    """Add the constants ``<name>_...`` of a block.

    They are ``compatible``; the values of its registers of capabilities, as ``built_capabilities`` and so on,
    because soc.h and csr.h have a function each for a constant and a register; ``access_bytes``, those of a
    column access of the DRAM, which takes one cycle of its data bus; ``data_bits``, that bus's width;
    ``peak_megabytes``, 10^6 bytes a second with an access in each cycle; and ``memory_base``, the DRAM's
    address, if it is the ``main_ram`` of ``add_sdram``. LiteX does not know the address of other controllers'
    memory.

    Parameters
    ----------
    block : LiteXModule
        has the registers called ``name``.
    sdram : LiteDRAMCore
        the controller that the block observes.
    """
    soc.add_constant(f"{name}_compatible", compatible)
    for register in ("capabilities", "stack_capabilities", "dram_capabilities"):
        status = getattr(block, f"_{register}", None)
        if isinstance(status, CSRStatus):
            soc.add_constant(f"{name}_built_{register}", status.status.reset.value)
    access_bytes = sdram.crossbar.controller.data_width // 8
    soc.add_constant(f"{name}_access_bytes", access_bytes)
    soc.add_constant(f"{name}_data_bits", sdram.controller.settings.phy.databits)
    soc.add_constant(f"{name}_peak_megabytes", round(access_bytes * soc.sys_clk_freq / 1e6))
    if sdram is getattr(soc, "sdram", None) and "main_ram" in soc.bus.regions:
        soc.add_constant(f"{name}_memory_base", soc.bus.regions["main_ram"].origin)
