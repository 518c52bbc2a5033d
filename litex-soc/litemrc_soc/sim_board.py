#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds a simulator of a board's own SoC for Linux: BIOS, PHY and pins as on the board.

    python -m litemrc_soc.sim_board --output build/sim-ulx3s

Its clocks come from the simulation instead of a PLL. On its pins are a model of the SDRAM chip (sdr_model/),
which checks every command, an SD card in SPI mode, and the other ends of link and console at 115,200 bit/s.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from litex.build.sim.config import SimConfig
from litex.soc.integration.builder import Builder
from migen import Signal

from litemrc_soc.boards.ulx3s import BOARD, ULX3SSoC
from litemrc_soc.sim import HERE, MODULES, RECORDED, SETTINGS, _io
from litemrc_soc.simulation.board import BoardClocks, BoardPlatform, add_serial_ends, copy_sdr_model
from litemrc_soc.simulation.compile import compile_simulator

PIN_CLOCKS = 2  # at least the cycles from a command of LiteDRAM to the chip


class BoardInSimulation(ULX3SSoC):
    """The ULX3S's SoC for Linux, with a recorder of the monitor and of the accesses in the SDRAM chip."""

    def __init__(self):
        platform = BoardPlatform([port for port in _io if port[0] in ("serial", "recorder")])
        super().__init__(boot="linux", platform=platform, clocks=BoardClocks)
        add_serial_ends(self, platform)
        monitor, pads, chip = self.mrc, platform.request("recorder"), platform.sdram
        # The chip's clock is the system's, later by a quarter: an access is on the pads for one cycle.
        self.comb += [
            pads.dram_read.eq(chip.access & ~chip.access_write),
            pads.dram_write.eq(chip.access & chip.access_write),
            pads.dram_address.eq(chip.access_address),
        ]
        # The PHY's registers delay what the chip sees: the monitor is seen later than that.
        observed = {name: getattr(monitor.observed, name) for name, _ in RECORDED[3:]}
        observed |= {name: getattr(monitor, f"_{name}").storage for name, _ in SETTINGS}
        for name, now in (observed | {"split": monitor.filter.split}).items():
            for _ in range(PIN_CLOCKS):
                before, now = now, Signal(len(now))
                self.sync += now.eq(before)
            self.comb += getattr(pads, name).eq(now)


def simulator_config(sys_clk_hz):
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=sys_clk_hz)
    config.add_clocker("sys_ps_clk", freq_hz=sys_clk_hz, phase_deg=90)
    config.add_module("console", ("serial", 0), args={"clocks": "console.clocks"})
    config.add_module("serial_link", ("serial", 1), args={"port": 0, "port_file": "link.port"})
    config.add_module("recorder", "recorder", args={"file": "record.npy"})
    clock_ps = 10**12 // sys_clk_hz
    config.add_module("sdram", ["sdram", "sdram_clock"], args={"clock_ps": clock_ps, "report": "sdram.json"})
    config.add_module("sd_card", "spisdcard", args={"image": "sd.img", "report": "sd_card.json"})
    return config


def build(output):
    """Generate and compile the simulator in ``output`` (pathlib.Path)."""
    output.mkdir(parents=True, exist_ok=True)
    modules = output / "modules"
    shutil.copytree(HERE / "sim_modules", modules, dirs_exist_ok=True, copy_function=shutil.copyfile)
    copy_sdr_model(modules)
    soc = BoardInSimulation()
    builder = Builder(soc, output_dir=str(output), csr_json=str(output / "csr.json"))
    builder.build(
        sim_config=simulator_config(BOARD.sys_clk_hz),
        run=False,
        interactive=False,
        extra_mods=[*MODULES, "sdram", "sd_card"],
        extra_mods_path=str(modules),
    )
    sys.stdout.flush()
    try:
        compile_simulator(Path(builder.gateware_dir), [source for source, *_ in soc.platform.sources])
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"sim_board.py: Verilator or a simulation module did not compile: {' '.join(map(str, error.cmd))}"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("build/sim-ulx3s"), help="folder (%(default)s)")
    build(parser.parse_args().output.resolve())


if __name__ == "__main__":
    main()
