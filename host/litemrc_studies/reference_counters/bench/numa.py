# SPDX-License-Identifier: BSD-2-Clause
"""References per second through processors that share pages: `make bench-numa`.

Time is processor time after the numbering of pages, which is measured separately; each figure is the median
of the rounds. `sweep` runs 100 pairs of initial values, including their preparation, in references per second
and pair.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from litemrc.traces.generators.parallel import PAPER_REFERENCES
from litemrc.traces.shared import open_shared_trace
from litemrc_studies.reference_counters.machine.numa import (
    PROTOCOLS,
    NumaMachine,
    NumaReferences,
    NumaSimulation,
    read_references,
)

from bench.processor_time import median_s

GOAL = 10e6  # references a second, 64 processors
PAGES = (1024, 16384)
SWEEP = tuple(1 << power for power in range(3, 13))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--references", type=int, default=5_000_000, help="references per trace (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/numa.json"), help="all figures (%(default)s)"
    )
    args = parser.parse_args()
    names = ["numbering", *PROTOCOLS, "sweep"]
    print("| M references/s | page | " + " | ".join(names) + " |")
    print("| --- " + "| ---: " * (1 + len(names)) + "|")
    figures = {}
    for program in PAPER_REFERENCES:
        with open_shared_trace(f"gen:{program}?n={args.references}") as trace:
            references = read_references(trace)
        for page_bytes in PAGES:
            rates = _rates(references, NumaMachine(page_bytes=page_bytes), args.rounds)
            figures[f"{program}, {page_bytes}"] = rates
            cells = " | ".join(f"{rate / 1e6:,.0f}" for rate in rates.values())
            print(f"| `{program}` | {page_bytes // 1024} KiB | {cells} |", flush=True)
    slowest = min(rate for rates in figures.values() for rate in rates.values())
    print(f"\nslowest: {slowest / 1e6:.1f} M references/s, {slowest / GOAL:.1f} times the goal")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps({"rounds": args.rounds, "references_per_s": figures}, indent=1))


def _rates(references: NumaReferences, machine: NumaMachine, rounds: int) -> dict[str, float]:
    def simulation() -> NumaSimulation:
        return NumaSimulation(references, machine)

    made = simulation()
    works: dict[str, tuple[Callable[[], object], int]] = {"numbering": (simulation, 1)}
    for protocol in PROTOCOLS:
        # A simulation caches what the optimum prepares: use a new one each time.
        works[protocol] = (lambda protocol=protocol: made.run(protocol, 64, 32), 1)
    works["optimum"] = (lambda: simulation().run("optimum"), 1)
    works["sweep"] = (lambda: simulation().sweep(SWEEP, SWEEP), len(SWEEP) ** 2)
    return {name: len(references) * times / median_s(work, rounds) for name, (work, times) in works.items()}


if __name__ == "__main__":
    main()
