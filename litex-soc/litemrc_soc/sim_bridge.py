#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds a Verilated SoC without a processor: a bridge of LiteX is the master of its bus.

    python -m litemrc_soc.sim_bridge --output build/sim-bridge --page-bitmap --hot-pages 64
    python -m litemrc_soc.sim_bridge --output build/sim-etherbone --etherbone
    python -m litemrc_soc.sim_bridge --output build/sim-bridge-ranks --ranks 4 --engine group_stack

The bridge is a UARTBone on a TCP port of the simulator or, with ``--etherbone``, an Etherbone on the tap
device ``INTERFACE``. The SoC has 32 MB of SDR SDRAM, the monitor, a traffic generator and reference counters;
with ``--ranks`` DDR3 that can sleep, the monitor and rank power. docs/bridges.md shows its use.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from litedram.init import get_sdram_phy_init_sequence
from litemrc_gateware.stacks.engines import DEFAULT_ENGINE, ENGINES
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.soc.cores.uart import RS232PHYModel, UARTBone
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCCore

from litemrc_soc.sim import (
    DDR3_SYS_CLK_HZ,
    HERE,
    STREAM,
    SYS_CLK_HZ,
    PowerOnReset,
    SimSoC,
    simulator_io,
)
from litemrc_soc.simulation.compile import compile_simulator
from litemrc_soc.simulation.ddr3 import copy_ddr3_model
from litemrc_soc.soc import VARIANTS

MODULES = ("serial_link", "recorder")
DRAM_INIT = "dram_init.json"
# Of LiteDRAM's registers sdram_dfii_control and sdram_dfii_pi0_command, by their names in liblitedram.
DFII_BITS = {
    **{f"DFII_CONTROL_{name}": 1 << bit for bit, name in enumerate(("SEL", "CKE", "ODT", "RESET_N"))},
    **{f"DFII_COMMAND_{name}": 1 << bit for bit, name in enumerate(("CS", "WE", "CAS", "RAS"))},
}
# Of Etherbone: a subnet of its own, so that it meets no other network.
INTERFACE = "litemrctap"
HOST_IP, SOC_IP = "10.117.42.1", "10.117.42.2"
ETHERNET = (
    "eth",
    0,
    *(Subsignal(f"{side}_{name}", Pins(width)) for side in ("source", "sink") for name, width in STREAM),
)


class BridgeSoC(SimSoC):
    """The memory, monitor and recorder of :class:`SimSoC`, without processor, ROM, SRAM, UARTs and timer."""

    def __init__(self, platform, ranks=None, etherbone=False, **monitor_parameters):
        SoCCore.__init__(
            self,
            platform,
            clk_freq=DDR3_SYS_CLK_HZ if ranks else SYS_CLK_HZ,
            cpu_type=None,
            ident="LiteMRC without a processor",
            integrated_sram_size=0,
            with_uart=False,
            with_timer=False,
        )
        self.variant = VARIANTS["baremetal"]  # the memory's
        self.crg = PowerOnReset(platform.request("sys_clk"))
        if ranks:
            accesses = self._add_ddr3(platform, "baremetal", ranks, monitor_parameters)
        else:
            accesses = self._add_sdr("baremetal", monitor_parameters)
            self.add_remote_memory(self.mrc)
        if etherbone:
            self._add_etherbone(platform)
        else:
            self._add_uartbone(platform)
        self._add_recorder(platform, accesses)

    def _add_uartbone(self, platform):
        """Add a UARTBone on the simulator's byte streams, without the baud rate of ``soc.add_uartbone``."""
        phy = RS232PHYModel(platform.request("serial", 1))
        bone = UARTBone(phy, clk_freq=int(self.sys_clk_freq), address_width=self.bus.address_width)
        self.add_module(name="uartbone_phy", module=phy)
        self.add_module(name="uartbone", module=bone)
        self.bus.add_master(name="uartbone", master=bone.wishbone)

    def _add_etherbone(self, platform):
        """Add an Etherbone on a model of an Ethernet PHY."""
        from liteeth.phy.model import LiteEthPHYModel  # a package that only boards with Ethernet need

        self.ethphy = LiteEthPHYModel(platform.request("eth"))
        self.add_etherbone(phy=self.ethphy, ip_address=SOC_IP)


def simulator_config(soc, etherbone):
    """Clock, bridge, recorder and DDR3; the simulator's ports are completed at run time."""
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=int(soc.sys_clk_freq))
    if etherbone:
        config.add_module("ethernet", "eth", args={"interface": INTERFACE, "ip": HOST_IP})
    else:
        config.add_module("serial_link", ("serial", 1), args={"port": 0, "port_file": "link.port"})
    config.add_module("recorder", "recorder", args={"file": "record.npy"})
    if hasattr(soc, "ddr3_arguments"):
        config.add_module("ddr3", ("ddr3", 0), args=soc.ddr3_arguments)
    return config


def dram_init(soc):
    """Writes to the registers of LiteDRAM that start the DRAM, as liblitedram's C code does on a processor.

    Returns a list of (register, value, cycles to wait afterwards).
    """
    settings = soc.sdram.controller.settings
    sequence, _ = get_sdram_phy_init_sequence(settings.phy, settings.timing)
    writes = []
    for _, address, bank, command, cycles in sequence:
        value = sum(DFII_BITS[name] for name in command.split("|"))
        if command.startswith("DFII_CONTROL"):
            writes.append(("sdram_dfii_control", value, cycles))
            continue
        writes += [
            ("sdram_dfii_pi0_address", address, 0),
            ("sdram_dfii_pi0_baddress", bank, 0),
            ("sdram_dfii_pi0_command", value, 0),
            ("sdram_dfii_pi0_command_issue", 1, cycles),
        ]
    return [*writes, ("sdram_dfii_control", DFII_BITS["DFII_CONTROL_SEL"], 0)]


def build(output, ranks=None, etherbone=False, **monitor_parameters):
    """Generate and compile the simulator in ``output`` (pathlib.Path)."""
    output.mkdir(parents=True, exist_ok=True)
    # LiteX writes a file beside the modules' sources: give it a copy.
    modules = output / "modules"
    shutil.copytree(HERE / "sim_modules", modules, dirs_exist_ok=True, copy_function=shutil.copyfile)
    if ranks:
        copy_ddr3_model(modules)
    soc = BridgeSoC(
        SimPlatform("SIM", [*simulator_io(ranks), ETHERNET]), ranks, etherbone, **monitor_parameters
    )
    builder = Builder(
        soc,
        output_dir=str(output),
        compile_software=False,
        csr_json=str(output / "csr.json"),
        csr_csv=str(output / "csr.csv"),
    )
    builder.build(
        sim_config=simulator_config(soc, etherbone),
        run=False,
        interactive=False,
        extra_mods=[*MODULES, *(["ddr3"] if ranks else [])],
        extra_mods_path=str(modules),
    )
    (output / DRAM_INIT).write_text(json.dumps(dram_init(soc)) + "\n")
    sys.stdout.flush()
    try:
        compile_simulator(Path(builder.gateware_dir), [source for source, *_ in soc.platform.sources])
    except subprocess.CalledProcessError as error:
        sys.exit(f"sim_bridge.py: Verilator or a simulation module did not compile: {' '.join(error.cmd)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/sim-bridge"), help="folder of the build")
    parser.add_argument("--etherbone", action="store_true", help="Etherbone on a tap device (UARTBone)")
    parser.add_argument("--ranks", type=int, help="ranks of DDR3, a power of two (else SDR SDRAM)")
    parser.add_argument("--engine", choices=ENGINES, default=DEFAULT_ENGINE, help="default: %(default)s")
    parser.add_argument("--groups", type=int, default=64)
    parser.add_argument("--page-bitmap", action="store_true", help="the frames accessed in an epoch")
    parser.add_argument("--hot-pages", type=int, metavar="K", help="the K pages with the most accesses")
    args = parser.parse_args()
    build(
        args.output.resolve(),
        args.ranks,
        args.etherbone,
        engine=args.engine,
        groups=args.groups,
        page_bitmap=args.page_bitmap,
        hot_pages=args.hot_pages,
    )


if __name__ == "__main__":
    main()
