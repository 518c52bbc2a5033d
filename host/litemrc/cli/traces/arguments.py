# SPDX-License-Identifier: BSD-2-Clause
"""Argument types and declarations that the commands on traces share."""

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_page_size_argument, natural, positive
from litemrc.cli.shared.messages import note, warning
from litemrc.errors import UserError
from litemrc.traces import Trace, open_trace
from litemrc.traces.cache_shape import INSTRUCTIONS, LEVELS, CacheShape, size_of
from litemrc.traces.formats.column_names import ROLES, parse_columns
from litemrc.traces.formats.sorting import DEFAULT_WINDOW, MOST_SORTED
from litemrc.traces.opening import FORMATS
from litemrc.traces.qemu.emulator import machine_emulator, mixes_processors

if TYPE_CHECKING:
    from litemrc.traces.chunk import Chunk

FORMATS_HELP = f"formats: {', '.join(FORMATS)}; a further suffix .gz, .zst, .xz or .bz2 compresses the file"

_NONE = "none"


def add_input_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare the trace to read."""
    parser.add_argument(
        "trace",
        metavar="TRACE",
        nargs=None if required else "?",
        help="file, - for stdin, or URL such as gen:zipf?pages=1000&n=100000",
    )
    add_format_arguments(parser)


def add_format_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the format, the columns and the page size of a trace to read."""
    parser.add_argument(
        "--format", metavar="NAME", choices=list(FORMATS), help="format of TRACE (default: by its suffix)"
    )
    parser.add_argument(
        "--column",
        dest="columns",
        metavar="ROLE[=NAME][:hex|:word],...",
        type=_columns,
        help=f"text, csv, npy: columns by name, or number from 1; roles: {', '.join(ROLES)};"
        " 'address': byte addresses",
    )
    parser.add_argument(
        "--sort",
        metavar="N",
        type=sort_window,
        nargs="?",
        const=DEFAULT_WINDOW,
        help="sort references that come at most N too late by their times, as those of several processors do"
        f" ({DEFAULT_WINDOW} if N is not given)",
    )
    parser.add_argument(
        "--unbounded",
        dest="bounded",
        action="store_false",
        help="also read a small file that stands for very many references, or holds very many bytes: only if"
        " you trust it",
    )
    add_page_size_argument(parser, of_file=True)


def add_interval_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the interval of IN/OUT records."""
    parser.add_argument(
        "--interval",
        metavar="N",
        type=size,
        help="write IN/OUT records (Glass 1997, 2.1) with intervals of N time units",
    )


def add_cache_arguments(parser: argparse.ArgumentParser, default: str = "") -> None:
    """Declare the caches between a program and memory; see `caches_of`."""
    levels = ",".join(map(str, LEVELS))
    parser.add_argument(
        "--cache",
        metavar="SIZE:WAYS:LINE,...",
        help=f"data cache and lower levels, or none: every access counts ({default or levels})",
    )
    parser.add_argument(
        "--icache",
        metavar="SIZE:WAYS:LINE",
        help=f"instruction cache, or none: ignore instruction fetches ({INSTRUCTIONS})",
    )


def check_machine(args: argparse.Namespace) -> None:
    """Raise UserError for options that only programs have, and not a whole machine."""
    if args.sysroot:
        raise UserError("is for programs, not for machines", where="--sysroot", remedy="drop it")
    if args.icache not in (None, "none"):
        raise UserError(
            "instruction fetches of a machine are not seen", where="--icache", remedy="drop it, or give none"
        )
    if mixes_processors(args.command, machine_emulator(args.command)):
        warning(
            "where processors take turns, this QEMU mixes up their numbers: the caches of each are wrong, and"
            " sums are right; let each run in a thread of its own, without -icount"
        )


def caches_of(
    args: argparse.Namespace, *, none: bool = False
) -> tuple[tuple[CacheShape, ...], CacheShape | None, bool]:
    """Return the levels, the instruction cache, and whether instruction fetches count.

    Parameters
    ----------
    none
        without --cache there is none.
    """
    fetches = args.icache != _NONE
    if args.cache == _NONE or (none and not args.cache):
        return (), None, fetches
    levels = tuple(CacheShape.parse(word) for word in args.cache.split(",")) if args.cache else LEVELS
    code = CacheShape.parse(args.icache) if args.icache and fetches else INSTRUCTIONS
    return levels, code if fetches else None, fetches


def opened(args: argparse.Namespace) -> Trace:
    """Open the trace that `add_input_arguments` declared."""
    return open_trace(
        args.trace, args.format, args.page_size, args.columns, bounded=args.bounded, sort=args.sort
    )


def sort_window(text: str) -> int:
    """Parse the window of --sort, whose references are kept in memory."""
    return positive(text, MOST_SORTED + 1)


def _columns(text: str) -> str:
    try:
        parse_columns(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def size(text: str) -> int:
    """Parse a positive number with an optional suffix k or m."""
    try:
        return size_of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_context_argument(parser: argparse._ActionsContainer) -> None:
    """Declare the context whose references count; `args.context` is None for all."""
    parser.add_argument("--context", metavar="C", type=natural, help="count the references of one context")


def contexts_noted(chunks: "Iterable[Chunk]", args: argparse.Namespace) -> "Iterator[Chunk]":
    """Return the chunks; print a note if contexts that share page numbers are counted together.

    Raises
    ------
    UserError
        a context was chosen, but the trace has none.
    """
    from litemrc.api.epochs import MERGED, of_one_context

    return of_one_context(
        chunks, args.context, args.trace, lambda: note(f"{MERGED} (--context)"), "omit --context"
    )
