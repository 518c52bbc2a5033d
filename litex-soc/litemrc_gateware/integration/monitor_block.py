# SPDX-License-Identifier: BSD-2-Clause
"""Adds the monitor to a LiteX SoC with DRAM, with one call."""

from litemrc_gateware.hls.exported import MEMORY_CONTENTS, exported_files, origin_of
from litemrc_gateware.hls.units import port_widths
from litemrc_gateware.integration.block_rams import BLOCK_KBIT
from litemrc_gateware.integration.block_rams import block_rams as count_block_rams
from litemrc_gateware.integration.description import MONITOR, describe
from litemrc_gateware.integration.windows import uncached_region
from litemrc_gateware.monitor.monitor import Monitor
from litemrc_gateware.stacks.engines import default_engine
from litemrc_gateware.tap.dfi_commands import DFICommands
from litemrc_gateware.tap.dram_tap import DRAMTap

WINDOW_ORIGIN = 0xB000_0000
# Of 18 Kbit. A third of the smallest Artix-7 board in use, an Arty A7-35T, whose Linux SoC takes half.
BLOCK_RAMS = 34


def add_monitor(
    soc,
    phy=None,
    name="mrc",
    hls_verilog=None,
    sdram=None,
    pages="auto",
    block_rams=None,
    traffic=True,
    **parameters,
):
    """Add a tap on a DRAM controller's DFI and a monitor to a SoC that has its SDRAM (``soc.add_sdram``).

    Afterwards the SoC has registers and an interrupt called ``name``, and an uncached region
    ``<name>_window`` with the hit counters of the finished epoch. A line of ``soc.logger`` states the engine,
    its pages, the share of the memory's pages that it samples, and its block RAMs.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
    phy : LiteDRAM PHY
        that of ``add_sdram``. Default: ``soc.ddrphy`` or ``soc.sdrphy``, as LiteX's targets call it.
    name : str
        another one for each monitor.
    hls_verilog : dict of str to Path, optional
        folders of Verilog that an HLS compiler made, by names of ``HLS_UNITS``, used in place of these units
        in Migen (``hls_units`` of ``Monitor``). The constant ``<name>_hls`` of the SoC names the compiler.
    sdram : LiteDRAMCore, optional
        the controller of ``phy``. Default: ``soc.sdram``.
    pages : int, None or "auto"
        pages that the engine holds, a power of two. None: the memory's frames. "auto": these, or as many as
        the block RAMs allow; the monitor then samples the pages of the memory.
    block_rams : int, optional
        block RAMs of 18 Kbit that the monitor may take. Default: ``BLOCK_RAMS`` with ``pages="auto"``, else
        no limit.
    traffic : bool
        count the DRAM's commands by bank: bandwidth, row hits and conflicts.
    parameters
        those of :class:`Monitor`.

    Returns
    -------
    Monitor

    Raises
    ------
    ValueError
        if the SoC has no SDRAM or no registers of 32 bits, sizes are not supported together, the monitor does
        not fit into ``block_rams``, or a folder of ``hls_verilog`` does not hold its unit.
    """
    sdram = getattr(soc, "sdram", None) if sdram is None else sdram
    phy = phy or getattr(soc, "ddrphy", None) or getattr(soc, "sdrphy", None)
    if sdram is None or phy is None:
        raise ValueError("add_monitor: the SoC has no SDRAM; call soc.add_sdram first, or give sdram and phy")
    if soc.csr.data_width != 32:
        raise ValueError(
            f"add_monitor: the SoC's registers have {soc.csr.data_width} bits; give it csr_data_width=32"
        )
    parameters.setdefault("engine", default_engine(parameters.get("domains")))
    if hls_verilog:
        parameters["hls_units"] = tuple(hls_verilog)
    tap = DRAMTap.of_controller(phy, sdram, parameters.get("page_shift", 12))
    if traffic:
        parameters["commands"] = DFICommands.of_controller(phy, sdram)
    monitor, blocks = _sized(tap, pages, block_rams, parameters)
    if hls_verilog:
        _add_exported(soc, name, hls_verilog, monitor)
    soc.logger.info(_described(name, tap, monitor, blocks))
    soc.add_module(name=f"{name}_tap", module=tap)
    soc.add_module(name=name, module=monitor)
    window = monitor.window
    soc.bus.add_slave(
        name=f"{name}_window", slave=window.bus, region=uncached_region(soc, window.bytes, WINDOW_ORIGIN)
    )
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    describe(soc, name, MONITOR, monitor, sdram)
    return monitor


def _add_exported(soc, name, folders, monitor):
    """Add the Verilog of units that an HLS compiler made, and a constant of the SoC that says so."""
    for unit, folder in folders.items():
        ports = port_widths(unit, monitor.pages, monitor.groups, monitor.contexts)
        for file in exported_files(folder, unit, ports):
            soc.platform.add_source(str(file), copy=file.suffix in MEMORY_CONTENTS)
    origins = sorted({origin_of(folder) for folder in folders.values()})
    soc.add_constant(f"{name}_hls", f"{', '.join(origins)}: {', '.join(folders)}")


def _sized(tap, pages, budget, parameters):
    """Return the monitor and its block RAMs; those of units made by an HLS compiler are not known."""
    if pages != "auto" or parameters.get("hls_units"):
        monitor = Monitor(tap, pages=None if pages == "auto" else pages, **parameters)
        blocks = count_block_rams(monitor)
        if budget is not None and blocks > budget:
            _, fitting = _largest(tap, budget, parameters)
            raise ValueError(f"add_monitor: {monitor.pages} pages take {blocks} block RAMs; {fitting}")
        return monitor, blocks
    found, message = _largest(tap, BLOCK_RAMS if budget is None else budget, parameters)
    if found is None:
        raise ValueError(f"add_monitor: {message}")
    return found


def _largest(tap, budget, parameters):
    """Return the largest monitor within a budget, with its block RAMs, or None; and that as a sentence."""
    least = max(parameters.get("groups", 64), parameters.get("contexts", 8))
    pages = 2**tap.frame_bits
    # Every engine keeps at least a byte of a page, so larger monitors need not be built.
    while pages > least and pages * 8 > budget * BLOCK_KBIT * 1024:
        pages //= 2
    while pages >= least:
        monitor = Monitor(tap, pages=pages, **parameters)
        blocks = count_block_rams(monitor)
        if blocks <= budget:
            return (monitor, blocks), f"{pages} pages would fit into {budget} ({blocks} block RAMs)"
        smallest, pages = pages, pages // 2
    return None, (
        f"no monitor fits into {budget} block RAMs of {BLOCK_KBIT} Kbit; that of {smallest} pages takes "
        f"{blocks}: give more, or fewer groups or contexts"
    )


def _described(name, tap, monitor, blocks):
    frames = 2**tap.frame_bits
    share = "all sampled" if monitor.pages == frames else f"1 of {frames // monitor.pages} sampled"
    return (
        f"{name}: {monitor.engine_name}, {frames} frames of {1 << monitor.page_shift} bytes, "
        f"{monitor.pages} pages ({share}), {monitor.groups} groups, {monitor.contexts} contexts, "
        f"{blocks} block RAMs ({blocks * BLOCK_KBIT} Kbit)."
    )
