# SPDX-License-Identifier: BSD-2-Clause
"""Adds rank meter and rank power to a LiteX SoC with a monitor and a DDR3 controller, with two calls."""

from litedram.core.controller import ControllerSettings

from litemrc_gateware.integration.description import RANKS, describe
from litemrc_gateware.integration.windows import uncached_region
from litemrc_gateware.monitor.window_bus import WindowBus
from litemrc_gateware.ranks.power import RankPower
from litemrc_gateware.ranks.refresher import RankRefresher
from litemrc_gateware.ranks.registers import MeterWord, RankRegisters
from litemrc_gateware.tap.dfi_activity import DFIActivity

# After the window of a monitor.
WINDOW_ORIGIN = 0xB001_0000


def rank_controller_settings(phy, module):
    """Return the controller's settings for ``soc.add_sdram(controller_settings=...)``.

    They have LiteDRAM's refresher with a second user, and an address mapping with contiguous banks and ranks.
    """
    geometry = module.geom_settings
    bank_bytes = phy.settings.databits // 8 << (geometry.rowbits + geometry.colbits)
    return ControllerSettings(refresh_cls=RankRefresher, bank_byte_alignment=bank_bytes)


class RankControl(RankRegisters):
    """Registers of rank meter and rank power, connected to both.

    Parameters
    ----------
    power : RankPower
    activity : DFIActivity
        of the DFI after `power`.
    monitor : Monitor
        built with ``domains``.
    virtual : bool
        domains are slices of one rank.

    Attributes
    ----------
    window : WindowBus
        of the meter's counters.
    """

    def __init__(self, power, activity, monitor, virtual):
        meter = monitor.rank_meter
        groups, contexts = monitor.groups, monitor.contexts
        super().__init__(power.domains, virtual=virtual, groups=groups, partial=True)
        self.window = window = WindowBus(power.domains * len(MeterWord) + contexts)

        # # #

        power.add_registers(self)
        counters = meter.counters
        names = ("access", "access_domain", "write", "activate", "activate_domain", "refresh")
        self.comb += [
            power.working.eq(meter.working),
            *(getattr(counters, name).eq(getattr(activity, name)) for name in names),
            meter.open.eq(activity.open),
        ]
        self.comb += [
            counters.waking.eq(power.waking),
            counters.wakes.eq(power.wakes),
            *(to.eq(state) for to, state in zip(meter.rank_state, power.state, strict=True)),
        ]
        self.comb += [
            meter.n_mrc.automatic.eq(self._n_mrc_auto.fields.enable),
            meter.n_mrc.epsilon.eq(self._n_mrc_auto.fields.epsilon),
            meter.n_mrc.size.eq(self._n_mrc.storage),
            meter.n_mrc.written.eq(self._n_mrc.re),
            self._working.status.eq(meter.working),
            self._meter_status.fields.overflow.eq(meter.overflow),
            self._meter_status.fields.sampled.eq(monitor.filter.scale_log2 != 0),
            self._snapshot_clocks.status.eq(meter.snapshot_clocks),
            meter.window_adr.eq(window.adr),
            window.dat_r.eq(meter.window_dat_r),
        ]


def add_ranks(soc, phy, module, monitor, domains, name="ranks", chip_bits=16):
    """Add rank power to a SoC that has its SDRAM and its monitor, and connect the monitor's rank meter.

    Afterwards the SoC has registers called ``name``, an uncached region ``<name>_window`` with the meter's
    counters of the finished epoch, and constants that describe the DRAM.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
        its SDRAM added with ``rank_controller_settings``.
    phy : LiteDRAM PHY
    module : litedram.modules.DDR3Module
        its attribute ``part``, if present, is the name of its chips; else the class's name.
    monitor : Monitor
        built with the same ``domains``.
    domains : int
        power domains: one for each rank, or slices of a single rank.
    name : str
    chip_bits : int
        data lines of a chip.
    """
    settings = soc.sdram.controller.settings
    power = RankPower(soc.sdram, soc.sys_clk_freq, domains)
    activity = DFIActivity(
        phy.dfi,
        settings.geom,
        column_bytes=phy.settings.databits // 8,
        domains=domains,
        bank_byte_alignment=settings.bank_byte_alignment,
    )
    control = RankControl(power, activity, monitor, virtual=phy.settings.nranks == 1)
    soc.add_module(name=f"{name}_power", module=power)
    soc.add_module(name=f"{name}_activity", module=activity)
    soc.add_module(name=name, module=control)
    soc.bus.add_slave(
        name=f"{name}_window",
        slave=control.window.bus,
        region=uncached_region(soc, control.window.bytes, WINDOW_ORIGIN),
    )
    describe(soc, name, RANKS, control, soc.sdram)
    soc.add_config("DRAM_PART", getattr(module, "part", type(module).__name__))
    soc.add_config("DRAM_CHIPS", phy.settings.databits // chip_bits)
    soc.add_config("DRAM_PHASES", phy.settings.nphases)
