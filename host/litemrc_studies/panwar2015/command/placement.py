# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate placement [TRACE]`: the memory banks that page allocators leave empty and offline."""

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, names_of, natural, positive
from litemrc.cli.shared.memory import memory_size
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import reported
from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.errors import UserError

from litemrc_studies.panwar2015.command.placement_table import placement_json, placement_table, result_json
from litemrc_studies.panwar2015.machine.energy import OFF, MemoryPower, memory_power
from litemrc_studies.panwar2015.machine.placement import (
    ALLOCATORS,
    PAGE_BYTES,
    Placement,
    PlacementRun,
    simulate,
)
from litemrc_studies.panwar2015.machine.workloads.compile_tree import CompileTree
from litemrc_studies.panwar2015.machine.workloads.events import AllocationTrace, Events
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, MEDIUM, Footprint, FootprintTrace
from litemrc_studies.panwar2015.machine.workloads.kmem import read_kmem

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def byte_size(text: str) -> int:
    """Parse a size such as 32G, 512M, 4096 or 0."""
    match = re.fullmatch(r"(\d+)([KMGT]?)(i?B)?", text, re.IGNORECASE | re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"must be a size, such as 512M or 32G (got {text!r})")
    return int(match[1]) * _UNITS[match[2].upper()]


def footprint(text: str) -> Footprint:
    """Parse percentages LOW:MEAN:HIGH of memory."""
    try:
        low, mean, high = (float(part) / 100 for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be percentages LOW:MEAN:HIGH, such as 10:30:50 (got {text!r})"
        ) from None
    try:
        return Footprint(low, high, mean)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def percent(text: str) -> int:
    """Parse a whole number from 1 to 100."""
    return positive(text, limit=101)


_FOOTPRINTS = {"light": LIGHT, "medium": MEDIUM}
_MIGRATE_EVERY_S = Placement.migrate_every  # the ticks of a footprint are seconds
_EPILOG = """\
buddy       as in Linux: free lists by zone, migrate type and order; it never empties a bank on purpose
bank-array  free lists for each bank; users allocate from the last bank with room, the kernel from the first
bank-list   the same, with the banks in use in a list, in the order in which they were brought online
adaptive    Adaptive-Buddy: the banks in use form two pools, one of the kernel and one of the users, which
            acquire and release banks; an allocation costs the same as with buddy
tray        free lists for each bank in a zone; each use fills one bank after the other (Jantz et al. 2013)

Panwar and Gopinath 2015; panwar2015/page.md describes the model. TRACE is the text output of ftrace
or perf with the events kmem:mm_page_alloc and kmem:mm_page_free (also .gz, .zst, .xz).
workloads: light (10 to 50 % of memory), medium (30 to 80 %), compile (processes of a kernel build)

--json prints {"results": [{"allocator", "offline_percent", "optimal_percent", "max_offline_percent",
"migrated_pages", "unmovable_banks", "alloc_ns_mean", "alloc_ns_max", "metadata_bytes", "energy_mj"} ...]}.
Percentages are of the memory; they and unmovable_banks are means over the ticks. Times are elapsed times;
*_ns_max excludes operations that the scheduler interrupted, but not other disturbances. most_moves and
most_list_work, maxima of one operation, do not depend on the machine. Further keys: free_ns_mean,
free_ns_max, awake_energy_mj (all banks in standby), failed, used_percent.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate placement`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("trace", metavar="TRACE", nargs="?", type=Path, help="recorded allocations")
    parser.add_argument(
        "--workload", choices=[*_FOOTPRINTS, "compile"], help="generate allocations instead of reading TRACE"
    )
    parser.add_argument(
        "--footprint",
        metavar="LOW:MEAN:HIGH",
        type=footprint,
        help="generate a footprint with these percentages of memory, such as 20:40:90",
    )
    parser.add_argument("--ticks", metavar="N", type=positive, help="length of a generated footprint (1000)")
    parser.add_argument(
        "--tick-ms", metavar="MS", type=positive, default=10, help="tick of TRACE (%(default)s)"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=positive, default=16, help="compile: concurrent jobs (%(default)s)"
    )
    parser.add_argument(
        "--files", metavar="N", type=positive, default=1500, help="compile: source files (%(default)s)"
    )
    parser.add_argument(
        "--allocator",
        metavar="NAME,...",
        type=names_of("allocator", ALLOCATORS),
        default=list(ALLOCATORS),
        help="allocators listed below (default: all)",
    )
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory_size,
        default="32G",
        help="memory size: pages of 4 KiB, or bytes with a unit, such as 4G (%(default)s)",
    )
    parser.add_argument(
        "--banks", metavar="N", type=positive, default=256, help="number of banks (%(default)s)"
    )
    parser.add_argument(
        "--nodes", metavar="N", type=positive, default=1, help="number of NUMA nodes (%(default)s)"
    )
    parser.add_argument(
        "--interleave",
        metavar="SIZE",
        type=byte_size,
        default=0,
        help="consecutive bytes in a bank; 0: banks are not interleaved (%(default)s)",
    )
    parser.add_argument(
        "--migrate-every",
        metavar="N",
        type=natural,
        help=f"ticks between migrations; 0: never (ticks of {_MIGRATE_EVERY_S} s)",
    )
    parser.add_argument(
        "--migrate-pages",
        metavar="N",
        type=natural,
        default=0,
        help="pages migrated at most each time; 0: unlimited (%(default)s)",
    )
    parser.add_argument(
        "--migrate-below",
        metavar="PERCENT",
        type=percent,
        default=100,
        help="empty only banks with a lower utilization (%(default)s)",
    )
    parser.add_argument(
        "--reserve",
        metavar="PAGES",
        type=natural,
        help="free pages kept in the banks in use (1/2048 of the memory)",
    )
    parser.add_argument(
        "--moves",
        metavar="N",
        type=natural,
        default=16,
        help="adaptive: blocks of a bank that join a pool in one operation; 0: all (%(default)s)",
    )
    parser.add_argument("--no-scramble", action="store_true", help="start with sorted free lists")
    parser.add_argument(
        "--seed", metavar="N", type=positive, default=1, help="seed of workload and scrambling (%(default)s)"
    )
    parser.add_argument("--part", metavar="PART", default="mt41k256m16-125:n", help="DRAM part (%(default)s)")
    parser.add_argument(
        "--low-state",
        metavar="STATE",
        default="self-refresh",
        help=f"state of empty banks: power-down, self-refresh or {OFF} (%(default)s)",
    )
    add_output_formats(parser)
    add_plot_argument(parser, "free, offline and migrated memory over time")
    parser.add_argument(
        "--plot-map", metavar="FILE", type=Path, help="draw the final state of the banks: .png or .svg"
    )


def prepare(args: argparse.Namespace) -> tuple[Placement, MemoryPower]:
    """Return the memory, without the time between migrations if the trace determines it, and its power.

    Raises
    ------
    UserError
        the memory, its part, or the choice of a workload is wrong.
    """
    given = [name for name in ("trace", "workload", "footprint") if getattr(args, name) is not None]
    if len(given) != 1:
        raise UserError(
            "more than one workload is given" if given else "no workload is given",
            remedy="give one of TRACE, --workload and --footprint",
        )
    memory_bytes = args.memory.pages(PAGE_BYTES) * PAGE_BYTES
    power = memory_power(args.part, args.low_state)
    placement = Placement(
        memory_bytes=memory_bytes,
        units=args.banks,
        nodes=args.nodes,
        interleave_bytes=args.interleave,
        migration_pages=args.migrate_pages,
        most_used_percent=args.migrate_below,
        reserve_pages=memory_bytes >> 23 if args.reserve is None else args.reserve,
        moves_per_operation=args.moves,
        scramble=not args.no_scramble,
        seed=args.seed,
    )
    return placement, power


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate placement`."""
    check_pictures(args.plot, args.plot_map)
    placement, power = prepare(args)
    trace = _trace(args, placement)
    every = args.migrate_every
    if every is None:
        every = max(1, round(_MIGRATE_EVERY_S / trace.tick_s))
    placement = replace(placement, migrate_every=every)
    for text in trace.notes:
        note(text)
    runs, stopped = until_stopped(_run(trace, placement, allocator) for allocator in args.allocator)
    print_results(
        args,
        table=lambda: placement_table(trace, runs, power),
        document=lambda: placement_json(trace, runs, power),
        rows=lambda: (result_json(run, power) for run in runs),
        stopped=stopped,
    )
    _draw(args, runs)
    if stopped:
        raise stopped
    return 0


def _trace(args: argparse.Namespace, placement: Placement) -> AllocationTrace:
    if args.trace:
        return read_kmem(args.trace, args.tick_ms / 1e3)
    if args.workload == "compile":
        return CompileTree(
            placement.frames, jobs=args.jobs, files=args.files, seed=args.seed, nodes=placement.nodes
        )
    return FootprintTrace(
        args.footprint or _FOOTPRINTS[args.workload],
        placement.frames,
        ticks=args.ticks or 1000,
        seed=args.seed,
        nodes=placement.nodes,
    )


def _run(trace: AllocationTrace, placement: Placement, allocator: str) -> PlacementRun:
    done = 0

    def shown(ticks: Iterable[Events]) -> Iterator[Events]:
        nonlocal done
        for events in reported(ticks, allocator, state):
            done += 1
            yield events

    def state() -> tuple[str, float]:
        return f"{done} of {trace.ticks} ticks", min(done / trace.ticks, 1)

    return simulate(trace, placement, allocator, shown=shown)


def _draw(args: argparse.Namespace, runs: list[PlacementRun]) -> None:
    if not (args.plot or args.plot_map):
        return
    # Imported here: matplotlib takes long to load.
    from litemrc.plots.files import save_figure

    from litemrc_studies.panwar2015.plots import map_figure, time_figure

    for path, figure in ((args.plot, time_figure), (args.plot_map, map_figure)):
        if path:
            save_figure(figure(runs), path)
