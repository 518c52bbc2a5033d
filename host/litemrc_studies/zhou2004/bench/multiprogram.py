# SPDX-License-Identifier: BSD-2-Clause
"""References per second through the multiprogram machine: `make bench-multiprogram`.

Time is all processor time: generating references, counting epochs, the machine. Each figure is the median of
the rounds, with minimum and maximum. Three mixes are those of table 2; in the last one no process waits for
the disk, so it measures touches, not faults.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.scenario import POLICIES, Costs, Mrc, Part, ProcessSpec, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

ROUNDS = 5
MIXES = ("intr_linear", "intr_gcc", "apache_gcc")
ENGINES = {
    "mrc": Mrc(),
    "mrc, group": Mrc(engine="group", engine_frames=65536, engine_groups=64),
    "mrc, bucket": Mrc(engine="bucket", engine_frames=65536, engine_groups=64),
    "mrc, shards 0.1": Mrc(engine="shards", engine_rate=0.1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--scenarios",
        type=Path,
        default=Path("host/litemrc_studies/zhou2004/scenarios"),
        help="folder (%(default)s)",
    )
    parser.add_argument("--out", type=Path, default=Path("build/bench/multiprogram.json"))
    args = parser.parse_args()
    mixes = [read_scenario(args.scenarios / f"{name}.toml") for name in MIXES]
    columns = [policy for policy in POLICIES if policy not in ("static", "mrc")] + list(ENGINES)
    print("| M references/s | references |" + "".join(f" {name} |" for name in columns), flush=True)
    print("| --- |" + " ---: |" * (1 + len(columns)))
    results = {}
    for scenario in [*mixes, _fitting()]:
        rates = {}
        for name in columns:
            policy = "mrc" if name in ENGINES else name
            mix = replace(scenario, mrc=ENGINES.get(name, scenario.mrc), sample=0)
            rounds = [_rate(mix, policy) for _ in range(ROUNDS)]
            rates[name] = sorted(rate for rate, _ in rounds)
            touches = rounds[0][1]
        cells = [f"{median(rates[name]) / 1e6:.1f}" for name in columns]
        print(f"| {scenario.title} | {touches / 1e6:.1f} M | " + " | ".join(cells) + " |", flush=True)
        results[scenario.title] = rates
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(results, indent=1))


def _rate(scenario: Scenario, policy: str) -> tuple[float, int]:
    began = time.process_time()
    touches = simulate(scenario, policy).touches
    return touches / (time.process_time() - began), touches


def _fitting() -> Scenario:
    """Return four processes whose data fit into memory; 20 M references."""
    traces = ("zipf?pages=30000", "zipf?pages=30000&alpha=0.6", "loop?pages=30000", "phases?pages=30000")
    processes = tuple(
        ProcessSpec(trace, "batch", (Part(f"gen:{trace}", 5_000_000),), 1000, minimum_pages=128)
        for trace in traces
    )
    return Scenario("4 processes that fit", 131072, 1e-9, Costs(10**7, 8 * 10**6, 1500 * 10**3), processes)


if __name__ == "__main__":
    main()
