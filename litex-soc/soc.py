"""The LiteMRC SoC: VexRiscv, LiteDRAM behind an L2 cache, a console, a link UART, and the monitor."""

from litemrc_gateware.integration import add_monitor
from litex.soc.integration.soc_core import SoCCore

L2_BYTES = 8 * 1024  # small on purpose: a larger one hides DRAM traffic from the monitor
FIRMWARE_ROM_BYTES = 64 * 1024
FIRMWARE_RAM_BYTES = 32 * 1024
LINK_FIFO_BYTES = 64

JUMP_TO_SELF = 0x0000006F  # RISC-V: j .


class LiteMRCSoC(SoCCore):
    """A SoC whose platform gives a console UART; DRAM and link are added by the target (sim, board).

    Firmware lives in ROM and SRAM, so that all DRAM traffic is that of the workloads.
    """

    def __init__(self, platform, sys_clk_freq, **kwargs):
        super().__init__(
            platform,
            clk_freq=sys_clk_freq,
            cpu_type="vexriscv",
            cpu_variant="standard",
            ident="LiteMRC",
            integrated_rom_size=FIRMWARE_ROM_BYTES,
            # Filled in later by who loads the firmware; until then the processor waits.
            integrated_rom_init=[JUMP_TO_SELF],
            integrated_sram_size=FIRMWARE_RAM_BYTES,
            timer_uptime=True,
            **kwargs,
        )

    def add_monitored_dram(self, phy, module, **monitor_parameters):
        """Adds SDRAM, L2 cache and monitor; returns the :class:`Monitor`."""
        self.add_sdram("sdram", phy=phy, module=module, l2_cache_size=L2_BYTES)
        return add_monitor(self, phy, **monitor_parameters)

    def add_link(self, **kwargs):
        """Adds the UART of the serial protocol as ``link``."""
        self.add_uart(name="link", fifo_depth=LINK_FIFO_BYTES, **kwargs)
