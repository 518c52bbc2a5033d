"""The pictures and the report of `litemrc replace`; matplotlib, which takes long to load, only if used."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.traces import open_trace

from litemrc_studies.glass1997.machine.round_robin import GlobalResult
from litemrc_studies.glass1997.replaced import ReplaceResult

if TYPE_CHECKING:
    from litemrc_studies.glass1997.plots.replacement import PagingPoint


def draw(args: argparse.Namespace, points: "Sequence[PagingPoint]", time_unit: str, page_bytes: int) -> None:
    """Draw the pictures that `args` requests."""
    if not (args.plot or args.plot_interfault):
        return
    from litemrc.plots.files import save_figure

    from litemrc_studies.glass1997.plots.replacement import fault_rate_figure, interfault_figure

    title = " + ".join(Path(trace).name for trace in args.traces)
    for path, figure in ((args.plot, fault_rate_figure), (args.plot_interfault, interfault_figure)):
        if path:
            save_figure(figure(points, page_bytes=page_bytes, time_unit=time_unit, title=title), path)


def write_report(args: argparse.Namespace, replaced: ReplaceResult) -> None:
    """Write the report of one trace."""
    from litemrc_studies.glass1997.report import write_replacement_report

    write_replacement_report(
        args.report,
        lambda: open_trace(
            args.traces[0], args.format, args.page_size, args.columns, bounded=args.bounded, sort=args.sort
        ),
        replaced.replay,
        replaced.points(),
        page_bytes=replaced.page_bytes,
        title=Path(args.traces[0]).name,
    )


def global_points(results: Sequence[GlobalResult]) -> "list[PagingPoint]":
    """Return the faults of runs of several programs, without cold faults."""
    from litemrc_studies.glass1997.plots.replacement import PagingPoint

    return [
        PagingPoint(r.policy.name, r.memory_pages, r.faults - r.cold_faults, max(r.computed, 1))
        for r in results
    ]
