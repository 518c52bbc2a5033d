# SPDX-License-Identifier: BSD-2-Clause
"""Adds reference counters to a LiteX SoC with DRAM, and masters whose accesses they distinguish."""

from litex.soc.integration.soc import SoCRegion

from litemrc_gateware.integration.description import REF_COUNTERS, describe
from litemrc_gateware.integration.windows import uncached_region
from litemrc_gateware.refs.control import RefCounterControl
from litemrc_gateware.refs.registers import Master
from litemrc_gateware.refs.traffic_generator import RemoteWindow, TrafficGenerator
from litemrc_gateware.tap.port_taps import PortTaps

# Uncached by VexRiscvs without an MMU, like all addresses from 0x8000_0000; variants with an MMU cache it.
REMOTE_ORIGIN = 0x9000_0000
REMOTE_BYTES_MAX = 0x2000_0000
# After the windows of monitor and rank meter.
WINDOW_ORIGIN = 0xB100_0000


def add_remote_window(soc, name="remote"):
    """Add an uncached region ``name``: the SoC's DRAM without its L2 cache, as a separate master.

    Raises
    ------
    ValueError
        if the DRAM is larger than the region may be, or the master's number is not ``Master.REMOTE``.
    """
    dram_bytes = soc.bus.regions["main_ram"].size
    if dram_bytes > REMOTE_BYTES_MAX:
        raise ValueError(
            f"remote window: {dram_bytes} bytes of DRAM are more than the {REMOTE_BYTES_MAX} between "
            f"0x{REMOTE_ORIGIN:x} and the monitor's window"
        )
    window = RemoteWindow(_port(soc, Master.REMOTE), REMOTE_ORIGIN)
    soc.add_module(name=f"{name}_window", module=window)
    region = SoCRegion(origin=REMOTE_ORIGIN, size=dram_bytes, mode="rw", cached=False)
    soc.bus.add_slave(name=name, slave=window.bus, region=region)


def add_traffic_generator(soc, name="traffic"):
    """Add a :class:`TrafficGenerator`, with registers called ``name``, as a separate master.

    Raises
    ------
    ValueError
        if the master's number is not ``Master.TRAFFIC``.
    """
    soc.add_module(name=name, module=TrafficGenerator(_port(soc, Master.TRAFFIC)))


def _port(soc, master):
    """Return a new port of the SoC's DRAM; its number must be that of the master in software."""
    port, number = soc.sdram.crossbar.get_port(), len(soc.sdram.crossbar.masters) - 1
    if number != master:
        raise ValueError(
            f"master {master.name.lower()} would get port {number} of the DRAM, not port {int(master)}: "
            "add the masters in the order of refs.records.Master"
        )
    return port


def add_ref_counters(soc, monitor, page_shift=12, name="refs", **parameters):
    """Add taps and reference counters to a SoC that has its SDRAM and all of its masters.

    Afterwards the SoC has registers and an interrupt called ``name``, registers ``<name>_taps``, and an
    uncached region ``<name>_window`` with every counter. Masters are numbered in the order of their ports;
    see :class:`Master`.

    Parameters
    ----------
    soc : litex.soc.integration.soc.SoC
    monitor : Monitor
        its context register gives the context of accesses.
    page_shift : int
        log2 of a page's bytes; the monitor's pages may differ.
    name : str
    parameters
        ``width`` and ``queue_depth`` of :class:`RefCounterControl`.

    Returns
    -------
    RefCounterControl
    """
    ports = soc.sdram.crossbar.masters
    taps = PortTaps(ports, page_shift, contexts_log2=len(monitor.context))
    masters = 1 << max(1, (len(ports) - 1).bit_length())
    refs = RefCounterControl(
        taps.pages, masters, contexts=monitor.contexts, page_shift=page_shift, **parameters
    )
    soc.add_module(name=f"{name}_taps", module=taps)
    soc.add_module(name=name, module=refs)
    soc.comb += [
        taps.running.eq(monitor.context),
        *(
            getattr(refs.request, field).eq(getattr(taps, field))
            for field in ("valid", "page", "write", "master", "context")
        ),
    ]
    soc.bus.add_slave(
        name=f"{name}_window",
        slave=refs.window.bus,
        region=uncached_region(soc, refs.window.bytes, WINDOW_ORIGIN, mode="rw"),
    )
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    describe(soc, name, REF_COUNTERS, refs, soc.sdram)
    return refs
