# SPDX-License-Identifier: BSD-2-Clause
"""Size and clock of each hardware unit alone, placed and routed for ECP5: a table, and build/pnr/units.json.

    python -m scripts.boards.pnr_units               all units of pnr_catalogue.py
    python -m scripts.boards.pnr_units hit_counters  some of them
    python -m scripts.boards.pnr_units --main        those of the default monitor, and group_stack
    python -m scripts.boards.pnr_units --fill NAME   also write these rows of the table in docs/engines.md

Every port of a unit gets one register and one pin: the pins fit the package, and no critical path goes
through a port. Those registers are in the FF column. The device is the smallest one that holds the unit
with room to spare, speed grade 6. LUT4 are nextpnr's: logic, carries and LUT RAM together.
A unit is synthesized once, then placed and routed with each of five seeds. The table has the lowest, the
median and the highest clock; the lowest must meet the target, or the script fails. yosys and nextpnr-ecp5
from PATH are used, else YoWASP's. A seed of a unit whose Verilog, tools and options have not changed is not
run again. All units take roughly half an hour of an idle machine, most of it bucket_stack, ref_counters,
group_stack_65536 and rank_counters_16_domains; the others take a minute or less each.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from migen import ClockDomain, Record, Signal
from migen.fhdl.specials import list_special_ios
from migen.fhdl.tools import list_targets

from scripts.boards.pnr_catalogue import MAIN, UNITS, Unit

REPO = Path(__file__).resolve().parents[2]
PAGE = REPO / "docs" / "engines.md"
BUILD = REPO / "build" / "pnr"  # never below /tmp: YoWASP hides the real one
STRIVEN_MHZ = 150  # nextpnr's target; it reports the frequency reached
SEEDS = (1, 2, 3, 4, 5)
SYNTH = "synth_ecp5 -abc9 -top top"
NEXTPNR = ("--speed", "6", "--package", "CABGA381", "--freq", str(STRIVEN_MHZ), "--timing-allow-fail")
# Usable shares of a device: of its LUT4, so that it can be routed, and of its block RAMs, so that they are
# close to each other. If no device leaves that room for block RAMs, the largest device is filled further.
ROOM, RAM_ROOM = 0.97, 0.75


@dataclass(frozen=True)
class Result:
    """Size of one unit, and its clock with each seed; FF include the registers of the ports."""

    lut4: int
    ff: int
    dp16kd: int
    seeds_mhz: tuple[float, ...]  # those of SEEDS
    target_mhz: int
    frames: int | None
    contexts: int | None
    device: str
    placer: str = "heap"

    @property
    def fmax_mhz(self) -> float:
        """The clock that every seed reaches."""
        return min(self.seeds_mhz)

    @property
    def median_mhz(self) -> float:
        """The clock that half of the seeds reach."""
        return median(self.seeds_mhz)

    def as_json(self) -> dict[str, object]:
        """Return the figures for units.json: the clock of each seed, and minimum, median and maximum."""
        clocks = {"fmax_mhz": self.fmax_mhz, "median_mhz": self.median_mhz, "max_mhz": max(self.seeds_mhz)}
        seeds = dict(zip(map(str, SEEDS), self.seeds_mhz, strict=True))
        return {**vars(self), "seeds_mhz": seeds, **clocks}


@dataclass(frozen=True)
class Device:
    """An ECP5 by nextpnr's name, and its resources."""

    name: str
    lut4: int
    dp16kd: int


DEVICES = (Device("25k", 24288, 56), Device("45k", 43848, 108), Device("85k", 83640, 208))


class Registered(LiteXModule):
    """A unit with a register at each of its ports; `ios` holds the ports behind them.

    Parameters
    ----------
    ports
        names of the unit's attributes: Signals, Records (streams) or lists of Signals.
    """

    def __init__(self, unit: LiteXModule, ports: tuple[str, ...]) -> None:
        self.cd_sys = ClockDomain("sys")
        self.cd_sys.clk.name_override = "clk"
        self.cd_sys.rst.name_override = "rst"
        self.unit = unit
        self.ios = {self.cd_sys.clk, self.cd_sys.rst}

        unit.finalize()
        fragment = unit._fragment  # get_fragment() can be called once only, and Migen will
        driven = list_targets(fragment.comb) | list_special_ios(fragment, False, True, True)
        for statements in fragment.sync.values():
            driven |= list_targets(statements)
        for name in ports:
            for number, signal in enumerate(_signals(getattr(unit, name))):
                pin = Signal(len(signal), name_override=f"{name}_{number}")
                self.ios.add(pin)
                self.sync += pin.eq(signal) if signal in driven else signal.eq(pin)


def _signals(port) -> list[Signal]:
    if isinstance(port, Record):
        unused = {id(getattr(port, name, None)) for name in ("first", "last")}  # LiteX's packet marks
        return [signal for signal in port.flatten() if id(signal) not in unused]
    return list(port) if isinstance(port, list) else [port]


def parse_report(log: str) -> dict[str, int | float]:
    """Read LUT4, FF, DP16KD and clock from a nextpnr-ecp5 log; the clock is the last reported, after routing.

    Raises
    ------
    ValueError
        if the log lacks one of them, as that of a run that failed does.
    """
    patterns = {
        "lut4": r"Total LUT4s:\s+(\d+)/",
        "ff": r"Total DFFs:\s+(\d+)/",
        "dp16kd": r"DP16KD:\s+(\d+)/",
        "fmax_mhz": r"Max frequency for clock\s+'[^']*':\s+([\d.]+) MHz",
    }
    values = {}
    for name, pattern in patterns.items():
        found = re.findall(pattern, log)
        if not found:
            raise ValueError(f"nextpnr's log has no line for {name} ({pattern})")
        values[name] = float(found[-1]) if name == "fmax_mhz" else int(found[-1])
    return values


def smallest_device(lut4: int, dp16kd: int) -> Device:
    """Return the smallest device that holds these LUT4 and block RAMs, with room for their wires.

    Raises
    ------
    ValueError
        if none does.
    """
    largest = DEVICES[-1]
    for device in DEVICES:
        ram_room = 1 if device is largest else RAM_ROOM
        if lut4 <= ROOM * device.lut4 and dp16kd <= ram_room * device.dp16kd:
            return device
    raise ValueError(f"{lut4} LUT4 and {dp16kd} DP16KD fit no device of {', '.join(d.name for d in DEVICES)}")


def place_and_route(name: str, unit: Unit, seeds: tuple[int, ...] = SEEDS) -> Result:
    """Build one unit with each of the seeds.

    Raises
    ------
    RuntimeError
        if a tool fails; the message names its log.
    """
    top = Registered(unit.build(), unit.ports)
    converted = str(convert(top, top.ios, name="top")) + unit.verilog
    verilog = re.sub(r"//.*", "", converted)  # comments carry the date
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    options = NEXTPNR if unit.placer == "heap" else (*NEXTPNR, "--placer", unit.placer)
    clocks = []
    for seed in seeds:
        key = [verilog, *map(tool_version, ("yosys", "nextpnr-ecp5")), SYNTH, *options, str(seed)]
        key += [repr(DEVICES), str(RAM_ROOM)]
        stored = folder / f"{hashlib.sha256(chr(0).join(key).encode()).hexdigest()[:16]}.json"
        if not stored.exists():
            stored.write_text(json.dumps(_run_tools(folder, verilog, (*options, "--seed", str(seed)))))
        figures = json.loads(stored.read_text())
        clocks.append(figures.pop("fmax_mhz"))
    (folder / "netlist.json").unlink(missing_ok=True)
    given = {name: getattr(unit, name) for name in ("target_mhz", "frames", "contexts", "placer")}
    return Result(**figures, **given, seeds_mhz=tuple(clocks))


def missed(result: Result) -> str | None:
    """Return the error of a unit's clock, or None."""
    slow = [f"seed {seed}: {mhz:.2f}" for seed, mhz in _clocks(result) if mhz < result.target_mhz]
    return f"{result.target_mhz} MHz asked for with each seed; {', '.join(slow)}" if slow else None


def _clocks(result: Result) -> list[tuple[int, float]]:
    """The clock of each seed."""
    return list(zip(SEEDS, result.seeds_mhz, strict=True))


def _run_tools(folder: Path, verilog: str, options: tuple[str, ...]) -> dict[str, int | float | str]:
    """The figures of one run of nextpnr, and of yosys unless the netlist is that of the same Verilog."""
    source, netlist_file = folder / "top.v", folder / "netlist.json"
    if not (netlist_file.exists() and source.exists() and source.read_text() == verilog):
        source.write_text(verilog)
        run_tool("yosys", ["-q", "-p", f"read_verilog top.v; {SYNTH} -json netlist.json"], folder)
    netlist = json.loads(netlist_file.read_text())
    cells = Counter(cell["type"] for cell in netlist["modules"]["top"]["cells"].values())
    lut4 = cells["LUT4"] + 2 * cells["CCU2C"] + 6 * cells["TRELLIS_DPR16X4"]
    device = smallest_device(lut4, cells["DP16KD"])
    log = run_tool("nextpnr-ecp5", ["--json", "netlist.json", f"--{device.name}", *options], folder)
    (folder / "nextpnr-ecp5.log").replace(folder / f"nextpnr-seed{options[-1]}.log")
    return {**parse_report(log), "device": device.name}


def _command(tool: str) -> str:
    """Return the tool of PATH, else YoWASP's."""
    return shutil.which(tool) or str(Path(sys.executable).with_name(f"yowasp-{tool}"))


@cache
def tool_version(tool: str) -> str:
    """Return the tool's version."""
    done = subprocess.run([_command(tool), "--version"], text=True, capture_output=True, check=True)
    return (done.stdout + done.stderr).strip()


def run_tool(tool: str, options: list[str], folder: Path) -> str:
    """Run a tool in a folder; its output goes to <tool>.log there and is returned."""
    done = subprocess.run(
        [_command(tool), *options], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    log = folder / f"{tool}.log"
    log.write_text(done.stdout)
    if done.returncode:
        raise RuntimeError(f"{tool} failed, see {log}:\n{done.stdout[-2000:]}")
    return done.stdout


def table(results: dict[str, Result]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| unit | frames | contexts | LUT4 | FF | DP16KD | MHz min | median | max | target | ECP5 | placer |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- | --- |",
    ]
    for name, r in results.items():
        numbers = (r.frames, r.contexts, r.lut4, r.ff, r.dp16kd)
        cells = ["" if number is None else f"{number:,}" for number in numbers]
        slow = sum(mhz < r.target_mhz for mhz in r.seeds_mhz)
        reached = f"**{r.fmax_mhz:.1f}, {slow} of {len(SEEDS)} missed**" if slow else f"{r.fmax_mhz:.1f}"
        clocks = [reached, f"{r.median_mhz:.1f}", f"{max(r.seeds_mhz):.1f}"]
        row = [f"`{name}`", *cells, *clocks, str(r.target_mhz), r.device, r.placer]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def fill_rows(page: Path, results: dict[str, Result]) -> None:
    """Replace the rows of these units in the page's table of all units.

    Raises
    ------
    ValueError
        if the page has not exactly one row of a unit.
    """
    text = page.read_text("utf-8")
    for name, row in zip(results, table(results).splitlines()[2:], strict=True):
        pattern = rf"(?m)^\| `{name}` \|.*\| (?:heap|static) \|$"
        text, number = re.subn(pattern, lambda _, row=row: row, text)
        if number != 1:
            raise ValueError(f"{page}: {number} rows of {name}, 1 expected")
    page.write_text(text, "utf-8")


def build_units(names: list[str]) -> dict[str, Result]:
    """Place and route units; their results, together with those of the other units, are in units.json.

    Raises
    ------
    RuntimeError, ValueError
        if one cannot be built.
    """
    results = {}
    for name in names:
        print(f"pnr: {name}", file=sys.stderr, flush=True)
        results[name] = place_and_route(name, UNITS[name])
        print(table({name: results[name]}).splitlines()[-1], file=sys.stderr, flush=True)
    path = BUILD / "units.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    figures = known | {name: result.as_json() for name, result in results.items()}
    path.write_text(json.dumps({name: figures[name] for name in UNITS if name in figures}, indent=2) + "\n")
    return results


def main() -> int:
    """Build the units named, all by default; print the table, write the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("units", nargs="*", metavar="UNIT", help=f"some of: {', '.join(UNITS)}")
    parser.add_argument("--main", action="store_true", help=f"these: {', '.join(MAIN)}")
    parser.add_argument("--fill", action="store_true", help=f"write their rows to {PAGE.relative_to(REPO)}")
    args = parser.parse_args()
    names = args.units or list(MAIN if args.main else UNITS)
    if unknown := set(names) - set(UNITS):
        parser.error(f"no unit {', '.join(sorted(unknown))}; there are: {', '.join(UNITS)}")
    try:
        results = build_units(names)
        if args.fill:
            fill_rows(PAGE, results)
    except (RuntimeError, ValueError) as error:
        print(f"pnr_units: {error}", file=sys.stderr)
        return 1
    print(table(results))
    wrong = {name: missed(result) for name, result in results.items()}
    for name, what in wrong.items():
        if what:
            print(f"pnr_units: {name}: {what}", file=sys.stderr)
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
