# SPDX-License-Identifier: BSD-2-Clause
"""Fills table 3 of zhou2004/page.md, and table 2 by tracker: part of `make results-zhou2004`."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import matplotlib
import numpy as np
from litemrc.native.exact_stack import ExactStack
from litemrc.native.os_tracker import OsTracker
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc.traces import open_trace
from litemrc.traces.generators.programs import PROGRAMS
from litemrc_studies.zhou2004.machine.epoch_counts import make_counts
from litemrc_studies.zhou2004.machine.multiprogram import make_tracker, simulate
from litemrc_studies.zhou2004.machine.reference_feed import ReferenceFeed
from litemrc_studies.zhou2004.machine.run_result import speedup
from litemrc_studies.zhou2004.machine.scenario import Mrc, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario
from litemrc_studies.zhou2004.results.table2 import FIRST, TABLE_2, hardware
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

PAPER = {"linear": 0.07, "gcc": 0.10, "gzip": 0.08}  # table 3
ALONE = {"linear": "intr_linear", "gcc": "intr_gcc", "gzip": "intr_gzip"}  # a scenario with the program
MEMORY_PAGES = 32_768  # of the paper's machine
MS = 1_000_000  # ticks
SEEDS = (1, 2, 3)
CYCLE_NS = 1 / 1.8  # of the paper's processor, on which a captured instruction takes one cycle
TOUCH_NS = 50_000  # of generated programs
SMALL = (64, 256, 1024)  # scan lists of the captured programs, which have 500 to 1,800 pages


@dataclass(frozen=True)
class Setting:
    """A scan list in pages, the CPU time between scans, pages of a group."""

    scan_list: int
    period_ms: int
    group_pages: int

    @property
    def mrc(self) -> Mrc:
        """Return the policy with the tracker so set."""
        return Mrc(
            engine="os",
            engine_scan_list=self.scan_list,
            engine_period=self.period_ms * MS,
            group_pages=self.group_pages,
            delta_pages=self.group_pages,
        )


@dataclass(frozen=True)
class Tracked:
    """Overhead as a share of CPU time; mean absolute errors with and without the unseen accesses."""

    overhead: float
    error: float
    error_seen_only: float


OURS = Setting(8192, 100, 256)
TABLE = (
    *(Setting(scan_list, 10, 64) for scan_list in (1024, 4096, 8192, 16_384, 32_768)),
    *(Setting(8192, period, 64) for period in (30, 100)),
    *(Setting(scan_list, 100, 256) for scan_list in (1024, 4096)),
    OURS,
    Setting(32_768, 100, 256),
)
DRAWN_PERIODS_MS = (10, 30, 100, 300, 1000)
DRAWN_SCAN_LISTS = (1024, 4096, 8192, 16_384, 32_768)


def main() -> None:
    parser = page_parser(__doc__, "zhou2004")
    parser.add_argument(
        "--scenarios",
        type=Path,
        default=Path("host/litemrc_studies/zhou2004/scenarios"),
        help="folder (%(default)s)",
    )
    parser.add_argument("--data", type=Path, default=Path("tests/data/traces"), help="traces (%(default)s)")
    args = parser.parse_args()
    scenarios = {name: read_scenario(args.scenarios / f"{name}.toml") for name in TABLE_2}
    programs = {name: Program(scenarios[mix], name) for name, mix in ALONE.items()}
    tables = {
        "table3": _table_3(programs),
        "table3-captured": _captured(args.data),
        "table3-generated": _generated(),
        "table2-trackers": _table_2(scenarios),
    }
    save_figure(_figure(programs), args.docs / "pictures" / "table3.png")
    fill_tables(args.docs / "page.md", tables)
    longer = _longer_touches(scenarios["intr_linear"])
    values = {"table3": _whole_memory(tables["table3"]), "table3-longer-touches": longer}
    fill_values(args.docs / "page.md", values)


class Program:
    """A program that runs alone on the paper's memory: its references, and its exact curve.

    Parameters
    ----------
    scenario
        one that has the program, among others.
    """

    def __init__(self, scenario: Scenario, name: str) -> None:
        (spec,) = [spec for spec in scenario.processes if spec.name == name]
        alone = replace(spec, start=0, tracking=0.0)
        self.scenario = replace(scenario, processes=(alone,), memory_pages=MEMORY_PAGES)
        with closing(ReferenceFeed(self.scenario, 0, None)) as feed:
            chunks = iter(feed.next, None)
            fed = takewhile(lambda chunk: chunk[0].size or chunk[-1], chunks)
            self.references = [(pages, release) for pages, *_, release in fed]
        self.touches = sum(pages.size for pages, _ in self.references)
        self._exact: dict[int, np.ndarray] = {}

    def exact(self, group_pages: int) -> np.ndarray:
        """Return the miss ratios of the exact curve, at multiples of a group up to the memory."""
        if group_pages not in self._exact:
            mrc = Mrc(group_pages=group_pages, epoch=self.touches)
            counts, rows = make_counts(mrc, MEMORY_PAGES // group_pages), []
            for pages, release in self.references:
                rows.append(counts.take(pages))
                if release:
                    counts.release()
            self._exact[group_pages] = _miss_ratios(np.concatenate(rows)[0])
        return self._exact[group_pages]


def tracked(program: Program, setting: Setting) -> Tracked:
    """Track a program; compare its curve with the exact one at all sizes of the memory."""
    tracker = make_tracker(replace(program.scenario, mrc=setting.mrc), 0)
    assert tracker is not None, "the engine is not the tracker"
    for pages, release in program.references:
        tracker.access(pages)
        if release:
            tracker.release()
    groups, both = MEMORY_PAGES // setting.group_pages, []
    for seen_only in (False, True):
        tracker.seen_only = seen_only
        counts = np.zeros(groups + 1)
        counts[: tracker.hits.size] = tracker.hits
        counts[-1] = tracker.misses
        error = np.abs(_miss_ratios(counts) - program.exact(setting.group_pages))
        both.append(float(error.mean()))
    return Tracked(tracker.overhead, *both)


def _miss_ratios(counts: np.ndarray) -> np.ndarray:
    """Return the miss ratios at 1 group, 2 groups ... of hits by group, then misses."""
    return 1 - np.cumsum(counts[:-1]) / counts.sum()


def _table_3(programs: Mapping[str, Program]) -> str:
    heads = ["scan list, pages", "period, ms", "group, pages"]
    heads += [f"overhead, {name}" for name in programs]
    heads += [f"error, {name}" for name in programs]
    heads += [f"error of the seen, {name}" for name in programs]
    rows = [["paper", "10", "64", *(f"{share:.0%}" for share in PAPER.values()), *[""] * 6]]
    for setting in TABLE:
        found = [tracked(program, setting) for program in programs.values()]
        rows.append(
            [
                f"{setting.scan_list:,}" + (" (ours)" if setting == OURS else ""),
                str(setting.period_ms),
                str(setting.group_pages),
                *(f"{each.overhead:.1%}" for each in found),
                *(f"{each.error:.4f}" for each in found),
                *(f"{each.error_seen_only:.3f}" for each in found),
            ]
        )
    return markdown(heads, rows)


def _whole_memory(table: str) -> str:
    """Return the overheads with the paper's period and groups, and all of the memory in the scan list."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    (row,) = [row for row in rows if row[:3] == [f"{MEMORY_PAGES:,}", "10", "64"]]
    return ", ".join(row[3:6]) + " with the whole memory in the scan list"


def _longer_touches(scenario: Scenario) -> str:
    """Return LINEAR's overhead, with the paper's period and groups, if its touches were longer."""
    (linear,) = [spec for spec in scenario.processes if spec.name == "linear"]
    longer = replace(linear, touch=4 * linear.touch)
    program = Program(replace(scenario, processes=(longer,)), "linear")
    lists = (16_384, MEMORY_PAGES)
    shares = [f"{tracked(program, Setting(pages, 10, 64)).overhead:.1%}" for pages in lists]
    return f"{shares[0]} with a list of {lists[0]:,} pages and {shares[1]} with the whole memory"


def _measured(url: str, tracker: OsTracker) -> tuple[ExactStack, float]:
    """Return the exact stack of a trace that a tracker follows, and the references' mean time in ns."""
    exact, first, last = ExactStack(), None, 0
    with open_trace(url) as trace:
        for chunk in trace:
            tracker.access(chunk.pages)
            exact.access(chunk.pages)
            if chunk.times is not None:
                first, last = int(chunk.times[0]) if first is None else first, int(chunk.times[-1])
    return exact, TOUCH_NS if first is None else (last - first) * CYCLE_NS / exact.accesses


def _errors(tracker: OsTracker, exact: ExactStack) -> tuple[float, float]:
    """Return the mean absolute error up to the footprint, and that of the curve of the seen accesses."""
    pages = exact.footprint_pages
    sizes = np.arange(1, -(-pages // tracker.group_pages)) * tracker.group_pages
    expected, both = exact.curve().at_sizes(sizes), []
    for seen_only in (False, True):
        tracker.seen_only = seen_only
        both.append(float(np.abs(tracker.curve().at_sizes(sizes) - expected).mean()))
    return both[0], both[1]


def _captured(data: Path) -> str:
    heads = ["trace", "pages", "ns per reference", "scan list", "period, references"]
    heads += ["protection faults, % of references", "overhead", "error", "error of the seen"]
    rows = []
    for path in sorted(data.glob("*.parquet")):
        for scan_list, period in [(size, 2000) for size in SMALL] + [(1024, 20_000)]:
            tracker = OsTracker(scan_list, period, 64)
            exact, reference_ns = _measured(str(path), tracker)
            overhead = tracker.overhead * TOUCH_NS / reference_ns
            rows.append(
                _row(path.stem, tracker, exact, [f"{reference_ns:.0f}", f"{scan_list:,}", f"{period:,}"])
            )
            rows[-1].insert(6, f"{overhead:.0%}")
    return markdown(heads, rows)


def _row(name: str, tracker: OsTracker, exact: ExactStack, parameters: list[str]) -> list[str]:
    error, error_seen_only = _errors(tracker, exact)
    faults = tracker.events["fault"] / exact.accesses
    counts = [f"{exact.footprint_pages:,}", *parameters, f"{100 * faults:.1f}"]
    return [name, *counts, f"{error:.4f}", f"{error_seen_only:.3f}"]


def _generated() -> str:
    heads = ["program", "pages", "protection faults, % of references", "overhead"]
    heads += ["error", "error of the seen"]
    rows = []
    for name in PROGRAMS:
        tracker = OsTracker()
        exact, _ = _measured(f"gen:{name}?n=1000000", tracker)
        rows.append(_row(name, tracker, exact, []))
        rows[-1].insert(3, f"{tracker.overhead:.1%}")
    return markdown(heads, rows)


def _table_2(scenarios: Mapping[str, Scenario]) -> str:
    """Return the speed-ups over the original system by tracker, means over the seeds."""
    trackers = {
        "exact, the paper's table 3 charged": None,
        "hardware monitor": hardware("group"),
        "OS-only, 10 ms, as in the paper": replace(Setting(8192, 10, 64).mrc, engine_seen_only=True),
        "OS-only, ours": OURS.mrc,
    }
    rows = []
    for name, scenario in scenarios.items():
        gains = {tracker: _speedups(scenario, mrc) for tracker, mrc in trackers.items()}
        for number, row in enumerate(TABLE_2[name]):
            title = scenario.title if number == 0 else ""
            rows.append([title, row.process, *(f"{gains[tracker][row.process]:.2f}" for tracker in trackers)])
    return markdown(["mix", "process", *trackers], rows)


def _speedups(scenario: Scenario, mrc: Mrc | None) -> dict[str, float]:
    directed = scenario
    if mrc is not None:
        specs = tuple(replace(spec, tracking=0.0) for spec in scenario.processes)
        directed = replace(scenario, mrc=mrc, processes=specs)
    gains: dict[str, list[float]] = {spec.name: [] for spec in scenario.processes}
    for seed in SEEDS:
        original = simulate(replace(scenario, seed=seed, sample=0), FIRST)
        for process in simulate(replace(directed, seed=seed, sample=0), "mrc").processes:
            gains[process.name].append(speedup(original.process(process.name), process))
    return {name: float(np.mean(each)) for name, each in gains.items()}


def _figure(programs: Mapping[str, Program]) -> Figure:
    """Draw the error over the overhead: a line for each period, a point for each scan list."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9, 3.2), dpi=150, layout="constrained")
        panels = figure.subplots(1, len(programs), sharex=True, sharey=True)
        for axes, (name, program) in zip(panels, programs.items(), strict=True):
            for period, colour in zip(DRAWN_PERIODS_MS, COLOURS, strict=False):
                found = [tracked(program, Setting(size, period, 256)) for size in DRAWN_SCAN_LISTS]
                axes.plot(
                    [100 * each.overhead for each in found],
                    [each.error for each in found],
                    "o-",
                    markersize=3,
                    color=colour,
                    label=f"{period:,} ms" if axes is panels[0] else None,
                )
            label = "Zhou 2004" if axes is panels[0] else None
            axes.axvline(100 * PAPER[name], color="black", linewidth=1, linestyle=":", label=label)
            axes.set_title(name)
            axes.grid()
        panels[0].set(xlim=(0, None), ylim=(-0.001, None))  # of all panels; now, as it ends automatic limits
        panels[0].set_ylabel("mean absolute error")
        figure.supxlabel("overhead, % of CPU time")
        figure.legend(loc="outside right upper", title="period")
    return figure


if __name__ == "__main__":
    main()
