# SPDX-License-Identifier: BSD-2-Clause
"""Fills section 2 of zhou2004/page.md, figures 1 and 2: part of `make results-zhou2004`."""

import json
import subprocess
import sys
from pathlib import Path

import litemrc
import matplotlib
import numpy as np
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.plots.curves import COLOURS, INK, STYLE
from litemrc.plots.files import save_figure
from litemrc.plots.known import draw_known
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, page_parser

BZIP2 = "bzip2-900k.parquet"
INTERVAL = 100_000  # references
PAPER_PAGES = 2000  # section 5.2.3: data sets of "around 2000 pages"
EXAMPLE = (1, 3, 1, 1)  # figure 2
PAPER_RATIOS = (0.75, 0.5, 0.5)
FLAT = 0.01  # a miss ratio this close to the smallest one


def main() -> None:
    parser = page_parser(__doc__, "zhou2004")
    parser.add_argument("--data", type=Path, default=Path("tests/data/traces"), help="traces (%(default)s)")
    args = parser.parse_args()
    page = args.docs / "page.md"
    whole = litemrc.mrc(args.data / BZIP2)
    intervals = list(litemrc.mrc_windows(args.data / BZIP2, INTERVAL).values())
    save_figure(_figure_1(whole, intervals), args.docs / "pictures" / "figure1.png")
    print("figure 1: done", flush=True)
    rows = {"golden stack": golden_ratios(), "`litemrc mrc`": command_ratios(), "paper": PAPER_RATIOS}
    fill_tables(page, {"figure2": _figure_2(rows)})
    flat, pages = whole.size_within(FLAT), int(whole.sizes_pages[-1])
    last = [curve.size_within(FLAT) for curve in intervals]
    fill_values(
        page,
        {
            "figure1": f"{pages:,} pages; flat from {flat:,}",
            "figure1-flat": f"{flat:,}",
            "figure1-pages": f"{pages:,}",
            "figure1-ratio": f"{whole.at(pages=flat):.3f}",
            "figure1-intervals": f"{min(last):,} to {max(last):,}",
            "figure2": ", ".join(f"{ratio:g}" for ratio in golden_ratios()),
        },
    )
    print("figure 2: done", flush=True)


def golden_ratios() -> tuple[float, ...]:
    """Return the miss ratios of the example by equation 1, with the stack distances of the golden stack."""
    stack: LruStack[int] = LruStack()
    positions = [stack.access(page) for page in EXAMPLE]
    hits = [sum(position == size for position in positions) for size in range(len(PAPER_RATIOS))]
    return tuple(1 - sum(hits[: size + 1]) / len(EXAMPLE) for size in range(len(hits)))


def command_ratios() -> tuple[float, ...]:
    """Return those that `litemrc mrc` reports for a trace of the example."""
    text = "".join(f"{page}\n" for page in EXAMPLE)
    command = [sys.executable, "-m", "litemrc.cli.main", "mrc", "-", "--format", "text", "--json"]
    done = subprocess.run(command, input=text, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    at = np.searchsorted(found["sizes_pages"], np.arange(len(PAPER_RATIOS)) + 1, side="right") - 1
    return tuple(np.array(found["miss_ratio"])[at].tolist())


def _figure_2(rows: dict[str, tuple[float, ...]]) -> str:
    lines = ["| miss ratio with | 1 page | 2 pages | 3 pages |", "| --- |" + " ---: |" * 3]
    lines += [
        f"| {name} | " + " | ".join(f"{ratio:g}" for ratio in ratios) + " |" for name, ratios in rows.items()
    ]
    return "\n".join(lines)


def _figure_1(whole: litemrc.Curve, intervals: list[litemrc.Curve]) -> Figure:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.8), dpi=150, layout="constrained")
        axes = figure.subplots()
        for number, curve in enumerate(intervals):
            sizes, ratios = np.append(0, curve.sizes_pages), np.append(1, curve.miss_ratio)
            label = f"intervals of {INTERVAL:,} references" if number == 0 else None
            axes.step(sizes, ratios, where="post", color=COLOURS[6], linewidth=0.9, alpha=0.8, label=label)
        pages = int(whole.sizes_pages[-1])
        sizes, ratios = np.append(0, whole.sizes_pages), np.append(1, whole.miss_ratio)
        axes.step(sizes, ratios, where="post", color=COLOURS[1], label="all references")
        flat = whole.size_within(FLAT)
        axes.axvline(flat, color=INK, linestyle=":", linewidth=1.2)
        axes.annotate(
            f"n = {flat:,} pages:\nwithin {FLAT:g} of the smallest miss ratio",
            (flat, 0.55),
            xytext=(8, 0),
            textcoords="offset points",
        )
        label = f"the paper's data sets: about {PAPER_PAGES:,} pages"
        draw_known(axes, [(PAPER_PAGES, float(whole.miss_ratio[-1]))], label)
        axes.set_xlim(0, 1.05 * max(pages, PAPER_PAGES))
        axes.set_ylim(-0.02, 1)
        axes.set_xlabel("memory in pages of 4 KiB")
        axes.set_ylabel("miss ratio")
        axes.grid()
        axes.legend(loc="upper right")
    return figure


if __name__ == "__main__":
    main()
