# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc govern`: set memory budgets and working-set sizes from the curves of each epoch."""

import argparse
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.cli.device.govern_cgroups import cgroup_choice, check_choices
from litemrc.cli.shared.arguments import add_output_formats, number, positive
from litemrc.cli.shared.device_options import (
    add_epoch_arguments,
    add_port_arguments,
    add_run_argument,
    open_device,
)
from litemrc.cli.shared.memory import memory_size
from litemrc.cli.shared.messages import warning
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import csv_text
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.errors import OutputError, UserError
from litemrc.files.outputs import check_output_path
from litemrc.policies.allocation.decision import GovernorParameters

if TYPE_CHECKING:
    from litemrc.cli.device.govern_loop import Totals

_LEASE_S = 2.0
_RECONNECT_S = 30.0
_DAY_S = 86400.0

_EPILOG = """\
Budgets: in each epoch the memory is divided by the curves of all contexts, which age with their own accesses.
It is divided among the tasks of a bare-metal device's pager, or, on Linux, among the cgroups that --cgroup
names or else the programs that the device has started. The utility is the hit ratio times the reference rate.
A budget is memory.low of a cgroup, and memory.high is 64 pages more, which Linux charges ahead: a guarantee
and a limit. Refaults extend the curves beyond the memory, so a budget that shrank grows again when a program
needs it.

--energy: the working set is the smallest memory within epsilon of the maximum hit ratio; ranks that hold no
page of it sleep.

The settings hold for a lease, which every epoch renews. If the link is lost, the device restores its own
settings and reports so; the host reconnects and governs again. At the end and on Ctrl-C the lease is released
at once: memory.high and memory.low are as they were before. An access to a sleeping rank always wakes it.

--log writes a JSON object for each epoch. `contexts` gives the reasons: budget before and after, the target
of the division, the misses predicted for both, and what limited the change: gain (--gain), step (--step),
memory (other budgets must shrink first) or none.

  litemrc govern --port socket://localhost:1234 --run pair:1:3 --epoch-length 300000 \\
    --epoch-unit cycles --log decisions.jsonl
  litemrc govern --port /dev/ttyUSB1 --memory 24M --cgroup /app/web=2 --cgroup /jobs --step 1M
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc govern`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    parser.add_argument("--energy", action="store_true", help="also govern the power of the ranks")
    parser.add_argument("--dry-run", action="store_true", help="decide, but set no budget and no rank policy")
    parser.add_argument(
        "--epochs",
        metavar="N",
        type=positive,
        help="end after N epochs (default: with the programs, or at Ctrl-C)",
    )
    add_epoch_arguments(parser)
    add_run_argument(parser, "run a program on the device")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory_size,
        help="memory to divide: pages, or bytes with a unit such as 16M (that of the device's pager)",
    )
    parser.add_argument(
        "--cgroup",
        metavar="PATH[=WEIGHT]",
        type=cgroup_choice,
        action="append",
        default=[],
        dest="cgroups",
        help="govern this cgroup, its path from the root of cgroup v2; WEIGHT multiplies its utility (1); may"
        " be repeated. The device's administrator lists allowed ones in litemrcd.conf",
    )
    parser.add_argument(
        "--step",
        metavar="SIZE",
        type=memory_size,
        help="largest change of a budget in an epoch: pages, or bytes with a unit (no limit)",
    )
    parser.add_argument(
        "--gain",
        metavar="G",
        type=partial(number, limit=1),
        default=GovernorParameters.gain,
        help="budgets move only to save more than this share of misses of those that get more (%(default)s)",
    )
    parser.add_argument(
        "--minimum",
        metavar="SIZE",
        type=memory_size,
        default=str(GovernorParameters.minimum_pages),
        help="smallest budget: pages, or bytes with a unit (%(default)s)",
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        type=partial(number, limit=1),
        default=GovernorParameters.epsilon,
        help="--energy: miss ratio above the minimum that is accepted (%(default)s)",
    )
    parser.add_argument(
        "--lease",
        metavar="S",
        type=partial(number, limit=_DAY_S),
        default=_LEASE_S,
        help="seconds of the device's clock for which settings hold without contact (%(default)s)",
    )
    parser.add_argument(
        "--reconnect",
        metavar="S",
        type=partial(number, limit=_DAY_S),
        default=_RECONNECT_S,
        help="seconds to try to reconnect to a lost device (%(default)s)",
    )
    parser.add_argument("--log", metavar="FILE.jsonl", type=Path, help="write a JSON object for each epoch")
    add_output_formats(parser)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc govern`."""
    # Imported here: numpy takes long to load.
    from litemrc.cli.device.govern_decisions import GovernDecisions, Limits
    from litemrc.cli.device.govern_loop import GovernLoop, Request

    check_choices(args.cgroups)
    if args.log:
        check_output_path(args.log, (".jsonl",))
    runs = tuple(Run.parse(text) for text in args.runs)
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    @contextmanager
    def opened() -> Iterator[Device]:
        with open_device(args) as device:
            _prepare(device, args)
            yield device

    limits = Limits(args.memory, args.minimum, args.step, args.gain, args.epsilon)
    decisions = GovernDecisions(limits)
    request = Request(
        energy=args.energy,
        divide=args.memory is not None,
        cgroups=tuple(args.cgroups),
        dry_run=args.dry_run,
        epochs=args.epochs,
        runs=runs,
        lease_s=args.lease,
        reconnect_s=args.reconnect,
    )
    with _recorder(args.log, quiet=args.json or args.csv) as record:
        loop = GovernLoop(opened, decisions, request, record)
        try:
            loop.run()
        finally:
            _print_totals(loop.totals, args)
    return 0


def _prepare(device: Device, args: argparse.Namespace) -> None:
    if device.hello.system and not args.memory and (args.cgroups or not args.energy):
        what = "the memory to divide is unknown: the device has no pager"
        raise UserError(what, where=args.port, remedy="give --memory")
    page_bytes = 1 << device.hello.page_shift
    sizes = {"--memory": args.memory, "--minimum": args.minimum, "--step": args.step}
    for option, size in sizes.items():
        if size:
            size.pages(page_bytes, option)  # refused before anything is set
    if args.epoch_length:
        device.request("set_epoch", unit=args.epoch_unit, length=args.epoch_length)


@contextmanager
def _recorder(log: Path | None, *, quiet: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes the record of an epoch to the log and prints a new decision."""
    with ExitStack() as stack:
        file = stack.enter_context(log.open("wb", buffering=0)) if log else None

        def keep(record: dict[str, Any]) -> None:
            if file:
                try:
                    file.write(f"{json.dumps(record)}\n".encode())
                except OSError as error:
                    raise OutputError(f"cannot write: {error.strerror}", where=str(log)) from error
            if record["changed"] and not quiet:
                print(_decision_text(record), flush=True)

        yield keep


def _decision_text(record: dict[str, Any]) -> str:
    budgets = ", ".join(f"{context}: {pages:,}" for context, pages in record["budgets_pages"].items())
    return (
        f"epoch {record['epoch']}: budgets in pages {budgets or 'none'};"
        f" working set {record['working_set_groups']} groups"
    )


def _print_totals(totals: "Totals", args: argparse.Namespace) -> None:
    from litemrc.device.collecting.record_rows import task_totals

    tasks = task_totals(totals.tasks)
    if args.json:
        names = ("clock_hz", "epochs", "decisions", "links_lost")
        described = {name: getattr(totals, name) for name in names}
        print(json.dumps(described | {"tasks": tasks}))
        return
    if args.csv:
        print(csv_text(tasks))
        return
    print(f"{totals.epochs} epochs, {totals.decisions} decisions, {totals.links_lost} losses of the link")
    if not tasks:
        return
    rows = []
    for task in tasks:
        response = task["response_cycles"]
        counts = [task[name] for name in ("references", "faults", "zero_fills", "writes", "iterations")]
        rows.append(
            (
                str(task["context"]),
                *(f"{count:,}" for count in counts),
                "" if response is None else f"{1e3 * response / totals.clock_hz:.2f} ms",
            )
        )
        if task["damaged"]:
            warning(f"{task['damaged']} pages were read back damaged")
    headings = ("context", "references", "faults", "zero fills", "page writes", "iterations", "response time")
    print(text_table(headings, rows))
