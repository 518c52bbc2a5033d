"""The arguments of `litemrc replace`."""

import argparse
from dataclasses import fields
from pathlib import Path

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, names_of, natural, positive
from litemrc.cli.shared.memory import memory_sizes
from litemrc.cli.traces.arguments import FORMATS_HELP, add_format_arguments
from litemrc.errors import UserError, choose_from

from litemrc_studies.glass1997.machine.round_robin import Scheduling
from litemrc_studies.glass1997.policies import POLICIES, Seq

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
