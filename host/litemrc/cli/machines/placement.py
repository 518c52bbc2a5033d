"""`litemrc simulate placement [TRACE]`: which banks page allocators leave unused, so that they may sleep."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from litemrc.cli.machines.placement_arguments import allocator_names, byte_size, footprint, natural, percent
from litemrc.cli.machines.placement_tables import placement_json, placement_table
from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import reported
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.placement.energy import OFF, memory_power
from litemrc.machines.placement.machine import ALLOCATORS, Placement, PlacementRun, simulate
from litemrc.traces.allocations.compile_tree import CompileTree
from litemrc.traces.allocations.events import AllocationTrace, Events
from litemrc.traces.allocations.footprint import LIGHT, MEDIUM, FootprintTrace
from litemrc.traces.allocations.kmem import read_kmem

_FOOTPRINTS = {"light": LIGHT, "medium": MEDIUM}
_MIGRATE_EVERY_S = Placement.migrate_every  # its ticks are footprints', of a second

_EPILOG = """\
buddy       Linux's: free lists by zone, migrate type and order; no bank is ever emptied on purpose
bank-array  free lists of each bank; users take the last bank that has room, the kernel the first
bank-list   the same, banks in use in a list in the order they were brought
adaptive    Adaptive-Buddy: the banks in use form two pools, the kernel's and the users', that get banks and
            give them back; an allocation costs as much as in buddy
tray        free lists of each bank in a zone; each use stays in a bank until it is full (Jantz et al. 2013)

Panwar and Gopinath 2015; docs/results/panwar2015.md has the model. TRACE is the text that ftrace or perf
print of the events kmem:mm_page_alloc and kmem:mm_page_free (also .gz, .zst, .xz).
workloads: light (10 to 50 % of memory), medium (30 to 80 %), compile (processes as of a kernel's make)

--json prints {"results": [{"allocator", "offline_percent", "optimal_percent", "max_offline_percent",
"migrated_pages", "unmovable_banks", "alloc_ns_mean", "alloc_ns_max", "metadata_bytes", "energy_mj"} ...]}.
Percents are of memory, means over the ticks, as are unmovable_banks; times are elapsed, and *_ns_max leaves
out operations that the scheduler interrupted, but not what else disturbs: most_moves and most_list_work of
one operation are the same everywhere. Beside them: free_ns_mean, free_ns_max, awake_energy_mj (all banks in
standby), failed, used_percent.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate placement`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("trace", metavar="TRACE", nargs="?", type=Path, help="recorded allocations")
    parser.add_argument(
        "--workload", choices=[*_FOOTPRINTS, "compile"], help="generated allocations, instead of TRACE"
    )
    parser.add_argument(
        "--footprint",
        metavar="LOW:MEAN:HIGH",
        type=footprint,
        help="the same between other percents of memory, such as 20:40:90",
    )
    parser.add_argument("--ticks", metavar="N", type=positive, help="length of a generated footprint (1000)")
    parser.add_argument("--tick-ms", metavar="MS", type=positive, default=10, help="of TRACE (%(default)s)")
    parser.add_argument("--jobs", metavar="N", type=positive, default=16, help="of compile (%(default)s)")
    parser.add_argument("--files", metavar="N", type=positive, default=1500, help="of compile (%(default)s)")
    parser.add_argument(
        "--allocator",
        metavar="NAME,...",
        type=allocator_names,
        default=list(ALLOCATORS),
        help="allocators, below (default: all)",
    )
    parser.add_argument("--memory", metavar="SIZE", type=byte_size, default=32 << 30, help="such as 4G (32G)")
    parser.add_argument("--banks", metavar="N", type=positive, default=256, help="of it (%(default)s)")
    parser.add_argument("--nodes", metavar="N", type=positive, default=1, help="of memory (%(default)s)")
    parser.add_argument(
        "--interleave",
        metavar="SIZE",
        type=byte_size,
        default=0,
        help="bytes on a bank before those on the next; 0: one bank behind the other (%(default)s)",
    )
    parser.add_argument(
        "--migrate-every",
        metavar="N",
        type=natural,
        help=f"ticks; 0: never (as many as {_MIGRATE_EVERY_S} s have)",
    )
    parser.add_argument(
        "--migrate-pages",
        metavar="N",
        type=natural,
        default=0,
        help="at most, each time; 0: any (%(default)s)",
    )
    parser.add_argument(
        "--migrate-below",
        metavar="PERCENT",
        type=percent,
        default=100,
        help="empty banks only that are used less than that (%(default)s)",
    )
    parser.add_argument(
        "--reserve", metavar="PAGES", type=natural, help="that stay free in use (a 2048th of memory)"
    )
    parser.add_argument(
        "--moves",
        metavar="N",
        type=natural,
        default=16,
        help="blocks of a bank that join a pool of adaptive with one operation; 0: all (%(default)s)",
    )
    parser.add_argument("--no-scramble", action="store_true", help="begin with free lists in order")
    parser.add_argument("--seed", metavar="N", type=positive, default=1, help="of workload and scrambling")
    parser.add_argument(
        "--part", metavar="PART", default="mt41k256m16-125:n", help="chips of the memory (%(default)s)"
    )
    parser.add_argument(
        "--low-state",
        metavar="STATE",
        default="self-refresh",
        help=f"of banks without pages: power-down, self-refresh or {OFF} (%(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw free, offline and migrated memory: .png or .svg"
    )
    parser.add_argument("--map", metavar="FILE", type=Path, help="draw the banks at the end: .png or .svg")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate placement`."""
    for picture in filter(None, (args.plot, args.map)):
        check_output_path(picture, PICTURE_SUFFIXES)
    power = memory_power(args.part, args.low_state)
    placement = Placement(
        memory_bytes=args.memory,
        units=args.banks,
        nodes=args.nodes,
        interleave_bytes=args.interleave,
        migration_pages=args.migrate_pages,
        most_used_percent=args.migrate_below,
        reserve_pages=args.memory >> 23 if args.reserve is None else args.reserve,
        moves_per_operation=args.moves,
        scramble=not args.no_scramble,
        seed=args.seed,
    )
    trace = _trace(args, placement)
    every = args.migrate_every
    if every is None:
        every = max(1, round(_MIGRATE_EVERY_S / trace.tick_s))
    placement = replace(placement, migrate_every=every)
    for note in trace.notes:
        print(f"litemrc: note: {note}", file=sys.stderr)
    runs = [_run(trace, placement, allocator) for allocator in args.allocator]
    if args.plot or args.map:
        _draw(args, runs)
    if args.json:
        print(json.dumps(placement_json(trace, runs, power), allow_nan=False))
    else:
        print(placement_table(trace, runs, power))
    return 0


def _trace(args: argparse.Namespace, placement: Placement) -> AllocationTrace:
    given = [name for name in ("trace", "workload", "footprint") if getattr(args, name) is not None]
    if len(given) != 1:
        raise UserError(
            "more than one workload is given" if given else "no workload is given",
            remedy="give one of TRACE, --workload and --footprint",
        )
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
        for events in reported(ticks, allocator, tell):
            done += 1
            yield events

    def tell() -> tuple[str, float]:
        return f"{done} of {trace.ticks} ticks", min(done / trace.ticks, 1)

    return simulate(trace, placement, allocator, shown=shown)


def _draw(args: argparse.Namespace, runs: list[PlacementRun]) -> None:
    # Only now: matplotlib takes long to load.
    from litemrc.plots.files import save_figure
    from litemrc.plots.placement import map_figure, time_figure

    if args.plot:
        save_figure(time_figure(runs), args.plot)
    if args.map:
        save_figure(map_figure(runs), args.map)
