# SPDX-License-Identifier: BSD-2-Clause
"""What `litemrc replace` writes: tables, logs, pictures, report. pyarrow and matplotlib load when used."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.curves.sizes import size_text
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path
from litemrc.traces import open_trace

from litemrc_studies.glass1997.machine.fault_log import LOG_SUFFIXES, write_fault_log
from litemrc_studies.glass1997.machine.memories import FaultCount, Replay
from litemrc_studies.glass1997.machine.round_robin import GlobalResult
from litemrc_studies.glass1997.policies import OnlinePolicy, Opt, Policy
from litemrc_studies.glass1997.replaced import ReplaceResult

if TYPE_CHECKING:
    from litemrc_studies.glass1997.plots import PagingPoint


def local_table(replaced: ReplaceResult) -> str:
    """Return a line for each memory size with a column of faults for each policy."""
    result = replaced.replay
    pages = result.counts[0].cold_faults
    unit = "" if result.time_unit == "references" else f" in {result.duration:,} {result.time_unit}"
    lines = [
        f"{replaced.name}: {result.references:,} references{unit} to {pages:,} pages",
        f"page faults, including {pages:,} cold faults:",
    ]
    policies = list(dict.fromkeys(count.policy for count in result.counts))
    lines.append(f"{'pages':>10} {'memory':>10}" + "".join(f"{policy.name:>14}" for policy in policies))
    faults = {(count.policy, count.memory_pages): count.faults for count in result.counts}
    for size in dict.fromkeys(count.memory_pages for count in result.counts):
        counts = "".join(f"{faults[policy, size]:>14,}" for policy in policies)
        lines.append(f"{size:>10,} {size_text(size, replaced.page_bytes):>10}{counts}")
    lines += [_sequences_line(count) for count in result.counts if count.sequences]
    return "\n".join(lines)


def _sequences_line(count: FaultCount) -> str:
    assert count.sequences, "the policy is SEQ"
    did = count.sequences
    return (
        f"{count.policy.name} in {count.memory_pages:,} pages: {did.from_sequences:,} evictions from"
        f" sequences, {did.by_lru:,} by LRU; {did.sequences_made:,} sequences, at most"
        f" {did.sequences_most:,} at one time"
    )


def global_table(results: Sequence[GlobalResult], time_unit: str, page_bytes: int) -> str:
    """Return a line for each program under each policy and memory size, and a line for their total."""
    lines = [f"times in {time_unit}"]
    head = f"{'policy':>6} {'pages':>10} {'memory':>10} {'faults':>12} {'cold':>10}"
    lines.append(f"{head} {'end':>16} {'CPU time':>16}  trace")
    for result in results:
        memory = f"{result.memory_pages:>10,} {size_text(result.memory_pages, page_bytes):>10}"
        head = f"{result.policy.name:>6} {memory}"
        for program in result.programs:
            lines.append(
                f"{head} {program.faults:>12,} {program.cold_faults:>10,} {program.end:>16,}"
                f" {program.computed:>16,}  {program.trace}"
            )
        faults = f"{result.faults:>12,} {result.cold_faults:>10,}"
        lines.append(f"{head} {faults} {result.time:>16,} {result.computed:>16,}  total")
    return "\n".join(lines)


def global_rows(results: Sequence[GlobalResult], time_unit: str, page_bytes: int) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each program under each policy and memory size."""
    for result in results:
        for program in result.programs:
            yield {
                "policy": result.policy.name,
                "memory_pages": result.memory_pages,
                "memory_bytes": result.memory_pages * page_bytes,
                **{field.name: getattr(program, field.name) for field in fields(program)},
                "time_unit": time_unit,
            }


def global_json(result: GlobalResult) -> dict[str, Any]:
    """Return what --json prints for one run of several programs."""
    return {
        "policy": result.policy.name,
        "memory_pages": result.memory_pages,
        "faults": result.faults,
        "cold_faults": result.cold_faults,
        "time": result.time,
        "programs": [
            {field.name: getattr(program, field.name) for field in fields(program)}
            for program in result.programs
        ],
    }


def check_log(args: argparse.Namespace) -> None:
    """Check, before the trace is read, that the log can be written.

    Raises
    ------
    UserError
        another suffix, a path that cannot be written, or --global is given.
    """
    if args.log:
        check_output_path(args.log, LOG_SUFFIXES)
    if args.together and _asked(args):
        raise UserError(
            f"{_asked(args)} does not support --global", remedy="give one trace, without --global"
        )


def logged_memory(
    args: argparse.Namespace, policies: Sequence[Policy], sizes: Sequence[int]
) -> tuple[OnlinePolicy, int] | None:
    """Return policy and size of the memory to be logged; None: no log is requested.

    Raises
    ------
    UserError
        a log is requested, and there are several memories, or their policy is OPT.
    """
    if not _asked(args):
        return None
    if len(policies) > 1 or len(sizes) > 1:
        raise UserError(
            f"{_asked(args)} needs one memory, but {len(policies)} policies and {len(sizes)} sizes are given",
            remedy="give one --policy and one size of --memory, such as --policy seq --memory 550",
        )
    if isinstance(policies[0], Opt):
        raise UserError(f"{_asked(args)} does not support opt", remedy="give another --policy")
    return policies[0], sizes[0]


def write_log(args: argparse.Namespace, result: Replay, page_bytes: int) -> None:
    """Write the file and draw the picture that `args` requests."""
    if result.log is None:
        return
    (count,) = result.counts
    if args.log:
        write_fault_log(
            args.log,
            result.log,
            policy=count.policy.name,
            memory_pages=count.memory_pages,
            page_bytes=page_bytes,
            time_unit=result.time_unit,
        )
    if args.plot_faults:
        from litemrc.plots.files import save_figure

        from litemrc_studies.glass1997.plots import faults_figure

        figure = faults_figure(
            result.log,
            memory_pages=count.memory_pages,
            page_bytes=page_bytes,
            time_unit=result.time_unit,
            title=f"{Path(args.traces[0]).name}, {count.policy.name}",
        )
        save_figure(figure, args.plot_faults)


def _asked(args: argparse.Namespace) -> str:
    return "--log" if args.log else "--plot-faults" if args.plot_faults else ""


def draw(
    args: argparse.Namespace, points: "Callable[[], Sequence[PagingPoint]]", time_unit: str, page_bytes: int
) -> None:
    """Draw the pictures that `args` requests; `points` needs matplotlib."""
    if not (args.plot or args.plot_interfault):
        return
    from litemrc.plots.files import save_figure

    from litemrc_studies.glass1997.plots import fault_rate_figure, interfault_figure

    title = " + ".join(Path(trace).name for trace in args.traces)
    for path, figure in ((args.plot, fault_rate_figure), (args.plot_interfault, interfault_figure)):
        if path:
            save_figure(figure(points(), page_bytes=page_bytes, time_unit=time_unit, title=title), path)


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
    from litemrc_studies.glass1997.plots import PagingPoint

    return [
        PagingPoint(r.policy.name, r.memory_pages, r.faults - r.cold_faults, max(r.computed, 1))
        for r in results
    ]
