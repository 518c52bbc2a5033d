"""Adds the monitor to a LiteX SoC with DRAM, with one call."""

from litex.soc.integration.soc import SoCRegion

from litemrc_gateware.monitor.monitor import DEFAULT_ENGINE, Monitor
from litemrc_gateware.stacks.hls_unit import exported_files
from litemrc_gateware.tap.dram_tap import DRAMTap

# Uncached by every VexRiscv: variants with an MMU cache all addresses but 0xB..., 0xE... and 0xF....
WINDOW_ORIGIN = 0xB000_0000


def add_monitor(soc, phy, name="mrc", hls_verilog=None, **parameters):
    """Add a tap on ``phy``'s DFI and a monitor to a SoC that already has its SDRAM (``soc.add_sdram``).

    Afterwards the SoC has registers and an interrupt called ``name``, and an uncached region
    ``<name>_window`` with the hit counters of the finished epoch.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
    phy : LiteDRAM PHY
        that of ``add_sdram``.
    name : str
    hls_verilog : Path, optional
        folder of the engine's Verilog exported by Vitis HLS, used in place of the engine in Migen.
    parameters
        those of :class:`Monitor`.

    Returns
    -------
    Monitor

    Raises
    ------
    ValueError
        if sizes are not supported together, or ``hls_verilog`` does not hold the engine.
    """
    if hls_verilog is not None:
        parameters["hls_engine"] = True
        for file in exported_files(hls_verilog, parameters.get("engine", DEFAULT_ENGINE)):
            soc.platform.add_source(str(file), copy=file.suffix == ".dat")
    settings = soc.sdram.controller.settings
    tap = DRAMTap(
        phy.dfi,
        settings.geom,
        column_bytes=phy.settings.databits // 8,
        page_shift=parameters.get("page_shift", 12),
        bank_byte_alignment=settings.bank_byte_alignment,
    )
    monitor = Monitor(tap, **parameters)
    soc.add_module(name=f"{name}_tap", module=tap)
    soc.add_module(name=name, module=monitor)
    soc.bus.add_slave(
        name=f"{name}_window",
        slave=monitor.window.bus,
        region=SoCRegion(origin=WINDOW_ORIGIN, size=monitor.window.bytes, mode="r", cached=False),
    )
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    return monitor
