# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc ranks`: the states, energy and power policy of a device's power domains."""

import argparse
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import POWER_STATES, RANK_POLICIES, add_output_formats, natural, spelled
from litemrc.cli.shared.device_options import add_port_arguments, add_take_argument, open_device
from litemrc.device import rank_commands
from litemrc.device.device import Device
from litemrc.device.rank_commands import Dram
from litemrc.errors import UserError

_EPILOG = """\
Without `set` or `policy` the running epoch is ended and its counters are shown. With --watch, --json prints
an object in each line, and --csv one header.

  litemrc ranks --port URL --watch
  litemrc ranks --port URL set --rank 1 --state self-refresh
  litemrc ranks --port URL policy mrc --mrc-base dynamic --thresholds 100:20000 --epsilon 0.01

A rank in self-refresh-partial keeps only the data of a part of its array (--keep). The device refuses this
state for a rank with live pages; for the others it requires --allow-data-loss.
"""
if TYPE_CHECKING:
    from litemrc.energy.parts.part import Part

_KEPT = {"all": 0, "half": 1, "quarter": 2, "eighth": 3}  # PASR field of MR2 of DDR3: the lower part


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc ranks`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser, required=False)
    parser.add_argument(
        "--part", metavar="NAME", help="DRAM part (default: as the device reports); see litemrc energy"
    )
    parser.add_argument("--watch", action="store_true", help="show every epoch from now on, until Ctrl-C")
    add_output_formats(parser)
    parser.set_defaults(action=_show)
    actions = parser.add_subparsers(metavar="set | policy")
    for name, purpose, declare in (
        ("set", "set the power state of a rank", _add_set),
        ("policy", "choose the policy that puts ranks to sleep", _add_policy),
    ):
        action = actions.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        declare(action)
        # These options are accepted after the action as well.
        action.add_argument("--port", metavar="URL", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        add_take_argument(action, again=True)
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        action.add_argument(
            "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_set)
    parser.add_argument("--rank", metavar="N", type=natural, required=True, help="power domain, from 0")
    parser.add_argument("--state", choices=[spelled(name) for name in POWER_STATES], required=True)
    parser.add_argument(
        "--allow-data-loss",
        action="store_true",
        help="self-refresh-partial: accept the loss of data that is not kept",
    )
    parser.add_argument(
        "--keep", choices=_KEPT, default="half", help="part of the array that is kept (%(default)s)"
    )


def _add_policy(parser: argparse.ArgumentParser) -> None:
    low = [spelled(name) for name in POWER_STATES[1:]]
    parser.set_defaults(action=_set_policy)
    parser.add_argument("policy", choices=RANK_POLICIES, nargs="?", help="policy (default: unchanged)")
    parser.add_argument("--static-state", choices=low, help="static: state of idle ranks")
    parser.add_argument(
        "--mrc-state", choices=low, help="mrc: state of ranks without a page of the working set"
    )
    parser.add_argument(
        "--mrc-base",
        choices=[name for name in RANK_POLICIES if name != "mrc"],
        help="mrc: policy of the other ranks",
    )
    parser.add_argument(
        "--thresholds",
        metavar="A:B",
        type=_thresholds,
        help="dynamic: idle cycles before power-down and before self-refresh; 0: never",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--working-set", metavar="GROUPS", type=natural, help="size of the working set in page groups"
    )
    size.add_argument(
        "--epsilon",
        metavar="E",
        type=_fraction,
        help="determine the working set in each epoch: at most this fraction of hits lies outside",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc ranks`."""
    if not args.port:
        raise UserError("--port is missing", remedy="add --port URL, such as socket://localhost:1234")
    if args.csv and args.action is not _show:
        raise UserError("--csv prints a table, but set and policy print none", remedy="use --json")
    with open_device(args) as device:
        dram = rank_commands.get_dram(device)
        args.action(device, dram, args)
    return 0


def _show(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    # Imported here: numpy takes long to load.
    from litemrc.cli.ranks.ranks_text import policy_text, ranks_json, ranks_rows, ranks_text, size_text
    from litemrc.cli.shared.results import csv_text
    from litemrc.device.collecting.record_rows import watch_ranks

    part = _part(device, dram, args.part)
    policy, size = rank_commands.get_policy(device), rank_commands.get_working_set(device)
    if not (args.json or args.csv):
        print(policy_text(policy))
        print(f"working set: {size_text(size)}")
    if not args.watch:
        device.request("end_epoch")
    headed = False
    for rows in watch_ranks(device):
        table = dram.table([rows], device.hello.clock_hz)
        if args.json:
            _print_json(ranks_json(table, part, policy, size))
        elif args.csv:
            lines = csv_text(ranks_rows(table, part)).splitlines()
            print("\n".join(lines[headed:]), flush=True)
            headed = True
        else:
            print(ranks_text(table, part), end="\n\n", flush=True)
        if not args.watch:
            return


def _part(device: Device, dram: Dram, name: str | None) -> "Part | None":
    """Return the part to compute energy for; None if the part that the device reports is unknown."""
    from litemrc.energy.parts.files import choose_part

    try:
        return choose_part(name or dram.part, device.hello.clock_hz * dram.phases)
    except UserError:
        if name:
            raise
        return None


def _print_json(described: dict[str, Any]) -> None:
    print(json.dumps(described, allow_nan=False), flush=True)


def _set(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    state = _named(args.state)
    if state == "self_refresh_partial":
        if not args.allow_data_loss:
            raise UserError(
                f"rank {args.rank} would keep only {args.keep} of its data",
                remedy="add --allow-data-loss, or choose self-refresh, which keeps all data",
            )
        rank_commands.set_loss(device, args.rank, allowed=True, part=_KEPT[args.keep])
    rank_commands.set_state(device, args.rank, state)
    until = "" if state == "awake" else " from the next idle cycle until an access wakes it"
    if args.json:
        _print_json({"rank": args.rank, "state": args.state})
    else:
        print(f"rank {args.rank}: {args.state}{until}")


def _named(shown: str) -> str:
    return shown.replace("-", "_")


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be a fraction from 0 to below 1 (got {text!r})")
    return value


def _thresholds(text: str) -> tuple[int, int]:
    first, colon, second = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"must be two numbers of cycles, such as 100:20000 (got {text!r})")
    return natural(first), natural(second)


def _set_policy(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    from litemrc.cli.ranks.ranks_text import policy_text, size_text

    policy, size = rank_commands.get_policy(device), rank_commands.get_working_set(device)
    given = {
        "policy": args.policy,
        "static_state": args.static_state and _named(args.static_state),
        "mrc_state": args.mrc_state and _named(args.mrc_state),
        "mrc_base": args.mrc_base,
        **dict(zip(("threshold_power_down", "threshold_self_refresh"), args.thresholds or (), strict=False)),
    }
    changed = replace(policy, **{name: value for name, value in given.items() if value is not None})
    if args.working_set is not None:
        size = rank_commands.set_working_set(device, replace(size, automatic=False, groups=args.working_set))
    if args.epsilon is not None:
        size = rank_commands.set_working_set(device, replace(size, automatic=True, epsilon=args.epsilon))
    policy = rank_commands.set_policy(device, changed) if changed != policy else policy
    if args.json:
        _print_json({**asdict(policy), "working_set": asdict(size)})
    else:
        print(policy_text(policy))
        print(f"working set: {size_text(size)}")
