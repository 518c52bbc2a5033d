# SPDX-License-Identifier: BSD-2-Clause
"""A LiteX simulation without a processor: soc.add_sdram over the DDR3 model, tested by LiteDRAM's own BIST.

python -m tests.cosim.dram_soc FOLDER NRANKS

Writes and reads 64 KB around the middle of the DRAM, where two ranks meet; prints the errors found. The
simulator is FOLDER/gateware/obj_dir/Vsim, to be run in FOLDER/gateware; it leaves ddr3.json and ddr3.npy.
"""

import shutil
import sys
from pathlib import Path

from litedram.core.controller import ControllerSettings
from litedram.frontend.bist import _LiteDRAMBISTChecker, _LiteDRAMBISTGenerator
from litedram.modules import MT41J128M16
from litemrc_gateware.tap.dram_address import complete_bank_row_column
from litemrc_soc.simulation.compile import compile_simulator
from litemrc_soc.simulation.ddr3 import HERE, DDR3ModelPHY, copy_ddr3_model, ddr3_arguments, ddr3_io
from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCMini
from migen import ClockDomain, Display, Finish, If, Signal

SYS_CLK_HZ = 100_000_000
TESTED_BYTES = 1 << 16


class PowerOnReset(LiteXModule):
    """The simulated clock, with one cycle of reset at the start."""

    def __init__(self, clk):
        self.cd_sys = ClockDomain()
        self.cd_por = ClockDomain(reset_less=True)
        done = Signal()
        self.sync.por += done.eq(1)
        self.comb += [self.cd_sys.clk.eq(clk), self.cd_por.clk.eq(clk), self.cd_sys.rst.eq(~done)]


class SelfTestSoC(SoCMini):
    """DRAM of several contiguous ranks; the simulation ends when they are tested."""

    def __init__(self, platform, module, nranks):
        super().__init__(platform, clk_freq=SYS_CLK_HZ)
        self.crg = PowerOnReset(platform.request("sys_clk"))
        self.phy = phy = DDR3ModelPHY(module, platform.request("ddr3"), SYS_CLK_HZ, nranks=nranks)
        bank_bytes = module.nrows * module.ncols * phy.settings.databits // 8
        self.add_sdram(
            "sdram",
            phy=phy,
            module=module,
            with_soc_interconnect=False,
            controller_settings=ControllerSettings(bank_byte_alignment=bank_bytes),
        )
        complete_bank_row_column(self.sdram.crossbar)
        self.generator = generator = _LiteDRAMBISTGenerator(self.sdram.crossbar.get_port())
        self.checker = checker = _LiteDRAMBISTChecker(self.sdram.crossbar.get_port())
        middle = bank_bytes * module.nbanks * nranks // 2
        started, written = Signal(), Signal()
        for test in (generator, checker):
            self.comb += [
                test.base.eq(middle - TESTED_BYTES // 2),
                test.end.eq(middle + (1 << 20)),
                test.length.eq(TESTED_BYTES),
                test.random_data.eq(1),
            ]
        self.sync += [started.eq(1), If(generator.done, written.eq(1))]
        self.comb += [generator.start.eq(~started), checker.start.eq(generator.done & ~written)]
        self.comb += phy.snapshot.eq(generator.done & ~written)
        self.sync += If(checker.done, Display("errors %0d", checker.errors), Finish())
        seen = Signal(32)
        self.sync += If(phy.access, seen.eq(seen + 1))
        self.sync += If(checker.done, Display("seen %0d", seen))


def build(folder, nranks):
    """Compile the simulator under ``folder`` (pathlib.Path)."""
    module = MT41J128M16(SYS_CLK_HZ, "1:4", speedgrade="800")
    modules = folder / "modules"
    for name in ("ddr3", "snapshot"):
        shutil.copytree(HERE / "sim_modules" / name, modules / name, dirs_exist_ok=True)
    copy_ddr3_model(modules)
    io = [("sys_clk", 0, Pins(1)), ddr3_io(module, 16, nranks)]
    soc = SelfTestSoC(SimPlatform("SIM", io), module, nranks)
    config = SimConfig()
    config.add_clocker("sys_clk", freq_hz=SYS_CLK_HZ)
    arguments = ddr3_arguments(
        soc.phy,
        SYS_CLK_HZ,
        "800E",
        gigabits=2,
        address_map="bank_row_column",
        initialised=True,
        commands="ddr3.npy",
    )
    config.add_module("ddr3", ("ddr3", 0), args=arguments)
    builder = Builder(soc, output_dir=str(folder), compile_software=False)
    builder.build(
        sim_config=config,
        run=False,
        interactive=False,
        extra_mods=["ddr3"],
        extra_mods_path=str(modules),
    )
    sys.stdout.flush()
    sources = [source for source, *_ in soc.platform.sources]
    compile_simulator(Path(builder.gateware_dir), sources, optimize="-O0")  # for some thousand cycles


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
