"""`litemrc trace capture --out FILE -- COMMAND`: a program's page references behind modelled caches."""

import argparse
import shlex
import signal
import sys
from contextlib import closing
from pathlib import Path

from litemrc.cli.shared.progress import reported
from litemrc.cli.traces.arguments import (
    FORMATS_HELP,
    add_interval_argument,
    add_page_argument,
    is_intervals,
    output_format,
)
from litemrc.files.outputs import check_output_path
from litemrc.traces.cache_filter import INSTRUCTIONS, LEVELS, CacheHierarchy
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.capture import Capture
from litemrc.traces.opening import WriteOptions, create_trace

_NONE = "none"
_LEVELS = ",".join(map(str, LEVELS))
_EPILOG = f"""\
The caches: set-associative, LRU, write-back, write-allocate; by default those of Zhou et al. 2004, 5.2. Times
are instructions begun. Not seen: the kernel's accesses, child processes, what the program executes in its
place (so call sort itself, not `env sort`), address translation. For IN/OUT records (FILE.inout) no cache is
modelled without --cache: all references count, as in Glass and Cao 1997.

Ctrl-C ends the program and keeps what was captured, unless FILE is there already: then FILE stays as it was.
Pressed twice, it keeps nothing.

  litemrc trace capture --out gzip.parquet -- gzip -k data
  litemrc trace capture --cache 32k:8:64,1m:16:64 --icache 32k:8:64 --out sort.parquet -- sort big.txt
  litemrc trace capture --interval 1000000 --out sort.inout.zst -- sort big.txt

{FORMATS_HELP}
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc trace capture`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "--cache",
        metavar="SIZE:WAYS:LINE,...",
        help=f"data cache and the levels below, or none: keep every access ({_LEVELS})",
    )
    parser.add_argument(
        "--icache",
        metavar="SIZE:WAYS:LINE",
        default=str(INSTRUCTIONS),
        help="instruction cache, or none: instructions do not count (%(default)s)",
    )
    add_page_argument(parser)
    add_interval_argument(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="file to write")
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="program and its arguments, behind --")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace capture`."""
    check_output_path(args.out)
    name = output_format(args.out, args.interval)
    caches = _caches(args)
    capture = Capture(args.command, caches, args.pages)
    origin = f"{shlex.join(args.command)}; caches: {_describe(caches)}"
    options = WriteOptions(args.pages, capture.time_unit, args.interval or WriteOptions.interval, origin)
    interrupted = _Interrupted()
    with (
        create_trace(args.out, name, options) as writer,
        closing(capture.chunks()) as captured,
        closing(reported(captured, "capturing", lambda: (_told(capture), None))) as chunks,
    ):
        for chunk in chunks:
            writer.write(chunk)
            if interrupted.asked:
                break
        if interrupted.asked and args.out.exists():
            raise KeyboardInterrupt  # what is there may be complete, this is not
    how = "interrupted: " if interrupted.asked else ""
    # On stderr, all of it: the standard output is the program's.
    print(f"{how}{_told(capture)} saved in {args.out}", file=sys.stderr)
    for role, cache in _roles(caches) if caches else ():
        print(f"{role:12} {cache.accesses:>14,} accesses {cache.misses:>12,} misses", file=sys.stderr)
    code = capture.progress.exit_code
    if code:
        print(f"litemrc: warning: the program ended with exit code {code}", file=sys.stderr)
    if interrupted.asked:
        raise KeyboardInterrupt
    return 0


class _Interrupted:
    """Ctrl-C as a wish: no block is cut in half. A second one gives up at once.

    The program gets a SIGINT of its own from the terminal.
    """

    def __init__(self) -> None:
        self.asked = False
        signal.signal(signal.SIGINT, self._ask)

    def _ask(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def _caches(args: argparse.Namespace) -> CacheHierarchy | None:
    text = args.cache or (_NONE if is_intervals(args.out) else _LEVELS)
    if text == _NONE:
        return None
    instructions = None if args.icache == _NONE else CacheShape.parse(args.icache)
    return CacheHierarchy([CacheShape.parse(word) for word in text.split(",")], instructions)


def _roles(caches: CacheHierarchy) -> list[tuple[str, object]]:
    roles = [("instructions", caches.instructions)] if caches.instructions else []
    roles += [(f"level {number}", cache) for number, cache in enumerate(caches.levels, 1)]
    return roles


def _describe(caches: CacheHierarchy | None) -> str:
    return ", ".join(f"{role} {cache.shape}" for role, cache in _roles(caches)) if caches else _NONE


def _told(capture: Capture) -> str:
    progress = capture.progress
    return f"{progress.references:,} references of {progress.instructions:,} instructions"
