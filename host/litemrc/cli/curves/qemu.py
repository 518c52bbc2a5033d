# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc qemu -- CMD`: the miss-ratio curve of a program or machine of any architecture, in QEMU."""

import argparse
import sys
from typing import TYPE_CHECKING

from litemrc.cli.curves.engine_arguments import OF_HARDWARE
from litemrc.cli.curves.qemu_device import add_device_arguments, device_options, serve_machine
from litemrc.cli.shared.arguments import (
    add_output_formats,
    add_page_size_argument,
    add_plot_argument,
    positive,
    sample_rate,
)
from litemrc.cli.shared.memory import MemorySize, add_sizes_argument
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.results import check_pictures
from litemrc.cli.traces.arguments import add_cache_arguments, caches_of, check_machine
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native.stack_engines import STACK_ENGINES

if TYPE_CHECKING:
    from litemrc.curves.curve import Curve
    from litemrc.traces.qemu.counts import Counts

_EPILOG = """\
The program runs in QEMU's user mode (qemu-user) for the architecture of its ELF header. Accesses are its
loads, stores and instruction fetches that miss in the caches: set-associative, LRU, write-back,
write-allocate. The first two levels are each processor's own (a processor is a thread), further levels are
shared. --cache none: every access counts. Pages are virtual. Not seen: accesses of the kernel.

exact   LRU stack distances of all accesses
group   the monitor's engine hls/group_stack, behind its filter of recent pages: exact, by groups of pages
bucket  the monitor's engine hls/bucket_stack, the same way: estimated, at most half a group off
A page without a frame (--frames) counts as outside. --sample-rate samples pages by the monitor's hash.
The curve of a sample has a 95 % confidence band, as with litemrc mrc --engine shards. A data cache of form
SIZE:WAYS:LINE:wt is write-through; only the first one may be.

Each process has caches and a curve of its own; a child begins with empty caches. A program that a process
starts by exec runs outside QEMU and is not counted. The program's stdout goes to stderr. Ctrl-C ends the
program and prints what was counted; a second Ctrl-C prints nothing.

--system: the command is that of a whole machine, such as qemu-system-riscv64 and its arguments. Accesses are
loads and stores of all its processors and programs, and of its kernel, to its RAM; pages are physical.
Instruction fetches, page-table walks and DMA are not seen. A processor is one of the machine's. The machine
ends as it would without the plugin: guest's poweroff, Ctrl-C, or SIGTERM to QEMU.

--json prints the object of `litemrc mrc --json`, with accesses (that reached memory: hits, misses, outside
and unsampled), outside, unsampled, references (of the program, before the caches) and seconds; with --epoch,
working_set_pages of each epoch.

  litemrc qemu -- sort big.txt
  litemrc qemu --engine bucket --frames 65536 --sample-rate 1/64 --json -- ./server > curve.json
  litemrc qemu --sysroot /usr/riscv64-linux-gnu -- ./program-for-riscv64
  litemrc qemu --system --sample-rate 1/64 -- qemu-system-x86_64 -m 16G -nographic -kernel vmlinuz ...
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc qemu`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_cache_arguments(parser)
    add_page_size_argument(parser, "4k")
    parser.add_argument(
        "--engine", choices=("exact", *STACK_ENGINES), default="exact", help="see below (%(default)s)"
    )
    parser.add_argument(
        "--frames",
        metavar="N",
        type=positive,
        help=f"{OF_HARDWARE}: page frames, a power of two, 256 to 1048576 (65536)",
    )
    parser.add_argument(
        "--groups", metavar="G", type=positive, help=f"{OF_HARDWARE}: page groups, 16, 64 or 256 (256)"
    )
    parser.add_argument(
        "--sample-rate",
        metavar="R",
        type=sample_rate,
        default=0,
        help="share of the pages sampled: 1, or a power of 1/2 such as 1/64 (1)",
    )
    parser.add_argument(
        "--epoch", metavar="N", type=positive, help="count the working set of each N accesses"
    )
    parser.add_argument(
        "--sysroot", metavar="DIR", help="folder with the libraries of a program for another architecture"
    )
    parser.add_argument("--system", action="store_true", help="COMMAND runs a whole machine: see below")
    add_device_arguments(parser)
    add_sizes_argument(parser)
    add_output_formats(parser)
    add_plot_argument(parser, "the curves")
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="program and its arguments, after --")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc qemu`."""
    # Imported here: they load numpy.
    from litemrc.traces.qemu.counts import read_counts
    from litemrc.traces.qemu.monitored import Interrupts, Monitor, running, running_machine, wait

    check_pictures(args.plot)
    if args.serve:
        return serve_machine(args)
    if alone := device_options(args):
        raise UserError("is an option of a served device", where=alone[0], remedy="give --serve PORT, too")
    frames, groups = _sizes_of(args)
    levels, instructions, fetches = caches_of(args)
    if args.system:
        check_machine(args)
        instructions, fetches = None, False
    monitor = Monitor(
        args.page_size or PAGE_BYTES,
        levels,
        instructions,
        fetches,
        args.engine,
        frames,
        groups,
        args.sample_rate,
        args.epoch or 0,
    )
    with (
        Interrupts() as interrupts,
        (
            running_machine(args.command, monitor, stdout=sys.stderr)
            if args.system
            else running(args.command, monitor, stdout=sys.stderr, sysroot=args.sysroot)
        ) as program,
    ):
        code = wait(program, interrupts)
        counts = read_counts(program.folder, args.command[0])
    if not counts or not any(each.accesses for each in counts):
        raise UserError(
            f"nothing was counted (the program ended with {_ending(code)})",
            where=args.command[0],
            remedy="see the message above; a program for another architecture needs --sysroot",
        )
    if code and interrupts.at is None:
        warning(f"the program ended with {_ending(code)}")
    if program.process.pid not in (each.process for each in counts):
        warning("the counts of the program itself are lost; these are of its children")
    _warn(counts)
    group_pages = frames // groups if groups else 1
    names = _names(counts, args.command[0], program.process.pid)
    curves = [
        each.curve(monitor.page_bytes, group_pages, args.sample_rate, name)
        for each, name in zip(counts, names, strict=True)
    ]
    _print(args, curves, counts, interrupted=interrupts.at is not None)
    if interrupts.at is not None:
        raise KeyboardInterrupt
    return 0


def _sizes_of(args: argparse.Namespace) -> tuple[int, int]:
    """Return frames and groups; 0 for exact."""
    from litemrc.native.engines import DEFAULT_GROUPS
    from litemrc.native.hls_engine import HlsEngine

    if args.engine == "exact":
        if args.frames or args.groups:
            raise UserError(
                "engine exact has no parameters frames and groups",
                where="--frames, --groups",
                remedy="drop them, or choose --engine bucket",
            )
        return 0, 0
    frames, groups = args.frames or 1 << 16, args.groups or DEFAULT_GROUPS
    HlsEngine(args.engine, frames, groups)  # checks them
    return frames, groups


def _warn(counts: "list[Counts]") -> None:
    lost = sum(each.without_frame for each in counts)
    if lost:
        warning(
            f"{lost:,} accesses found no frame and count as outside: give more --frames, or a lower"
            " --sample-rate"
        )
    replaced = sum(each.replaced for each in counts)
    if replaced:
        note(
            f"{replaced} of {len(counts)} processes started another program by exec;"
            " it ran outside QEMU and is not counted"
        )
    if any(each.cut for each in counts):
        note(
            f"{sum(each.cut for each in counts):,} accesses go on in another page;"
            " the part in the first one counts"
        )
    if any(each.unsampled for each in counts):
        note(f"{sum(each.pages for each in counts):,} pages were sampled")


def _names(counts: "list[Counts]", command: str, main: int) -> list[str]:
    name = command.rpartition("/")[2]
    return [name if each.process == main else f"{name}, process {each.process}" for each in counts]


def _print(
    args: argparse.Namespace, curves: "list[Curve]", counts: "list[Counts]", *, interrupted: bool
) -> None:
    from litemrc.cli.curves.mrc_table import csv_pieces, json_document, mrc_table, only, write

    shown = curves
    if args.sizes:
        sizes: list[MemorySize] = args.sizes
        page_bytes = curves[0].page_bytes
        pages = sorted({size.pages(page_bytes, "--sizes") for size in sizes})
        shown = [only(curve, pages) for curve in curves]
    if args.json:
        facts = [
            {
                "outside": each.outside,
                "unsampled": each.unsampled,
                "references": each.references,
                "seconds": round(each.seconds, 3),
                **({"device_accesses": each.device_accesses} if args.system else {}),
                **(
                    {"working_set_pages": [n << args.sample_rate for n in each.working_sets]}
                    if args.epoch
                    else {}
                ),
            }
            for each in counts
        ]
        write(json_document(shown, facts, single=len(shown) == 1, interrupted=interrupted))
    elif args.csv:
        write(csv_pieces(shown))
    else:
        if interrupted:
            warning("interrupted: the curves cover the program until then")
        write(f"{line}\n" for line in mrc_table(shown, all_sizes=bool(args.sizes)))
        references, seconds = sum(c.references for c in counts), max(c.seconds for c in counts)
        note(f"{references:,} references in {seconds:.1f} s")
    if args.plot:
        from litemrc.plots.files import save_figure
        from litemrc.plots.mrc import mrc_figure

        save_figure(mrc_figure(curves, title="" if len(curves) > 1 else curves[0].name), args.plot)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
