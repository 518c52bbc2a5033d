# SPDX-License-Identifier: BSD-2-Clause
"""Size, clock and cycles of each unit as Bambu made it, beside the one in Migen: a table of hls/README.md.

    python -m scripts.hls.unit_table [TOP ...]

8,192 frames, 64 groups, 8 contexts; placed and routed like all units (scripts/boards/pnr_units.py), with
one seed. With functions named, the rows of the others are those of the last run.
Cycles are those from one call of the function to the next, in the testbench of the C simulation without
stalls. Writes build/bambu/table.json, too. What has not changed is not run again.
"""

import json
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from litemrc_gateware.counters.working_set import WorkingSet
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litex.gen import LiteXModule
from migen import Cat, ClockSignal, Instance, ResetSignal, Signal

from scripts.boards.pnr_catalogue import (
    FILTER_PORTS,
    SET_PORTS,
    STACK_PORTS,
    UNITS,
    Unit,
    meter,
    ref_counters,
)
from scripts.boards.pnr_units import place_and_route
from scripts.docs.page_tables import fill_tables
from scripts.hls.bambu import BUILD, CLOCK_NS, NoBambuError, make_verilog, version
from scripts.hls.tops import REPO, TOPS
from scripts.hls.wrapper import Port
from tests.hls_verilog.cosimulation import bench
from tests.hls_verilog.recorded import recorded_counts

FRAMES, GROUPS, CONTEXTS = 8192, 64, 8
PAGE = REPO / "hls" / "README.md"
OPERATIONS = 30_000
SECONDS = 1800
SEEDS = (1,)
PINS = 150  # wider units get their words through shift registers: the package has no more pins
CLOCK = ("ap_clk", "ap_rst_n")

MIGEN = {
    "group_stack": UNITS["group_stack"],
    "group_stack_moves": UNITS["group_stack_with_moves"],
    "hit_counters": UNITS["hit_counters"],
    "working_set": Unit(FRAMES, None, lambda: WorkingSet(FRAMES), SET_PORTS),
    "bucket_stack": Unit(FRAMES, CONTEXTS, lambda: BucketStack(FRAMES, GROUPS, CONTEXTS), STACK_PORTS),
    # Both halves and the working set.
    "page_filter": Unit(FRAMES, CONTEXTS, lambda: PageFilter(FRAMES, FRAMES, GROUPS, CONTEXTS), FILTER_PORTS),
    "rank_meter": replace(UNITS["rank_meter_4_domains"], frames=FRAMES, build=partial(meter, 4, FRAMES)),
    "ref_counters": replace(UNITS["ref_counters"], frames=FRAMES, build=partial(ref_counters, FRAMES)),
}


class FromVerilog(LiteXModule):
    """A module with a signal for each port; inputs of more than a word come through a shift register.

    Parameters
    ----------
    ports
        those of the module.
    """

    def __init__(self, top: str, ports: list[Port]) -> None:
        data = [port for port in ports if port.name not in CLOCK]
        connections = {"i_ap_clk": ClockSignal(), "i_ap_rst_n": ~ResetSignal()}
        narrow = sum(port.bits for port in data) <= PINS
        shifted: list[Signal] = []
        for port in data:
            signal = Signal(port.bits, name=port.name)
            connections[f"{port.direction[0]}_{port.name}"] = signal
            if port.direction == "input" and port.bits > 1 and not narrow:
                shifted.append(signal)
            else:
                setattr(self, port.name, signal)
        if shifted:
            self.shifted_in = Signal(name="shifted_in")
            self.sync += Cat(shifted).eq(Cat(self.shifted_in, Cat(shifted)))
        self.specials += Instance(top, **connections)
        self.port_names = tuple(name for name, value in vars(self).items() if isinstance(value, Signal))


def unit_of(top: str, folder: Path) -> Unit:
    """Return the unit that Bambu made, to place and route."""
    verilog = (folder / f"{top}.v").read_text()
    ports = _header_ports(top, verilog)
    names = FromVerilog(top, ports).port_names
    return Unit(
        FRAMES, CONTEXTS, lambda: FromVerilog(top, ports), names, target_mhz=1000 // CLOCK_NS, verilog=verilog
    )


def _header_ports(top: str, verilog: str) -> list[Port]:
    header = re.search(rf"^module {top} \((.*?)\);", verilog, re.MULTILINE | re.DOTALL)
    assert header, f"no module {top}"
    found = re.findall(r"(input|output) (?:\[(\d+):0\] )?(\w+)", header[1])
    return [Port(direction, int(high or 0) + 1, name) for direction, high, name in found]


def row(top: str) -> dict[str, object]:
    """Make, run, place and route one function; its figures."""
    folder = make_verilog(top)
    counts = recorded_counts(bench(top, folder), OPERATIONS, 1, "unstalled", seconds=SECONDS)
    cycles = {key: counts[f"clocks_{key}"] for key in ("min", "median", "mean", "max")}
    figures = {"cycles": cycles, "bambu": _placed(f"bambu_{top}", unit_of(top, folder))}
    if top in MIGEN:
        figures["migen"] = _placed(f"migen_{top}", MIGEN[top])
    return figures


def _placed(name: str, unit: Unit) -> dict[str, object]:
    result = place_and_route(name, unit, seeds=SEEDS)
    return {key: getattr(result, key) for key in ("lut4", "ff", "dp16kd", "median_mhz", "device")}


def table(rows: dict[str, dict]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        f"| function | {version()}: cycles median, mean (max) | LUT4 | DP16KD | MHz "
        "| Migen: LUT4 | DP16KD | MHz |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for top, figures in rows.items():
        cycles = figures["cycles"]
        cells = [f"{cycles['median']:.0f}, {cycles['mean']:.1f} ({cycles['max']:,.0f})"]
        for made in ("bambu", "migen"):
            of = figures.get(made)
            cells += [f"{of['lut4']:,}", str(of["dp16kd"]), f"{of['median_mhz']:.0f}"] if of else ["", "", ""]
        lines.append(f"| `{top}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Write the table."""
    stored = BUILD / "table.json"
    rows = json.loads(stored.read_text())["tops"] if stored.exists() and sys.argv[1:] else {}
    try:
        for top in sys.argv[1:] or TOPS:
            print(f"unit_table: {top}", file=sys.stderr, flush=True)
            rows[top] = row(top)
    except NoBambuError as error:
        print(f"unit_table.py: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"unit_table.py: {error}", file=sys.stderr)
        return 1
    rows = {top: rows[top] for top in TOPS if top in rows}
    stored.write_text(json.dumps({"compiler": version(), "tops": rows}, indent=2) + "\n")
    fill_tables(PAGE, {"bambu": table(rows)})
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
