"""`litemrc replace TRACE`: the page faults of a trace under replacement policies and memory sizes."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import reported, shown
from litemrc.cli.shared.results import Interruption, check_pictures, print_results, until_stopped
from litemrc.errors import UserError
from litemrc.extras import require
from litemrc.files.outputs import check_output_path
from litemrc.traces import Trace, open_trace

from litemrc_studies.glass1997.command.replace_arguments import set_argparser
from litemrc_studies.glass1997.command.replace_log import check_log, logged_memory, write_log
from litemrc_studies.glass1997.command.replace_pictures import draw, global_points, write_report
from litemrc_studies.glass1997.command.replace_table import (
    global_json,
    global_rows,
    global_table,
    local_table,
)
from litemrc_studies.glass1997.machine.memories import refuse_clock, replay
from litemrc_studies.glass1997.machine.round_robin import GlobalResult, Scheduling, run_together
from litemrc_studies.glass1997.policies import POLICIES, Opt, Policy
from litemrc_studies.glass1997.replaced import ReplaceResult, chosen_policies

__all__ = ["main", "set_argparser"]

_STDIN = "-"


def prepare(args: argparse.Namespace) -> None:
    """Check what can be checked before a trace is opened.

    Raises:
        UserError: an option does not fit the number of traces, or standard input cannot be read again.
    """
    if _STDIN in args.traces and (args.together or args.report):
        raise UserError(
            "standard input can be read only once, --global and --report read a trace again",
            where=_STDIN,
            remedy="save the trace in a file",
        )
    if args.together:
        if args.report:
            raise UserError("--report does not support --global", remedy="use --plot and --plot-interfault")
        return
    if len(args.traces) > 1:
        raise UserError(
            f"{len(args.traces)} traces are given without --global",
            remedy="add --global to run them in one memory, or give one trace",
        )
    for option in ("quantum", "service", "cold_service"):
        if getattr(args, option) is not None:
            raise UserError(f"--{option.replace('_', '-')} is given without --global", remedy="drop it")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc replace`."""
    check_pictures(args.plot, args.plot_interfault, args.plot_faults)
    check_log(args)
    if args.report:
        check_output_path(args.report, (".html",))
        require("plot")
    prepare(args)
    return _run_global(args) if args.together else _run_local(args)


def _run_local(args: argparse.Namespace) -> int:
    (name,) = args.traces
    with _opened(args, 0) as trace, Interruption() as interruption:
        policies = chosen_policies(args.policy, POLICIES, [trace], args.seq)
        sizes = _sizes(args, trace.page_bytes)
        with closing(shown(trace, "replaying")) as chunks:
            logged = logged_memory(args, policies, sizes)
            result = replay(trace, interruption.until_noted(chunks), policies, sizes, logged=logged)
    stopped = KeyboardInterrupt() if interruption.noted else None
    replaced = ReplaceResult(name, result, trace.page_bytes)
    print_results(
        args,
        table=lambda: local_table(replaced),
        document=replaced.document,
        rows=replaced.rows,
        stopped=stopped,
    )
    for text in trace.notes:
        note(text)

    draw(args, replaced.points(), result.time_unit, trace.page_bytes)
    write_log(args, result, trace.page_bytes)
    if args.log and stopped:
        warning("interrupted: the log holds the faults so far")
    if args.report and stopped:
        warning("interrupted: no report is written")
    elif args.report:
        write_report(args, replaced)
    if stopped:
        raise stopped
    return 0


def _run_global(args: argparse.Namespace) -> int:
    with ExitStack() as stack:
        traces = [stack.enter_context(_opened(args, number)) for number in range(len(args.traces))]
        units = {trace.time_unit for trace in traces}
        page_bytes = _common_page_bytes(traces)
        online = {name: POLICIES[name] for name in POLICIES if name != Opt.name}
        policies = chosen_policies(args.policy, online, traces, args.seq)
        for trace in traces:
            refuse_clock(trace, policies)
    unit = (units.pop() if len(units) == 1 else "") or "units of time"
    sizes = _sizes(args, page_bytes)
    results, stopped = until_stopped(_together(args, policies, sizes))
    print_results(
        args,
        table=lambda: global_table(results, unit, page_bytes),
        document=lambda: {
            "time_unit": unit,
            "page_bytes": page_bytes,
            "results": [global_json(result) for result in results],
        },
        rows=lambda: global_rows(results, unit, page_bytes),
        stopped=stopped,
    )

    draw(args, global_points(results), unit, page_bytes)
    if stopped:
        raise stopped
    return 0


def _together(
    args: argparse.Namespace, policies: Sequence[Policy], sizes: Sequence[int]
) -> Iterator[GlobalResult]:
    given = {name: getattr(args, name) for name in ("quantum", "service", "cold_service")}
    scheduling = Scheduling(**{name: value for name, value in given.items() if value is not None})
    openers = [lambda number=number: _opened(args, number) for number in range(len(args.traces))]
    online = [policy for policy in policies if not isinstance(policy, Opt)]  # `_policies` has refused Opt
    cases = [(policy, pages) for policy in online for pages in sizes]
    done = 0

    def state() -> tuple[str, float]:
        return f"{done} of {len(cases)} runs", done / len(cases)

    with closing(reported(cases, "simulating", state)) as shown_cases:
        for policy, pages in shown_cases:
            result = run_together(openers, policy, pages, scheduling)
            done += 1
            yield result


def _sizes(args: argparse.Namespace, page_bytes: int) -> list[int]:
    """Return the memory sizes in pages, each once."""
    return list(dict.fromkeys(size.pages(page_bytes) for size in args.memory))


def _common_page_bytes(traces: Sequence[Trace]) -> int:
    """Return the page size of all traces.

    Raises:
        UserError: they have several.
    """
    sizes = {trace.page_bytes: trace.name for trace in traces}
    if len(sizes) > 1:
        listed = ", ".join(f"{name} has {size}" for size, name in sizes.items())
        raise UserError(
            f"programs in one memory must have pages of one size, but {listed} bytes",
            remedy="capture them with one --page-size",
        )
    return next(iter(sizes))


def _opened(args: argparse.Namespace, number: int) -> Trace:
    return open_trace(
        args.traces[number], args.format, args.page_size, args.columns, bounded=args.bounded, sort=args.sort
    )
