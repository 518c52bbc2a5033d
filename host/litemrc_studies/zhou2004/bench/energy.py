# SPDX-License-Identifier: BSD-2-Clause
"""References per second through memory chips that sleep: `make bench-energy`.

Time is processor time without reading the trace; each figure is the median of the rounds. `reading` is the
numbering of pages, done once for all schemes. A tuned scheme runs with given thresholds. Each trace is
repeated to at least 5 M references.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from litemrc.traces import open_trace
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, ChipSimulation
from litemrc_studies.zhou2004.policies import SCHEMES, Thresholds

from bench.memory_trace import InMemory
from bench.processor_time import median_s

REFERENCES = 5_000_000
GOAL = 5e6  # references a second
GENERATED = ("gen:zipf?pages=65536&n=5000000", "gen:phases?pages=8192&n=5000000&length=100000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/energy.json"), help="all figures (%(default)s)"
    )
    args = parser.parse_args()
    schemes = [_given(scheme) for scheme in SCHEMES.values()]
    names = ["reading", *(scheme.name for scheme in schemes)]
    print("| M references/s | chips | " + " | ".join(names) + " |")
    print("| --- " + "| ---: " * (1 + len(names)) + "|")
    figures = {}
    for source in [*sorted(args.traces.glob("*.parquet")), *GENERATED]:
        with open_trace(source) as opened:
            pages = np.concatenate([chunk.pages for chunk in opened])
        pages = np.tile(pages, -(-REFERENCES // pages.size))
        trace = InMemory(pages)
        references = read_references(trace, trace, 100)
        simulation = ChipSimulation(references, ChipMachine(find_power("rdram")))
        works = [lambda trace=trace: read_references(trace, trace, 100)]
        works += [lambda scheme=scheme, run=simulation.run: run(scheme) for scheme in schemes]
        seconds = [median_s(work, args.rounds) for work in works]
        rates = {name: pages.size / took for name, took in zip(names, seconds, strict=True)}
        name = source.name if isinstance(source, Path) else source
        figures[name] = rates
        cells = " | ".join(f"{rate / 1e6:.0f}" for rate in rates.values())
        print(f"| `{name}` | {simulation.chips} | {cells} |", flush=True)
    slowest = min(rate for rates in figures.values() for rate in rates.values())
    print(f"\nslowest: {slowest / 1e6:.1f} M references/s, {slowest / GOAL:.1f} times the goal")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps({"rounds": args.rounds, "references_per_s": figures}, indent=1))


def _given(scheme):
    if isinstance(scheme, Thresholds) and scheme.tuned:
        return scheme.with_thresholds(60, 9_600)
    return scheme


if __name__ == "__main__":
    main()
