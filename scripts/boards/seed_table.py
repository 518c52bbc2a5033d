# SPDX-License-Identifier: BSD-2-Clause
"""The SoC for Linux of every ECP5 board with each of three seeds: `make boards-seeds` fills the table.

Arguments name some of the boards; the others are as last measured. The page is docs/boards/linux.md.
`make ulx3s-linux` takes the first seed that meets all clocks. Results: build/boards/seeds.json. The exit code
is 1 if a seed misses a clock.
"""

import json
import sys
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path

from litemrc_soc.boards.board import NAME, SEEDS, SYNTHESIS, elaborate, nextpnr_frequency
from litemrc_soc.boards.command import output_to
from litemrc_soc.boards.open_tools import missed_clocks, parse_report, place_again, run_script, search_path

from scripts.docs.page_tables import fill_tables

REPO = Path(__file__).resolve().parents[2]
PAGE = REPO / "docs" / "boards" / "linux.md"
BUILD = REPO / "build" / "boards"
RESULTS = BUILD / "seeds.json"
BOARDS = ("ulx3s", "versa_ecp5", "orangecrab")


def place(name):
    """Return the reports of a board's SoC by seed, as JSON has them."""
    module, output = import_module(f"litemrc_soc.boards.{name}"), BUILD / f"{name}-seeds"
    path = search_path(output)
    with output_to(output / "elaborate.log"):
        soc = module.SOC(boot="linux")
        nextpnr_frequency(soc, module.BOARD)
        folder = elaborate(module.BOARD, soc, output, **SYNTHESIS, seed=SEEDS[0])
    reports = []
    for seed in SEEDS:
        if seed != SEEDS[0]:
            place_again(folder / f"build_{NAME}.sh", seed)
        report = replace(parse_report(run_script(folder, f"build_{NAME}.sh", path)), seed=seed)
        missed = missed_clocks(report, module.BOARD.sys_clk_hz)
        print(f"{name}, seed {seed}: {'; '.join(missed) or 'meets all clocks'}", file=sys.stderr, flush=True)
        reports.append(asdict(report) | {"missed": missed})
    return {"title": f"{module.BOARD.title}, {module.BOARD.devices[0]}", "reports": reports}


def row(title, reports):
    """Return a board's line: its size, and for each seed the clock that is closest to missing its target."""
    closest = [min(r["clocks"].values(), key=lambda c: c["fmax_mhz"] / c["target_mhz"]) for r in reports]
    size = " | ".join(f"{reports[0][cells]:,}" for cells in ("lut4", "ff", "dp16kd"))
    clocks = " | ".join(f"{clock['fmax_mhz']:.1f}" for clock in closest)
    return f"| {title} | {size} | {clocks} | {closest[0]['target_mhz']:g} |"


def main(names):
    if unknown := set(names) - set(BOARDS):
        print(f"no board {', '.join(sorted(unknown))}; there are: {', '.join(BOARDS)}", file=sys.stderr)
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names or BOARDS:
        known[name] = place(name)
        RESULTS.write_text(json.dumps(known, indent=2) + "\n")
    seeds = " | ".join(f"MHz, seed {seed}" for seed in SEEDS)
    lines = [f"| board | LUT4 | FF | DP16KD | {seeds} | target |", "| --- |" + " --: |" * (4 + len(SEEDS))]
    lines += [row(**known[name]) for name in BOARDS if name in known]
    fill_tables(PAGE, {"seeds": "\n".join(lines)})
    print("\n".join(lines))
    return int(any(report["missed"] for board in known.values() for report in board["reports"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
