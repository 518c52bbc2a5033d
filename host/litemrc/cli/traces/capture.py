"""`litemrc trace capture --out FILE -- COMMAND`: the page references of a program behind modeled caches."""

import argparse
import shlex
import signal
import sys
import time
from contextlib import closing

from litemrc.cli.shared.arguments import number
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.options import add_out_argument, add_page_size_argument
from litemrc.cli.shared.progress import reported
from litemrc.cli.traces.arguments import (
    FORMATS_HELP,
    add_interval_argument,
    is_intervals,
    output_format,
)
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.files.outputs import check_output_path
from litemrc.traces.cache_filter import INSTRUCTIONS, LEVELS, Cache, CacheHierarchy
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.capture import Capture
from litemrc.traces.opening import WriteOptions, create_trace

_NONE = "none"
_INSTRUCTIONS_PER_S = 2e9  # of a program on a processor of today, roughly
_LACKEY_PER_S = 1e6  # instructions; measured 0.8 million on 2 shared cores
_LEVELS = ",".join(map(str, LEVELS))
_EPILOG = f"""\
The caches are set-associative, LRU, write-back and write-allocate; the default sizes are those of Zhou et al.
2004, 5.2. Times count instructions begun. Not captured: accesses of the kernel, child processes, programs
that replace this one (run sort, not `env sort`), address translation. For IN/OUT records (FILE.inout) no
cache is modeled without --cache: all references count, as in Glass and Cao 1997.

Lackey executes about a million instructions per second, so it slows a program several hundred to some
thousand times: `sort` of 4 MB took 8 min 39 s. With --native-time, the progress estimates the time left.

Ctrl-C ends the program and saves the references captured so far; an existing FILE is left unchanged. A second
Ctrl-C saves nothing.

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
        help=f"data cache and lower levels, or none: keep every access ({_LEVELS})",
    )
    parser.add_argument(
        "--icache",
        metavar="SIZE:WAYS:LINE",
        default=str(INSTRUCTIONS),
        help="instruction cache, or none: ignore instruction fetches (%(default)s)",
    )
    add_page_size_argument(parser, "4k")
    add_interval_argument(parser)
    add_out_argument(parser, "file to write")
    parser.add_argument(
        "--native-time",
        metavar="S",
        type=_seconds,
        help="seconds that the program takes without Valgrind, to estimate the time left",
    )
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="program and its arguments, after --")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace capture`."""
    check_output_path(args.out)
    name = output_format(args.out, args.interval)
    caches = _caches(args)
    page_bytes = args.page_size or PAGE_BYTES
    capture = Capture(args.command, caches, page_bytes)
    origin = f"{shlex.join(args.command)}; caches: {_describe(caches)}"
    options = WriteOptions(page_bytes, capture.time_unit, args.interval or WriteOptions.interval, origin)
    note(_cost(args.native_time))
    interrupted = _Interrupted()
    began = time.monotonic()

    def state() -> tuple[str, float | None]:
        if not args.native_time:
            return _counts(capture), None
        done = capture.progress.instructions / (args.native_time * _INSTRUCTIONS_PER_S)
        return f"{_counts(capture)}, {time_left(time.monotonic() - began, done)}", min(done, 1.0)

    with (
        create_trace(args.out, name, options) as writer,
        closing(capture.chunks()) as captured,
        closing(reported(captured, "capturing", state)) as chunks,
    ):
        for chunk in chunks:
            writer.write(chunk)
            if interrupted.requested:
                break
        if interrupted.requested and args.out.exists():
            raise KeyboardInterrupt  # the existing file may be complete, this capture is not
    how = "interrupted: " if interrupted.requested else ""
    # Everything goes to stderr: stdout belongs to the program.
    print(f"{how}{_counts(capture)} saved in {args.out}", file=sys.stderr)
    for role, cache in _roles(caches) if caches else ():
        print(f"{role:12} {cache.accesses:>14,} accesses {cache.misses:>12,} misses", file=sys.stderr)
    code = capture.progress.exit_code
    if code:
        warning(f"the program ended with exit code {code}")
    if interrupted.requested:
        raise KeyboardInterrupt
    return 0


class _Interrupted:
    """Records Ctrl-C, so that the current block is completed; a second Ctrl-C interrupts at once.

    The program receives its own SIGINT from the terminal.
    """

    def __init__(self) -> None:
        self.requested = False
        signal.signal(signal.SIGINT, self._record)

    def _record(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


def _caches(args: argparse.Namespace) -> CacheHierarchy | None:
    text = args.cache or (_NONE if is_intervals(args.out) else _LEVELS)
    if text == _NONE:
        return None
    instructions = None if args.icache == _NONE else CacheShape.parse(args.icache)
    return CacheHierarchy([CacheShape.parse(word) for word in text.split(",")], instructions)


def _roles(caches: CacheHierarchy) -> list[tuple[str, Cache]]:
    roles = [("instructions", caches.instructions)] if caches.instructions else []
    roles += [(f"level {number}", cache) for number, cache in enumerate(caches.levels, 1)]
    return roles


def _describe(caches: CacheHierarchy | None) -> str:
    return ", ".join(f"{role} {cache.shape}" for role, cache in _roles(caches)) if caches else _NONE


def _cost(native_s: float | None) -> str:
    text = "lackey slows a program several hundred to some thousand times; Ctrl-C saves what is captured"
    if not native_s:
        return f"{text}; --native-time S estimates the time left"
    return f"{text}; this capture may take {_span(native_s * _INSTRUCTIONS_PER_S / _LACKEY_PER_S)}"


def time_left(elapsed_s: float, done: float) -> str:
    """Return the time left, from the share of the work that is done; lackey's speed is nearly constant."""
    if done <= 0:
        return "time left unknown"
    return f"about {_span(elapsed_s * max(1 - done, 0) / done)} left"


def _span(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"


def _seconds(text: str) -> float:
    value = number(text, 1e6)
    if not value:
        raise argparse.ArgumentTypeError(f"must be above 0 (got {text!r})")
    return value


def _counts(capture: Capture) -> str:
    progress = capture.progress
    return f"{progress.references:,} references of {progress.instructions:,} instructions"
