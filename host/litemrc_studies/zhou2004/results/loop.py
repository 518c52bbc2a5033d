#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The closed loop on the simulated SoC beside its prediction: a section of zhou2004/page.md.

Runs the workload `pair` twice in the RTL, once with `litemrc govern --dry-run` and once governed.
"""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from litemrc.device.simulation.simulator import Simulator
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.scenario import Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

from scripts.docs.page_tables import fill_tables

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "host/litemrc_studies/zhou2004/page.md"
INTR, LINEAR = 1, 2  # contexts of the pair's tasks
SEEDS = range(1, 6)
EPOCH_CYCLES = 300_000
RUN_TIMEOUT_S = 3600


@dataclass(frozen=True)
class Measured:
    """A task on the device from LINEAR's second round on: mean response time, faults of all iterations."""

    response_ms: float
    faults: int
    iterations: int


def main() -> None:
    """Run, predict, compare, and fill the tables."""
    scenario = read_scenario(ROOT / "host/litemrc_studies/zhou2004/scenarios/baremetal_pair.toml")
    rounds = _touches(scenario, "linear") // _pages(scenario, "linear")
    measured, costs = {}, {}
    for name, options in (("global-clock", ["--dry-run"]), ("mrc", [])):
        print(f"pair under {name}, in the RTL", flush=True)
        measured[name], costs[name] = _run_device(scenario, rounds, options)
    scenario = _with_costs(scenario, costs["global-clock"])
    tables = {
        "closed-loop-parameters": _parameters(scenario, rounds),
        "closed-loop": _table(scenario, measured),
    }
    fill_tables(PAGE, tables)


def _run_device(scenario: Scenario, rounds: int, options: list[str]) -> tuple[dict[int, Measured], dict]:
    """Return both tasks by context, and the processor time of touches, faults and fills in cycles."""
    with tempfile.TemporaryDirectory() as folder:
        run_dir, log = Path(folder) / "run", Path(folder) / "log.jsonl"
        firmware = ROOT / "build/firmware/firmware.bin"
        with Simulator(ROOT / "build/sim", firmware, run_dir) as simulator:
            simulator.wait_ready()
            command = [sys.executable, "-m", "litemrc.cli.main", "govern", "--port", simulator.url]
            command += ["--timeout", "120", "--run", f"pair:{INTR}:{rounds}", "--log", str(log)]
            command += ["--epoch-length", str(EPOCH_CYCLES), "--epoch-unit", "cycles", *options]
            subprocess.run(command, check=True, timeout=RUN_TIMEOUT_S)
            console = simulator.console.read_text()
        rows = {}
        for line in log.read_text().splitlines():
            rows |= {(task["epoch"], task["context"]): task for task in json.loads(line)["tasks"]}
    reported = re.findall(r"tasks: ([a-z ]+) (\d+) cycles", console)
    costs = {name.replace(" ", "_"): int(cycles) for name, cycles in reported}
    return {c: _measure(scenario, rows, c) for c in (INTR, LINEAR)}, costs


def _measure(scenario: Scenario, rows: dict, context: int) -> Measured:
    first_round = _pages(scenario, "linear")
    begun, done = None, 0
    for (epoch, of), task in sorted(rows.items()):
        done += task["references"] if of == LINEAR else 0
        if done >= first_round:
            begun = epoch
            break
    later = [task for (epoch, of), task in rows.items() if of == context and epoch > begun]
    if any(task["damaged"] for task in rows.values()):
        raise SystemExit("pages came back damaged")
    iterations = sum(task["iterations"] for task in later)
    cycles = sum(task["response"] for task in later)
    return Measured(1e3 * cycles / max(iterations, 1) * scenario.tick_s, _sum(later, "faults"), iterations)


def _sum(tasks: list[dict], name: str) -> int:
    return sum(task[name] for task in tasks)


def _with_costs(scenario: Scenario, measured: dict[str, int]) -> Scenario:
    """Return the scenario with the processor times that the device reported."""
    costs = replace(scenario.costs, fault=measured["fault"], zero_fill=measured["zero_fill"])
    processes = tuple(replace(process, touch=measured["touch"]) for process in scenario.processes)
    return replace(scenario, costs=costs, processes=processes)


def _table(scenario: Scenario, measured: dict[str, dict[int, Measured]]) -> str:
    lines = [
        "| INTR | response, ungoverned | response, governed | speed-up"
        " | faults per iteration, ungoverned | faults per iteration, governed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    before, after = (measured[name][INTR] for name in ("global-clock", "mrc"))
    predicted = _predict(scenario)
    gain, of_model = before.response_ms / after.response_ms, predicted[0] / predicted[1]
    each = [one.faults / one.iterations for one in (before, after)]
    lines.append(
        f"| device, RTL | {before.response_ms:.1f} ms | {after.response_ms:.1f} ms | **{gain:.2f}** |"
        f" {each[0]:.1f} | {each[1]:.1f} |"
    )
    lines.append(
        f"| predicted | {predicted[0]:.1f} ms | {predicted[1]:.1f} ms | {of_model:.2f} |"
        f" {predicted[2]:.1f} | {predicted[3]:.1f} |"
    )
    lines += ["", f"The device reaches {gain / of_model:.0%} of the predicted speed-up."]
    return "\n".join(lines) + "\n"


def _predict(scenario: Scenario) -> tuple[float, float, float, float]:
    """Return responses in ms, then faults per iteration, under global-clock and mrc: means over the seeds."""
    responses, faults = {}, {}
    for policy in ("global-clock", "mrc"):
        of_seeds = [simulate(replace(scenario, seed=seed), policy).process("intr") for seed in SEEDS]
        responses[policy] = 1e3 * sum(each.mean_s for each in of_seeds) / len(of_seeds)
        faults[policy] = sum(each.faults / each.response_s.size for each in of_seeds) / len(of_seeds)
    return (*responses.values(), *faults.values())


def _parameters(scenario: Scenario, rounds: int) -> str:
    costs, intr = scenario.costs, scenario.processes[0]
    return (
        "[scenarios/baremetal_pair.toml](scenarios/baremetal_pair.toml):"
        f" {scenario.memory_pages:,} frames; INTR {_pages(scenario, 'intr'):,} pages by Zipf 0.7,"
        f" {intr.request_touches} touches per iteration; LINEAR {rounds} rounds of"
        f" {_pages(scenario, 'linear'):,} pages. In cycles: page read {costs.page_read:,}, write-out"
        f" {costs.write_out:,}; processor time measured on the ungoverned device: touch"
        f" {intr.touch:,}, page fault {costs.fault:,}, zero fill {costs.zero_fill:,}. Epochs of"
        f" {EPOCH_CYCLES:,} cycles. Seeds of the prediction {SEEDS[0]} to {SEEDS[-1]}. Counted from LINEAR's"
        " second round on.\n"
    )


def _touches(scenario: Scenario, name: str) -> int:
    return next(p for p in scenario.processes if p.name == name).parts[0].touches


def _pages(scenario: Scenario, name: str) -> int:
    trace = next(p for p in scenario.processes if p.name == name).parts[0].trace
    return int(re.search(r"pages=(\d+)", trace)[1])


if __name__ == "__main__":
    main()
