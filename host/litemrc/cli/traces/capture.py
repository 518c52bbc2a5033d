# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc trace capture --out FILE -- COMMAND`: the page references of a program behind modeled caches."""

import argparse
import shlex
import sys
import time
from contextlib import closing

from litemrc.api.writing import is_intervals, output_format
from litemrc.cli.shared.arguments import add_out_argument, add_page_size_argument, number
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import reported
from litemrc.cli.traces.arguments import (
    FORMATS_HELP,
    add_cache_arguments,
    add_interval_argument,
    caches_of,
    check_machine,
)
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path
from litemrc.traces.capture import Capture
from litemrc.traces.opening import WriteOptions, create_trace
from litemrc.traces.qemu.monitored import Interrupts, Monitor

_INSTRUCTIONS_PER_S = 2e9  # of a program on a processor of today, roughly
_QEMU_PER_S = 1e8  # instructions; measured, with the default caches
_EPILOG = f"""\
The program runs in QEMU's user mode (qemu-user), for the architecture of its ELF header. The caches are
set-associative, LRU, write-back and write-allocate; the default sizes are those of Zhou et al. 2004, 5.2. The
first two levels are each thread's own, further levels are shared. Times count instructions begun. Not
captured: accesses of the kernel, programs that are started by exec (run sort, not `env sort`), address
translation. For IN/OUT records (FILE.inout) no cache is modeled without --cache: all references count, as in
Glass and Cao 1997.

--system: COMMAND runs a whole machine, such as qemu-system-x86_64 and its arguments. Captured are loads and
stores of all its processors to its RAM, kernel included, at physical pages; no instruction fetches,
page-table walks or DMA. With --contexts spaces the context is the address space, numbered by first use from 1
on; 0 is the kernel before the first one, and all beyond 255.

--children records child processes too, each with caches of its own, as contexts: 0 is the program itself.
Parquet has the column processor, the number of the thread.

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
    add_cache_arguments(parser)
    add_page_size_argument(parser, "4k")
    add_interval_argument(parser)
    add_out_argument(parser, "file to write")
    parser.add_argument(
        "--native-time",
        metavar="S",
        type=_seconds,
        help="seconds that the program takes without QEMU, to estimate the time left",
    )
    parser.add_argument("--children", action="store_true", help="record child processes, as contexts")
    parser.add_argument(
        "--sysroot", metavar="DIR", help="folder with the libraries of a program for another architecture"
    )
    parser.add_argument("--system", action="store_true", help="COMMAND runs a whole machine: see below")
    parser.add_argument(
        "--contexts", choices=("spaces",), help="with --system: address spaces as contexts (QEMU 9 or later)"
    )
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="program and its arguments, after --")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc trace capture`."""
    check_output_path(args.out)
    name = output_format(args.out, args.interval, None, ("--interval", "--out-format"))
    levels, instructions, fetches = caches_of(args, none=is_intervals(args.out))
    page_bytes = args.page_size or PAGE_BYTES
    if args.system:
        check_machine(args)
        if args.children:
            raise UserError("is for programs, not for machines", where="--children", remedy="drop it")
        instructions, fetches = None, False
    elif args.contexts:
        raise UserError(
            "is for whole machines", where="--contexts", remedy="add --system, or give --children"
        )
    monitor = Monitor(page_bytes, levels, instructions, fetches, contexts=args.contexts or "")
    origin = f"{shlex.join(args.command)}; caches: {_describe(monitor)}"
    with Interrupts() as interrupts:
        capture = Capture(
            args.command,
            monitor,
            children=args.children,
            interrupts=interrupts,
            sysroot=args.sysroot,
            system=args.system,
        )
        options = WriteOptions(page_bytes, capture.time_unit, args.interval or WriteOptions.interval, origin)
        if args.native_time:
            note(f"this capture may take {_span(args.native_time * _INSTRUCTIONS_PER_S / _QEMU_PER_S)}")
        _write(args, name, options, capture, interrupts)
    how = "interrupted: " if interrupts.at is not None else ""
    # Everything goes to stderr: stdout belongs to the program.
    print(f"{how}{_counts(capture)} saved in {args.out}", file=sys.stderr)
    for role, cache in capture.progress.caches.items():
        print(f"{role:12} {cache.accesses:>14,} accesses {cache.misses:>12,} misses", file=sys.stderr)
    if interrupts.at is not None:
        raise KeyboardInterrupt
    code = capture.progress.exit_code
    if code:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        warning(f"the program ended with {how}")
    return 0


def _write(
    args: argparse.Namespace,
    name: str | None,
    options: WriteOptions,
    capture: Capture,
    interrupts: Interrupts,
) -> None:
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
        if interrupts.at is not None and args.out.exists():
            raise KeyboardInterrupt  # the existing file may be complete, this capture is not


def _describe(monitor: Monitor) -> str:
    if not monitor.levels:
        return "none"
    roles = [f"instructions {monitor.instructions}"] if monitor.instructions else []
    return ", ".join([*roles, *(f"level {n} {shape}" for n, shape in enumerate(monitor.levels, 1))])


def time_left(elapsed_s: float, done: float) -> str:
    """Return the time left, from the share of the work that is done; QEMU's speed is nearly constant."""
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
