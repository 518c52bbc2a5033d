"""`litemrc simulate numa TRACE`: what memory accesses cost when pages are replicated by reference
counters."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import reported
from litemrc.cli.traces.arguments import size
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.numa.costs import PAPER, read_costs
from litemrc.machines.numa.machine import (
    NEEDS_DELAY,
    PROTOCOLS,
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
    read_references,
)
from litemrc.traces.generators.parallel import PARALLEL_PROGRAMS
from litemrc.traces.shared import SharedTrace, open_shared_trace
from litemrc.traces.shared.generated import described

_EPILOG = f"""\
protocols:
{chr(10).join(f"  {name:14} {what}" for name, what in PROTOCOLS.items())}

DELAY counts a processor's remote reads of a page (of invalidate: all its references to a page it has not),
UPDATE the updates that arrive for its copy; 0: does not count. Lists of --delay, --update and --page make a
sweep, which --plot draws: NAMC over DELAY, a line a page size, or over DELAY and UPDATE.

NAMC, the normalized average memory access cost, is what a reference costs on average over what a local one
does.

TRACE: text, `time processor page word r|w` a line, behind a line `# page_bytes N` (1024); Parquet with these
columns; or a URL of a generated one, such as gen:speech?n=1000000&seed=1, of {", ".join(PARALLEL_PROGRAMS)}:

{{programs}}

--json prints {{{{"results": [{{{{"protocol", "delay", "update", "page_bytes", "namc", "replications",
"invalidations", "updates_sent"}}}} ...]}}}}; and beside them references, cycles, interrupts, refused, and
reads and writes, local and remote. What a protocol has not is null.
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
        type=_protocols,
        default=["upd"],
        help="protocols, below, or all (upd)",
    )
    parser.add_argument("--delay", metavar="N,...", type=_counts, default=[64], help="initial DELAY (64)")
    parser.add_argument("--update", metavar="N,...", type=_counts, default=[0], help="initial UPDATE (0)")
    parser.add_argument("--page", metavar="SIZE,...", type=_sizes, default=[1024], help="of a page (1k)")
    parser.add_argument(
        "--processors", metavar="N", type=positive, help="(64, or as many as the trace has if they are more)"
    )
    parser.add_argument(
        "--home", metavar="P", help="processor at which all pages are (each is where it is first touched)"
    )
    parser.add_argument(
        "--local-pages",
        metavar="N",
        type=positive,
        default=0,
        help="copies a processor can hold (any number)",
    )
    parser.add_argument(
        "--costs", metavar="FILE", type=Path, default=PAPER, help="TOML file like that of the paper's costs"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw a sweep: .png or .svg")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate numa`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    costs = read_costs(args.costs)
    with open_shared_trace(args.trace) as trace, closing(_shown(trace)) as chunks:
        references = read_references(chunks)
    if not len(references):
        raise UserError("no references", where=args.trace, remedy="give a trace that has some")
    processors = args.processors or max(64, references.processor_count)
    home = None if args.home is None else _home(args.home)
    runs: list[NumaRun] = []
    for page_bytes in args.page:
        machine = NumaMachine(processors, page_bytes, home, args.local_pages, costs)
        runs += _page_runs(args, references, machine)
    if args.plot:
        # Only now: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.numa import sweep_figure

        save_figure(sweep_figure(runs, title=Path(args.trace).name), args.plot)
    print(json.dumps({"results": [run_row(run) for run in runs]}) if args.json else _table(args.trace, runs))
    return 0


def run_row(run: NumaRun) -> dict[str, str | int | float | None]:
    """A run as --json has it."""
    names = ("replications", "invalidations", "updates_sent", "interrupts", "refused")
    names += ("local_reads", "remote_reads", "local_writes", "remote_writes")
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


def _page_runs(
    args: argparse.Namespace, references: NumaReferences, machine: NumaMachine
) -> Iterator[NumaRun]:
    simulation = NumaSimulation(references, machine)
    pairs = list(product(args.delay, args.update))
    for protocol in args.protocol:
        if protocol == "upd" and len(pairs) > 1 and not machine.local_pages:
            yield from simulation.sweep(args.delay, args.update)
        elif protocol == "invalidate":
            yield from (simulation.run(protocol, delay) for delay in args.delay)
        elif protocol in NEEDS_DELAY:
            yield from (simulation.run(protocol, *pair) for pair in pairs)
        else:
            yield simulation.run(protocol)


def _table(name: str, runs: list[NumaRun]) -> str:
    lines = [
        f"{name}: {runs[0].references:,} references",
        f"{'protocol':<14} {'page':>6} {'DELAY':>6} {'UPDATE':>6} {'NAMC':>8} {'replications':>13}"
        f" {'invalidations':>13} {'updates':>12}",
    ]
    for run in runs:
        counts = run.counts
        told = ("-",) * 3
        if counts:
            told = tuple(f"{n:,}" for n in (counts.replications, counts.invalidations, counts.updates_sent))
        delay, update = ("-" if value is None else value for value in (run.delay, run.update))
        lines.append(
            f"{run.protocol:<14} {run.page_bytes:>6} {delay:>6} {update:>6} {run.namc:>8.3f}"
            f" {told[0]:>13} {told[1]:>13} {told[2]:>12}"
        )
    return "\n".join(lines)


def _shown(trace: SharedTrace) -> Iterator:
    """The chunks of a trace, and how far they are."""
    done = 0

    def counted() -> Iterator:
        nonlocal done
        for chunk in trace:
            done += len(chunk)
            yield chunk

    return reported(counted(), "reading", lambda: (f"{done:,} references", trace.fraction))


def _home(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UserError(f"--home {text} is no processor", remedy="write its number, from 0")
    return int(text)


def _protocols(text: str) -> list[str]:
    names = list(PROTOCOLS) if text == "all" else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PROTOCOLS:
            raise argparse.ArgumentTypeError(f"no protocol {name!r}: they are {', '.join(PROTOCOLS)}, or all")
    return names


def _listed(one: Callable[[str], int]) -> Callable[[str], list[int]]:
    return lambda text: list(dict.fromkeys(one(part) for part in text.split(",")))


def _count(text: str) -> int:
    return 0 if text == "0" else positive(text, limit=1 << 24)


_counts = _listed(_count)
_sizes = _listed(size)
