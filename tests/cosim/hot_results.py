# SPDX-License-Identifier: BSD-2-Clause
"""Measures the recall of hot_pages beside other monitors; writes tables and chart of docs/hot-pages.md.

    make hot-results

All numbers come from the C++ of hls/ and of bench/hot_models.hpp; they depend on seeds only.
"""

from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from litemrc.plots.curves import INK, STYLE
from matplotlib import rc_context
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, markdown
from tests.cosim.builder import Sizes, hot_recall
from tests.cosim.running import output_of
from tests.products import REPO

BOARD = Sizes(frames=65536, groups=64, contexts=1)  # 256 MB
ACCESSES, EPOCH, WANTED = 3_000_000, 1_000_000, 0.95
SETS = (512, 1024, 2048)  # of hot_pages; the first is that of the hardware
PAGE = REPO / "docs" / "hot-pages.md"


@dataclass(frozen=True)
class Result:
    """A line of hot_recall."""

    trace: str
    monitor: str
    block_rams: int
    epochs: int
    hot_epochs: int
    recall: float
    lowest: float
    error: float
    not_hot: int
    too_high: int


def results(sets: int, what: str) -> list[Result]:
    """Run the driver over all traces."""
    types = (str, str, int, int, int, float, float, float, int, int)
    found = []
    for line in output_of(hot_recall(BOARD, sets), ACCESSES, EPOCH, what, seconds=3600).splitlines():
        result = Result(*(kind(text) for kind, text in zip(types, line.split(), strict=True)))
        name = f"{result.monitor}-{sets}x4" if result.monitor == "hot_pages" else result.monitor
        found.append(Result(**{**vars(result), "monitor": name}))
    return found


def trace_table(measured: list[Result]) -> str:
    """Recall and errors of the hardware's size for each trace; recalls below the goal are bold."""
    rows = []
    for each in measured:
        recall = f"{each.recall:.3f}" if each.hot_epochs else "none is hot"
        lowest = f"{each.lowest:.3f}" if each.hot_epochs else ""
        if each.hot_epochs and each.recall < WANTED:
            recall = f"**{recall}**"
        rows.append([each.trace, recall, lowest, f"{each.error:.2%}", str(each.not_hot), str(each.too_high)])
    heads = [
        "trace",
        "recall@64",
        "lowest of an epoch",
        "mean count error",
        "listed, not hot",
        "count too high",
    ]
    return markdown(heads, rows)


def summary(measured: list[Result]) -> list[tuple[str, int, float, float, float, int]]:
    """Of each monitor: name, block RAMs, mean and lowest recall of traces with hot pages, error, not hot."""
    rows = []
    for monitor in dict.fromkeys(each.monitor for each in measured):
        own = [each for each in measured if each.monitor == monitor]
        hot = [each for each in own if each.hot_epochs]
        recalls = [each.recall for each in hot]
        rows.append(
            (
                monitor,
                own[0].block_rams,
                mean(recalls),
                min(recalls),
                mean(each.error for each in hot),
                sum(each.not_hot for each in own),
            )
        )
    return sorted(rows, key=lambda row: (row[0].partition("-")[0], row[1]))


def monitor_table(rows: list[tuple[str, int, float, float, float, int]]) -> str:
    """The summary as a table."""
    heads = [
        "monitor",
        "DP16KD",
        "mean recall",
        "lowest recall of a trace",
        "mean count error",
        "listed, not hot",
    ]
    return markdown(
        heads,
        [
            [name, str(rams), f"{recall:.3f}", f"{lowest:.3f}", f"{error:.1%}", f"{not_hot:,}"]
            for name, rams, recall, lowest, error, not_hot in rows
        ],
    )


def draw(rows: list[tuple[str, int, float, float, float, int]], path: Path) -> None:
    """Draw recall over block RAMs: the mean over the traces with hot pages, and the lowest of a trace."""
    families = {"hot_pages": "hot_pages, ours", "M5": "M5-like", "NeoMem": "NeoMem-like"}
    with rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        axes = figure.subplots()
        for (family, label), marker in zip(families.items(), "os^", strict=True):
            own = [row for row in rows if row[0].startswith(family)]
            best = {
                rams: max(row[2:4] for row in own if row[1] == rams) for rams in sorted({r[1] for r in own})
            }
            (line,) = axes.plot(list(best), [mean for mean, _ in best.values()], marker=marker, label=label)
            lowest = [lowest for _, lowest in best.values()]
            axes.plot(list(best), lowest, marker=marker, markersize=3, linestyle=":", color=line.get_color())
        axes.axhline(WANTED, color=INK, linewidth=0.8, linestyle="--")
        axes.set_xscale("log", base=2)
        axes.set_xticks([4, 8, 16, 32, 64], ["4", "8", "16", "32", "64"])
        axes.set_ylim(0, 1.03)
        axes.set_xlabel("block RAMs (DP16KD)")
        axes.set_ylabel("recall@64: mean, and lowest trace (dotted)")
        axes.grid(axis="y")
        axes.legend(loc="lower right")
        figure.savefig(path, dpi=120, metadata={"Software": None})


def main() -> None:
    measured = results(SETS[0], "models")
    own = [each for each in measured if each.monitor.startswith("hot_pages")]
    for sets in SETS[1:]:
        measured += results(sets, "unit")
    rows = summary(measured)
    for row in rows:
        print(*row)
    fill_tables(PAGE, {"recall": trace_table(own), "monitors": monitor_table(rows)})
    draw(rows, PAGE.with_suffix(".png"))


if __name__ == "__main__":
    main()
