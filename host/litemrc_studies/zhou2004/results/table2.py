# SPDX-License-Identifier: BSD-2-Clause
"""Table 2 of Zhou et al. 2004: the paper's rows beside the results of the simulated machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.plots.known import Beside, beside_figure
from litemrc_studies.zhou2004.machine.run_result import RunResult, fault_reduction, speedup
from litemrc_studies.zhou2004.machine.scenario import Mrc, Scenario
from matplotlib.figure import Figure

FIRST = "global-clock"
LATER_COLUMNS = ("original", "MRC-MM", "speed-up")
FILLED_S = 300  # from here on all pages have been touched and the curves are complete
Runs = dict[str, list[RunResult]]  # by policy, a run for each seed


@dataclass(frozen=True)
class Row:
    """A row of the paper's table 2, original and MRC-MM: times in s, page faults (of Apache, per 100 s)."""

    process: str
    times: tuple[float, float]
    faults: tuple[int, int]


_INTR_LINEAR = (Row("intr", (9.8, 2.7), (30317, 21115)), Row("linear", (462, 337), (25114, 25193)))
TABLE_2 = {
    "apache_gzip": (Row("apache", (0.07, 0.03), (474, 301)), Row("gzip", (739, 706), (46279, 47341))),
    "apache_gcc": (Row("apache", (0.10, 0.04), (604, 305)), Row("gcc", (325, 353), (20175, 21506))),
    "apache_linear": (Row("apache", (0.07, 0.017), (336, 174)), Row("linear", (381, 279), (39369, 40108))),
    "intr_linear": _INTR_LINEAR,
    "intr_linear_short": _INTR_LINEAR,
    "intr_gzip": (Row("intr", (8.5, 1.4), (58159, 21454)), Row("gzip", (883, 797), (50913, 52959))),
    "intr_gcc": (Row("intr", (5.7, 2.3), (35471, 15190)), Row("gcc", (801, 842), (23387, 25164))),
}
# As printed in the paper, which computed them from times with more digits than it prints.
PAPER_SPEEDUPS = {
    "apache_gzip": (2.29, 1.05),
    "apache_gcc": (2.53, 0.92),
    "apache_linear": (4.04, 1.37),
    "intr_linear": (3.61, 1.37),
    "intr_linear_short": (3.61, 1.37),
    "intr_gzip": (5.86, 1.10),
    "intr_gcc": (2.53, 0.95),
}


def _mean(runs: Sequence[RunResult], value: Callable[[RunResult], float]) -> float:
    return float(np.mean([value(run) for run in runs]))


def _times(mix: Runs, policy: str, name: str) -> float:
    return _mean(mix[policy], lambda run: run.process(name).time_s)


def _faults(mix: Runs, policy: str, name: str) -> float:
    return _mean(mix[policy], lambda run: run.comparable_faults(name))


def _speedups(mix: Runs, policy: str, name: str) -> list[float]:
    """Return the speed-up of each seed."""
    return [
        speedup(first.process(name), run.process(name))
        for first, run in zip(mix[FIRST], mix[policy], strict=True)
    ]


def _reductions(mix: Runs, policy: str, name: str) -> list[float]:
    return [fault_reduction(first, run, name) for first, run in zip(mix[FIRST], mix[policy], strict=True)]


def hardware(engine: str) -> Mrc:
    """Return policy mrc with an engine of the hardware: the least power of two of frames for all pages."""
    return Mrc(engine=engine, engine_frames=65536, engine_groups=256, group_pages=256, delta_pages=256)


def table_2(scenarios: dict[str, Scenario], mixes: dict[str, Runs]) -> str:
    lines = [
        "| mix | process | | time, original | time, MRC-MM | speed-up"
        " | page faults, original | page faults, MRC-MM | reduction |",
        "| --- | --- | --- |" + " ---: |" * 6,
    ]
    for name, rows in TABLE_2.items():
        for number, row in enumerate(rows):
            title = scenarios[name].title if number == 0 else ""
            star = "*" if row.process == "apache" else ""
            before, after = row.faults
            lines.append(
                f"| {title} | {row.process} | paper | {row.times[0]:,} | {row.times[1]:,} |"
                f" {PAPER_SPEEDUPS[name][number]:.2f} | {before:,}{star} | {after:,}{star} |"
                f" {1 - after / before:.1%} |"
            )
            mix = mixes[name]
            times = [_times(mix, policy, row.process) for policy in (FIRST, "mrc")]
            faults = [_faults(mix, policy, row.process) for policy in (FIRST, "mrc")]
            lines.append(
                f"| | | ours | {seconds(times[0])} | {seconds(times[1])} |"
                f" **{np.mean(_speedups(mix, 'mrc', row.process)):.2f}** | {faults[0]:,.0f}{star} |"
                f" {faults[1]:,.0f}{star} | {np.mean(_reductions(mix, 'mrc', row.process)):.1%} |"
            )
    lines += [
        "",
        "Times in s: the mean response time of apache and intr, the execution time of the others."
        " * in 100 s.",
    ]
    return "\n".join(lines)


def picture(mixes: dict[str, Runs]) -> Figure:
    """Draw speed-ups and fault reductions of all rows beside those of the paper."""
    speedups, reductions = [], []
    for name, rows in TABLE_2.items():
        for row, paper in zip(rows, PAPER_SPEEDUPS[name], strict=True):
            (other,) = [each.process for each in rows if each is not row]
            label = f"{row.process}, with {other}" + (", short" if name.endswith("short") else "")
            before, after = row.faults
            speedups.append(Beside(label, _speedups(mixes[name], "mrc", row.process), paper))
            fewer = [100 * share for share in _reductions(mixes[name], "mrc", row.process)]
            reductions.append(Beside(label, fewer, 100 * (1 - after / before)))
    return beside_figure({"speed-up under MRC-MM": speedups, "reduction of page faults in %": reductions})


def seconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:#.2g}" if value < 1 else f"{value:.1f}"


def verdicts(scenarios: dict[str, Scenario], mixes: dict[str, Runs]) -> str:
    """Return how well the interactive process of each mix fares, and how near that is to the paper."""
    lines = [
        "| mix | speed-up, paper | speed-up, ours (range of the seeds) | fault reduction, paper"
        " | fault reduction, ours | batch process, ours | at least as good as the paper"
        " | time, ours / paper: original, MRC-MM | page faults, ours / paper: original, MRC-MM |",
        "| --- |" + " ---: |" * 5 + " --- |" + " ---: |" * 2,
    ]
    for name, (asking, batch) in TABLE_2.items():
        mix = mixes[name]
        speedups = _speedups(mix, "mrc", asking.process)
        fewer = float(np.mean(_reductions(mix, "mrc", asking.process)))
        paper_fewer = 1 - asking.faults[1] / asking.faults[0]
        batches = float(np.mean(_speedups(mix, "mrc", batch.process)))
        mean, paper = float(np.mean(speedups)), PAPER_SPEEDUPS[name][0]
        lines.append(
            f"| {scenarios[name].title} | {paper:.2f} | {min(speedups):.2f} to {max(speedups):.2f} |"
            f" {paper_fewer:.1%} | {fewer:.1%} | {batches - 1:+.1%} |"
            f" {reached(mean / paper - 1, fewer - paper_fewer)} |"
            f" {_nearness(mix, asking.process, _times, asking.times)} |"
            f" {_nearness(mix, asking.process, _faults, asking.faults)} |"
        )
    return "\n".join(lines)


def _nearness(mix: Runs, name: str, value: Callable[[Runs, str, str], float], paper: Sequence[float]) -> str:
    """Return ours / the paper's, under both systems."""
    pairs = zip((FIRST, "mrc"), paper, strict=True)
    return ", ".join(f"{value(mix, policy, name) / known:.2f}" for policy, known in pairs)


def quoted(mixes: dict[str, Runs]) -> dict[str, str]:
    """Return the values of the map, and of measured.md."""
    asking = {name: TABLE_2[name][0].process for name in mixes}
    gains = {name: float(np.mean(_speedups(mix, "mrc", asking[name]))) for name, mix in mixes.items()}
    fewer = {name: float(np.mean(_reductions(mix, "mrc", asking[name]))) for name, mix in mixes.items()}

    def both(name: str) -> str:
        return f"{gains[name]:.2f}, \N{MINUS SIGN}{100 * fewer[name]:.1f} %"

    linear = float(np.mean(_speedups(mixes["intr_linear"], "mrc", "linear")))
    apache = [gain for name, gain in gains.items() if name.startswith("apache")]
    return {
        "claims": f"INTR + LINEAR: {both('intr_linear')}; INTR + gzip: {both('intr_gzip')}",
        "overall": f"{min(gains.values()):.2f} to {max(gains.values()):.2f}",
        "table2": f"INTR + gzip: {both('intr_gzip')}",
        "apache-gains": f"{min(apache):.1f} to {max(apache):.1f}",
        "intr-linear-gain": f"{gains['intr_linear']:.1f}",
        "intr-linear-faults": f"{100 * fewer['intr_linear']:.0f} %",
        "intr-short": f"{gains['intr_linear_short']:.1f} times, {100 * fewer['intr_linear_short']:.0f} %",
        "intr-linear-batch": f"{100 * (linear - 1):.0f} %",
    }


def later(scenarios: dict[str, Scenario], mixes: dict[str, Runs]) -> str:
    """Return INTR's results before and after the start of the run, over all seeds."""
    lines = [
        "| INTR with"
        + "".join(
            f" | {when}: {what}" for when in (f"before {FILLED_S} s", "later") for what in LATER_COLUMNS
        )
        + " | page faults per iteration: original | page faults per iteration: MRC-MM |",
        "| --- |" + " ---: |" * 8,
    ]
    for name in ("intr_linear", "intr_gzip", "intr_gcc"):
        cells = []
        for later in (False, True):
            means = [_mean_response(mixes[name][policy], later) for policy in (FIRST, "mrc")]
            cells += [*(f"{mean:.1f} s" for mean in means), f"{means[0] / means[1]:.2f}"]
        for policy in (FIRST, "mrc"):
            runs = [run.process("intr") for run in mixes[name][policy]]
            faults = sum(run.faults for run in runs) / sum(run.response_s.size for run in runs)
            cells.append(f"{faults:.0f}")
        lines.append(f"| {scenarios[name].processes[1].name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _mean_response(runs: Sequence[RunResult], later: bool) -> float:
    processes = [run.process("intr") for run in runs]
    return float(np.concatenate([p.response_s[(p.arrived_s >= FILLED_S) == later] for p in processes]).mean())


def reached(speedup_above: float, faults_above: float) -> str:
    """Return yes, or the shortfall."""
    if speedup_above >= 0 and faults_above >= 0:
        return "yes"
    short = []
    if speedup_above < 0:
        short.append(f"speed-up {-speedup_above:.0%} short")
    if faults_above < 0:
        short.append(f"faults {-100 * faults_above:.1f} points short")
    return "; ".join(short)


def policies(scenarios: dict[str, Scenario], mixes: dict[str, Runs]) -> str:
    names = ["global-lru", "equal", "mrc"]
    lines = [
        "| mix | process |" + "".join(f" {name} |" for name in names),
        "| --- | --- |" + " ---: |" * len(names),
    ]
    for name, mix in mixes.items():
        for number, row in enumerate(TABLE_2[name]):
            cells = [f"{np.mean(_speedups(mix, policy, row.process)):.2f}" for policy in names]
            title = scenarios[name].title if number == 0 else ""
            lines.append(f"| {title} | {row.process} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
