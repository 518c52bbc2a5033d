# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc device`: the parameters, settings and versions of a device, and a self-test of the link."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from litemrc.cli.device.hot_options import add_hot_arguments, frame_range, hot_text, set_hot_options
from litemrc.cli.shared.arguments import add_output_formats, sample_rate
from litemrc.cli.shared.device_options import add_port_arguments, open_device
from litemrc.cli.shared.plain_text import text_facts
from litemrc.curves.sizes import size_text
from litemrc.device.device import Device, EchoTest, system_text
from litemrc.device.hot import HotSettings, get_hot
from litemrc.device.link.schema import version_text
from litemrc.device.running import get_split
from litemrc.texts import printable

_ECHOES = 32
_ON_OR_OFF = argparse.BooleanOptionalAction
_EPILOG = """\
--range, --sample-rate, --split and the settings of hot pages invalidate every page and restart the running
epoch. Split: the writes to the pages of context c count in context c + contexts / 2, and a curve of both is
their sum.
The exit code is 1 if an echo of the self-test was lost or damaged.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc device`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    settings = parser.add_argument_group("settings", "a setting that is not given stays unchanged")
    settings.add_argument(
        "--range",
        metavar="A:B",
        type=frame_range,
        help="count only the accesses to frames A to B (0: selects all)",
    )
    settings.add_argument(
        "--sample-rate",
        metavar="R",
        type=sample_rate,
        help="share of the pages to sample: 1, 1/2, 1/4 ..., or fewer if the device requires it",
    )
    settings.add_argument("--freeze", action=_ON_OR_OFF, help="update the stacks but count no access")
    settings.add_argument(
        "--single-shot", action=_ON_OR_OFF, help="freeze at the end of the epoch, until --arm"
    )
    settings.add_argument("--split", action=_ON_OR_OFF, help="count reads and writes apart")
    settings.add_argument("--arm", action="store_true", help="continue after a single shot")
    add_hot_arguments(parser)
    add_output_formats(parser, csv=False)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc device`."""
    with open_device(args) as device:
        _set(device, args)
        test = device.echo_test(_ECHOES)
        described = _describe(device, test)
    if args.json:
        print(json.dumps(described))
    else:
        print(_text(described))
    return 1 if test.failed else 0


def _set(device: Device, args: argparse.Namespace) -> None:
    if args.range:
        lower, upper = args.range
        device.request("set_range", lower=lower, upper=device.hello.frames - 1 if upper is None else upper)
    if args.sample_rate is not None:
        device.request("set_sampling", sampling=args.sample_rate)
    for name in ("single_shot", "freeze"):
        if getattr(args, name) is not None:
            device.request(name, on=getattr(args, name))
    if args.split is not None:
        device.request("set_split", on=args.split)
    set_hot_options(device, args)
    if args.arm:
        device.request("arm")


def _describe(device: Device, test: EchoTest) -> dict[str, Any]:
    unit, length = device.request("get_epoch").values
    lower, upper = device.request("get_range").values
    sampling, scale_log2 = device.request("get_sampling").values
    freeze, single_shot, frozen = map(bool, device.request("get_freeze").values)
    names = [field.name for field in device.hello.body if field.name != "request"]
    return {
        "port": device.url,
        **{name: getattr(device.hello, name) for name in names},
        "features": sorted(device.hello.features),
        "page_bitmap": device.hello.page_bitmap,
        "page_bytes": device.page_bytes,
        "peak_bandwidth": device.hello.access_bytes * device.hello.clock_hz or None,
        "epoch_length": length,
        "epoch_unit": device.choice("set_epoch", "unit", unit),
        "range_lower": lower,
        "range_upper": upper,
        "sampling": sampling,
        "scale_log2": scale_log2,
        "freeze": freeze,
        "single_shot": single_shot,
        "frozen": frozen,
        "split": get_split(device),
        "hot": asdict(get_hot(device)) if device.hello.hot_pages else None,
        "self_test": asdict(test),
        "link": asdict(device.link_counts),
    }


def _counting(d: dict[str, Any]) -> str:
    if d["freeze"]:
        return "frozen (--no-freeze)"
    if d["frozen"]:
        return "frozen by a single shot (--arm)"
    return "until the end of the epoch (--single-shot)" if d["single_shot"] else "on"


def _dram(d: dict[str, Any]) -> str:
    """Return the banks whose commands are counted, and the peak of the bandwidth where it is known."""
    if not d["banks"]:
        return "not counted"
    from litemrc.epochs.traffic import bandwidth_text  # numpy takes long to load

    banks = f"counted, in {d['banks']} bank{'s' if d['banks'] > 1 else ''}"
    if not d["peak_bandwidth"]:
        return banks
    return f"{banks}; {d['access_bytes']} bytes in a cycle, at most {bandwidth_text(d['peak_bandwidth'])}"


def _later_text(link: dict[str, int]) -> str:
    """Return what a device of a later minor version sent that this host does not know."""
    if not link["unknown"] + link["skipped"]:
        return ""
    return f"; {link['unknown']} messages and {link['skipped']} options of a later version skipped"


def _text(d: dict[str, Any]) -> str:
    test, link = d["self_test"], d["link"]
    running = [name for bit, name in enumerate(d["workloads"]) if d["running"] >> bit & 1]
    self_test = f"{test['echoes'] - test['failed']} of {test['echoes']} echoes intact"
    if test["round_trip_ms"] is not None:
        self_test += f", median round trip {test['round_trip_ms']:.2f} ms"
    facts = {
        "port": d["port"],
        "versions": f"protocol {version_text(d['protocol'])}, gateware {d['gateware']}",
        "identifier": printable(d["identifier"]) or "none",
        "operating system": system_text(d["system"], d["driver"], d["abi"]),
        "clock": f"{d['clock_hz'] / 1e6:g} MHz",
        "monitored memory": f"{size_text(d['frames'], d['page_bytes'])}: {d['frames']} pages of"
        f" {d['page_bytes']} bytes",
        "range": f"frames {d['range_lower']} to {d['range_upper']}: "
        + size_text(d["range_upper"] - d["range_lower"] + 1, d["page_bytes"]),
        "sampling": f"1 page of {1 << d['scale_log2']}"
        if d["scale_log2"]
        else "off: every page is monitored",
        "page groups": f"{d['groups']} of {d['pages'] // d['groups'] << d['scale_log2']} pages",
        "contexts": str(d["contexts"]),
        "stack engine": f"{d['engine']}, {d['pages']} pages, filter of {d['recent_pages']} recent pages",
        "input queue": f"{d['queue_depth']} accesses",
        "ranks": str(d["ranks"]),
        "DRAM commands": _dram(d),
        "epoch": f"{d['epoch_length']} {d['epoch_unit']}" if d["epoch_length"] else "length not set",
        "counting": _counting(d),
        "reads and writes": "counted apart (--no-split)" if d["split"] else "counted together",
        "page bitmap": "yes" if d["page_bitmap"] else "none",
        "hot pages": hot_text(HotSettings(**d["hot"]) if d["hot"] else None),
        "features": ", ".join(d["features"]) or "none",
        "programs": ", ".join(d["workloads"]) or "none",
        "running": ", ".join(running) or "none",
        "link self-test": self_test,
        "link counts": f"{link['frames']} intact frames, {link['damaged'] + link['oversized']} damaged, "
        f"{link['lost']} lost" + _later_text(link),
    }
    return text_facts(facts)
