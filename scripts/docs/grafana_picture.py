# SPDX-License-Identifier: BSD-2-Clause
"""Draws the panels of a Grafana dashboard from a real Prometheus, for its documentation.

Grafana is in no package registry that this repository installs from; this script starts Prometheus, lets it
scrape `litemrc serve`, evaluates the dashboard's own queries as Grafana would, and lays the panels out as in
the file. So queries, legends, units and places are the dashboard's, and the look is not Grafana's.

    litemrc soc --sim build/sim-ranks ... &  litemrc serve --port board=socket://... &
    python -m scripts.docs.grafana_picture docs/grafana/litemrc.json http://127.0.0.1:8000 --out FILE.png
"""

import argparse
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.error import URLError

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

_COLUMNS, _CELL = 24, (0.5, 0.32)  # of Grafana's grid; inches of a cell
_STEP_S = 2
_PROMETHEUS = shutil.which("prometheus")
_LEGENDS = 8  # entries that a panel has room for


def main() -> None:
    """Scrape for a while, then draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dashboard", type=Path)
    parser.add_argument("server", help="URL of litemrc serve")
    parser.add_argument("--seconds", type=int, default=180, help="how long to scrape (%(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="PNG to write")
    args = parser.parse_args()
    if _PROMETHEUS is None:
        parser.error("prometheus is not installed: apt-get install prometheus")
    dashboard = json.loads(args.dashboard.read_text())
    with prometheus(urllib.parse.urlsplit(args.server).netloc) as url:
        time.sleep(args.seconds)
        draw(dashboard, url, args.seconds, args.out)


@contextmanager
def prometheus(target: str) -> Iterator[str]:
    """Start Prometheus, which scrapes `target` every second; yield its URL."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s}\n"
            f"scrape_configs: [{{job_name: litemrc, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        address = "127.0.0.1:9097"
        options = [f"--config.file={config}", f"--storage.tsdb.path={folder}/data"]
        process = subprocess.Popen(
            [_PROMETHEUS, *options, f"--web.listen-address={address}", "--log.level=error"]
        )
        try:
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait()


def draw(dashboard: dict[str, Any], url: str, seconds: int, out: Path) -> None:
    """Evaluate the queries of every panel over the last `seconds` and draw the panels."""
    panels = [panel for panel in dashboard["panels"] if panel.get("targets")]
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    figure = plt.figure(figsize=(_COLUMNS * _CELL[0], rows * _CELL[1]), facecolor="white")
    end = time.time()
    for panel in panels:
        place = panel["gridPos"]
        x, y = place["x"] / _COLUMNS, 1 - (place["y"] + place["h"]) / rows
        w, h = place["w"] / _COLUMNS, place["h"] / rows
        axes = figure.add_axes((x + 0.045, y + 0.028, w - 0.06, h - 0.058))
        axes.set_title(panel["title"], loc="left", fontsize=9, fontweight="bold")
        fields = panel.get("fieldConfig", {})
        series = []
        for target in panel["targets"]:
            found = query(url, target, end - seconds, end)
            series += stacked(found) if stacks(fields, target["refId"]) else found
        defaults = fields.get("defaults", {})
        kind = {"stat": show_numbers, "bargauge": show_bars}.get(panel["type"], show_lines)
        kind(axes, series, defaults.get("unit", "short"), end)
        if kind is show_lines:
            known = [value for _, _, values in series for value in values if isfinite(value)]
            axes.set_ylim(defaults.get("min"), defaults.get("max", 1.1 * max(known, default=0.0) or 1.0))
    figure.savefig(out, dpi=80)


Series = tuple[str, list[float], list[float]]  # legend, times, values


def query(url: str, target: dict[str, Any], start: float, end: float) -> list[Series]:
    """Return the series of a target, as Grafana asks for them when all values of the variables are chosen."""
    expression = target["expr"].replace("$__rate_interval", "15s")
    expression = re.sub(r'=~"\$\w+"', '=~".*"', expression)
    asked = urllib.parse.urlencode({"query": expression, "start": start, "end": end, "step": _STEP_S})
    try:
        with urllib.request.urlopen(f"{url}/api/v1/query_range?{asked}") as answer:
            found = json.load(answer)["data"]["result"]
    except URLError as error:
        raise SystemExit(f"{expression}: {error}") from error
    return [
        (
            legend(target.get("legendFormat", ""), each["metric"]),
            [float(at) for at, _ in each["values"]],
            [float(value) for _, value in each["values"]],
        )
        for each in found
    ]


def stacks(fields: dict[str, Any], target: str) -> bool:
    """Return whether a panel stacks the series of a target."""
    stacking = fields.get("defaults", {}).get("custom", {}).get("stacking", {})
    for override in fields.get("overrides", []):
        if override["matcher"] == {"id": "byFrameRefID", "options": target}:
            properties = {each["id"]: each["value"] for each in override["properties"]}
            stacking = properties.get("custom.stacking", stacking)
    return stacking.get("mode") == "normal"


def stacked(series: list[Series]) -> list[Series]:
    """Return series each of which begins where the one before ends."""
    sums: dict[float, float] = {}
    found = []
    for name, times, values in series:
        for at, value in zip(times, values, strict=True):
            sums[at] = sums.get(at, 0.0) + value
        found.append((name, times, [sums[at] for at in times]))
    return found


def legend(form: str, labels: dict[str, str]) -> str:
    """Return the legend of a series."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name[1], ""), form)


def show_lines(axes: Axes, series: list[Series], unit: str, end: float) -> None:
    """Draw values over the minutes up to now; stacked ones as the upper edges of their areas."""
    for name, times, values in series:
        axes.plot([(at - end) / 60 for at in times], values, label=name, linewidth=1)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value, unit)))
    axes.tick_params(labelsize=6)
    axes.set_xlabel("minutes", fontsize=6, labelpad=0)
    axes.grid(alpha=0.3)
    if series:
        handles, names = axes.get_legend_handles_labels()
        more = f" (and {len(names) - _LEGENDS} more)" if len(names) > _LEGENDS else ""
        names = [*names[: _LEGENDS - 1], names[min(_LEGENDS, len(names)) - 1] + more][: len(names)]
        axes.legend(handles[:_LEGENDS], names, fontsize=5, loc="best", ncols=2, framealpha=0.6)


def show_bars(axes: Axes, series: list[Series], unit: str, _: float) -> None:
    """Draw the last value of each series as a bar."""
    names, values = [name for name, _, _ in series], [values[-1] for _, _, values in series]
    axes.barh(range(len(names)), values, height=0.8, color="tab:blue", alpha=0.4)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        axes.text(0, place, f" {name}: {text(value, unit)}", va="center", fontsize=4.5)
    axes.invert_yaxis()
    axes.set_axis_off()


def show_numbers(axes: Axes, series: list[Series], unit: str, _: float) -> None:
    """Write the last value of each series."""
    axes.set_axis_off()
    for place, (name, _, values) in enumerate(series):
        axes.text((place + 0.5) / len(series), 0.5, text(values[-1], unit), ha="center", fontsize=16)
        axes.text((place + 0.5) / len(series), 0.1, name, ha="center", fontsize=7)


def text(value: float, unit: str) -> str:
    """Return a value in a unit of Grafana's."""
    if unit == "percentunit":
        return f"{100 * value:.3g}%"
    if unit in ("bytes", "decbytes"):
        for prefix in ("", "Ki", "Mi", "Gi"):
            if value < 1024 or prefix == "Gi":
                return f"{value:.3g} {prefix}B"
            value /= 1024
    if unit == "s":
        return f"{value:.2g} s"
    suffix = {"ops": "/s", "cps": "/s", "reqps": "/s", "Bps": "B/s"}.get(unit, "")
    if value >= 1e9:
        return f"{value / 1e9:.3g} G{suffix}"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M{suffix}"
    if value >= 1e3:
        return f"{value / 1e3:.3g} k{suffix}"
    return f"{value:.3g}{' ' * (unit == 'Bps')}{suffix}"


if __name__ == "__main__":
    main()
