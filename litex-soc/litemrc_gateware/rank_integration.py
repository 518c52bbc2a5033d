"""Two calls put rank meter and rank power beside a LiteX SoC's monitor and DDR3 controller."""

from litedram.core.controller import ControllerSettings
from litex.soc.integration.soc import SoCRegion

from litemrc_gateware.dfi_activity import DFIActivity
from litemrc_gateware.rank_power import RankPower
from litemrc_gateware.rank_refresher import RankRefresher
from litemrc_gateware.rank_registers import RankRegisters

# Uncached, as the monitor's window is, and behind it.
WINDOW_ORIGIN = 0xB001_0000


def rank_controller_settings(phy, module):
    """Settings of the controller for ``soc.add_sdram(controller_settings=...)``.

    LiteDRAM's refresher with a second user, and an address mapping in which banks, and so ranks, are
    contiguous.
    """
    geometry = module.geom_settings
    bank_bytes = phy.settings.databits // 8 << (geometry.rowbits + geometry.colbits)
    return ControllerSettings(refresh_cls=RankRefresher, bank_byte_alignment=bank_bytes)


def add_ranks(soc, phy, module, monitor, domains, name="ranks"):
    """Adds rank meter and rank power to a SoC that has its SDRAM and its monitor.

    Afterwards the SoC has registers called ``name``, an uncached region ``<name>_window`` with the meter's
    counters of the finished epoch, and constants that name the DRAM.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
        its SDRAM added with ``rank_controller_settings``.
    phy : LiteDRAM PHY
    module : litedram.modules.DDR3Module
    monitor : Monitor
        built with the same ``domains``.
    domains : int
        power domains.
    name : str
    """
    nranks = phy.settings.nranks
    power = RankPower(soc.sdram, soc.sys_clk_freq, domains)
    activity = DFIActivity(phy.dfi, ...)
    meter = monitor.rank_meter
    registers = RankRegisters(domains, virtual=nranks == 1, groups=..., partial=True)
