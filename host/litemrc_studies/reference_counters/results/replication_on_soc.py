#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The workload `replicate` in the RTL beside its prediction: tables and figure of docs/remote_pages.md."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import matplotlib
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.device.simulation.simulator import Simulator
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc_studies.reference_counters.machine.replicate_prediction import ReplicatePrediction
from litemrc_studies.reference_counters.machine.replicate_scenario import (
    ReplicateScenario,
    read_replicate_scenario,
)
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs/remote_pages.md"
FIGURE = ROOT / "docs/remote_pages.svg"
SCALE = 2
EPOCH_CYCLES = 250_000
TIMEOUT_S = 300.0
ROWS = 8  # in the table


@dataclass(frozen=True)
class Point:
    """End of an epoch: references so far, and mean cost of an access since the previous epoch."""

    references: int
    measured: float
    predicted: float


def main() -> None:
    """Run, predict, compare, fill the tables and draw the figure."""
    scenario = read_replicate_scenario(
        ROOT / "host/litemrc_studies/reference_counters/scenarios/baremetal_replicate.toml"
    )
    prediction = ReplicatePrediction(scenario, SCALE)
    rows, clocks = _measure()
    if rows[-1].damaged or rows[-1].lost:
        raise SystemExit(f"{rows[-1].damaged} words damaged, {rows[-1].lost} accesses or events lost")
    tables = {
        "replication-cost": _costs(rows, prediction),
        "replication-totals": _totals(scenario, rows[-1], prediction, clocks),
    }
    fill_tables(PAGE, tables)
    save_figure(_figure(_points(rows, prediction), prediction, rows[-1]), FIGURE)


def _measure() -> tuple[list[SimpleNamespace], int]:
    """Return the rows of the run and its clock cycles."""
    with tempfile.TemporaryDirectory() as folder:
        firmware = ROOT / "build/firmware-refs/firmware.bin"
        with Simulator(ROOT / "build/sim-refs", firmware, Path(folder) / "run") as simulator:
            simulator.wait_ready()
            with Device(simulator.url, timeout_s=TIMEOUT_S) as device:
                device.request("set_epoch", unit="cycles", length=EPOCH_CYCLES)
                collector = Collector(device)
                for _ in collector.collect(None, [Run("replicate", 1, SCALE)]):
                    pass
    ((_, _, clocks),) = collector.cycles
    return [SimpleNamespace(**row) for row in collector.pages], clocks


def _points(rows: list[SimpleNamespace], prediction: ReplicatePrediction) -> list[Point]:
    points, before = [], (0, 0, 0)
    for row in rows:
        now = row.references + row.home, row.cost, prediction.run(row.references).cycles
        accesses, measured, predicted = (after - earlier for after, earlier in zip(now, before, strict=True))
        if accesses:
            points.append(Point(row.references, measured / accesses, predicted / accesses))
        before = now
    return points


def _costs(rows: list[SimpleNamespace], prediction: ReplicatePrediction) -> str:
    lines = [
        "| references of the processor | copies | replicated | dropped | kept | cost so far, RTL | predicted"
        " | difference |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    step = -(-len(rows) // ROWS)
    for row in [*rows[:-1:step], rows[-1]]:
        predicted = prediction.run(row.references).cycles
        lines.append(
            f"| {row.references:,} | {row.copies} | {row.replications} | {row.drops} | {row.kept}"
            f" | {row.cost:,} | {predicted:,} | {row.cost / predicted - 1:+.1%} |"
        )
    off = [abs(row.cost / prediction.run(row.references).cycles - 1) for row in rows]
    lines += [
        "",
        f"The largest difference over all epochs is {max(off):.1%}, over their second half"
        f" {max(off[len(off) // 2 :]):.1%}.",
    ]
    return "\n".join(lines) + "\n"


def _totals(
    scenario: ReplicateScenario, last: SimpleNamespace, prediction: ReplicatePrediction, clocks: int
) -> str:
    references, local = last.references, prediction.run(last.references).local_cycles
    accesses = last.references + last.home
    both = f"DELAY {scenario.delay}, UPDATE {scenario.update}"
    predicted = {
        "predicted, always remote": prediction.run(references, "always-remote"),
        "predicted, replicated at the first read": prediction.run(references, "first-touch"),
        f"predicted, DELAY {scenario.delay} alone": prediction.run(
            references, "upd", delay=scenario.delay, update=0
        ),
        f"predicted, {both}": prediction.run(references),
    }
    lines = ["| | cycles per access | NAMC |", "| --- | ---: | ---: |"]
    lines += [
        f"| {name} | {run.cycles / accesses:.1f} | {run.cycles / accesses / local:.2f} |"
        for name, run in predicted.items()
    ]
    cost = last.cost / accesses
    lines.append(f"| **RTL and firmware, {both}** | **{cost:.1f}** | **{cost / local:.2f}** |")
    lines += [
        "",
        f"{accesses:,} accesses, {last.references:,} of them the processor's, in {clocks:,} cycles;"
        f" {last.lost} accesses or events lost, {last.damaged} words damaged.",
    ]
    return "\n".join(lines) + "\n"


def _figure(points: list[Point], prediction: ReplicatePrediction, last: SimpleNamespace) -> Figure:
    remote = prediction.run(last.references, "always-remote").cycles / (last.references + last.home)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2), dpi=150, layout="constrained")
        axes = figure.subplots()
        references = [point.references for point in points]
        axes.axhline(remote, color=COLOURS[2], linestyle=":", label="always remote")
        axes.plot(references, [p.predicted for p in points], color=COLOURS[1], label="predicted")
        axes.plot(references, [p.measured for p in points], "o", color=COLOURS[0], label="RTL and firmware")
        axes.set_xlabel("references of the processor")
        axes.set_ylabel("cycles per access, in each epoch")
        axes.set_ylim(bottom=0)
        axes.legend()
    return figure


if __name__ == "__main__":
    main()
