# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate numa TRACE`: the cost of memory accesses with pages replicated by reference counters."""

import argparse
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

from litemrc.cli.shared.arguments import (
    add_output_formats,
    add_plot_argument,
    each_once,
    names_of,
    natural,
    page_size,
    positive,
)
from litemrc.cli.shared.progress import reported
from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.errors import UserError
from litemrc.traces.generators.parallel import PARALLEL_PROGRAMS
from litemrc.traces.shared import SharedChunk, SharedTrace, open_shared_trace
from litemrc.traces.shared.generated import described

from litemrc_studies.reference_counters.machine.costs import PAPER, read_costs
from litemrc_studies.reference_counters.machine.numa import (
    MOST_PROCESSORS,
    NEEDS_DELAY,
    PROTOCOLS,
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
    check_protocol,
    read_references,
)
from litemrc_studies.shared.scenario_runs import add_set_argument

_EPILOG = f"""\
protocols:
{chr(10).join(f"  {name:14} {text}" for name, text in PROTOCOLS.items())}

DELAY counts the remote reads of a page by a processor (with invalidate: its references to pages it lacks),
UPDATE the updates that reach its copy; 0 disables a counter. Lists of --delay, --update and --page-size make
a sweep. --plot shows NAMC over the counter that is swept, or over both, or a bar for each protocol.

NAMC, the normalized average memory access cost, is the mean cost of a reference over that of a local one.

TRACE: text with a line `# page_bytes N` (1024) and lines `time processor page word r|w`; Parquet with these
columns; or the URL of a generated trace, such as gen:speech?n=1000000&seed=1. Programs:

{{programs}}

--json prints {{{{"results": [{{{{"protocol", "delay", "update", "page_bytes", "namc", "replications",
"invalidations", "updates_sent"}}}} ...]}}}}; further keys: references, cycles, interrupts, refused, and local
and remote reads and writes. Counts that a protocol lacks are null.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate numa`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    programs = "\n".join(f"  {name}\n{described(name)}" for name in PARALLEL_PROGRAMS)
    parser.epilog = _EPILOG.format(programs=programs)
    parser.add_argument("trace", metavar="TRACE", help="file or URL, see below")
    parser.add_argument(
        "--protocol",
        metavar="NAME,...",
        type=names_of("protocol", PROTOCOLS, all_names=True),
        default=["upd"],
        help="protocols listed below, or all (upd)",
    )
    parser.add_argument(
        "--delay", metavar="N,...", type=each_once(_count), default=[64], help="initial DELAY (64)"
    )
    parser.add_argument(
        "--update", metavar="N,...", type=each_once(_count), default=[0], help="initial UPDATE (0)"
    )
    parser.add_argument(
        "--page-size",
        metavar="SIZE,...",
        type=each_once(page_size),
        default=[1024],
        help="bytes of a page, such as 1k,4k (1k)",
    )
    parser.add_argument(
        "--processors",
        metavar="N",
        type=positive,
        help="number of processors (64, or those of the trace if more)",
    )
    parser.add_argument(
        "--home",
        metavar="P",
        type=lambda text: natural(text, limit=MOST_PROCESSORS),
        help="home processor of all pages (default: the one that first touches a page)",
    )
    parser.add_argument(
        "--local-pages",
        metavar="N",
        type=positive,
        default=0,
        help="maximum copies per processor (unlimited)",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE",
        type=Path,
        default=PAPER,
        help="TOML file of costs (default: those of the paper)",
    )
    add_set_argument(parser, "the costs", "costs.page_fault=1000")
    add_output_formats(parser)
    add_plot_argument(parser, "NAMC, see below")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate numa`."""
    check_pictures(args.plot)
    machines = prepare(args)
    with open_shared_trace(args.trace) as trace, closing(_shown(trace)) as chunks:
        references = read_references(chunks)
    if not len(references):
        raise UserError("the trace has no reference", where=args.trace, remedy="give a trace with references")
    processors = args.processors or max(64, references.processor_count)
    machines = [replace(machine, processors=processors, home=args.home) for machine in machines]
    runs, stopped = until_stopped(
        run for machine in machines for run in _page_runs(args, references, machine)
    )
    print_results(
        args,
        table=lambda: numa_table(args.trace, runs),
        document=lambda: {"results": [run_row(run) for run in runs]},
        rows=lambda: map(run_row, runs),
        stopped=stopped,
    )
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure

        from litemrc_studies.reference_counters.plots import sweep_figure

        save_figure(sweep_figure(runs, title=Path(args.trace).name), args.plot)
    if stopped:
        raise stopped
    return 0


def prepare(args: argparse.Namespace) -> list[NumaMachine]:
    """Return a machine for each page size; the processors follow from the trace unless they are given.

    Raises
    ------
    UserError
        a machine or a protocol on it is impossible.
    """
    costs = read_costs(args.costs, args.changes)
    processors = args.processors or MOST_PROCESSORS
    machines = [
        NumaMachine(processors, page_bytes, args.home, args.local_pages, costs)
        for page_bytes in args.page_size
    ]
    for protocol in args.protocol:
        check_protocol(protocol, machines[0])
    return machines


def _page_runs(
    args: argparse.Namespace, references: NumaReferences, machine: NumaMachine
) -> Iterator[NumaRun]:
    simulation = NumaSimulation(references, machine)
    pairs = list(product(args.delay, args.update))
    for protocol in args.protocol:
        if protocol == "upd" and len(pairs) > 1 and not machine.local_pages:
            for delay in args.delay:
                yield from simulation.sweep([delay], args.update)
        elif protocol == "invalidate":
            yield from (simulation.run(protocol, delay) for delay in args.delay)
        elif protocol in NEEDS_DELAY:
            yield from (simulation.run(protocol, *pair) for pair in pairs)
        else:
            yield simulation.run(protocol)


def _shown(trace: SharedTrace) -> Generator[SharedChunk, None, None]:
    """Yield the chunks of a trace and show the progress."""
    done = 0

    def counted() -> Iterator[SharedChunk]:
        nonlocal done
        for chunk in trace:
            done += len(chunk)
            yield chunk

    return reported(counted(), "reading", lambda: (f"{done:,} references", trace.fraction))


def _count(text: str) -> int:
    return natural(text, limit=1 << 24)


def numa_table(name: str, runs: Sequence[NumaRun]) -> str:
    """Return a line for each run."""
    lines = [
        f"{name}: {runs[0].references:,} references",
        f"{'protocol':<14} {'page bytes':>10} {'DELAY':>6} {'UPDATE':>6} {'NAMC':>8} {'replications':>13}"
        f" {'invalidations':>13} {'updates sent':>12}",
    ]
    for run in runs:
        counts = run.counts
        shown = ["-"] * 3
        if counts:
            shown = [f"{n:,}" for n in (counts.replications, counts.invalidations, counts.updates_sent)]
        delay, update = ("-" if value is None else value for value in (run.delay, run.update))
        lines.append(
            f"{run.protocol:<14} {run.page_bytes:>10} {delay:>6} {update:>6} {run.namc:>8.3f}"
            f" {shown[0]:>13} {shown[1]:>13} {shown[2]:>12}"
        )
    return "\n".join(lines)


def run_row(run: NumaRun) -> dict[str, str | int | float | None]:
    """Return a run as --json and --csv print it."""
    names = ["replications", "invalidations", "updates_sent", "interrupts", "refused"]
    names += ["local_reads", "remote_reads", "local_writes", "remote_writes"]
    return {
        "protocol": run.protocol,
        "delay": run.delay,
        "update": run.update,
        "page_bytes": run.page_bytes,
        "namc": run.namc,
        "references": run.references,
        "cycles": run.cycles,
        **{name: getattr(run.counts, name) if run.counts else None for name in names},
    }
