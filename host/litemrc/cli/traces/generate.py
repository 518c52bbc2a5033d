# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace generate PROGRAM [NAME=VALUE ...] --out FILE`: store a synthetic trace."""

import argparse
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from litemrc.api.writing import options_of, output_format, stored
from litemrc.cli.shared.arguments import add_out_argument, add_page_size_argument
from litemrc.cli.shared.progress import shown
from litemrc.cli.shared.results import Interruption
from litemrc.cli.traces.arguments import FORMATS_HELP, add_interval_argument
from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.generators.programs import PROGRAMS
from litemrc.traces.generators.urls import COMMON, PREFIX, parameters
from litemrc.traces.opening import open_trace


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace generate`."""
    lines = ["programs and their parameters:"]
    for name, program in PROGRAMS.items():
        defaults = " ".join(f"{key}={value}" for key, value in parameters(name).items())
        lines += [f"  {name:10} {defaults}", f"{'':13}{program.__doc__}"]
    lines += [
        f"all programs: n={COMMON['n']} seed={COMMON['seed']} writes=SHARE (default: no directions)",
        "",
        "Ctrl-C keeps the references made so far, unless FILE exists; a second Ctrl-C keeps nothing.",
        "",
        "Commands that read a trace also accept the URL gen:PROGRAM?NAME=VALUE&NAME=VALUE.",
        FORMATS_HELP,
    ]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(lines)
    parser.add_argument("program", metavar="PROGRAM", choices=list(PROGRAMS), help="program, see below")
    parser.add_argument("parameters", metavar="NAME=VALUE", nargs="*", help="parameters, see below")
    add_out_argument(parser, "file to write")
    add_page_size_argument(parser, "4k")
    add_interval_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace generate`."""
    for parameter in args.parameters:
        if "=" not in parameter:
            raise UserError(f"a parameter must be NAME=VALUE (got {parameter!r})")
    query = "&".join(quote(parameter, safe="=") for parameter in args.parameters)
    name = output_format(args.out, args.interval, None, ("--interval", "--out-format"))
    with (
        open_trace(f"{PREFIX}{args.program}?{query}", page_bytes=args.page_size) as trace,
        Interruption() as interruption,
        closing(shown(trace, "generating")) as chunks,
    ):
        kept = _unless_it_exists(chunks, interruption, args.out)
        written = stored(kept, args.out, name, options_of(trace, args.interval, trace.name))
    how = "interrupted: " if interruption.noted else ""
    print(f"{how}{written.references:,} references of {trace.name} written to {args.out}", flush=True)
    if interruption.noted:
        raise KeyboardInterrupt
    return 0


def _unless_it_exists(chunks: Iterable[Chunk], interruption: Interruption, out: Path) -> Iterator[Chunk]:
    """Yield the chunks up to Ctrl-C.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, and the file exists: it may be complete, this trace is not.
    """
    yield from interruption.until_noted(chunks)
    if interruption.noted and out.exists():
        raise KeyboardInterrupt
