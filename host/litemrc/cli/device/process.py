"""`litemrc process`: whom the contexts of a device follow, and the memory budgets of its programs."""

import argparse
import json
import re
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from litemrc.cli.shared.arguments import add_port_arguments
from litemrc.curves.sizes import size_text
from litemrc.device.contexts import (
    Followed,
    follow,
    get_budget,
    get_followed,
    reclaim,
    set_budget,
)
from litemrc.device.device import Device
from litemrc.epochs.processes import KERNEL
from litemrc.errors import UserError

_EPILOG = """\
What is asked for is done in the order: --free, --follow, --budget, --reclaim; then all contexts are shown.
Each may be repeated. A budget is the memory of all programs of a context above which they are made to give
pages back (memory.high of its cgroup); only a context whose program the device started itself has one.

  litemrc process --port URL --follow 57 --free 2 --budget 1=512
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc process`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)

    def repeated(name: str, metavar: str, parse: Any, purpose: str) -> None:
        parser.add_argument(name, metavar=metavar, type=parse, action="append", default=[], help=purpose)

    repeated("--free", "CONTEXT", _number, "let a context follow nobody")
    repeated("--follow", "PID[:CONTEXT]", _pid, "have a context, else the first free one, follow a process")
    repeated("--budget", "CONTEXT=PAGES|none", _budget, "set the budget of a context's programs")
    repeated("--reclaim", "CONTEXT=PAGES", _pages, "have a context's programs give back pages now")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc process`."""
    with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
        if not device.hello.system:
            raise UserError(
                "the device has no operating system, so no processes",
                where=device.url,
                remedy="boot Linux on it; on bare metal each program is counted under its own context anyway",
            )
        _change(device, args)
        described = [_describe(device, context) for context in range(device.hello.contexts)]
        page_bytes = 1 << device.hello.page_shift
    if args.json:
        print(json.dumps({"port": args.port, "page_bytes": page_bytes, "contexts": described}))
    else:
        _print(described, page_bytes)
    return 0


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)


def _pid(text: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"([1-9]\d*)(?::(\d+))?", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a process, such as 57, or 57:2 for context 2")
    pid, context = match.groups()
    return int(pid), int(context) if context else None


def _pages(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)=([1-9]\d*)", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not CONTEXT=PAGES, such as 1=512")
    return int(match[1]), int(match[2])


def _budget(text: str) -> tuple[int, int | None]:
    context, is_none, _ = text.partition("=none")
    return (_number(context), None) if is_none and text.endswith("=none") else _pages(text)


def _change(device: Device, args: argparse.Namespace) -> None:
    for context in args.free:
        follow(device, context, 0)
    for pid, context in args.follow:
        follow(device, _first_free(device) if context is None else context, pid)
    for context, pages in args.budget:
        set_budget(device, context, pages)
    for context, pages in args.reclaim:
        reclaim(device, context, pages)


def _first_free(device: Device) -> int:
    for context in range(1, device.hello.contexts):
        if get_followed(device, context).state == "free":
            return context
    raise UserError("no context is free", where=device.url, remedy="let one go: --free CONTEXT")


def _describe(device: Device, context: int) -> dict[str, Any]:
    """A context as --json tells it; context 0 follows nobody ever."""
    followed = get_followed(device, context) if context else Followed(0, KERNEL, 0, "")
    budget = get_budget(device, context) if followed.state == "following" else None
    told = {"allowed": budget.allowed, "used": budget.used} if budget else None
    return asdict(followed) | {"budget_pages": told}


def _print(contexts: list[dict[str, Any]], page_bytes: int) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("context", "state", "pid", "name", "memory", "budget"):
        table.add_column(heading, justify="right" if heading in ("pid", "memory", "budget") else "left")
    for each in contexts:
        budget = each["budget_pages"]
        used, allowed = "", ""
        if budget:
            used = size_text(budget["used"], page_bytes)
            allowed = "none" if budget["allowed"] is None else size_text(budget["allowed"], page_bytes)
        pid = str(each["pid"]) if each["pid"] else ""
        table.add_row(str(each["context"]), each["state"], pid, each["comm"], used, allowed)
    Console(highlight=False, markup=False).print(table)
