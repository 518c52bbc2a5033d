# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc replace TRACE`: the page faults of a trace under replacement policies and memory sizes."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import fields
from pathlib import Path

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, names_of, natural, positive
from litemrc.cli.shared.memory import memory_sizes
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import reported, shown
from litemrc.cli.shared.results import Interruption, check_pictures, print_results, until_stopped
from litemrc.cli.traces.arguments import FORMATS_HELP, add_format_arguments
from litemrc.errors import UserError, choose_from
from litemrc.extras import require
from litemrc.files.outputs import check_output_path
from litemrc.traces import Trace, open_trace

from litemrc_studies.glass1997.command.replace_outputs import (
    check_log,
    draw,
    global_json,
    global_points,
    global_rows,
    global_table,
    local_table,
    logged_memory,
    write_log,
    write_report,
)
from litemrc_studies.glass1997.machine.memories import refuse_clock, replay
from litemrc_studies.glass1997.machine.round_robin import GlobalResult, Scheduling, run_together
from litemrc_studies.glass1997.policies import POLICIES, Opt, Policy, Seq
from litemrc_studies.glass1997.replaced import ReplaceResult, chosen_policies

_EPILOG = f"""\
lru    evicts the page whose last reference is the earliest
clock  a rotating hand evicts the first page not used since the hand last passed it
opt    evicts the page whose next reference is the latest: the minimum number of faults. Keeps the trace in
       memory: 4 bytes per reference (runs of references to one page count once), slightly more per size
seq    lru, but in long sequences of page faults on consecutive addresses it evicts pages behind their head
seq-adaptive
       imitates lru, seq, or a seq that evicts from fewer sequences, whichever has the fewest faults lately;
       only lru while it has had more faults than lru and 2 %

Glass and Cao 1997. --global runs one program for each TRACE in one shared memory, in turns as in their
section 5. opt is not a global policy: it would have to know how the turns depend on it.

--json prints {{"results": [{{"policy", "memory_pages", "faults", "cold_faults"}} ...]}} and properties of the
trace; faults include cold faults, the first fault on each page. A result of seq or seq-adaptive also has
"sequences": evictions "from_sequences" and "by_lru"; "sequences_made", and "sequences_most" held at one time.
With --global, a result also has "time" and "programs", each with "trace", "faults", "cold_faults", "end" and
"computed", in the time unit of the traces.

--log writes a row for each page fault: "time", "page", "cold", "victim" (empty: a frame was free) and
"from_sequence" (seq chose the victim from a sequence). --plot-faults draws the same, without cold faults.
Both need one --policy, not opt, and one --memory.

{FORMATS_HELP}
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc replace`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "traces", metavar="TRACE", nargs="+", help="file, - for stdin, or URL such as gen:loop?pages=1000"
    )
    add_format_arguments(parser)
    parser.add_argument(
        "--memory",
        metavar="SIZE,...",
        type=memory_sizes,
        required=True,
        help="pages, or bytes with a unit; 100-900:100 stands for 100, 200 ... 900; 1M-8M:1M likewise",
    )
    parser.add_argument(
        "--policy",
        metavar="NAME,...",
        type=names_of("policy", POLICIES),
        help="lru, clock, opt, seq, seq-adaptive (default: all that are applicable)",
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
    add_output_formats(parser)
    add_plot_argument(parser, "fault rates over memory size")
    parser.add_argument(
        "--plot-interfault", metavar="FILE", type=Path, help="draw mean inter-fault times: .png or .svg"
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        type=Path,
        help="write each page fault of one memory, with its victim: .parquet or .csv",
    )
    parser.add_argument(
        "--plot-faults",
        metavar="FILE",
        type=Path,
        help="draw which pages of one memory fault and are evicted, over time: .png or .svg",
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="write both plots, the space-time graph, the miss-ratio curve and all counts to one .html",
    )


def seq_parameters(text: str) -> Seq:
    """Parse parameters of SEQ, such as length=50,distance=50."""
    known = {field.name for field in fields(Seq)}
    given = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in known:
            raise argparse.ArgumentTypeError(f"SEQ has no parameter {name!r}; {choose_from(name, known)}")
        given[name] = positive(value)
    try:
        return Seq(**given)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _time_span(text: str) -> int:
    return natural(text, limit=1 << 53)


_STDIN = "-"


def prepare(args: argparse.Namespace) -> None:
    """Check what can be checked before a trace is opened.

    Raises
    ------
    UserError
        an option does not fit the number of traces, or standard input cannot be read again.
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

    draw(args, replaced.points, result.time_unit, trace.page_bytes)
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

    draw(args, lambda: global_points(results), unit, page_bytes)
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

    Raises
    ------
    UserError
        they have several.
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
