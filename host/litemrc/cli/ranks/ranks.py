"""`litemrc ranks`: the power domains of a device: what they do and use, and who sends them to sleep."""

import argparse
import json
from dataclasses import asdict, replace
from typing import Any

from litemrc.cli.ranks.ranks_text import policy_text, ranks_json, ranks_text, shown, size_text
from litemrc.cli.shared.arguments import add_port_arguments
from litemrc.device import ranks
from litemrc.device.collecting.rank_rows import rank_table, watch_ranks
from litemrc.device.device import Device
from litemrc.device.ranks import Dram
from litemrc.energy.parts.files import choose_part
from litemrc.energy.parts.part import Part
from litemrc.errors import UserError

_EPILOG = """\
Without `set` or `policy` the epoch that runs is ended, and what the meter counted since the one before shown.

  litemrc ranks --port URL --watch
  litemrc ranks --port URL set --rank 1 --state self-refresh
  litemrc ranks --port URL policy mrc --mrc-base dynamic --thresholds 100:20000 --epsilon 0.01

A rank in self-refresh-partial keeps the data of a part of its array only (--keep). The device refuses that
for a rank with live pages; for the others it must be asked for with --allow-data-loss.
"""
_KEPT = {"all": 0, "half": 1, "quarter": 2, "eighth": 3}  # MR2 of DDR3, from the bottom


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc ranks`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser, required=False)
    parser.add_argument(
        "--part", metavar="NAME", help="the chips, else what the device says; see litemrc energy"
    )
    parser.add_argument("--watch", action="store_true", help="show every epoch from now on, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="print one JSON object, or one a line (--watch)")
    parser.set_defaults(action=_show)
    actions = parser.add_subparsers(metavar="set | policy")
    for name, purpose, declare in (
        ("set", "send a rank to a state", _add_set),
        ("policy", "say who sends ranks to sleep", _add_policy),
    ):
        action = actions.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        declare(action)
        # Behind the action as well as before it.
        action.add_argument("--port", metavar="URL", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action=_set)
    parser.add_argument("--rank", metavar="N", type=_whole, required=True, help="power domain, from 0")
    parser.add_argument("--state", choices=[shown(name) for name in ranks.power_states()], required=True)
    parser.add_argument(
        "--allow-data-loss", action="store_true", help="for self-refresh-partial: what is not kept is lost"
    )
    parser.add_argument(
        "--keep", choices=_KEPT, default="half", help="part of the array that is kept (%(default)s)"
    )


def _add_policy(parser: argparse.ArgumentParser) -> None:
    low = [shown(name) for name in ranks.power_states()[1:]]
    parser.set_defaults(action=_set_policy)
    parser.add_argument("policy", choices=ranks.rank_policies(), nargs="?", help="else it stays")
    parser.add_argument("--static-state", choices=low, help="state of idle ranks under static")
    parser.add_argument("--mrc-state", choices=low, help="state of ranks without a page of the working set")
    parser.add_argument(
        "--mrc-base", choices=[name for name in ranks.rank_policies() if name != "mrc"], help="of the others"
    )
    parser.add_argument(
        "--thresholds",
        metavar="A:B",
        type=_thresholds,
        help="idle clocks before power-down and before self-refresh under dynamic; 0: never",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--working-set", metavar="GROUPS", type=_whole, help="page groups of a working set")
    size.add_argument(
        "--epsilon", metavar="E", type=_fraction, help="find it anew each epoch: that fraction of hits beyond"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc ranks`."""
    if not args.port:
        raise UserError("no device is named", remedy="add --port URL, such as socket://localhost:1234")
    with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
        dram = ranks.get_dram(device)
        args.action(device, dram, args)
    return 0


def _show(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    part = _part(device, dram, args.part)
    policy, size = ranks.get_policy(device), ranks.get_working_set(device)
    if not args.json:
        print(policy_text(policy))
        print(f"working set: {size_text(size)}")
    if not args.watch:
        device.request("end_epoch")
    for rows in watch_ranks(device, dram):
        table = rank_table(device, dram, rows)
        if args.json:
            _print_json(ranks_json(table, part, policy, size))
        else:
            print(ranks_text(table, part), end="\n\n", flush=True)
        if not args.watch:
            return


def _part(device: Device, dram: Dram, name: str | None) -> Part | None:
    """The chips to reckon energy for; None where nothing is known of those that the device names."""
    try:
        return choose_part(name or dram.part, device.hello.clock_hz * dram.phases)
    except UserError:
        if name:
            raise
        return None


def _print_json(told: dict[str, Any]) -> None:
    print(json.dumps(told, allow_nan=False), flush=True)


def _set(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    state = _named(args.state)
    if state == "self_refresh_partial":
        if not args.allow_data_loss:
            raise UserError(
                f"rank {args.rank} would keep {args.keep} of its data only",
                remedy="add --allow-data-loss; or choose self-refresh, which keeps all",
            )
        ranks.set_loss(device, args.rank, allowed=True, part=_KEPT[args.keep])
    ranks.set_state(device, args.rank, state)
    until = "" if state == "awake" else " as soon as it is idle, until an access wakes it"
    if args.json:
        _print_json({"rank": args.rank, "state": args.state})
    else:
        print(f"rank {args.rank}: {args.state}{until}")


def _named(shown: str) -> str:
    return shown.replace("-", "_")


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a fraction from 0 to below 1")
    return value


def _thresholds(text: str) -> tuple[int, int]:
    first, colon, second = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not two numbers of clocks, such as 100:20000")
    return _whole(first), _whole(second)


def _set_policy(device: Device, dram: Dram, args: argparse.Namespace) -> None:
    policy, size = ranks.get_policy(device), ranks.get_working_set(device)
    given = {
        "policy": args.policy,
        "static_state": args.static_state and _named(args.static_state),
        "mrc_state": args.mrc_state and _named(args.mrc_state),
        "mrc_base": args.mrc_base,
        **dict(zip(("threshold_power_down", "threshold_self_refresh"), args.thresholds or (), strict=False)),
    }
    changed = replace(policy, **{name: value for name, value in given.items() if value is not None})
    if args.working_set is not None:
        size = ranks.set_working_set(device, replace(size, automatic=False, groups=args.working_set))
    if args.epsilon is not None:
        size = ranks.set_working_set(device, replace(size, automatic=True, epsilon=args.epsilon))
    policy = ranks.set_policy(device, changed) if changed != policy else policy
    if args.json:
        _print_json({**asdict(policy), "working_set": asdict(size)})
    else:
        print(policy_text(policy))
        print(f"working set: {size_text(size)}")
