# SPDX-License-Identifier: BSD-2-Clause
"""The open flow for ECP5 (yosys, nextpnr, ecppack), and nextpnr's reports.

Tools on PATH are used; for missing ones, wrappers of their WebAssembly builds from PyPI (YoWASP; extra
``pnr`` of pyproject.toml) are put on it.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TOOLS = ("yosys", "nextpnr-ecp5", "ecppack")
# The files that a build is made of, in its folder, and the comments in them, which carry dates.
SOURCES = {".v": r"//.*", ".init": None, ".lpf": None, ".ys": None, ".sh": r"#.*"}
CELLS = {"lut4": r"Total LUT4s:\s+(\d+)/", "ff": r"Total DFFs:\s+(\d+)/", "dp16kd": r"DP16KD:\s+(\d+)/"}
CLOCK = r"Max frequency for clock\s+'([^']*)':\s+([\d.]+) MHz \((?:PASS|FAIL) at ([\d.]+) MHz\)"


@dataclass(frozen=True)
class Clock:
    """A clock after routing: its maximum frequency and its target."""

    fmax_mhz: float
    target_mhz: float


@dataclass(frozen=True)
class Report:
    """Cells of a placed and routed design, its clocks by nextpnr's names, and the seed if known."""

    lut4: int
    ff: int
    dp16kd: int
    clocks: dict[str, Clock]
    seed: int | None = None


def search_path(folder: Path) -> str:
    """Return a PATH with every tool of TOOLS; wrappers are written to `folder`/tools.

    Raises
    ------
    RuntimeError
        if a tool is neither on PATH nor installed from PyPI, or could not see `folder`.
    """
    wrappers = folder / "tools"
    for tool in TOOLS:
        if shutil.which(tool):
            (wrappers / tool).unlink(missing_ok=True)
            continue
        packaged = Path(sys.executable).with_name(f"yowasp-{tool}")
        if not packaged.exists():
            raise RuntimeError(f"no {tool} on PATH, nor {packaged}: make .venv/pnr.stamp installs it")
        hidden = Path(tempfile.gettempdir()).resolve()
        for path in (folder.resolve(), packaged.resolve()):
            if hidden in path.parents:
                raise RuntimeError(
                    f"YoWASP's {tool} does not see {path}, nor any file below {hidden}: move it"
                )
        wrappers.mkdir(parents=True, exist_ok=True)
        (wrappers / tool).write_text(f'#!/bin/sh\nexec {packaged} "$@"\n')
        (wrappers / tool).chmod(0o755)
    return os.pathsep.join([os.environ["PATH"], str(wrappers)])


def run_script(folder: Path, script: str, path: str | None = None) -> str:
    """Run one of LiteX's build scripts in `folder`; its output goes to build.log there and is returned.

    Parameters
    ----------
    path
        PATH for the tools, if not this process's.

    Raises
    ------
    RuntimeError
        if a tool fails; the message names the log.

    """
    log = folder / "build.log"
    environment = {**os.environ, **({"PATH": path} if path else {})}
    start = time.monotonic()
    with log.open("w") as output:
        done = subprocess.run(
            ["bash", script],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    text = log.read_text(errors="replace")
    if done.returncode:
        raise RuntimeError(
            f"{script} failed after {time.monotonic() - start:.0f} s, see {log}:\n{text[-2000:]}"
        )
    return text


def place_again(script: Path, seed: int) -> None:
    """Change LiteX's build script, which has run, into one that only places again, with another seed."""
    lines = [line for line in script.read_text().splitlines() if not line.startswith("yosys")]
    script.write_text(re.sub(r"--seed \d+", f"--seed {seed}", "\n".join(lines)) + "\n")


def parse_report(log: str) -> Report:
    """Read cells and clocks from a nextpnr-ecp5 log; of several reports of a clock the last, after routing.

    Raises
    ------
    ValueError
        if the log lacks one of them, as that of a run that failed does.
    """
    cells = {}
    for name, pattern in CELLS.items():
        found = re.findall(pattern, log)
        if not found:
            raise ValueError(f"nextpnr's log has no line for {name} ({pattern})")
        cells[name] = int(found[-1])
    clocks = {name: Clock(float(fmax), float(target)) for name, fmax, target in re.findall(CLOCK, log)}
    if not clocks:
        raise ValueError("nextpnr's log has no clock's frequency")
    return Report(**cells, clocks=clocks)


def read_report(path: Path) -> Report:
    """Read a report from its JSON file."""
    fields = json.loads(path.read_text())
    clocks = {name: Clock(**clock) for name, clock in fields.pop("clocks").items()}
    return Report(**fields, clocks=clocks)


def digest_of(folder: Path, path: str) -> str:
    """Return a digest of sources and scripts in `folder`, without comments, and of the tools on `path`."""
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.iterdir() if file.suffix in SOURCES):
        comment = SOURCES[file.suffix]
        text = re.sub(comment, "", file.read_text()) if comment else file.read_text()
        digest.update(f"{file.name}\0{text}\0".encode())
    for tool in TOOLS:
        found = Path(shutil.which(tool, path=path))
        digest.update(f"{found}\0{found.stat().st_size}\0".encode())
    return digest.hexdigest()


def missed_clocks(report: Report, sys_clk_hz: float) -> list[str]:
    """Return a line for each clock that misses its target, and one if the system clock is not constrained."""
    lines = [
        f"{name} reaches {clock.fmax_mhz:.2f} MHz of {clock.target_mhz:.2f}"
        for name, clock in report.clocks.items()
        if clock.fmax_mhz < clock.target_mhz
    ]
    if not any(abs(clock.target_mhz * 1e6 / sys_clk_hz - 1) < 0.01 for clock in report.clocks.values()):
        lines.append(f"no clock was constrained to the system's {sys_clk_hz / 1e6:.2f} MHz")
    return lines
