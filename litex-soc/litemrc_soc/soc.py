# SPDX-License-Identifier: BSD-2-Clause
"""The LiteMRC SoC: VexRiscv or Rocket, LiteDRAM, a console, a link UART, and the monitor."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from litedram.core.controller import ControllerSettings
from litemrc_gateware.integration.monitor_block import add_monitor
from litemrc_gateware.integration.rank_blocks import add_ranks, rank_controller_settings
from litemrc_gateware.integration.reference_counters import (
    add_ref_counters,
    add_remote_window,
    add_traffic_generator,
)
from litex import get_data_mod
from litex.soc.cores.cpu.rocket import Rocket
from litex.soc.cores.cpu.vexriscv_smp import VexRiscvSMP
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCCore

L2_BYTES = 8 * 1024  # deliberately small: a larger cache hides DRAM traffic from the monitor

# Pages of the reference counters, and the local memory that holds copies of them.
REF_PAGE_SHIFT = 10
PAGE_POOL_BYTES = 16 * 1024
PAGE_POOL_ORIGIN = 0x2000_0000

# Of the identifier, and the constants that do not count for it: a simulated board is that board.
DIGEST_DIGITS = 8
NO_IDENTITY = ("CONFIG_IDENTIFIER", "CONFIG_PLATFORM_NAME")

JUMP_TO_SELF = 0x0000006F  # RISC-V: j .

# The netlist of two harts in pythondata-cpu-vexriscv_smp: coherent caches of 8 KB, and two ports of LiteDRAM
# of 128 bits, which the memory's data lines must match.
SMP_DRAM_BITS = 128
SMP_CLUSTER = {
    **{"cpu_count": 2, "coherent_dma": True, "wishbone_memory": False},
    **{f"{cache}_width": 64 for cache in ("icache", "dcache")},
    **{f"{cache}_size": 8192 for cache in ("icache", "dcache")},
    **{f"{cache}_ways": 2 for cache in ("icache", "dcache")},
}

# Rocket: its bus is 64 bits wide, and its port to the DRAM bypasses the L2 cache.
ROCKET_BUS_BITS = 64
ROCKET_CONFIGURATION = "freechips.rocketchip.system.LitexLinuxConfig"  # one hart, caches of 4 KB, no FPU


@dataclass(frozen=True)
class Variant:
    """The requirements of the SoC's software.

    Attributes
    ----------
    cpu
        LiteX's name of the processor's variant.
    cpu_timer
        the processor has a machine-mode timer.
    rom_bytes, ram_bytes
        memories of the firmware.
    console_fifo_bytes, link_fifo_bytes
        depth of the UARTs' FIFOs, in each direction.
    processor
        LiteX's name. Ports of ``vexriscv_smp`` (two harts) and ``rocket`` to the DRAM bypass the L2 cache.
    """

    cpu: str
    cpu_timer: bool
    rom_bytes: int
    ram_bytes: int
    console_fifo_bytes: int
    link_fifo_bytes: int
    processor: str = "vexriscv"

    @property
    def linux(self) -> bool:
        """Whether the software is Linux, on a processor with an MMU."""
        return self.cpu == "linux"


VARIANTS = {
    # Firmware is in ROM and SRAM, so that all DRAM traffic is that of the workloads.
    "baremetal": Variant("standard", False, 64 * 1024, 32 * 1024, 16, 64),
    # ROM and SRAM for the shim (firmware/boot). Linux's LiteUART driver serves the FIFOs once a tick:
    # they hold a typed command, or what the link carries in 10 ms at 1 Mbaud, such as a host's request.
    "linux": Variant("linux", True, 8 * 1024, 4 * 1024, 256, 1024),
    "smp": Variant("standard", False, 64 * 1024, 32 * 1024, 16, 64, "vexriscv_smp"),
    "linux-smp": Variant("linux", False, 8 * 1024, 4 * 1024, 256, 1024, "vexriscv_smp"),
    "rocket": Variant("linux", False, 8 * 1024, 4 * 1024, 256, 1024, "rocket"),
}


def add_rocket_sources(platform, variant):
    """In place of ``Rocket.add_sources``: file names of the Python package as it is on PyPI."""
    del variant
    verilog = Path(get_data_mod("cpu", "rocket").data_location)
    for name in (f"{ROCKET_CONFIGURATION}.v", f"{ROCKET_CONFIGURATION}.behav_srams.v"):
        platform.add_source(str(verilog / "generated-src" / name))
    for name in ("plusarg_reader.v", "AsyncResetReg.v", "EICG_wrapper.v"):
        platform.add_source(str(verilog / "vsrc" / name))


class LiteMRCSoC(SoCCore):
    """A SoC whose platform gives a console UART; DRAM and link are added by the target (sim, board).

    Parameters
    ----------
    variant : str or Variant
        a name of ``VARIANTS``, or a separate one.
    rom : sequence of int
        first words of the ROM. The simulator or the build fills in the firmware later; until then the
        processor loops. Empty: LiteX's builder compiles its BIOS.
    name : str
        that of the SoC in its identifier, ``litemrc NAME DIGEST``, in small letters as csr.json has it. The
        digest is of registers, memories and constants: software that was built for one SoC runs on all with
        the same identifier.
    """

    def __init__(
        self, platform, sys_clk_freq, variant="baremetal", rom=(JUMP_TO_SELF,), name="sim", **kwargs
    ):
        self.variant = variant if isinstance(variant, Variant) else VARIANTS[variant]
        processor = self.variant.processor
        if processor == "vexriscv_smp":
            for parameter, value in SMP_CLUSTER.items():  # LiteX has no other place for them
                setattr(VexRiscvSMP, parameter, value)
        if processor == "rocket":
            Rocket.add_sources = staticmethod(add_rocket_sources)
            kwargs["bus_data_width"] = ROCKET_BUS_BITS
        super().__init__(
            platform,
            clk_freq=sys_clk_freq,
            cpu_type=processor,
            cpu_variant=self.variant.cpu,
            ident=f"litemrc {name} {'0' * DIGEST_DIGITS}",
            integrated_rom_size=self.variant.rom_bytes,
            integrated_rom_init=list(rom),
            integrated_sram_size=self.variant.ram_bytes,
            uart_fifo_depth=self.variant.console_fifo_bytes,
            timer_uptime=True,
            **kwargs,
        )
        if self.variant.cpu_timer:
            self.cpu.add_timer()

    def finalize(self):
        """Called by LiteX's builder before it writes any file."""
        if self.finalized:
            return
        super().finalize()
        constants = {name: value for name, value in self.constants.items() if name not in NO_IDENTITY}
        described = get_csr_json(self.csr_regions, constants, self.mem_regions)
        digest = hashlib.sha256(described.encode()).hexdigest()[:DIGEST_DIGITS]
        self.identifier_text = f"{self.constants['CONFIG_IDENTIFIER'][:-DIGEST_DIGITS]}{digest}"
        self.constants["CONFIG_IDENTIFIER"] = self.identifier_text
        self.identifier.mem.init = [*self.identifier_text.encode(), 0]

    def add_monitored_dram(self, phy, module, domains=None, **monitor_parameters):
        """Add SDRAM, L2 cache and monitor; returns the :class:`Monitor`.

        With ``domains``, for DDR3 only, also add rank meter and rank power: one domain for each rank, or that
        number of address slices of a single rank.
        """
        settings = rank_controller_settings(phy, module) if domains else ControllerSettings()
        self.add_sdram("sdram", phy=phy, module=module, l2_cache_size=L2_BYTES, controller_settings=settings)
        monitor = add_monitor(self, phy, domains=domains, **{"pages": None} | monitor_parameters)
        if domains:
            add_ranks(self, phy, module, monitor, domains)
        return monitor

    def add_remote_memory(self, monitor):
        """Add remote memory: the DRAM's window without L2, a second master, reference counters by master,
        and local memory ``page_pool`` for copies of pages.
        """
        add_remote_window(self)
        add_traffic_generator(self)
        add_ref_counters(self, monitor, page_shift=REF_PAGE_SHIFT)
        self.add_ram("page_pool", PAGE_POOL_ORIGIN, PAGE_POOL_BYTES)

    def add_link(self, **kwargs):
        """Add the UART of the serial protocol as ``link``."""
        self.add_uart(name="link", fifo_depth=self.variant.link_fifo_bytes, **kwargs)
