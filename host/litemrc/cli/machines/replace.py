"""`litemrc replace TRACE`: page faults of a trace under several replacement policies and memory sizes."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from litemrc.cli.machines.replace_arguments import memory_sizes, policy_names, seq_parameters, time_span
from litemrc.cli.machines.replace_tables import global_json, global_table, local_json, local_table
from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import LINE_EVERY_S, shown
from litemrc.cli.traces.arguments import FORMATS_HELP, add_page_argument
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.replacement.memories import replay
from litemrc.machines.replacement.round_robin import Scheduling, run_together
from litemrc.policies.replacement import POLICIES, Clock, Opt, Policy, Seq
from litemrc.traces import Trace, open_trace
from litemrc.traces.opening import FORMATS

_EPILOG = f"""\
lru    the page whose last reference is the earliest
clock  a hand goes round and takes the first page not used since it last came by
opt    the page whose next reference is furthest in the future: the least faults possible. Keeps the trace
       in memory: 4 bytes a reference (repeated references to one page count once), a bit more for a size
seq    lru, but on long sequences of page faults to consecutive addresses it replaces behind their head

Glass and Cao 1997. --global: one program a TRACE, in one memory, in turns as in their section 5; opt, which
would have to know how the turns depend on it, is not among the global policies.

--json prints {{"results": [{{"policy", "memory_pages", "faults", "cold_faults"}} ...]}} and facts of the
trace beside it; faults include the cold ones, the first to each page. With --global, a result also has "time"
and "programs", each with "trace", "faults", "cold_faults", "end" and "computed", in the traces' unit of time.

{FORMATS_HELP}
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc replace`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="file, or URL such as gen:loop?pages=1000")
    parser.add_argument("--format", metavar="NAME", choices=list(FORMATS), help="of TRACE (by its ending)")
    add_page_argument(parser)
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
        type=policy_names,
        help="lru, clock, opt, seq (default: all that apply)",
    )
    parser.add_argument(
        "--seq",
        metavar="NAME=N,...",
        type=seq_parameters,
        default=Seq(),
        help="SEQ's parameters (length=20,distance=20,recent=5,limit=200: the paper's L, M, N and 200)",
    )
    parser.add_argument(
        "--global", dest="together", action="store_true", help="run all TRACEs together in one memory"
    )
    paper = Scheduling()
    parser.add_argument(
        "--quantum", metavar="T", type=positive, help=f"--global: longest turn of a program ({paper.quantum})"
    )
    parser.add_argument(
        "--service", metavar="T", type=time_span, help=f"--global: time a page fault takes ({paper.service})"
    )
    parser.add_argument(
        "--cold-service",
        metavar="T",
        type=time_span,
        help=f"--global: time the first fault on a page takes ({paper.cold_service}: filled with zeros)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw fault rates, .png or .svg")
    parser.add_argument("--interfault", metavar="FILE", type=Path, help="draw mean inter-fault times")
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="both, the space-time graph, the miss ratio curve and all counts as one .html (one TRACE)",
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
        raise UserError(f"{len(args.traces)} traces", remedy="use --global to run them together, or give one")
    for option in ("quantum", "service", "cold_service"):
        if getattr(args, option) is not None:
            raise UserError(f"--{option.replace('_', '-')} belongs to --global", remedy="leave it out")
    with _opened(args, 0) as trace, closing(shown(trace, "replaying")) as chunks:
        result = replay(trace, chunks, _policies(args, POLICIES, [trace]), args.memory)
    if args.json:
        print(json.dumps(local_json(args.traces[0], result)))
    else:
        print(local_table(args.traces[0], result, args.pages))
    for note in trace.notes:
        print(f"litemrc: note: {note}", file=sys.stderr)
    if args.plot or args.interfault or args.report:
        # Only now: matplotlib takes long to load.
        from litemrc.plots.replacement import PagingPoint
        from litemrc.reports.replacement import write_replacement_report

        points = [
            PagingPoint(c.policy.name, c.memory_pages, c.faults - c.cold_faults, result.duration)
            for c in result.counts
        ]
        _draw(args, points, result.time_unit)
        if args.report:
            write_replacement_report(
                args.report,
                lambda: _opened(args, 0),
                result,
                points,
                page_bytes=args.pages,
                title=Path(args.traces[0]).name,
            )
    return 0


def _run_global(args: argparse.Namespace) -> int:
    if args.report:
        raise UserError("--report is for one TRACE", remedy="use --plot and --interfault with --global")
    with ExitStack() as stack:
        traces = [stack.enter_context(_opened(args, number)) for number in range(len(args.traces))]
        units = {trace.time_unit for trace in traces}
        policies = _policies(args, {name: POLICIES[name] for name in POLICIES if name != Opt.name}, traces)
    unit = (units.pop() if len(units) == 1 else "") or "units of time"
    given = {name: getattr(args, name) for name in ("quantum", "service", "cold_service")}
    scheduling = Scheduling(**{name: value for name, value in given.items() if value is not None})
    openers = [lambda number=number: _opened(args, number) for number in range(len(args.traces))]
    results = []
    due = time.monotonic() + LINE_EVERY_S
    for policy in policies:
        for pages in args.memory:
            results.append(run_together(openers, policy, pages, scheduling))
            if time.monotonic() >= due:
                due = time.monotonic() + LINE_EVERY_S
                runs = len(policies) * len(args.memory)
                print(f"running together: {len(results)} of {runs} runs", file=sys.stderr, flush=True)
    if args.json:
        print(json.dumps({"time_unit": unit, "results": [global_json(result) for result in results]}))
    else:
        print(global_table(results, unit, args.pages))
    if args.plot or args.interfault:
        from litemrc.plots.replacement import PagingPoint

        points = [
            PagingPoint(r.policy.name, r.memory_pages, r.faults - r.cold_faults, max(r.computed, 1))
            for r in results
        ]
        _draw(args, points, unit)
    return 0


def _draw(args: argparse.Namespace, points: Sequence[Any], time_unit: str) -> None:
    from litemrc.plots.files import save_figure
    from litemrc.plots.replacement import fault_rate_figure, interfault_figure

    title = " + ".join(Path(trace).name for trace in args.traces)
    for path, figure in ((args.plot, fault_rate_figure), (args.interfault, interfault_figure)):
        if path:
            save_figure(figure(points, page_bytes=args.pages, time_unit=time_unit, title=title), path)


def _opened(args: argparse.Namespace, number: int) -> Trace:
    return open_trace(args.traces[number], args.format, args.pages)


def _policies(
    args: argparse.Namespace, applicable: dict[str, type[Policy]], traces: Sequence[Trace]
) -> list[Policy]:
    """Those asked for; by default all that apply: not CLOCK, where a trace does not tell what it would do."""
    names = args.policy or list(applicable)
    if not args.policy and any(trace.format == "intervals" for trace in traces):
        names.remove(Clock.name)
    for name in names:
        if name not in applicable:
            raise UserError(f"{name} is no global policy", remedy=f"global policies: {', '.join(applicable)}")
    return [args.seq if name == Seq.name else applicable[name]() for name in names]
