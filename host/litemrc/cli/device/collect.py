# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc collect`: write epochs of a device to a Parquet file; an interrupted collection is saved, too."""

import argparse
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats, positive
from litemrc.cli.shared.device_options import (
    add_epoch_arguments,
    add_port_arguments,
    add_run_argument,
    open_device,
)
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.progress import counting
from litemrc.device.device import Device
from litemrc.device.errors import LinkError
from litemrc.device.link.protocol import Message
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.device.collecting.collector import Collector
    from litemrc.epochs.table import EpochTable
    from litemrc.ranks.table import RankTable

_EXIT_TERMINATED = 143  # 128 + SIGTERM, as shells report it

_EPILOG = """\
Ctrl-C saves the epochs collected so far and marks the files as interrupted. An interrupted collection does
not replace a complete one: it is saved as FILE.partial.parquet.

Where the device counts reads and writes apart (litemrc device --split), the table has the counters of both,
and its curves are their sums; litemrc curve shows both.

  litemrc collect --port socket://localhost:1234 --epochs 20 --run zipf --run loop:2 --out curves.parquet
"""


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM was received; it is handled like Ctrl-C, except for the exit code."""


def _stop_once(number: int, _: object) -> None:
    """End the collection; further signals must not interrupt the saving."""
    _ignore_signals()
    raise _TerminatedError if number == signal.SIGTERM else KeyboardInterrupt


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc collect`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    parser.add_argument(
        "--epochs", metavar="N", type=positive, required=True, help="number of epochs to collect"
    )
    add_out_argument(parser, "epoch table to write", metavar="FILE.parquet")
    parser.add_argument(
        "--ranks", metavar="FILE.parquet", type=Path, help="also write the rank counters of the device"
    )
    parser.add_argument(
        "--traffic",
        metavar="FILE.parquet",
        type=Path,
        help="also write the DRAM commands of each epoch and bank, for litemrc traffic",
    )
    parser.add_argument(
        "--pages",
        metavar="FILE.parquet",
        type=Path,
        help="also write the pages accessed in each epoch, for litemrc heatmap",
    )
    parser.add_argument(
        "--hot",
        metavar="FILE.parquet",
        type=Path,
        help="also write the hot pages of each epoch; hot pages are turned on (settings: litemrc device)",
    )
    add_epoch_arguments(parser)
    add_run_argument(parser, "run a program on the device; the collection ends with the last program")
    parser.add_argument(
        "--together",
        action="store_true",
        help="start all programs at once (needs an operating system on the device)",
    )
    add_output_formats(parser, csv=False)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc collect`."""
    # Imported here: numpy takes long to load.
    from litemrc.cli.device.page_files import PageFiles
    from litemrc.device.collecting.collector import Collector
    from litemrc.device.rank_commands import get_dram

    for path in (args.out, args.ranks, args.traffic, args.pages, args.hot):
        if path:
            check_output_path(path)
    runs = [Run.parse(text) for text in args.runs]
    collector: Collector | None = None
    stopped: LinkError | KeyboardInterrupt | None = None
    dram, complete, files = None, False, PageFiles(args.pages, args.hot)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop_once)
    try:
        with (
            open_device(args) as device,
            files.selected(device) as messages,
        ):
            dram = get_dram(device) if args.ranks else None
            if args.traffic and not device.hello.banks:
                raise UserError(
                    "the device does not count DRAM commands",
                    where=device.url,
                    remedy="leave --traffic out, or update its gateware",
                )
            _prepare_epochs(device, args)
            device.start_counting()
            collector = Collector(device, dram, messages, traffic=bool(args.traffic))
            note(f"collecting {args.epochs} epochs from {device.url}")
            with counting("epochs", args.epochs) as show:
                for message in collector.collect(args.epochs, runs, together=args.together):
                    files.take(collector)
                    show(collector.epochs, _log_text(message))
            _ignore_signals()
            complete = True
    except (LinkError, KeyboardInterrupt) as error:
        _ignore_signals()
        stopped = error
    if collector and (complete or collector.counts):
        saved = _save(args.out, collector.table(interrupted=not complete))
        saved |= {"epochs": collector.epochs, "requested_epochs": args.epochs, "ranks": None}
        saved["traffic"] = None
        if dram and collector.ranks is not None:
            ranks = dram.table(collector.ranks, device.hello.clock_hz, interrupted=not complete)
            saved["ranks"] = _save_ranks(args.ranks, ranks)
        if args.traffic:
            clock_hz = device.hello.clock_hz
            saved["traffic"] = _save_traffic(args.traffic, collector, clock_hz, interrupted=not complete)
        saved |= files.save(interrupted=not complete)
        print(json.dumps(saved) if args.json else _saved_text(saved), flush=True)
    elif collector:
        warning("no epoch was collected, no file was written")
    if complete or stopped is None:
        return 0
    if isinstance(stopped, _TerminatedError):
        return _EXIT_TERMINATED
    raise stopped


def _prepare_epochs(device: Device, args: argparse.Namespace) -> None:
    if args.epoch_length:
        device.request("set_epoch", unit=args.epoch_unit, length=args.epoch_length)
        return
    _, length = device.request("get_epoch").values
    if not length and not args.runs:
        raise UserError(
            "the device has no epoch length, so its epochs never end",
            where=device.url,
            remedy="add --epoch-length, or a program with --run",
        )


def _save(out: Path, table: "EpochTable") -> dict[str, Any]:
    """Write the table, but not over a more complete one; return what --json prints."""
    from litemrc.epochs.files import write_epochs  # pyarrow takes long to load

    if table.interrupted and _better(out, table):
        kept, out = out, out.with_name(f"{out.stem}.partial{out.suffix}")
        warning(f"{kept} is kept: it holds more epochs")
    write_epochs(out, table)
    if lost := table.link_statistics["epoch_messages_lost"]:
        warning(f"{lost} epochs were lost on the link")
    return {
        "out": str(out),
        "rows": table.epoch.size,
        "interrupted": table.interrupted,
        "link": table.link_statistics,
    }


def _saved_text(saved: dict[str, Any]) -> str:
    how = "interrupted: " if saved["interrupted"] else ""
    early = saved["epochs"] < saved["requested_epochs"]
    of = f" of {saved['requested_epochs']}" if early else ""
    ended = "; the programs ended before" if early and not saved["interrupted"] else ""
    link = saved["link"]
    lines = [
        f"{how}{saved['epochs']}{of} epochs ({saved['rows']} rows) saved in {saved['out']}{ended}",
        f"link: {link['epoch_messages']} epochs received, {link['epoch_messages_lost']} lost; "
        f"{link['frames']} intact frames, {link['damaged'] + link['oversized']} damaged, {link['lost']} lost",
    ]
    others = {"ranks": "ranks", "traffic": "DRAM commands", "pages": "pages accessed", "hot": "hot pages"}
    return "\n".join(
        lines + [f"{what} saved in {saved[name]}" for name, what in others.items() if saved[name]]
    )


def _save_ranks(out: Path, table: "RankTable") -> str:
    from litemrc.ranks.files import write_ranks

    out = _free_path(out, interrupted=table.interrupted)
    write_ranks(out, table)
    return str(out)


def _save_traffic(out: Path, collector: "Collector", clock_hz: int, *, interrupted: bool) -> str:
    from litemrc.epochs.traffic_files import TrafficTable, write_traffic

    epochs, traffic = zip(*collector.traffic or (), strict=True) if collector.traffic else ((), ())
    out = _free_path(out, interrupted=interrupted)
    write_traffic(
        out, TrafficTable(clock_hz=clock_hz, epochs=epochs, traffic=traffic, interrupted=interrupted)
    )
    return str(out)


def _free_path(out: Path, *, interrupted: bool) -> Path:
    """Return where a table is written: an interrupted collection does not replace a file."""
    if not interrupted or not out.exists():
        return out
    warning(f"{out} is kept")
    return out.with_name(f"{out.stem}.partial{out.suffix}")


def _better(path: Path, table: "EpochTable") -> bool:
    from litemrc.epochs.files import read_epochs

    try:
        existing = read_epochs(path)
    except UserError:  # no file, or not an epoch table
        return False
    return not existing.interrupted or existing.epoch.size > table.epoch.size


def _log_text(message: Message) -> str:
    """Return a log message of the device as text; empty for other messages."""
    return f"device: {message.level}: {printable(message.line)}" if message.name == "log" else ""
