# SPDX-License-Identifier: BSD-2-Clause
"""Synthesis of every board's SoC, without place and route: a table, and build/boards/synthesis.json.

    python -m scripts.boards.synthesize_boards        all boards
    python -m scripts.boards.synthesize_boards arty   some of them; --boot linux: their SoCs for Linux

The ROM is filled with random words in place of firmware, so that synthesis keeps its block RAMs. The flow is
yosys's for the board's FPGA without timing optimisation (abc9): it shows that the SoC can be synthesized and
fits, not its speed. For Xilinx, where there is no open place and route, it is the estimate.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from litemrc_soc.boards.board import NAME, elaborate
from litemrc_soc.boards.command import BOARDS, output_to
from litemrc_soc.boards.open_tools import search_path

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build" / "boards"
BIOS = 40_724  # bytes of LiteX's for DDR3, to which its builder cuts the ROM


@dataclass(frozen=True)
class Family:
    """The synthesis command and the cells of an FPGA family.

    Attributes
    ----------
    command
        yosys's command.
    luts
        look-up tables that a cell takes.
    memories
        block RAMs that a cell takes, of the size called `memory`.
    """

    command: str
    luts: dict[str, int]
    memory: str
    memories: dict[str, float]


ECP5 = Family("synth_ecp5 -noabc9", {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}, "DP16KD", {"DP16KD": 1})
XILINX = Family(
    "synth_xilinx -flatten -family xc7",
    {**{f"LUT{inputs}": 1 for inputs in range(1, 7)}, "RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2},
    "BRAM36",
    {"RAMB36E1": 1, "RAMB18E1": 0.5},
)
# Look-up tables and block RAMs of the first device of each board (data sheets FPGA-DS-02012, DS180).
FAMILIES = {"ulx3s": ECP5, "versa_ecp5": ECP5, "orangecrab": ECP5, "arty": XILINX}
ROOM = {"ulx3s": (83640, 208), "versa_ecp5": (43848, 108), "orangecrab": (83640, 208), "arty": (20800, 50)}


@dataclass(frozen=True)
class Size:
    """The cells that a board's SoC needs, and those of its FPGA."""

    luts: int
    luts_there: int
    memories: float
    memories_there: int
    memory: str

    @property
    def fits(self) -> bool:
        """Whether the SoC fits the FPGA."""
        return self.luts <= self.luts_there and self.memories <= self.memories_there


def size_of(board: str, cells: Counter) -> Size:
    """Return the size of a netlist from its number of cells of each type."""
    family = FAMILIES[board]
    luts = sum(cells[name] * count for name, count in family.luts.items())
    memories = sum(cells[name] * count for name, count in family.memories.items())
    return Size(luts, ROOM[board][0], memories, ROOM[board][1], family.memory)


def parse_cells(report: str) -> Counter:
    """Cells by type of yosys's `stat`: lines of a number, perhaps an area, and a name.

    Raises
    ------
    ValueError
        if there is none.
    """
    cells = Counter({name: int(count) for count, name in re.findall(r"^ +(\d+) +([A-Z]\w+)$", report, re.M)})
    if not cells:
        raise ValueError("yosys's statistics name no cell")
    return cells


def synthesize(board: str, boot: str) -> Size:
    """Elaborate a board's SoC and synthesize it.

    Raises
    ------
    RuntimeError
        if yosys fails; the message names its log.
    """
    module = import_module(f"litemrc_soc.boards.{board}")
    output = BUILD / (board if boot == "rom" else f"{board}-{boot}")
    path = search_path(output)
    with output_to(output / "elaborate.log"):
        soc = module.SOC(boot=boot)
        dice = random.Random(1)
        words = [dice.getrandbits(32) for _ in range((soc.variant.rom_bytes if boot == "rom" else BIOS) // 4)]
        soc.init_rom("rom", words, auto_size=boot != "rom")
        folder = elaborate(module.BOARD, soc, output, with_software=False)
    sources = " ".join(source for source, *_ in soc.platform.sources)
    script = f"read_verilog -defer {sources}; {FAMILIES[board].command} -top {NAME}; tee -q -o cells.txt stat"
    log = folder / "yosys.log"
    with log.open("w") as file:
        done = subprocess.run(
            ["yosys", "-q", "-p", script],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"yosys failed, see {log}:\n{log.read_text()[-2000:]}")
    return size_of(board, parse_cells((folder / "cells.txt").read_text()))


def main() -> int:
    """Synthesize the boards named, all by default; 1 if one of them does not fit its FPGA."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("boards", nargs="*", metavar="BOARD", help=f"some of: {', '.join(BOARDS)}")
    parser.add_argument(
        "--boot", choices=("rom", "linux"), default="rom", help="SoC to synthesize (%(default)s)"
    )
    args = parser.parse_args()
    names = args.boards or list(BOARDS)
    if unknown := set(names) - set(BOARDS):
        parser.error(f"no board {', '.join(sorted(unknown))}; there are: {', '.join(BOARDS)}")
    sizes = {}
    try:
        for name in names:
            print(f"synthesize_boards: {name}", file=sys.stderr, flush=True)
            sizes[name] = synthesize(name, args.boot)
    except (RuntimeError, ValueError) as error:
        print(f"synthesize_boards: {name}: {error}", file=sys.stderr)
        return 1
    print("| board | LUT | of | block RAM | of |\n| --- | --: | --: | --: | --: |")
    for name, size in sizes.items():
        ram = f"{size.memories:g} {size.memory} | {size.memories_there}"
        print(f"| {name} | {size.luts:,} | {size.luts_there:,} | {ram} |")
    path = BUILD / ("synthesis.json" if args.boot == "rom" else f"synthesis-{args.boot}.json")
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | {name: asdict(size) for name, size in sizes.items()}, indent=2) + "\n")
    if too_large := [name for name, size in sizes.items() if not size.fits]:
        print(f"synthesize_boards: larger than its FPGA: {', '.join(too_large)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
