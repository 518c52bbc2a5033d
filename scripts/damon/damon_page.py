# SPDX-License-Identifier: BSD-2-Clause
"""Tables and picture of docs/damon-truth.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, markdown

TRUTHS = {"cpu": "CPU references", "dram": "DRAM accesses"}
WITHOUT_HOT = "uniform"  # the pattern of which no page is hot
DAMON_MARKERS = {"vaddr": "o", "paddr": "s"}
MARKERS = ("^", "v", "D", "+")  # of the others


def _number(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _mean(values: Sequence[float | None]) -> float | None:
    found = [each for each in values if each is not None]
    return float(np.mean(found)) if found else None


def observers(results: Mapping[str, Any]) -> list[str]:
    """Return the names of all observers: DAMON's settings, then ours."""
    names = list(dict.fromkeys(name for row in results.values() for name in row["observers"]))
    return sorted(names, key=lambda name: name.partition(",")[0] not in DAMON_MARKERS)


def mean_over_hot(results: Mapping[str, Any], name: str, truth: str, value: str) -> float | None:
    """Return a mean over the patterns that have hot pages."""
    return _mean(
        [
            row["observers"][name][truth][value]
            for pattern, row in results.items()
            if name in row["observers"] and pattern != WITHOUT_HOT
        ]
    )


def cost(results: Mapping[str, Any], name: str) -> float | None:
    """Return the share of the processor that DAMON takes, the mean over all patterns; None: not DAMON."""
    return _mean([row["shares"].get(name) for row in results.values()])


def lag_cell(results: Mapping[str, Any], name: str) -> str:
    """Return the lag after the moves of the hot set: windows, and milliseconds."""
    lags = [each for row in results.values() for each in row["observers"].get(name, {}).get("lags", [])]
    found = [each for each in lags if each]
    if not found:
        return "never" if lags else ""
    windows, ms = (
        np.mean([each[key] for each in found]) * scale for key, scale in (("windows", 1), ("ns", 1e-6))
    )
    missed = f", {len(lags) - len(found)} of {len(lags)} not" if len(found) < len(lags) else ""
    return f"{windows:.1f} ({ms:,.0f} ms{missed})"


def summary(results: Mapping[str, Any]) -> str:
    """Return the table of all observers."""
    headings = (
        "observer",
        *(f"{value}, {text}" for text in TRUTHS.values() for value in ("precision", "recall")),
        "lag in windows",
        "regions",
        "largest `nr_accesses`",
        "of the processor",
    )
    rows = []
    for name in observers(results):
        means = (
            mean_over_hot(results, name, truth, value)
            for truth in TRUTHS
            for value in ("precision", "recall")
        )
        regions, most = (
            _mean([row["observers"].get(name, {}).get(key) for row in results.values()])
            for key in ("regions", "most")
        )
        taken = cost(results, name)
        rows.append(
            [
                name,
                *map(_number, means),
                lag_cell(results, name),
                _number(regions, 0),
                _number(most, 1),
                "" if taken is None else f"{taken:.1%}",
            ]
        )
    return markdown(headings, rows)


def by_pattern(results: Mapping[str, Any], truth: str) -> str:
    """Return the table of precision and recall of each pattern."""
    rows = []
    for name in observers(results):
        cells = [row["observers"].get(name, {}).get(truth, {}) for row in results.values()]
        rows.append([name, *(f"{_number(c.get('precision'))} / {_number(c.get('recall'))}" for c in cells)])
    return markdown(("observer", *results), rows)


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw recall over overhead, a point for each observer."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9, 4), layout="constrained")
        panels = figure.subplots(1, len(TRUTHS), sharey=True)
        for axes, (truth, text) in zip(panels, TRUTHS.items(), strict=True):
            for number, name in enumerate(observers(results)):
                taken = 100 * (cost(results, name) or 0)
                damon = DAMON_MARKERS.get(name.partition(",")[0])
                marker = damon or MARKERS[number % len(MARKERS)]
                recall = mean_over_hot(results, name, truth, "recall")
                axes.plot(
                    [taken],
                    [np.nan if recall is None else recall],
                    marker,
                    markersize=10 if marker == "+" else 8,
                    markeredgewidth=2 if marker == "+" else 1,
                    zorder=10 - number / 10,  # points may be in one place
                    color=COLOURS[number % len(COLOURS)],
                    label=f"DAMON, {name}" if damon else name,
                    clip_on=False,
                )
            axes.set_title(f"the truth: {text}")
            axes.set_xlabel("of the processor, %")
            axes.set_xlim(left=-1)
            axes.set_ylim(0, 1.02)
            axes.grid()
        panels[0].set_ylabel("recall of the hottest pages")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center")
        save_figure(figure, path)


def write_page(results: Mapping[str, Any], page: Path) -> None:
    """Fill in the tables, and draw the picture beside the page."""
    tables = {"damon-truth": summary(results)}
    tables |= {f"damon-truth-{truth}": by_pattern(results, truth) for truth in TRUTHS}
    for table in tables.values():
        print(table, end="\n\n")
    fill_tables(page, tables)
    draw(results, page.with_suffix(".png"))
