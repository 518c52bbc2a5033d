# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc qemu --system --serve PORT`: the monitor of a machine in QEMU as a device on a port."""

import argparse
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.memory import MemorySize, memory_size
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.traces.arguments import caches_of, check_machine
from litemrc.curves.sizes import PAGE_BYTES, size_bytes
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.traces.qemu.monitored import DeviceSettings

# Of QEMU's boards called virt; the memory of others begins at 0.
_BASES = {"riscv32": 1 << 31, "riscv64": 1 << 31, "aarch64": 1 << 30, "arm": 1 << 30}
_DEFAULT_BYTES = 128 << 20  # of most of QEMU's machines


def add_device_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --serve and the options that need it."""
    device = parser.add_argument_group("a device, with --system")
    device.add_argument(
        "--serve",
        metavar="[HOST:]PORT",
        type=_address,
        help="serve the monitor's link, for --port socket://HOST:PORT of other commands; 0: any free port",
    )
    device.add_argument(
        "--memory", metavar="SIZE", type=memory_size, help="the machine's DRAM, up to 64G (as option -m says)"
    )
    device.add_argument(
        "--base",
        metavar="ADDRESS",
        type=lambda text: int(text, 0),
        help="where the DRAM begins (as on QEMU's boards virt; else 0)",
    )
    device.add_argument(
        "--contexts",
        choices=("spaces", "parts"),
        help="context of an access: its address space (QEMU 9 or later), or the part of the DRAM that it goes"
        " to, of as many equal parts as contexts (set by the register context)",
    )
    device.add_argument(
        "--record", metavar="FILE", help="record the monitor's input for the golden models (.npy)"
    )


def device_options(args: argparse.Namespace) -> list[str]:
    """Return the given options that need --serve."""
    given = {
        "--memory": args.memory,
        "--base": args.base,
        "--contexts": args.contexts,
        "--record": args.record,
    }
    return [name for name, value in given.items() if value is not None]


def serve_machine(args: argparse.Namespace) -> int:
    """Run the machine and serve its monitor until it ends."""
    from litemrc.device.bridge.bridge_link import BridgeLink
    from litemrc.device.bridge.layout import BridgeURL
    from litemrc.device.qemu.client import PluginBus
    from litemrc.device.qemu.server import MessageServer
    from litemrc.traces.qemu.counts import read_counts
    from litemrc.traces.qemu.monitored import Interrupts, Monitor, running_machine, wait

    _check(args)
    levels, _, _ = caches_of(args)
    monitor = Monitor(PAGE_BYTES, levels, None, fetches=False, contexts=args.contexts or "")
    bus = PluginBus()
    with (
        Interrupts() as interrupts,
        running_machine(
            args.command, monitor, device=_settings(args), control=bus.remote.fileno(), stdout=sys.stderr
        ) as machine,
    ):
        bus.started()
        soc = bus.wait_for_map(machine.folder / "map", lambda: machine.process.poll() is not None)
        if soc is None:
            wait(machine, interrupts)
            raise UserError(
                "the machine did not start", where=args.command[0], remedy="see the message above"
            )
        where = BridgeURL("", 0, soc.path)
        host, port = args.serve
        server = MessageServer(
            (host, port),
            lambda url: BridgeLink(url, where, bus, soc, bus.timeout_s, "qemu plugin"),
            failed=machine.process.terminate,
        )
        note(f"the monitor is at --port {server.url}")
        code = wait(machine, interrupts)
        server.close()
        bus.close()
        counts = read_counts(machine.folder, args.command[0])
    if server.failure:
        raise server.failure
    if code and interrupts.at is None:
        warning(f"the machine ended with exit code {code}")
    for each in counts:
        note(
            f"{each.references:,} references in {each.seconds:.1f} s; {each.in_dram:,} accesses reached the"
            f" DRAM, and {each.outside:,} went elsewhere"
        )
        for context, root in enumerate(each.roots[1:], 1):
            note(f"context {context}: page tables at {root:#x}")
    if not counts:
        warning("the plugin wrote no counts: the machine was killed")
    if interrupts.at is not None:
        raise KeyboardInterrupt
    return 0


def _check(args: argparse.Namespace) -> None:
    if not args.system:
        raise UserError("is for whole machines", where="--serve", remedy="add --system")
    check_machine(args)
    for option, given, why in (
        ("--json, --csv, --plot, --sizes", args.json or args.csv or args.plot or args.sizes, "take curves"),
        ("--epoch", args.epoch, "set epochs"),
        ("--sample-rate", args.sample_rate, "sample"),
        ("--frames, --groups", args.frames or args.groups, "have fixed sizes"),
        ("--page-size", args.page_size, "have pages of 4 KiB"),
    ):
        if given:
            raise UserError(
                f"a served device has commands for that: they {why}",
                where=option,
                remedy="drop it; see litemrc collect and litemrc device",
            )


def _settings(args: argparse.Namespace) -> "DeviceSettings":
    from litemrc.traces.qemu.monitored import DeviceSettings

    size: MemorySize | None = args.memory
    ram = size.pages(PAGE_BYTES) * PAGE_BYTES if size else _ram_bytes(args.command)
    architecture = args.command[0].rpartition("qemu-system-")[2]
    base = _BASES.get(architecture, 0) if args.base is None else args.base
    engine = "group" if args.engine == "exact" else args.engine
    record = str(Path(args.record).resolve()) if args.record else ""
    return DeviceSettings(engine, base, ram, record)


def _ram_bytes(command: list[str]) -> int:
    """Return the memory that QEMU's option -m gives, in bytes."""
    for word, value in pairwise(command):
        if word == "-m":
            found = re.match(r"(?:size=)?(\d+)([KMGT]?)", value)
            if found is None:
                raise UserError("the memory's size is not known", where=f"-m {value}", remedy="give --memory")
            return size_bytes(found[1] + (found[2] or "M"))
    return _DEFAULT_BYTES


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port, or HOST:PORT (got {text!r})")
    return host or "localhost", int(port)
