#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the Verilated LiteMRC SoC: RTL of the whole system, 32 MB of SDR SDRAM, link on a TCP port.

    python -m litemrc_soc.sim --output build/sim
    python -m litemrc_soc.sim --output build/sim-linux --variant linux
    python -m litemrc_soc.sim --output build/sim-ranks --ranks 4 --groups 256
    python -m litemrc_soc.sim --output build/sim-linux-ranks --variant linux --ranks 4 --groups 256
    python -m litemrc_soc.sim --output build/sim-refs --refs
    python -m litemrc_soc.sim --output build/sim-smp --variant smp
    python -m litemrc_soc.sim --output build/sim-linux-smp --variant linux-smp
    python -m litemrc_soc.sim --output build/sim-rocket --variant rocket

With ``--ranks`` the memory is DDR3 with that number of ranks of 128 MB (16 MB under Linux), which can sleep;
the engine is then one that reports the moves of pages to the rank meter. With ``--refs``
there are reference counters, a window to remote memory, and a traffic generator. The variants ``smp`` and
``linux-smp`` have two harts (docs/smp.md); ``rocket`` runs Linux on 64 bits (docs/linux.md).

The result is a folder that ``litemrc.device.simulation.simulator`` runs. Firmware and, for Linux, the initial
contents of the DRAM are given at run time.
"""

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

from litedram.modules import MT41K64M16, MT48LC4M16
from litedram.phy.model import SDRAMPHYModel
from litemrc_gateware.hls.exported import unit_and_folder
from litemrc_gateware.hls.units import HLS_UNITS
from litemrc_gateware.ranks.ddr3_timings import round_refresh_interval_down
from litemrc_gateware.stacks.engines import (
    DEFAULT_ENGINE,
    DEFAULT_WITH_MOVES,
    ENGINES,
    WITH_MOVES,
    default_engine,
)
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from migen import ClockDomain, Finish, If, Signal

from litemrc_soc.simulation.compile import compile_simulator
from litemrc_soc.simulation.ddr3 import DDR3ModelPHY, copy_ddr3_model, ddr3_arguments, ddr3_io
from litemrc_soc.simulation.dram import fill_at_start
from litemrc_soc.simulation.observer import DRAMObserver
from litemrc_soc.simulation.software import LIBRARIES, build_with_libraries
from litemrc_soc.simulation.training import train
from litemrc_soc.soc import SMP_DRAM_BITS, VARIANTS, LiteMRCSoC

HERE = Path(__file__).resolve().parents[1]
MODULES = ("console", "serial_link", "recorder")
# The simulation module of the console UART, and its arguments.
CONSOLES = {
    "baremetal": ("serial2console", {}),
    "linux": ("console", {"clocks": "console.clocks"}),
    "smp": ("serial2console", {}),
    "linux-smp": ("console", {"clocks": "console.clocks"}),
    "rocket": ("console", {"clocks": "console.clocks"}),
}
SYS_CLK_HZ = 50_000_000
DDR3_SYS_CLK_HZ = 100_000_000  # DDR3-800, the slowest with its DLL on
DDR3_DATA_BITS = 16
DDR3_RANKS = (1, 2, 4, 8)
# The Python package of a variant's processor, and where to get it.
SMP_PACKAGE = ("pythondata_cpu_vexriscv_smp", "docs/smp.md says how to get it")
PACKAGES = {
    "smp": SMP_PACKAGE,
    "linux-smp": SMP_PACKAGE,
    "rocket": ("pythondata_cpu_rocket", "scripts/setup/install_requirements.sh rocket"),
}
SDRAM_DATA_BITS = 64  # a DIMM of four 64 Mbit chips: 32 MB; a line of the L2 is two accesses


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
COMMANDS = (
    *(("activate", 1), ("bank", 8), ("row", 32), ("close_all", 1), ("refresh", 1)),
    *(("accepted", 8), ("issued", 1)),
)
SETTINGS = (("range_lower", 32), ("range_upper", 32), ("sampling", 8))
_io = [
    ("sys_clk", 0, Pins(1)),
    _serial(0),
    _serial(1),
    (
        "recorder",
        0,
        *(Subsignal(name, Pins(width)) for name, width in RECORDED + SETTINGS + COMMANDS),
        Subsignal("split", Pins(1)),
    ),
]


class MT41K64M16Eighth(MT41K64M16):
    """The chip with half of its rows and a quarter of its columns, so that Linux starts fast."""

    part = "MT41K64M16"
    nrows = 4096
    ncols = 256


class MT48LC8M16(MT48LC4M16):
    """The chip with twice the columns. LiteX lets Rocket not have less than four of them: 64 MB."""

    ncols = 512


def ddr3_module(variant):
    """The chip of a rank: of 128 MB, for Linux of 16 MB."""
    return MT41K64M16Eighth if VARIANTS[variant].linux else MT41K64M16


class PowerOnReset(LiteXModule):
    """The simulated clock, with one cycle of reset at the start."""

    def __init__(self, clk):
        self.cd_sys = ClockDomain()

        # # #

        done = Signal()
        self.cd_por = ClockDomain(reset_less=True)
        self.sync.por += done.eq(1)
        self.comb += [self.cd_sys.clk.eq(clk), self.cd_por.clk.eq(clk), self.cd_sys.rst.eq(~done)]


class SimSoC(LiteMRCSoC):
    """The SoC with a DRAM model, an observer inside that model, and a recorder of observer and monitor.

    Under Linux the DRAM model reads files when the simulation starts (``dram_layout`` describes
    them and has the address of the first byte; else it is None), and a reset of the SoC ends the simulation.

    With ``ranks`` the DRAM is DDR3, its model a simulation module, and there are rank meter and rank power.

    With ``refs`` there are reference counters and several masters of the DRAM.
    """

    def __init__(self, platform, variant="baremetal", ranks=None, refs=False, **monitor_parameters):
        super().__init__(platform, DDR3_SYS_CLK_HZ if ranks else SYS_CLK_HZ, variant, uart_name="sim")
        self.crg = PowerOnReset(platform.request("sys_clk"))
        # The models' memory has no faults, and testing it takes a million cycles.
        self.add_constant("SDRAM_TEST_DISABLE")
        self.dram_layout = None
        if ranks:
            accesses = self._add_ddr3(platform, variant, ranks, monitor_parameters)
        else:
            accesses = self._add_sdr(variant, monitor_parameters)

        if refs:
            self.add_remote_memory(self.mrc)
        self.add_link(uart_name="sim", uart_pads=platform.request("serial", 1))

        self._add_recorder(platform, accesses)
        if self.variant.linux:
            self.sync += If(self.ctrl.soc_rst, Finish())

    def _add_recorder(self, platform, accesses):
        """Record the accesses in the DRAM (read, write, byte address) and what the monitor makes of them.

        With an observer, also the commands that open and close rows, and the requests of the controller; the
        model of DDR3 records its commands itself.
        """
        observer = getattr(self, "observer", None)
        monitor, pads = self.mrc, platform.request("recorder")
        self.comb += [
            *(getattr(pads, name).eq(seen) for (name, _), seen in zip(RECORDED, accesses, strict=False)),
            *(getattr(pads, name).eq(getattr(monitor.observed, name)) for name, _ in RECORDED[3:]),
            *(getattr(pads, name).eq(getattr(monitor, f"_{name}").storage) for name, _ in SETTINGS),
            pads.split.eq(monitor.filter.split),
        ]
        if observer:
            commands = monitor.commands
            self.comb += [
                *(getattr(pads, name).eq(getattr(observer, name)) for name, _ in COMMANDS[:-2]),
                *(getattr(pads, name).eq(getattr(commands, name)) for name, _ in COMMANDS[-2:]),
            ]

    def _add_sdr(self, variant, monitor_parameters):
        """Add SDR SDRAM; returns the observed accesses in the DRAM: read, write, byte address."""
        chip = MT48LC8M16 if variant == "rocket" else MT48LC4M16
        module = chip(SYS_CLK_HZ, "1:1")
        bits = SMP_DRAM_BITS if self.variant.processor == "vexriscv_smp" else SDRAM_DATA_BITS
        self.sdrphy = phy = SDRAMPHYModel(module, data_width=bits, clk_freq=SYS_CLK_HZ)
        self.add_monitored_dram(phy, module, **monitor_parameters)
        self.observer = observer = DRAMObserver(phy)
        if self.variant.linux:
            self.dram_layout = fill_at_start(phy) | {"base": self.bus.regions["main_ram"].origin}
        return observer.read, observer.write, observer.address

    def _add_ddr3(self, platform, variant, ranks, monitor_parameters):
        """Add DDR3; returns the same as ``_add_sdr``.

        The bare-metal firmware loads its mode registers. Images in a DRAM at power-on have no counterpart in
        hardware; with them it is initialised, too.
        """
        module = ddr3_module(variant)(DDR3_SYS_CLK_HZ, "1:4", speedgrade="800")
        round_refresh_interval_down(module, DDR3_SYS_CLK_HZ)
        pads = platform.request("ddr3")
        self.ddrphy = phy = DDR3ModelPHY(module, pads, DDR3_SYS_CLK_HZ, DDR3_DATA_BITS, ranks)
        monitor = self.add_monitored_dram(phy, module, domains=ranks, **monitor_parameters)
        self.comb += phy.snapshot.eq(monitor.rank_meter.taken)
        self.ddr3_arguments = ddr3_arguments(
            phy,
            DDR3_SYS_CLK_HZ,
            "800E",
            gigabits=1,
            address_map="bank_row_column",
            initialised=self.variant.linux,
            commands="ddr3.npy",
        )
        if self.variant.linux:
            memory = self.bus.regions["main_ram"]
            self.dram_layout = {"module": "ddr3", "bytes": memory.size, "base": memory.origin}
        return phy.access & ~phy.access_write, phy.access & phy.access_write, phy.access_address


def simulator_config(soc, variant):
    """Clock, console on stdin and stdout, link, recorder, DDR3; arguments are completed at run time."""
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=int(soc.sys_clk_freq))
    console, arguments = CONSOLES[variant]
    config.add_module(console, ("serial", 0), args=arguments or None)
    config.add_module("serial_link", ("serial", 1), args={"port": 0, "port_file": "link.port"})
    config.add_module("recorder", "recorder", args={"file": "record.npy"})
    if hasattr(soc, "ddr3_arguments"):
        config.add_module("ddr3", ("ddr3", 0), args=soc.ddr3_arguments)
    return config


def simulator_io(ranks=None, variant="baremetal"):
    """The pins of a simulated SoC, with those of its DDR3 if it has ranks."""
    if not ranks:
        return list(_io)
    return [*_io, ddr3_io(ddr3_module(variant)(DDR3_SYS_CLK_HZ, "1:4"), DDR3_DATA_BITS, ranks)]


def build(output, variant="baremetal", ranks=None, refs=False, **monitor_parameters):
    """Generate and compile the simulator of a variant of the SoC in ``output`` (pathlib.Path)."""
    output.mkdir(parents=True, exist_ok=True)
    linux = VARIANTS[variant].linux
    # LiteX writes a file beside the modules' sources: give it a copy, newer than the last build's products.
    modules = output / "modules"
    shutil.copytree(HERE / "sim_modules", modules, dirs_exist_ok=True, copy_function=shutil.copyfile)

    if ranks:
        copy_ddr3_model(modules)
    soc = SimSoC(SimPlatform("SIM", simulator_io(ranks, variant)), variant, ranks, refs, **monitor_parameters)
    builder = Builder(
        soc, output_dir=str(output), csr_json=str(output / "csr.json"), csr_svd=str(output / "csr.svd")
    )
    build_with_libraries(
        builder,
        () if linux else LIBRARIES,
        sim_config=simulator_config(soc, variant),
        run=False,
        interactive=False,
        extra_mods=[*MODULES, *(["ddr3"] if ranks else [])],
        extra_mods_path=str(modules),
    )
    if soc.dram_layout:
        (output / "dram.json").write_text(json.dumps(soc.dram_layout, indent=4) + "\n")
    sys.stdout.flush()
    runs_long = linux or (variant == "baremetal" and not ranks and not refs)
    try:
        compile_simulator(
            Path(builder.gateware_dir),
            [source for source, *_ in soc.platform.sources],
            snapshots=linux,  # the others boot within seconds
            profiles=variant == "linux",  # of the VexRiscv
            train=(lambda: train(soc, output)) if runs_long else None,
        )
    except subprocess.CalledProcessError as error:
        sys.exit(f"sim.py: a tool failed: {' '.join(map(str, error.cmd))}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/sim"), help="folder of the build")
    parser.add_argument("--variant", choices=VARIANTS, default="baremetal", help="default: %(default)s")
    parser.add_argument("--ranks", type=int, help="ranks of DDR3, a power of two (else SDR SDRAM)")
    parser.add_argument("--refs", action="store_true", help="reference counters and a second master")
    parser.add_argument(
        "--engine", choices=ENGINES, help=f"default: {DEFAULT_ENGINE}; with --ranks {DEFAULT_WITH_MOVES}"
    )
    parser.add_argument("--groups", type=int, default=64)
    parser.add_argument("--contexts", type=int, default=8)
    parser.add_argument("--queue-depth", type=int, default=512)
    parser.add_argument("--pages", type=int, help="pages of the engine; fewer than frames are sampled (all)")
    parser.add_argument(
        "--page-bitmap", action="store_true", help="the frames accessed and written in an epoch"
    )
    parser.add_argument("--hot-pages", type=int, metavar="K", help="the K pages with the most accesses")
    parser.add_argument("--recent-pages", type=int, help="pages the filter remembers (the engine's default)")
    parser.add_argument(
        "--hls-verilog",
        type=unit_and_folder,
        action="append",
        default=[],
        metavar="UNIT=FOLDER",
        help=f"Verilog of an HLS compiler for this unit: {', '.join(HLS_UNITS)}; can be given several times",
    )
    args = parser.parse_args()
    engine = args.engine or default_engine(args.ranks)
    if args.ranks is not None and args.ranks not in DDR3_RANKS:
        parser.error(f"--ranks {args.ranks}: a power of two from 1 to {DDR3_RANKS[-1]}")
    if args.ranks and engine not in WITH_MOVES:
        parser.error(f"--ranks needs --engine {' or '.join(WITH_MOVES)}, which reports the moves of pages")
    if args.refs and VARIANTS[args.variant].linux:
        parser.error("--refs: a processor with an MMU caches the window that makes memory remote")
    if args.variant in PACKAGES:
        package, remedy = PACKAGES[args.variant]
        if args.ranks or args.refs:
            parser.error(f"--variant {args.variant}: its memory is SDR SDRAM, without --ranks and --refs")
        if importlib.util.find_spec(package) is None:
            parser.error(f"--variant {args.variant} needs the Python package {package}: {remedy}")
    build(
        args.output.resolve(),
        args.variant,
        args.ranks,
        args.refs,
        engine=engine,
        groups=args.groups,
        contexts=args.contexts,
        queue_depth=args.queue_depth,
        pages=args.pages,
        recent_pages=args.recent_pages,
        page_bitmap=args.page_bitmap,
        hot_pages=args.hot_pages,
        hls_verilog=dict(args.hls_verilog),
    )


if __name__ == "__main__":
    main()
