# SPDX-License-Identifier: BSD-2-Clause
"""Bandwidth of kernels on the simulated ULX3S beside LiteX's mem_speed: the table of docs/bandwidth.md.

The program of firmware/baremetal/bandwidth is in the ROM in place of the BIOS. Around each kernel it ends an
epoch of the monitor, and prints the bytes that the kernel loads and stores with the DRAM commands counted.
"""

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.simulation.simulator import ROM_INIT, Simulator, as_words

from scripts.docs.page_tables import fill_tables, markdown

REPO = Path(__file__).resolve().parents[1]
SIM = REPO / "build/sim-ulx3s"
PROGRAM = REPO / "build/bandwidth/bandwidth.bin"
OUT = REPO / "build/bench/bandwidth"
PAGE = REPO / "docs/bandwidth.md"
HEADER = REPO / "firmware/baremetal/bandwidth/kernels.h"
SECONDS = 600.0
TITLES = {
    "mem_speed_write": "mem_speed, write",
    "mem_speed_read": "mem_speed, read",
    "read": "sequential read",
    "memset": "memset of libc",
    "memcpy": "memcpy of libc",
    "copy": "copy of words: b[i] = a[i]",
    "triad": "triad: c[i] = a[i] + 3 b[i]",
    "random": "random reads",
    "chase": "pointer chase of cache lines",
}


@dataclass(frozen=True)
class Measured:
    """A line of the program.

    Attributes
    ----------
    loaded, stored
        bytes by the kernel's own account.
    cycles
        of the kernel, by the SoC's timer; 0: not measured.
    epoch_cycles, reads, writes, row_hits, activates, row_conflicts, refreshes
        of the monitor's epoch, of all banks.
    """

    name: str
    loaded: int
    stored: int
    cycles: int
    epoch_cycles: int
    reads: int
    writes: int
    row_hits: int
    activates: int
    row_conflicts: int
    refreshes: int

    @property
    def accesses(self) -> int:
        return self.reads + self.writes

    @property
    def duration(self) -> int:
        """Cycles of the kernel, or of its epoch if they were not measured."""
        return self.cycles or self.epoch_cycles


@dataclass(frozen=True)
class Run:
    """What the program printed, and the SDRAM chip's model reported.

    Attributes
    ----------
    measured
        by name.
    speeds
        of mem_speed in bytes/s, "Write" and "Read": the least printed so, and the least that is not.
    broken
        the chip's rules that were broken.
    """

    measured: dict[str, Measured]
    speeds: dict[str, tuple[float, float]]
    broken: set[str]


def run_kernels(out: Path, timeout_s: float = SECONDS) -> Run:
    """Run the program in the simulator; files go to ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    card = out / "sd.img"
    card.write_bytes(bytes(1 << 20))
    simulator = Simulator(SIM, None, out / "run", sd_card=card)
    (simulator.run_dir / ROM_INIT).write_text(as_words(PROGRAM.read_bytes()))
    with simulator:
        console = simulator.wait_console("\ndone", timeout_s)
        simulator.stop()
    return parse(console, json.loads((simulator.run_dir / "sdram.json").read_text())["broken"])


def parse(console: str, broken: Iterable[str]) -> Run:
    """Return what the program printed; ``broken``: rules of the chip's model."""
    lines = re.findall(r"^([a-z_]+)((?: \d+){10})\r?$", console, re.M)
    measured = {name: Measured(name, *map(int, numbers.split())) for name, numbers in lines}
    speeds = {}
    for name, whole, tenths, unit in re.findall(r"(Write|Read) speed: (\d+)\.(\d+)([KM])iB/s", console):
        # print_size() of LiteX: a "tenth" is 102 of 1,024, rounded down.
        scale = 1 << {"K": 10, "M": 20}[unit]
        least = (int(whole) + int(tenths) * 102 / 1024) * scale
        speeds[name] = (least, least + 102 / 1024 * scale)
    return Run(measured, speeds, set(broken))


def constants() -> dict[str, int]:
    """Return the numbers of the kernels' header."""
    found = re.findall(r"^#define ([A-Z_]+) (0x[0-9a-f]+|\d+)u\b", HEADER.read_text(), re.M)
    return {name: int(number, 0) for name, number in found}


def table(measured: dict[str, Measured], clock_hz: int, access_bytes: int) -> str:
    """Return the page's table."""

    def megabytes(count: int, cycles: int) -> str:
        return f"{count * clock_hz / cycles / 1e6:.1f}"

    rows = [
        (
            title,
            f"{(each.loaded + each.stored) / 1024:,.0f}",
            megabytes(each.loaded + each.stored, each.duration),
            f"{each.reads * access_bytes / 1024:,.1f}",
            f"{each.writes * access_bytes / 1024:,.1f}",
            megabytes(each.accesses * access_bytes, each.epoch_cycles),
            f"{100 * each.accesses / each.epoch_cycles:.1f} %",
            f"{100 * each.row_hits / each.accesses:.1f} %",
            f"{each.row_conflicts:,}",
            f"{each.refreshes:,}",
        )
        for name, title in TITLES.items()
        for each in (measured[name],)
    ]
    heads = (
        "kernel",
        "loaded and stored, KiB",
        "loaded and stored, MB/s",
        "read from DRAM, KiB",
        "written to DRAM, KiB",
        "DRAM, MB/s",
        "share of the peak",
        "row hits",
        "row conflicts",
        "refreshes",
    )
    return markdown(heads, rows)


def main() -> None:
    described = json.loads((SIM / "csr.json").read_text())["constants"]
    measured = run_kernels(OUT).measured
    if missing := TITLES.keys() - measured.keys():
        sys.exit(f"bandwidth: no line of {', '.join(sorted(missing))} in {OUT / 'run/console.log'}")
    text = table(measured, described["config_clock_frequency"], described["mrc_access_bytes"])
    print(text)
    fill_tables(PAGE, {"kernels": text})


if __name__ == "__main__":
    main()
