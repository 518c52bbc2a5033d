# SPDX-License-Identifier: BSD-2-Clause
"""The common part of the boards: their description, the SoC's DRAM and UARTs, and the build."""

import json
import shutil
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from litemrc_gateware.ranks.ddr3_timings import round_refresh_interval_down
from litemrc_gateware.stacks.engines import DEFAULT_ENGINE
from litex.soc.integration.builder import Builder
from migen import Constant

from litemrc_soc.boards.open_tools import (
    Report,
    digest_of,
    missed_clocks,
    parse_report,
    place_again,
    read_report,
    run_script,
    search_path,
)
from litemrc_soc.boards.rom_image import SOFTWARE, compile_firmware, read_words
from litemrc_soc.soc import L2_BYTES, VARIANTS, LiteMRCSoC

NAME = "litemrc"  # of a build's files
FIRMWARE_RAM = 0x2000_0000
BIOS_ROM, BIOS_RAM = 64 * 1024, 8 * 1024  # of a SoC for Linux
SEEDS = (1, 2, 3)  # of nextpnr's placement; the next one is tried if a clock misses its target
# Of yosys, for ECP5. flow3, one of its scripts for abc9, restructures the logic more often: 2 % fewer LUT4.
SYNTHESIS = {"abc9": True, "flow3": True, "nowidelut": True}
# The monitor's sizes, as in the simulator: 64 groups of the board's DRAM, 8 contexts.
MONITOR = {"engine": DEFAULT_ENGINE, "groups": 64, "contexts": 8, "queue_depth": 512, "page_shift": 12}


@dataclass(frozen=True)
class Board:
    """A board's description, and the defaults of its build.

    Attributes
    ----------
    name
        that of the make target and of ``litemrc flash --board``.
    title
        the board's full name.
    devices
        the FPGAs that the board is sold with, the default first.
    sys_clk_hz
        clock of the whole SoC; a build that misses it fails.
    dram
        part and size of the DRAM.
    cpu
        LiteX's name of the VexRiscv variant.
    link, console
        the pins or connectors of these UARTs.
    rom_bytes, ram_bytes
        memories of the firmware.
    optimize
        the compiler's options for the firmware, so that it fits.
    compact_l2
        the L2 cache is one memory with byte enables, not a block RAM for each of its 16 bytes.
        Block RAMs without write-through, as in ECP5, need logic for it that costs a fifth of the clock.
    sd_card
        where the SD card is that Linux boots from; empty: the board has none.
    """

    name: str
    title: str
    devices: tuple[str, ...]
    sys_clk_hz: int
    dram: str
    link: str
    console: str
    cpu: str = "standard"
    rom_bytes: int = VARIANTS["baremetal"].rom_bytes
    ram_bytes: int = VARIANTS["baremetal"].ram_bytes
    optimize: str = "-O2"
    compact_l2: bool = False
    sd_card: str = ""


@dataclass(frozen=True)
class BuiltBoard:
    """The result of a build.

    Attributes
    ----------
    message
        text for the user: files, sizes and the next step.
    report
        nextpnr's figures, also in ``report.json``; None if it did not run.
    """

    message: str
    report: Report | None = None

    def __str__(self):
        return self.message


class BoardSoC(LiteMRCSoC):
    """The SoC on a board; its constructor adds clocks, DRAM and UARTs.

    Parameters
    ----------
    platform : litex.build.generic_platform.GenericPlatform
    board : Board
    device : str
        one of ``board.devices``.
    monitor : bool
        False: a plain SoC without LiteMRC and with LiteX's BIOS, to compare with.
    boot : str
        ``rom``: the firmware is in the ROM. ``serial``: LiteX's BIOS is, and waits at the console for the
        firmware, which goes into a RAM of the same size. ``linux``: the BIOS loads Linux from an SD card, or
        over the console; the processor has an MMU.
    """

    def __init__(self, platform, board, device, monitor=True, boot="rom", **kwargs):
        if boot == "linux":
            variant = replace(VARIANTS["linux"], rom_bytes=BIOS_ROM, ram_bytes=BIOS_RAM)
        else:
            variant = replace(
                VARIANTS["baremetal"],
                cpu=board.cpu,
                cpu_timer=board.cpu == "linux",
                rom_bytes=board.rom_bytes,
                ram_bytes=board.ram_bytes,
            )
        self.device = device
        self.compact_l2 = board.compact_l2
        self.with_monitor = monitor
        self.boot = boot
        self.with_bios = boot != "rom" or not monitor
        self.compile_firmware = None
        if self.with_bios:
            kwargs["rom"] = ()
        super().__init__(platform, board.sys_clk_hz, variant, with_uart=False, name=board.name, **kwargs)
        if boot == "serial":
            self.add_ram("firmware_ram", origin=FIRMWARE_RAM, size=variant.rom_bytes)
        if boot == "linux" and board.sd_card:
            self.add_spi_sdcard()

    def add_sdram(self, *arguments, **kwargs):
        """Call LiteX's ``add_sdram`` with the board's kind of L2 cache."""
        super().add_sdram(*arguments, l2_cache_full_memory_we=not self.compact_l2, **kwargs)

    def add_board_dram(self, phy, module, **monitor_parameters):
        """Add the DRAM, with the monitor unless the SoC is built without it.

        LiteDRAM rounds the interval of refreshes up, so that 8,192 of them take longer than the chip's 64 ms.
        """
        round_refresh_interval_down(module, self.sys_clk_freq)
        if self.with_monitor:
            self.add_monitored_dram(phy, module, **MONITOR | monitor_parameters)
        else:
            self.add_sdram("sdram", phy=phy, module=module, l2_cache_size=L2_BYTES)
        # Until software has initialised the DRAM: else the controller refreshes it 8 us after power-up.
        self.sdram.dfii._control.storage.reset = Constant(0)

    def add_uarts(self, link, console):
        """Add the link and the console on pads with ``tx`` and ``rx``."""
        self.add_link(uart_pads=link)
        self.add_uart("uart", uart_pads=console)

    def init_mems(self, **kwargs):
        """Called by LiteX's builder when the firmware's libraries are compiled."""
        if self.with_monitor and self.boot != "linux" and self.compile_firmware:
            image = self.compile_firmware(region="firmware_ram" if self.boot == "serial" else "rom")
            words = read_words(image, self.variant.rom_bytes)
            if self.boot == "rom":
                self.init_rom("rom", words, auto_size=False)


def uart_pads(tx, rx):
    """Use pins that the platform does not define as a UART as the pads of one."""
    return SimpleNamespace(tx=tx, rx=rx)


def elaborate(board, soc, output, with_software=True, **toolchain):
    """Write the Verilog, constraints and scripts of a SoC, with its firmware in the ROM.

    Parameters
    ----------
    board : Board
    soc : BoardSoC
    output : Path
        the folder of the build: ``gateware/``, ``software/``, ``csr.json``, ``litemrc.svd``, ``board.json``.
    with_software : bool
        False: neither firmware nor BIOS; the processor loops.
    toolchain
        options of LiteX's toolchain.

    Returns
    -------
    Path
        the folder of Verilog and scripts, all called ``litemrc``.
    """
    output.mkdir(parents=True, exist_ok=True)
    if with_software:
        soc.compile_firmware = partial(compile_firmware, output, board.optimize)
    builder = Builder(
        soc,
        output_dir=str(output),
        csr_json=str(output / "csr.json"),
        csr_svd=str(output / f"{NAME}.svd"),
        compile_software=with_software,
    )
    if not soc.with_bios:
        keep = [package for package in builder.software_packages if package[0] in SOFTWARE]
        builder.software_packages, builder.software_libraries = keep, list(SOFTWARE)
    builder.build(run=False, build_name=NAME, **toolchain)
    about = asdict(board) | {"device": soc.device, "boot": soc.boot, "identifier": soc.identifier_text}
    (output / "board.json").write_text(json.dumps(about, indent=4) + "\n")
    return Path(builder.gateware_dir)


def nextpnr_frequency(soc, board):
    """Give nextpnr the target of clocks whose constraint it cannot derive from the constraint of a pin."""
    soc.platform.toolchain._pnr_opts += f"--freq {board.sys_clk_hz / 1e6} "


def build_ecp5(board, soc, output, compile_gateware=True, seeds=SEEDS):
    """Build bitstream and firmware of an ECP5 board in ``output``.

    Parameters
    ----------
    board : Board
    soc : BoardSoC
    output : Path
    compile_gateware : bool
        False: stops before synthesis.
    seeds : sequence of int
        of nextpnr's placement; the first that meets all clocks is taken.

    Returns
    -------
    BuiltBoard

    Raises
    ------
    RuntimeError
        if a tool is missing or fails, or with every seed a clock misses its target: then there is no
        ``litemrc.bit``.

    Tools do not run again on what they have made a bitstream of.
    """
    output = output.resolve()
    path = search_path(output) if compile_gateware else None
    nextpnr_frequency(soc, board)
    folder = elaborate(board, soc, output, **SYNTHESIS, seed=seeds[0])
    if not compile_gateware:
        return BuiltBoard(
            f"{folder}: Verilog, constraints and scripts of {board.name}; nothing was synthesized"
        )
    bitstream, figures = output / f"{NAME}.bit", output / "report.json"
    digest, stored = digest_of(folder, path), output / "digest.txt"
    if not (bitstream.exists() and stored.exists() and stored.read_text() == digest):
        bitstream.unlink(missing_ok=True)
        report = _place(board, folder, path, seeds)
        figures.write_text(json.dumps(asdict(report), indent=4) + "\n")
        if missed := missed_clocks(report, board.sys_clk_hz):
            last = f"{board.name}: {'; '.join(missed)} with seed {report.seed}"
            raise RuntimeError(f"{last}: another --seed may do, see {folder / 'build.log'}")
        shutil.copyfile(folder / f"{NAME}.bit", bitstream)
        stored.write_text(digest)
    report = read_report(figures)
    clocks = (f"{clock.fmax_mhz:.2f} MHz of {clock.target_mhz:.2f}" for clock in report.clocks.values())
    return BuiltBoard(
        f"{bitstream}: {report.lut4:,} LUT4, {report.ff:,} FF, {report.dp16kd} DP16KD; {', '.join(clocks)} "
        f"(seed {report.seed})\n"
        f"litemrc flash --board {board.name} loads it",
        report,
    )


def _place(board, folder, path, seeds):
    """Run the tools until a placement meets all clocks; returns the Report of the last."""
    script = f"build_{NAME}.sh"
    for seed in seeds:
        if seed != seeds[0]:
            place_again(folder / script, seed)
        report = replace(parse_report(run_script(folder, script, path)), seed=seed)
        if not (missed := missed_clocks(report, board.sys_clk_hz)):
            break
        print(f"{board.name}, seed {seed}: {'; '.join(missed)}")
    return report
