"""`litemrc replace TRACE`: the page faults of a trace under replacement policies and memory sizes."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from litemrc.cli.machines.replace_arguments import memory_sizes, seq_parameters
from litemrc.cli.machines.tables.replace import global_json, global_table, local_json, local_table
from litemrc.cli.shared.arguments import names_of, natural, positive
from litemrc.cli.shared.progress import reported, shown
from litemrc.cli.traces.arguments import FORMATS_HELP, add_format_arguments
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.replacement.memories import replay
from litemrc.machines.replacement.round_robin import GlobalResult, Scheduling, run_together
from litemrc.policies.replacement import POLICIES, Clock, Opt, Policy, Seq
from litemrc.traces import Trace, open_trace

_EPILOG = f"""\
lru    evicts the page whose last reference is the earliest
clock  a rotating hand evicts the first page not used since the hand last passed it
opt    evicts the page whose next reference is the latest: the minimum number of faults. Keeps the trace in
       memory: 4 bytes per reference (runs of references to one page count once), slightly more per size
seq    lru, but in long sequences of page faults on consecutive addresses it evicts pages behind their head

Glass and Cao 1997. --global runs one program for each TRACE in one shared memory, in turns as in their
section 5. opt is not a global policy: it would have to know how the turns depend on it.

--json prints {{"results": [{{"policy", "memory_pages", "faults", "cold_faults"}} ...]}} and properties of the
trace; faults include cold faults, the first fault on each page. With --global, a result also has "time" and
"programs", each with "trace", "faults", "cold_faults", "end" and "computed", in the time unit of the traces.

{FORMATS_HELP}
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc replace`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="file, or URL such as gen:loop?pages=1000")
    add_format_arguments(parser)
    parser.add_argument(
        "--memory",
        metavar="N,...",
        type=memory_sizes,
        required=True,
        help="memory sizes in pages; 100-900:100 stands for 100, 200 ... 900",
    )
    parser.add_argument(
        "--policy",
        metavar="NAME,...",
        type=names_of("policy", POLICIES),
        help="lru, clock, opt, seq (default: all that are applicable)",
    )
    parser.add_argument(
        "--seq",
        metavar="NAME=N,...",
        type=seq_parameters,
        default=Seq(),
        help="SEQ's parameters (length=20,distance=20,recent=5,limit=200: the paper's L, M, N and 200)",
    )
    parser.add_argument(
        "--global", dest="together", action="store_true", help="run all TRACEs in one shared memory"
    )
    paper = Scheduling()
    parser.add_argument(
        "--quantum", metavar="T", type=positive, help=f"--global: time slice of a program ({paper.quantum})"
    )
    parser.add_argument(
        "--service",
        metavar="T",
        type=_time_span,
        help=f"--global: service time of a page fault ({paper.service})",
    )
    parser.add_argument(
        "--cold-service",
        metavar="T",
        type=_time_span,
        help=f"--global: service time of a cold fault, filled with zeros ({paper.cold_service})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="plot fault rates, .png or .svg")
    parser.add_argument("--interfault", metavar="FILE", type=Path, help="plot mean inter-fault times")
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="write both plots, the space-time graph, the miss-ratio curve and all counts to one .html",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc replace`."""
    for picture in (args.plot, args.interfault):
        if picture:
            check_output_path(picture, PICTURE_SUFFIXES)
    if args.report:
        check_output_path(args.report, (".html",))
    return _run_global(args) if args.together else _run_local(args)


def _run_local(args: argparse.Namespace) -> int:
    if len(args.traces) > 1:
        raise UserError(
            f"{len(args.traces)} traces are given without --global",
            remedy="add --global to run them in one memory, or give one trace",
        )
    for option in ("quantum", "service", "cold_service"):
        if getattr(args, option) is not None:
            raise UserError(f"--{option.replace('_', '-')} is given without --global", remedy="drop it")
    with _opened(args, 0) as trace, closing(shown(trace, "replaying")) as chunks:
        result = replay(trace, chunks, _policies(args, POLICIES, [trace]), args.memory)
    if args.json:
        print(json.dumps(local_json(args.traces[0], result)))
    else:
        print(local_table(args.traces[0], result, trace.page_bytes))
    for note in trace.notes:
        print(f"litemrc: note: {note}", file=sys.stderr)
    if args.plot or args.interfault or args.report:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.replacement import PagingPoint
        from litemrc.reports.replacement import write_replacement_report

        points = [
            PagingPoint(c.policy.name, c.memory_pages, c.faults - c.cold_faults, result.duration)
            for c in result.counts
        ]
        _draw(args, points, result.time_unit, trace.page_bytes)
        if args.report:
            write_replacement_report(
                args.report,
                lambda: _opened(args, 0),
                result,
                points,
                page_bytes=trace.page_bytes,
                title=Path(args.traces[0]).name,
            )
    return 0


def _run_global(args: argparse.Namespace) -> int:
    if args.report:
        raise UserError("--report does not support --global", remedy="use --plot and --interfault")
    with ExitStack() as stack:
        traces = [stack.enter_context(_opened(args, number)) for number in range(len(args.traces))]
        units = {trace.time_unit for trace in traces}
        page_bytes = _common_page_bytes(traces)
        policies = _policies(args, {name: POLICIES[name] for name in POLICIES if name != Opt.name}, traces)
    unit = (units.pop() if len(units) == 1 else "") or "units of time"
    given = {name: getattr(args, name) for name in ("quantum", "service", "cold_service")}
    scheduling = Scheduling(**{name: value for name, value in given.items() if value is not None})
    openers = [lambda number=number: _opened(args, number) for number in range(len(args.traces))]
    online = [policy for policy in policies if not isinstance(policy, Opt)]  # `_policies` has refused Opt
    cases = [(policy, pages) for policy in online for pages in args.memory]
    results: list[GlobalResult] = []

    def state() -> tuple[str, float]:
        return f"{len(results)} of {len(cases)} runs", len(results) / len(cases)

    with closing(reported(cases, "simulating", state)) as shown_cases:
        for policy, pages in shown_cases:
            results.append(run_together(openers, policy, pages, scheduling))
    if args.json:
        print(json.dumps({"time_unit": unit, "results": [global_json(result) for result in results]}))
    else:
        print(global_table(results, unit, page_bytes))
    if args.plot or args.interfault:
        from litemrc.plots.replacement import PagingPoint

        points = [
            PagingPoint(r.policy.name, r.memory_pages, r.faults - r.cold_faults, max(r.computed, 1))
            for r in results
        ]
        _draw(args, points, unit, page_bytes)
    return 0


def _draw(args: argparse.Namespace, points: Sequence[Any], time_unit: str, page_bytes: int) -> None:
    from litemrc.plots.files import save_figure
    from litemrc.plots.replacement import fault_rate_figure, interfault_figure

    title = " + ".join(Path(trace).name for trace in args.traces)
    for path, figure in ((args.plot, fault_rate_figure), (args.interfault, interfault_figure)):
        if path:
            save_figure(figure(points, page_bytes=page_bytes, time_unit=time_unit, title=title), path)


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
    return open_trace(args.traces[number], args.format, args.page_size)


def _policies(
    args: argparse.Namespace, applicable: dict[str, type[Policy]], traces: Sequence[Trace]
) -> list[Policy]:
    """Return the requested policies; default: all applicable ones. IN/OUT records do not determine CLOCK."""
    names = args.policy or list(applicable)
    if not args.policy and any(trace.format == "intervals" for trace in traces):
        names.remove(Clock.name)
    for name in names:
        if name not in applicable:
            raise UserError(f"{name} is not a global policy", remedy=f"choose from {', '.join(applicable)}")
    return [args.seq if name == Seq.name else applicable[name]() for name in names]


def _time_span(text: str) -> int:
    return natural(text, limit=1 << 53)
