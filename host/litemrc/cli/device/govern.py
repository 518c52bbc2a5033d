"""`litemrc govern`: every epoch curves in, and memory budgets and sizes of working sets out."""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from litemrc.cli.device.govern_decisions import GovernDecisions
from litemrc.cli.device.govern_loop import Account, GovernLoop, Orders
from litemrc.cli.shared.arguments import add_epoch_arguments, add_port_arguments, add_run_argument, positive
from litemrc.device.collecting.tasks import task_totals
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path
from litemrc.policies.allocation.governor_parameters import GovernorParameters

_LEASE_S = 2.0
_RECONNECT_S = 30.0

_EPILOG = """\
Budgets: each epoch the curves of all contexts, aged by their own accesses, say how memory is best divided
between the tasks of a bare-metal device's pager, or the programs that a device with an operating system has
started. Utility is end performance: hit ratio times reference rate.

--energy: the smallest working set within epsilon of the best hit ratio; ranks that hold no page of it sleep.

The device obeys for the length of a lease, which every epoch prolongs. If the link is lost, it goes back to
its own settings by itself and says so; here the device is looked for and governed again. At the end, and on
Ctrl-C, it is given back at once. An access to a rank that sleeps wakes it, whatever was decided.

  litemrc govern --port socket://localhost:1234 --run pair:1:3 --epoch-length 300000 \\
    --epoch-unit cycles --log decisions.jsonl
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc govern`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    parser.add_argument("--energy", action="store_true", help="govern the power of the ranks, too")
    parser.add_argument("--dry-run", action="store_true", help="decide, but set no budget, no rank policy")
    parser.add_argument(
        "--epochs", metavar="N", type=positive, help="end after N epochs (else with the programs, or Ctrl-C)"
    )
    add_epoch_arguments(parser)
    add_run_argument(parser, "have the device run a program meanwhile")
    parser.add_argument(
        "--memory", metavar="PAGES", type=positive, help="memory to divide (what the device's pager says)"
    )
    parser.add_argument(
        "--minimum",
        metavar="PAGES",
        type=positive,
        default=GovernorParameters.minimum_pages,
        help="that nobody goes below (%(default)s)",
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        type=float,
        default=GovernorParameters.epsilon,
        help="--energy: miss ratio that a working set may cost (%(default)s)",
    )
    parser.add_argument(
        "--lease",
        metavar="S",
        type=float,
        default=_LEASE_S,
        help="seconds of the device's clock that it obeys in silence (%(default)s)",
    )
    parser.add_argument(
        "--reconnect",
        metavar="S",
        type=float,
        default=_RECONNECT_S,
        help="seconds to look for a device that was lost (%(default)s)",
    )
    parser.add_argument("--log", metavar="FILE.jsonl", type=Path, help="write a JSON object for each epoch")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end, nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc govern`."""
    if args.log:
        check_output_path(args.log, (".jsonl",))
    runs = tuple(Run.parse(text) for text in args.runs)
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    @contextmanager
    def opened() -> Iterator[Device]:
        with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
            _prepare(device, args)
            yield device

    decisions = GovernDecisions(memory=args.memory, minimum=args.minimum, epsilon=args.epsilon)
    orders = Orders(
        energy=args.energy,
        divide=args.memory is not None,
        dry_run=args.dry_run,
        epochs=args.epochs,
        runs=runs,
        lease_s=args.lease,
        reconnect_s=args.reconnect,
    )
    with _noted(args.log, quiet=args.json) as note:
        loop = GovernLoop(opened, decisions, orders, note)
        try:
            loop.run()
        finally:
            _print_account(loop.account, as_json=args.json)
    return 0


def _prepare(device: Device, args: argparse.Namespace) -> None:
    if device.hello.system and not args.memory and not args.energy:
        what = "nobody says how much memory there is to divide"
        raise UserError(what, where=args.port, remedy="give --memory")
    if args.epoch_length:
        device.request("set_epoch", unit=args.epoch_unit, length=args.epoch_length)


@contextmanager
def _noted(log: Path | None, *, quiet: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Writes each epoch's record into the log as it comes, and says what was decided anew."""
    with ExitStack() as stack:
        file = stack.enter_context(log.open("w", encoding="utf-8")) if log else None

        def note(record: dict[str, Any]) -> None:
            if file:
                print(json.dumps(record), file=file, flush=True)
            if record["changed"] and not quiet:
                print(_decision_text(record), flush=True)

        yield note


def _decision_text(record: dict[str, Any]) -> str:
    budgets = ", ".join(f"{context}: {pages:,}" for context, pages in record["budgets_pages"].items())
    return (
        f"epoch {record['epoch']}: budgets in pages {budgets or 'none'};"
        f" working set {record['working_set_groups']} groups"
    )


def _print_account(account: Account, *, as_json: bool) -> None:
    totals = task_totals(account.tasks)
    if as_json:
        names = ("clock_hz", "epochs", "decisions", "links_lost")
        told = {name: getattr(account, name) for name in names}
        print(json.dumps(told | {"tasks": [vars(total) for total in totals]}))
        return
    print(f"{account.epochs} epochs, {account.decisions} decisions, {account.links_lost} losses of the link")
    if not totals:
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("context", "references", "faults", "zero fills", "writes", "iterations", "response"):
        table.add_column(heading, justify="right")
    for total in totals:
        response = total.response_cycles
        table.add_row(
            str(total.context),
            *(f"{n:,}" for n in (total.references, total.faults, total.zero_fills, total.writes)),
            f"{total.iterations:,}",
            "" if response is None else f"{1e3 * response / account.clock_hz:.2f} ms",
        )
        if total.damaged:
            print(f"litemrc: warning: {total.damaged} pages came back damaged", file=sys.stderr)
    Console(highlight=False, markup=False).print(table)
