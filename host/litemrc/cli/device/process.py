# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc process`: which process each context tracks, and the memory budgets of programs."""

import argparse
import json
import re
from dataclasses import asdict
from typing import Any

from litemrc.cli.shared.arguments import add_output_formats, natural
from litemrc.cli.shared.device_options import add_port_arguments, open_device
from litemrc.cli.shared.memory import MemorySize, memory_size
from litemrc.cli.shared.plain_text import text_table
from litemrc.cli.shared.results import csv_text
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
The options take effect in the order --free, --follow, --budget, --reclaim; then all contexts are shown. Each
may be repeated. A budget limits the memory of all programs of a context, and guarantees it (memory.high and
memory.low of the cgroup). Only a context whose program the device itself started has a budget that this
command can set; those of other cgroups need a lease: litemrc govern. SIZE is pages, such as 512, or bytes
with a unit, such as 2M.

  litemrc process --port URL --follow 57 --free 2 --budget 1=512
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc process`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)

    def repeated(name: str, metavar: str, parse: Any, purpose: str) -> None:
        parser.add_argument(name, metavar=metavar, type=parse, action="append", default=[], help=purpose)

    repeated("--free", "CONTEXT", natural, "stop tracking a process in a context")
    repeated("--follow", "PID[:CONTEXT]", _pid, "track a process in a context (default: the first free one)")
    repeated("--budget", "CONTEXT=SIZE|none", _budget, "set the budget of a context's programs")
    repeated("--reclaim", "CONTEXT=SIZE", _size, "reclaim memory of a context's programs now")
    add_output_formats(parser)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc process`."""
    with open_device(args) as device:
        if not device.hello.system:
            raise UserError(
                "the device has no operating system, hence no processes",
                where=device.url,
                remedy="boot Linux on it; on bare metal each program already has its own context",
            )
        _change(device, args)
        described = [_describe(device, context) for context in range(device.hello.contexts)]
        page_bytes = device.page_bytes
    if args.json:
        print(json.dumps({"port": args.port, "page_bytes": page_bytes, "contexts": described}))
    elif args.csv:
        print(csv_text(_row(each) for each in described))
    else:
        print(_text(described, page_bytes))
    return 0


def _pid(text: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"([1-9]\d*)(?::(\d+))?", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"must be PID or PID:CONTEXT, such as 57 or 57:2 (got {text!r})")
    pid, context = match.groups()
    return int(pid), int(context) if context else None


def _size(text: str) -> tuple[int, MemorySize]:
    context, equals, size = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be CONTEXT=SIZE, such as 1=512 or 1=2M (got {text!r})")
    return natural(context), memory_size(size)


def _budget(text: str) -> tuple[int, MemorySize | None]:
    context, equals, size = text.partition("=")
    return (natural(context), None) if equals and size == "none" else _size(text)


def _change(device: Device, args: argparse.Namespace) -> None:
    page_bytes = device.page_bytes
    budgets = [(context, size and size.pages(page_bytes, "--budget")) for context, size in args.budget]
    reclaims = [(context, size.pages(page_bytes, "--reclaim")) for context, size in args.reclaim]
    for context in args.free:
        follow(device, context, 0)
    for pid, context in args.follow:
        follow(device, _first_free(device) if context is None else context, pid)
    for context, pages in budgets:
        set_budget(device, context, pages)
    for context, pages in reclaims:
        reclaim(device, context, pages)


def _first_free(device: Device) -> int:
    for context in range(1, device.hello.contexts):
        if get_followed(device, context).state == "free":
            return context
    raise UserError("no context is free", where=device.url, remedy="free one with --free CONTEXT")


def _describe(device: Device, context: int) -> dict[str, Any]:
    """Return a context as --json prints it; context 0 never tracks a process."""
    followed = get_followed(device, context) if context else Followed(0, KERNEL, 0, "")
    budget = get_budget(device, context) if followed.state == "following" else None
    pages = {"allowed": budget.allowed, "used": budget.used} if budget else None
    return asdict(followed) | {"budget_pages": pages}


def _row(described: dict[str, Any]) -> dict[str, Any]:
    """Return a context as a row of --csv; a context without a budget has empty fields."""
    budget = described.pop("budget_pages") or {"allowed": None, "used": None}
    return described | {"used_pages": budget["used"], "budget_pages": budget["allowed"]}


def _text(contexts: list[dict[str, Any]], page_bytes: int) -> str:
    rows = []
    for each in contexts:
        budget = each["budget_pages"]
        used, allowed = "", ""
        if budget:
            used = size_text(budget["used"], page_bytes)
            allowed = "none" if budget["allowed"] is None else size_text(budget["allowed"], page_bytes)
        pid = str(each["pid"]) if each["pid"] else ""
        rows.append((str(each["context"]), each["state"], pid, each["comm"], used, allowed))
    return text_table(("context", "state", "pid", "name", "memory", "budget"), rows, left=4)
