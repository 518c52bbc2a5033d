# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc rightsize`: the smallest memory budget of a cgroup for a goal of slowdown, from one run."""

import argparse
import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import EPOCH_UNITS, add_output_formats, number, positive
from litemrc.cli.shared.device_options import add_port_arguments, open_device
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.plain_text import text_facts
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.cli.device.rightsize_observation import Observation
    from litemrc.policies.rightsizing.rightsize import Rightsize

_DAY_S = 86400.0
_EPILOG = """\
Slowdown is the time of the same work with the budget, relative to the time with all memory, less 1. It is
predicted: a context follows the cgroup for a window, and its curve, which refaults extend beyond the memory,
gives the refaults at each budget. The device measures what a refault costs, with the eviction that it forces.
No budget is changed. The cgroup must be in a [govern] line of the device's litemrcd.conf.

Use a window in which the program does its usual work several times: accesses to pages that it uses more
rarely are not known, and their number is printed as first accesses.

The exit code is 1 if no budget of the curve reaches the goal.

  litemrc rightsize /app/web --port /dev/ttyUSB1 --slowdown 5% --window 30
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc rightsize`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("cgroup", metavar="CGROUP", help="path from the root of cgroup v2, such as /app/web")
    add_port_arguments(parser)
    parser.add_argument(
        "--slowdown",
        metavar="SHARE",
        type=_share,
        default=0.05,
        help="largest slowdown: a share such as 0.05, or percent such as 5%% (%(default)s)",
    )
    seconds = partial(number, limit=_DAY_S)
    parser.add_argument(
        "--window", metavar="S", type=seconds, default=10.0, help="seconds to observe (%(default)g)"
    )
    parser.add_argument(
        "--warm-up",
        metavar="S",
        type=seconds,
        default=2.0,
        help="seconds before the window, in which the monitor learns the pages in use (%(default)g)",
    )
    parser.add_argument(
        "--epoch", metavar="S", type=seconds, default=0.1, help="seconds of an epoch (%(default)g)"
    )
    parser.add_argument(
        "--epoch-unit",
        choices=EPOCH_UNITS,
        default="cycles",
        help="cycles: seconds are those of the device's clock. accesses: the length of epochs is left"
        " unchanged, and seconds are those of the host's clock (%(default)s)",
    )
    parser.add_argument(
        "--fault-cost",
        metavar="US",
        type=partial(number, limit=1e9),
        help="cost of a refault in microseconds (default: the device measures it)",
    )
    parser.add_argument(
        "--epochs", metavar="N", type=positive, help="end the window after N epochs, too (no limit)"
    )
    add_output_formats(parser, csv=False)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc rightsize`."""
    # Imported here: numpy takes long to load.
    from litemrc.cli.device.rightsize_observation import Span, observe
    from litemrc.policies.rightsizing.rightsize import rightsize

    if not args.window or not args.epoch:
        raise UserError("a window or epoch of 0 s", where="--window, --epoch", remedy="give more than 0")
    span = Span(args.window, args.warm_up, args.epoch, args.epochs, by_host=args.epoch_unit == "accesses")
    with open_device(args) as device:
        seen = observe(device, args.cgroup, span, args.fault_cost, args.timeout)
    found = rightsize(seen.window, seen.cost, args.slowdown)
    described = _described(args, seen, found)
    if args.json:
        print(json.dumps(described))
    else:
        print(_text(described, seen.page_bytes))
    _comment(described)
    return 0 if found.pages is not None else 1


def _share(text: str) -> float:
    percent = text.endswith("%")
    value = number(text.removesuffix("%"), limit=1e6) / (100 if percent else 1)
    if not value:
        raise argparse.ArgumentTypeError(f"must be above 0, such as 0.05 or 5% (got {text!r})")
    return value


def _described(args: argparse.Namespace, seen: "Observation", found: "Rightsize") -> dict[str, Any]:
    cost = seen.cost
    return {
        "cgroup": args.cgroup,
        "context": seen.context,
        "goal": args.slowdown,
        "page_bytes": seen.page_bytes,
        "budget_pages": found.pages,
        "budget_band_pages": found.pages_band,
        "slowdown": found.slowdown,
        "slowdown_band": found.slowdown_band,
        "end_pages": found.end_pages,
        "beyond_end": found.beyond,
        "used_pages": seen.used_pages,
        "first_accesses": seen.first_accesses,
        "refaults": found.refaults,
        "epochs": int(seen.window.seconds.size),
        "epochs_lost": seen.epochs_lost,
        "seconds": float(seen.window.seconds.sum()),
        "work_seconds": found.work_seconds,
        "fault_cost_us": {
            "median": cost.median * 1e6,
            "low": cost.low * 1e6,
            "high": cost.high * 1e6,
        },
        "measured": asdict(seen.measured) if seen.measured else None,
    }


def _text(d: dict[str, Any], page_bytes: int) -> str:
    def size(pages: int | None) -> str:
        return f"beyond {d['end_pages']:,} pages" if pages is None else _size(pages, page_bytes)

    cost = d["fault_cost_us"]
    measured = d["measured"]
    where = f", measured over {measured['faults']:,} faults" if measured else ", as given"
    facts = {
        "cgroup": d["cgroup"],
        "goal": f"slowdown of at most {d['goal']:.1%}",
        "budget": size(d["budget_pages"]),
        "band of 90 %": " to ".join(size(pages) for pages in d["budget_band_pages"]),
        "predicted slowdown": f"{d['slowdown']:.2%} ({d['slowdown_band'][0]:.2%} to"
        f" {d['slowdown_band'][1]:.2%})" + ("" if d["budget_pages"] else ", with all pages of the curve"),
        "curve ends at": _size(d["end_pages"], page_bytes),
        "in use now": _size(d["used_pages"], page_bytes),
        "observed": f"{d['seconds']:g} s in {d['epochs']:,} epochs, {d['refaults']:,} refaults,"
        f" {d['first_accesses']:,} first accesses",
        "a refault costs": f"{cost['median']:,.0f} us ({cost['low']:,.0f} to {cost['high']:,.0f}){where}",
    }
    return text_facts(facts)


def _size(pages: int, page_bytes: int) -> str:
    return f"{pages:,} pages ({size_text(pages, page_bytes)})"


def _comment(d: dict[str, Any]) -> None:
    end = d["end_pages"]
    if d["budget_pages"] is None:
        warning(f"the goal needs more than {end:,} pages: the curve cannot tell how many")
    if d["beyond_end"]:
        warning(
            f"{d['beyond_end']:,} refaults have unknown distances, or larger ones than {end:,} pages: they"
            " are refaults in every prediction"
        )
    if d["epochs_lost"]:
        warning(f"{d['epochs_lost']} epochs were lost: their accesses are missing")
    if d["first_accesses"]:
        note(f"{d['first_accesses']:,} first accesses: pages used more rarely than the window are not known")
