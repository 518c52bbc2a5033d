# SPDX-License-Identifier: BSD-2-Clause
"""Whole SoCs for the resource table: the ULX3S placed and routed, the Arty estimated.

The ULX3S is the 85F, speed grade 6, with and without the monitor; LUT4, FF and DP16KD are nextpnr's. The
Arty's figures are what yosys's `synth_xilinx` finds: nobody has placed and routed it. LUT are LUT1 to LUT6
and those of LUT RAM; two small ones that Vivado might put into one count as two. Block RAMs of 18 Kbit count
as half of one of 36.
"""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.boards.pnr_units import BUILD, REPO, run_tool, tool_version

SOCS = {"soc_ulx3s": (), "soc_ulx3s_without_monitor": ("--without-monitor",)}
# The inputs of the SoCs, besides the tools.
SOURCES = (
    "litex-soc/litemrc_soc/*.py",
    "litex-soc/litemrc_soc/boards/*.py",
    "litex-soc/litemrc_gateware/**/*.py",
    "pyproject.toml",
)
FIRMWARE = (
    "firmware/include/*",
    "firmware/service/*",
    "firmware/baremetal/**/*",
    "host/litemrc_studies/zhou2004/scenarios/baremetal_pair.toml",
)
DEVICE_LUT, DEVICE_BRAM36 = 20800, 50  # Xilinx DS180, table 4: XC7A35T
RAM_LUTS = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2}
SYNTH = "synth_xilinx -flatten -family xc7 -top litemrc"


@dataclass(frozen=True)
class SoC:
    """A SoC placed and routed with a seed of the placer, and its system clock."""

    lut4: int
    ff: int
    dp16kd: int
    fmax_mhz: float
    target_mhz: float
    seed: int | None = None


@dataclass(frozen=True)
class Estimate:
    """The cells of an Artix-7 that a SoC needs, by yosys."""

    lut: int
    ff: int
    bram36: float

    def fits(self) -> bool:
        """Whether the SoC fits an A7-35T."""
        return self.lut <= DEVICE_LUT and self.bram36 <= DEVICE_BRAM36


def place_and_route_soc(name: str) -> SoC:
    """Build one of SOCS, or read the stored result of the same sources.

    A clock that misses its target is not an error here: it is in the result.

    Raises
    ------
    RuntimeError
        if it cannot be built; the message names its log.
    """
    folder = BUILD / name
    stored = folder / f"{_digest(name)}.json"
    if not stored.exists():
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        failed = _elaborate("ulx3s", folder, ("--build", *SOCS[name]))
        if not report.exists():
            raise RuntimeError(failed)
        stored.write_text(json.dumps(asdict(soc_of(json.loads(report.read_text())))))
    return SoC(**json.loads(stored.read_text()))


def soc_of(report: dict) -> SoC:
    """Return the figures of a board's report.json, with the clock closest to missing its target."""
    figures = dict(report)
    clocks = figures.pop("clocks").values()
    return SoC(**figures, **min(clocks, key=lambda clock: clock["fmax_mhz"] / clock["target_mhz"]))


def estimate_arty() -> Estimate:
    """Synthesize the Arty's SoC with its firmware.

    Raises
    ------
    RuntimeError
        if a tool fails; the message names its log.
    """
    folder = BUILD / "arty"
    stored = folder / f"{_digest('arty')}.json"
    if not stored.exists():
        if failed := _elaborate("arty", folder, ()):
            raise RuntimeError(failed)
        gateware = folder / "gateware"
        sources = " ".join(sorted(path.name for path in gateware.glob("*.v")))
        script = f"read_verilog -defer {sources}; {SYNTH}; tee -q -o cells.json stat -json"
        run_tool("yosys", ["-q", "-p", script], gateware)
        design = json.loads((gateware / "cells.json").read_text())["design"]
        stored.write_text(json.dumps(asdict(count_cells(Counter(design["num_cells_by_type"])))))
    return Estimate(**json.loads(stored.read_text()))


def count_cells(cells: Counter[str]) -> Estimate:
    """Estimate a netlist from its number of cells of each type."""
    luts = sum(cells[f"LUT{inputs}"] for inputs in range(1, 7))
    luts += sum(number * cells[kind] for kind, number in RAM_LUTS.items())
    registers = sum(cells[kind] for kind in ("FDRE", "FDSE", "FDCE", "FDPE"))
    return Estimate(luts, registers, cells["RAMB36E1"] + cells["RAMB18E1"] / 2)


def soc_table(with_monitor: SoC, without: SoC) -> str:
    """Return the cost of adding LiteMRC to the ULX3S, in Markdown."""
    lines = [
        "| ULX3S 85F | LUT4 | FF | DP16KD | MHz | target |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for name, soc in (("with the monitor", with_monitor), ("without", without)):
        cells = f"{soc.lut4:,} | {soc.ff:,} | {soc.dp16kd} | {soc.fmax_mhz:.1f} | {soc.target_mhz:g}"
        lines.append(f"| {name} | {cells} |")
    costs = (getattr(with_monitor, part) - getattr(without, part) for part in ("lut4", "ff", "dp16kd"))
    lines.append(f"| cost of adding LiteMRC | {' | '.join(f'{cost:,}' for cost in costs)} | | |")
    return "\n".join(lines)


def arty_table(found: Estimate) -> str:
    """Return the estimate and the device's resources, in Markdown."""
    rows = (
        ("LUT", f"{found.lut:,}", f"{DEVICE_LUT:,}"),
        ("FF", f"{found.ff:,}", f"{2 * DEVICE_LUT:,}"),
        ("BRAM36", f"{found.bram36:g}", f"{DEVICE_BRAM36}"),
    )
    lines = ["| Arty, estimate of `synth_xilinx` | SoC | A7-35T has |", "| --- | --: | --: |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _elaborate(board: str, folder: Path, options: tuple[str, ...]) -> str | None:
    """Run a board's build; returns its output if it fails, else None."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    command = [
        sys.executable,
        "-m",
        f"litemrc_soc.boards.{board}",
        "--output",
        folder,
        "--log",
        log,
        *options,
    ]
    done = subprocess.run(list(map(str, command)), cwd=REPO, text=True, capture_output=True)
    return f"{done.stdout}{done.stderr} (see {log})" if done.returncode else None


def _digest(name: str) -> str:
    """Return a digest of all inputs of a SoC."""
    parts = [name, *map(tool_version, ("yosys", "nextpnr-ecp5"))]
    for pattern in (*SOURCES, *FIRMWARE):
        parts += [
            str(path) + path.read_text("utf-8") for path in sorted(REPO.glob(pattern)) if path.is_file()
        ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
