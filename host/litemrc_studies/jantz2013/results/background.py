# SPDX-License-Identifier: BSD-2-Clause
"""Why figure 5 (a) of Jantz et al. 2013 has 27 % and the model more: settings, tested one by one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.machine.hardware import LINE_BYTES, Controller
from litemrc_studies.jantz2013.machine.scenario import TrayScenario
from litemrc_studies.jantz2013.plots import rates_figure
from litemrc_studies.jantz2013.results.cases import Made, Served, mean_mw, percent_of, record
from litemrc_studies.jantz2013.results.java import PAPER_LEAST, PAPER_RECYCLING
from litemrc_studies.jantz2013.results.stages import PAPER_STAGE

from scripts.docs.page_tables import markdown

PAPER = {"mean": PAPER_RECYCLING, "least": PAPER_LEAST, **PAPER_STAGE}
RATES = (1e3, 3e3, 1e4, 2e4, 4e4, 8e4, 1.6e5, 5e5)
THRESHOLDS_US = (10, 100, 1000)
NEVER_NS = 1e12
SLOW, FAST = Controller(power_down="slow"), Controller(power_down="fast")
TITLES = ("figure 5 (a): five Java programs", "figure 4: first stage, after 100 µs")


@dataclass(frozen=True)
class Reductions:
    """Reductions of power by color-local recycling and, in the first stage, by trays.

    Attributes
    ----------
    interleaved
        of each Java program, against the interleaved machine (figure 5 (a)).
    trays
        of the same, against trays without colors (figure 5 (b)).
    stage
        of the first stage against the interleaved and the sequential machine (figure 4).
    """

    interleaved: np.ndarray
    trays: np.ndarray
    stage: tuple[float, float]


def background(served: Mapping[str, list[Served]], staged: TrayScenario, pictures: Path) -> Made:
    """Return table and values, and draw the reductions over the rate of background accesses.

    Parameters
    ----------
    served
        visits of each Java program on the interleaved machine, with trays, and with colors.
    """
    stage = [
        record(staged, replace(case, workload=replace(case.workload, stages=1, stage_s=1.0)), "stage 1")[1]
        for case in staged.cases
    ]
    lines: dict[str, tuple] = {}
    found: dict[int, list[Reductions]] = {}
    crossing: dict[int, float] = {}
    for after in THRESHOLDS_US:
        controller = Controller(self_refresh_after_ns=after * 1e3)
        found[after] = [_reduce(served, stage, controller=controller, background_hz=rate) for rate in RATES]
        means = [each.interleaved.mean() for each in found[after]]
        lines[f"self-refresh after {after:,} µs"] = (RATES, means)
        crossing[after] = _rate_of(PAPER["mean"], means)
    usual = found[100]
    low, high = ([bound(each.interleaved) for each in usual] for bound in (np.min, np.max))
    stages = {
        f"trays against {base}": (RATES, [each.stage[number] for each in usual])
        for number, base in enumerate(("interleaved", "sequential"))
    }
    marks = {TITLES[0]: [(rate, PAPER["mean"]) for rate in crossing.values()]}
    levels = {
        TITLES[0]: {
            "paper, mean: 27 %": PAPER["mean"],
            "paper, least: 20 %": PAPER["least"],
        },
        TITLES[1]: {"paper: 55 %": PAPER["interleaved"], "paper: 48 %": PAPER["sequential"]},
    }
    panels = {TITLES[0]: lines, TITLES[1]: stages}
    figure = rates_figure(panels, (RATES, low, high), levels, marks)
    save_figure(figure, pictures / "background.png")
    rate = crossing[100]
    allowed = _rate_of(PAPER["sequential"], [each.stage[1] for each in usual])
    at_rate = _reduce(served, stage, background_hz=rate)
    own = {
        name: each[0].lines / _seconds(each[0]) for name, each in served.items()
    }  # lines per second of the programs
    values = {
        "background-rate": f"{rate / 1e3:,.0f} thousand",
        "background-rates": ", ".join(f"{crossing[after] / 1e3:,.0f} thousand" for after in THRESHOLDS_US),
        "background-bytes": f"{rate * LINE_BYTES / 1e6:.1f} MB/s",
        "background-share": f"{100 * rate / max(own.values()):.1f} to {100 * rate / min(own.values()):.1f} %",
        "background-least": percent_of(at_rate.interleaved.min()),
        "background-stage": f"{percent_of(at_rate.stage[0])} and {percent_of(at_rate.stage[1])}",
        "background-ticks": f"{rate / (250 * 32):.0f}",
        "background-allowed": f"{allowed / 1e3:.1f} thousand",
        "background-slow": percent_of(_reduce(served, stage, controller=SLOW).stage[1]),
    }
    return {"background": _settings(served, stage, allowed, rate)}, values


def _rate_of(reduction: float, reductions: list[float]) -> float:
    """Return the rate with a reduction; between two of `RATES` it is linear in the rate's logarithm."""
    return float(np.exp(np.interp(-reduction, -np.array(reductions), np.log(RATES))))


def _settings(served: Mapping[str, list[Served]], stage: list[Served], *rates: float) -> str:
    """Return the reductions with one setting changed at a time."""
    settings: dict[str, dict] = {
        "as in figures 4 and 5": {},
        **{f"{rate / 1e3:,.1f} thousand background accesses/s": {"background_hz": rate} for rate in rates},
        "power-down after 100 ns, fast exit": {"controller": FAST},
        "power-down after 100 ns, slow exit": {"controller": SLOW},
        "the same, programs at half the rate": {"controller": SLOW, "slower": 2.0},
        "power-down with slow exit, no self-refresh": {
            "controller": replace(SLOW, self_refresh_after_ns=NEVER_NS)
        },
        "power-down with fast exit, no self-refresh": {
            "controller": replace(FAST, self_refresh_after_ns=NEVER_NS)
        },
        "programs at 3 times the rate": {"slower": 1 / 3},
        "programs at a third of the rate": {"slower": 3.0},
    }
    rows = []
    for name, changes in settings.items():
        each = _reduce(served, stage, **changes)
        rows.append(
            [
                name,
                percent_of(each.interleaved.mean()),
                percent_of(each.interleaved.min()),
                f"{percent_of(each.trays[:3].mean())}; {percent_of(each.trays[3:].mean())}",
                *(percent_of(one) for one in each.stage),
            ]
        )
    rows.append(
        [
            "the paper",
            *(percent_of(PAPER[name]) for name in ("mean", "least")),
            "some; none",
            *(percent_of(PAPER[name]) for name in ("interleaved", "sequential")),
        ]
    )
    heads = ["figure 5 (a): mean", "least", "5 (b): databases; small", "figure 4: interleaved", "sequential"]
    return markdown(["setting", *heads], rows)


def _reduce(served: Mapping[str, list[Served]], stage: list[Served], **changes) -> Reductions:
    power = np.array([[mean_mw(each, **changes) for each in cases] for cases in served.values()])
    # The staged workload is not slowed down: its rate is the paper's memory bandwidth.
    of_machine = {name: value for name, value in changes.items() if name != "slower"}
    first = [mean_mw(each, **of_machine) for each in stage]
    return Reductions(
        1 - power[:, 2] / power[:, 0],
        1 - power[:, 2] / power[:, 1],
        (1 - first[2] / first[0], 1 - first[2] / first[1]),
    )


def _seconds(served: Served) -> float:
    clocks = served.columns[0].sum(dtype=np.int64) + served.columns[1].sum(dtype=np.int64)
    return served.hardware.seconds(int(clocks))
