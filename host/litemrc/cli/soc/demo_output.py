# SPDX-License-Identifier: BSD-2-Clause
"""The output of the demos: tables, JSON or CSV first, then report and pictures."""

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from statistics import fmean
from typing import Any

from litemrc.cli.curves.counter_table import accuracy_table, counter_table
from litemrc.cli.shared.results import csv_text
from litemrc.cli.soc.demo_results import Results, account_text, failures, golden_text, tap_text, verdict
from litemrc.energy.rank_energy import RankEnergy
from litemrc.ranks.table import RankTable


def show(
    args: argparse.Namespace,
    results: Results,
    *,
    title: str,
    device: str,
    texts: Mapping[str, str],
    began: float,
    ended: float,
    ranks: tuple[RankTable, RankEnergy] | None = None,
) -> int:
    """Print the results, then write report and picture into the folder `args.out`; return the exit code.

    Parameters
    ----------
    args
        with out, json and csv.
    title, device
        for the report.
    texts
        further sections of the report, by heading.
    began, ended
        start and end of the simulation, as time.monotonic() returns them.
    ranks
        if they were metered.
    """
    # Imported here: matplotlib and jinja2 take long to load.
    from litemrc.plots.curves import curves_figure
    from litemrc.plots.files import save_figure
    from litemrc.reports.run import write_report

    report = args.out / "report.html"
    if args.json:
        described = _json(results, seconds=ended - began, ranks=ranks and ranks[1])
        print(json.dumps(described | {"report": str(report)}, allow_nan=False), flush=True)
    elif args.csv:
        print(csv_text(_rows(results)), flush=True)
    else:
        print(_text(results, began, ended, ranks and ranks[1]), flush=True)
    code = verdict(results)
    write_report(
        report,
        results.table,
        title=title,
        parameters={"device": device, **_parameters(results)},
        comparison=results.comparison,
        accuracy=results.estimates,
        ranks=ranks,
        texts=texts,
    )
    save_figure(curves_figure(results.table), args.out / "curves.png")
    if not (args.json or args.csv):
        print(f"report: {report}", flush=True)
    return code


def _cycles(results: Results) -> int:
    return int(results.recording.cycle[-1])


def _parameters(results: Results) -> dict[str, Any]:
    counts = results.recording.counts()
    return {
        "queue depth": results.hello.queue_depth,
        "simulated cycles": f"{_cycles(results):,}",
        **{f"cycles of {name}": f"{cycles:,}" for name, _, cycles in results.cycles},
        **{f"recorded {name} events": f"{count:,}" for name, count in counts.items() if name != "mark"},
        "tap": tap_text(results.recording),
        "account": account_text(results.account),
        **results.remarks,
        **({"HLS": results.hls} if results.hls else {}),
    }


def _text(results: Results, began: float, ended: float, ranks: RankEnergy | None) -> str:
    from litemrc.cli.ranks.energy_tables import energy_table

    table = results.table
    parts = [f"HLS: {results.hls}"] if results.hls else []
    parts += [counter_table(table), ""]
    if results.estimates:
        parts += [
            f"compared with exact LRU stacks over the same {'sampled ' if table.scale else ''}accesses:",
            accuracy_table(table, results.estimates),
            "",
        ]
    parts += [
        f"{_cycles(results):,} cycles simulated in {ended - began:.0f} s "
        f"({_cycles(results) / (ended - began) / 1e6:.2f} MHz), {time.monotonic() - began:.0f} s in total",
        f"tap: {tap_text(results.recording)}",
        f"account: {account_text(results.account)}",
        *(f"{name}: {text}" for name, text in results.remarks.items()),
        f"golden model: {golden_text(results.comparison)}",
    ]
    return "\n".join([*parts, "", energy_table(ranks), ""] if ranks else parts)


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield a row for each context with data; sizes in pages."""
    table = results.table
    accuracy = {each.context: each for each in results.estimates}
    for owner in table.owners_with_data:
        curve, working_set = table.curve(owner), table.working_set(owner).values()
        estimate = accuracy.get(owner.context)
        yield {
            "context": owner.context,
            "name": table.name_of(owner),
            "accesses": curve.accesses,
            "misses": curve.misses,
            "dropped": curve.dropped,
            "size_pages": curve.size_within(),
            "largest_reuse_pages": curve.max_reuse_distance,
            "mean_wss_pages": fmean(working_set),
            "largest_wss_pages": max(working_set),
            "mean_error": estimate and estimate.mean_error,
            "largest_error": estimate and estimate.largest_error,
        }


def _json(results: Results, *, seconds: float, ranks: RankEnergy | None) -> dict[str, Any]:
    from litemrc.cli.ranks.energy_tables import energy_json

    return {
        "page_bytes": results.table.page_bytes,
        "engine": results.table.engine,
        "hls": results.hls,
        "contexts": list(_rows(results)),
        "simulated_cycles": _cycles(results),
        "simulation_s": round(seconds, 3),
        "cycles": {name: cycles for name, _, cycles in results.cycles},
        "tap": asdict(results.recording.tap),
        "account": asdict(results.account),
        "counters": results.comparison.counters,
        "counters_different": results.comparison.differences,
        "remarks": dict(results.remarks),
        "ranks": ranks and energy_json(ranks),
        "failures": failures(results),
    }
