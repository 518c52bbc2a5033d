# SPDX-License-Identifier: BSD-2-Clause
"""Time to divide a memory among many processes: `python -m bench.allocation`.

Each figure is the median processor time of the rounds (one thread) for the whole call with checked curves of
4,096 sizes. A `line` is the worst case of `hull`, because all its points are about equally good.
`from bound`: the reported upper bound of the distance to the optimum.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
from litemrc.policies.allocation.division import Demand, allocate

SIZES = 4096
GOAL_MS = 50  # of hull, 1,000 processes in 4,096 units


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/allocation.json"), help="all figures (%(default)s)"
    )
    args = parser.parse_args()
    print("| processes | units | curves | greedy, ms | hull, ms | from bound | optimal, ms | goal / hull |")
    print("| ---: | ---: | --- " + "| ---: " * 5 + "|")
    figures = []
    for processes, units in ((8, 4096), (100, 4096), (1000, 4096), (1000, 65536), (1000, 1 << 20)):
        for kind in ("mixed", "line"):
            rng = np.random.default_rng(args.seed)
            demands = [_demand(rng, kind, f"p{number}") for number in range(processes)]
            figure = {"processes": processes, "units": units, "curves": kind}
            for method in ("greedy", "hull", "optimal"):
                if method == "optimal" and processes * units > 100 * SIZES:
                    continue  # minutes
                figure |= _measured(demands, units, method, args.rounds)
            figures.append(figure)
            print(_row(figure), flush=True)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps({"rounds": args.rounds, "seed": args.seed, "figures": figures}, indent=1))


def _measured(demands: list[Demand], units: int, method: str, rounds: int) -> dict[str, float]:
    times = []
    for _ in range(1 if method == "optimal" else rounds):
        began = time.process_time()
        allocation = allocate(demands, units, delta_pages=1, method=method)
        times.append(1e3 * (time.process_time() - began))
    found = {f"{method}_ms": statistics.median(times)}
    if method == "hull":
        found["from_bound"] = 1 - allocation.utility / allocation.utility_bound
    return found


def _row(figure: dict) -> str:
    goal = GOAL_MS / figure["hull_ms"] if (figure["processes"], figure["units"]) == (1000, 4096) else None
    cells = [
        f"{figure['processes']:,}",
        f"{figure['units']:,}",
        figure["curves"],
        f"{figure['greedy_ms']:.1f}",
        f"{figure['hull_ms']:.1f}",
        f"{figure['from_bound']:.2g}",
        f"{figure['optimal_ms']:,.0f}" if "optimal_ms" in figure else "-",
        f"{goal:.1f}" if goal else "",
    ]
    return "| " + " | ".join(cells) + " |"


def _demand(rng: np.random.Generator, kind: str, name: str) -> Demand:
    """Return a curve; `mixed`: a third each of exponentials, 1 to 4 steps, lines; `line`: uniform hits."""
    shape = rng.choice(["exponential", "steps", "line"]) if kind == "mixed" else kind
    hits = {
        "exponential": lambda: np.exp(-np.arange(SIZES) / (SIZES * rng.uniform(0.02, 0.6))),
        "steps": lambda: np.bincount(rng.integers(0, SIZES, rng.integers(1, 5)), minlength=SIZES) * 1.0,
        "line": lambda: rng.random(SIZES),
    }[shape]()
    ratio = np.clip(1 - np.cumsum(hits) / hits.sum(), 0, 1)
    return Demand(name, np.arange(1, SIZES + 1), ratio, 1_000_000)


if __name__ == "__main__":
    main()
