# SPDX-License-Identifier: BSD-2-Clause
"""The report of `litemrc replace`: one self-contained HTML file."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from litemrc.curves.sizes import size_text
from litemrc.files.outputs import check_output_path, replacing
from litemrc.plots.files import inline_svg
from litemrc.plots.heat import space_time_figure
from litemrc.plots.mrc import mrc_figure
from litemrc.reports.run import page_environment
from litemrc.traces import Trace
from litemrc.traces.summary import Summary, space_time

from litemrc_studies.glass1997.machine.memories import Replay
from litemrc_studies.glass1997.plots import PagingPoint, fault_rate_figure, interfault_figure


def write_replacement_report(
    path: str | Path,
    opener: Callable[[], Trace],
    replay: Replay,
    points: Sequence[PagingPoint],
    *,
    page_bytes: int,
    title: str,
) -> None:
    """Write the report of one trace: space-time graph, miss ratio, fault rates, inter-fault times, counts.

    Parameters
    ----------
    path
        the file to write, *.html.
    opener
        opens the trace; it is read twice for the space-time graph.
    replay
        result of the trace.
    points
        the counts of `replay` without cold faults.

    Raises
    ------
    UserError
        the file cannot be written, or the trace cannot be read.
    """
    path = check_output_path(path, (".html",))
    environment = page_environment("litemrc_studies.glass1997")
    environment.filters["size"] = lambda pages: size_text(pages, page_bytes)
    page = environment.get_template("report.html.j2").render(
        title=title,
        replay=replay,
        pages=replay.curve.misses,
        policies=list(dict.fromkeys(count.policy for count in replay.counts)),
        sizes=sorted({count.memory_pages for count in replay.counts}),
        faults={(count.policy, count.memory_pages): count.faults for count in replay.counts},
        figures=_figures(opener, replay, points, page_bytes),
    )
    with replacing(path) as partial:
        partial.write_text(page, "utf-8")


def _figures(
    opener: Callable[[], Trace], replay: Replay, points: Sequence[PagingPoint], page_bytes: int
) -> dict[str, str]:
    summary = Summary()
    with opener() as trace:
        for chunk in trace:
            summary.add(chunk)
    with opener() as trace:
        graph = space_time(trace, summary)
    unit = replay.time_unit
    figures = {
        "spacetime": (
            space_time_figure(graph, page_bytes=page_bytes, time_unit=unit if graph.timed else ""),
            "Pages referenced over time",
        ),
        "curve": (
            mrc_figure([replace(replay.curve, page_bytes=page_bytes)]),
            "Miss ratio over memory size",
        ),
        "rate": (
            fault_rate_figure(points, page_bytes=page_bytes, time_unit=unit),
            "Page fault rate over memory size, by policy",
        ),
        "interfault": (
            interfault_figure(points, page_bytes=page_bytes, time_unit=unit),
            "Mean inter-fault time over memory size, by policy",
        ),
    }
    return {
        name: inline_svg(figure, name=name, description=description)
        for name, (figure, description) in figures.items()
    }
