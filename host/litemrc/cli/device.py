"""`litemrc device`: the parameters of a device, its version, and a self-test of the link."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from litemrc.cli.arguments import add_port_arguments
from litemrc.device.device import Device, EchoTest

_ECHOES = 32


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc device`."""
    parser.epilog = "The exit code is 1 if an echo of the self-test did not come back as it was sent."
    add_port_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc device`."""
    with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
        unit, length = device.request("get_epoch").values
        test = device.echo_test(_ECHOES)
        described = _describe(device, length, device.choice("set_epoch", "unit", unit), test)
    if args.json:
        print(json.dumps(described))
    else:
        _print(described)
    return 1 if test.failed else 0


def _describe(device: Device, length: int, unit: str, test: EchoTest) -> dict[str, Any]:
    hello = {
        name: value for name, value in asdict(device.hello).items() if name not in ("sequence", "request")
    }
    return {
        "port": device.url,
        **hello,
        "page_bytes": 1 << device.hello.page_shift,
        "epoch_length": length,
        "epoch_unit": unit,
        "self_test": asdict(test),
        "link": asdict(device.link_counts),
    }


def _print(described: dict[str, Any]) -> None:
    d = described
    test, link = d["self_test"], d["link"]
    mebibytes = d["frames"] * d["page_bytes"] / 2**20
    running = d["workloads"][d["running"] - 1] if d["running"] else "none"
    came_back = f"{test['echoes'] - test['failed']} of {test['echoes']} echoes came back unharmed"
    rows = {
        "port": d["port"],
        "versions": f"protocol {d['protocol']}, gateware {d['gateware']}",
        "clock": f"{d['clock_hz'] / 1e6:g} MHz",
        "memory watched": f"{mebibytes:g} MiB: {d['frames']} pages of {d['page_bytes']} bytes",
        "page groups": f"{d['groups']} of {d['frames'] // d['groups']} pages",
        "contexts": str(d["contexts"]),
        "stack engine": d["engine"],
        "input queue": f"{d['queue_depth']} accesses",
        "ranks": str(d["ranks"]),
        "epoch": f"{d['epoch_length']} {d['epoch_unit']}" if d["epoch_length"] else "no length set",
        "programs": ", ".join(d["workloads"]) or "none",
        "running": running,
        "link self-test": came_back
        + (
            f", median round trip {test['round_trip_ms']:.2f} ms" if test["round_trip_ms"] is not None else ""
        ),
        "link counts": f"{link['frames']} frames good, {link['damaged'] + link['oversized']} damaged, "
        f"{link['lost']} lost",
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows.items():
        table.add_row(name, value)
    Console(highlight=False, markup=False).print(table)
