#!/usr/bin/env python3
"""Builds the Verilated LiteMRC SoC: RTL of the whole system, 32 MB of SDR SDRAM, link on a TCP port.

    python litex-soc/sim.py --output build/sim
    python litex-soc/sim.py --output build/sim-linux --variant linux

The result is a folder that ``litemrc.device.simulator`` runs; firmware and, for
Linux, what DRAM holds at the start are put in at run time.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from litedram.modules import MT48LC4M16
from litedram.phy.model import SDRAMPHYModel
from litemrc_gateware.monitor import ENGINES
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from migen import ClockDomain, Finish, If, Signal
from sim_dram import fill_at_start
from sim_observer import DRAMObserver
from soc import VARIANTS, LiteMRCSoC

HERE = Path(__file__).resolve().parent
MODULES = ("console", "serial_link", "recorder")
# What the console UART is wired to, and its arguments.
CONSOLES = {"baremetal": ("serial2console", {}), "linux": ("console", {"clocks": "console.clocks"})}
SYS_CLK_HZ = 50_000_000
SDRAM_DATA_BITS = 64  # a DIMM of four 64 Mbit chips: 32 MB; a line of the L2 is two accesses
# The libraries that the firmware links; no BIOS.
SOFTWARE = ("libc", "libcompiler_rt", "libbase", "liblitedram")


def _serial(number):
    return (
        "serial",
        number,
        *(Subsignal(f"{side}_{name}", Pins(width)) for side in ("source", "sink") for name, width in STREAM),
    )


STREAM = (("valid", 1), ("ready", 1), ("data", 8))
RECORDED = (
    *(("dram_read", 1), ("dram_write", 1), ("dram_address", 32)),
    *(("valid", 1), ("dropped", 1), ("kind", 8), ("frame", 32), ("write", 1), ("context", 8)),
    *(("epoch_end", 1), ("frozen", 1), ("enable", 1)),
)
SETTINGS = (("range_lower", 32), ("range_upper", 32), ("sampling", 8))
_io = [
    ("sys_clk", 0, Pins(1)),
    _serial(0),
    _serial(1),
    ("recorder", 0, *(Subsignal(name, Pins(width)) for name, width in RECORDED + SETTINGS)),
]


class PowerOnReset(LiteXModule):
    """The simulated clock, with one clock of reset at the start."""

    def __init__(self, clk):
        self.cd_sys = ClockDomain()

        # # #

        done = Signal()
        self.cd_por = ClockDomain(reset_less=True)
        self.sync.por += done.eq(1)
        self.comb += [self.cd_sys.clk.eq(clk), self.cd_por.clk.eq(clk), self.cd_sys.rst.eq(~done)]


class SimSoC(LiteMRCSoC):
    """The SoC with a DRAM model, an observer inside that model, and a recorder of what both saw.

    With ``variant="linux"`` the DRAM model reads files when the simulation starts (``dram_layout`` says
    which, and the address of the first byte; else None), and a reset of the SoC ends the simulation.
    """

    def __init__(self, platform, variant="baremetal", **monitor_parameters):
        super().__init__(platform, SYS_CLK_HZ, variant, uart_name="sim")
        self.crg = PowerOnReset(platform.request("sys_clk"))

        module = MT48LC4M16(SYS_CLK_HZ, "1:1")
        self.sdrphy = SDRAMPHYModel(module, data_width=SDRAM_DATA_BITS, clk_freq=SYS_CLK_HZ)
        monitor = self.add_monitored_dram(self.sdrphy, module, **monitor_parameters)
        # The model's memory is ideal, and a test of it costs a million clocks.
        self.add_constant("SDRAM_TEST_DISABLE")

        self.add_link(uart_name="sim", uart_pads=platform.request("serial", 1))

        self.observer = observer = DRAMObserver(self.sdrphy)
        pads = platform.request("recorder")
        self.comb += [
            pads.dram_read.eq(observer.read),
            pads.dram_write.eq(observer.write),
            pads.dram_address.eq(observer.address),
            *(getattr(pads, name).eq(getattr(monitor.observed, name)) for name, _ in RECORDED[3:]),
            *(getattr(pads, name).eq(getattr(monitor, f"_{name}").storage) for name, _ in SETTINGS),
        ]

        self.dram_layout = None
        if variant == "linux":
            self.dram_layout = fill_at_start(self.sdrphy) | {"base": self.bus.regions["main_ram"].origin}
            self.sync += If(self.ctrl.soc_rst, Finish())


def simulator_config(variant):
    """Clock, console on stdin and stdout, link and recorder; their arguments are completed at run time."""
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=SYS_CLK_HZ)
    console, arguments = CONSOLES[variant]
    config.add_module(console, ("serial", 0), args=arguments or None)
    config.add_module("serial_link", ("serial", 1), args={"port": 0, "port_file": "link.port"})
    config.add_module("recorder", "recorder", args={"file": "record.npy"})
    return config


def build(output, variant="baremetal", **monitor_parameters):
    """Generates and compiles the simulator of a variant of the SoC in ``output`` (pathlib.Path)."""
    output.mkdir(parents=True, exist_ok=True)
    # LiteX writes a file beside the sources of modules: give it a copy, newer than what came of the last.
    modules = output / "modules"
    shutil.copytree(HERE / "sim_modules", modules, dirs_exist_ok=True, copy_function=shutil.copyfile)

    soc = SimSoC(SimPlatform("SIM", list(_io)), variant, **monitor_parameters)
    builder = Builder(
        soc, output_dir=str(output), csr_json=str(output / "csr.json"), csr_svd=str(output / "csr.svd")
    )
    keep = [package for package in builder.software_packages if package[0] in SOFTWARE]
    builder.software_packages, builder.software_libraries = keep, list(SOFTWARE)
    builder.build(
        sim_config=simulator_config(variant),
        opt_level="O3",
        jobs=os.cpu_count(),  # not as many compilers as there are files
        run=False,
        interactive=False,
        extra_mods=list(MODULES),
        extra_mods_path=str(modules),
    )
    if soc.dram_layout:
        (output / "dram.json").write_text(json.dumps(soc.dram_layout, indent=4) + "\n")
    compiled = subprocess.run(
        ["bash", "build_sim.sh"], cwd=builder.gateware_dir, capture_output=True, text=True, check=False
    )
    if compiled.returncode:
        sys.exit(
            f"sim.py: Verilator or a simulation module did not compile:\n{compiled.stdout}{compiled.stderr}"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/sim"), help="folder of the build")
    parser.add_argument("--variant", choices=VARIANTS, default="baremetal", help="default: %(default)s")
    parser.add_argument("--engine", choices=ENGINES, default="bucket_stack", help="default: %(default)s")
    parser.add_argument("--groups", type=int, default=64)
    parser.add_argument("--contexts", type=int, default=8)
    parser.add_argument("--queue-depth", type=int, default=512)
    parser.add_argument("--pages", type=int, help="pages of the engine; fewer than frames are sampled (all)")
    parser.add_argument("--recent-pages", type=int, help="pages the filter remembers (the engine's default)")
    args = parser.parse_args()
    build(
        args.output.resolve(),
        args.variant,
        engine=args.engine,
        groups=args.groups,
        contexts=args.contexts,
        queue_depth=args.queue_depth,
        pages=args.pages,
        recent_pages=args.recent_pages,
    )


if __name__ == "__main__":
    main()
