"""`litemrc collect`: epochs from a device into a Parquet file; whatever stops it, what it has is kept."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from litemrc.cli.shared.arguments import add_epoch_arguments, add_port_arguments, add_run_argument, positive
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.rank_rows import rank_table
from litemrc.device.device import Device, printable
from litemrc.device.errors import LinkError
from litemrc.device.link.protocol import Message
from litemrc.device.ranks import get_dram
from litemrc.device.running import Run
from litemrc.epochs.files import EpochTable, read_epochs, write_epochs
from litemrc.errors import UserError
from litemrc.files.outputs import check_output_path
from litemrc.ranks.files import write_ranks
from litemrc.ranks.table import RankTable

_EXIT_TERMINATED = 143  # 128 + SIGTERM, as shells say it
_LINE_EVERY_S = 5.0

_EPILOG = """\
Ctrl-C saves what was collected and marks the file as interrupted. If FILE holds a complete collection, an
interrupted one does not replace it but goes beside it, as FILE.partial.parquet.

  litemrc collect --port socket://localhost:1234 --epochs 20 --run zipf --run loop:2 --out curves.parquet
"""


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM came; handled as Ctrl-C is, but for the exit code."""


def _stop_once(number: int, _: object) -> None:
    """End the collection; what comes after the first signal may not disturb the saving."""
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
        "--epochs", metavar="N", type=positive, required=True, help="epochs to collect, all contexts of each"
    )
    parser.add_argument("--out", metavar="FILE.parquet", type=Path, required=True, help="file to write")
    parser.add_argument(
        "--ranks", metavar="FILE.parquet", type=Path, help="write what the device meters of its ranks, too"
    )
    add_epoch_arguments(parser)
    add_run_argument(
        parser, "have the device run a program while collecting, which ends with the last program"
    )
    parser.add_argument(
        "--together",
        action="store_true",
        help="start all programs at once, where the device has an operating system",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc collect`."""
    for path in (args.out, args.ranks):
        if path:
            check_output_path(path)
    runs = [Run.parse(text) for text in args.runs]
    collector, dram, stopped, complete = None, None, None, False
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop_once)
    try:
        with Device.open(args.port, timeout_s=args.timeout, baud=args.baud) as device:
            dram = get_dram(device) if args.ranks else None
            _prepare_epochs(device, args)
            device.request("monitor", on=True)
            collector = Collector(device, dram)
            with _progress(args.epochs, args.port) as show:
                for message in collector.collect(args.epochs, runs, together=args.together):
                    show(collector.epochs, message)
            _ignore_signals()
            complete = True
    except (LinkError, KeyboardInterrupt) as error:
        _ignore_signals()
        stopped = error
    if complete or (collector and collector.rows):
        _save(args.out, collector.table(interrupted=not complete), collector.epochs, args.epochs)
        if dram:
            _save_ranks(args.ranks, rank_table(device, dram, collector.ranks.rows, interrupted=not complete))
    elif collector:
        print("litemrc: no epoch was collected, no file was written", file=sys.stderr)
    if complete:
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
            "the device has no epoch length: no epoch would ever end",
            where=device.url,
            remedy="give --epoch-length, or a program to --run",
        )


def _save(out: Path, table: EpochTable, epochs: int, wanted: int) -> None:
    """Write the table, but not over a better one."""
    if table.interrupted and _better(out, table):
        kept, out = out, out.with_name(f"{out.stem}.partial{out.suffix}")
        print(f"litemrc: {kept} holds more than this and is kept", file=sys.stderr)
    write_epochs(out, table)
    how = "interrupted: " if table.interrupted else ""
    of = "" if epochs >= wanted else f" of {wanted}"
    print(f"{how}{epochs}{of} epochs ({table.epoch.size} rows) saved in {out}")
    link = table.link_statistics
    lost = link["epoch_messages_lost"]
    print(
        f"link: {link['epoch_messages']} epoch messages received, {lost} lost; {link['frames']} frames good, "
        f"{link['damaged'] + link['oversized']} damaged, {link['lost']} lost"
    )
    if lost:
        print(f"litemrc: warning: {lost} epoch messages were lost on the link", file=sys.stderr)


def _save_ranks(out: Path, table: RankTable) -> None:
    if table.interrupted and out.exists():
        kept, out = out, out.with_name(f"{out.stem}.partial{out.suffix}")
        print(f"litemrc: {kept} is kept", file=sys.stderr)
    write_ranks(out, table)
    print(f"ranks of {table.epochs.size} epochs saved in {out}")


def _better(path: Path, table: EpochTable) -> bool:
    try:
        there = read_epochs(path)
    except UserError:  # nothing there, or nothing worth keeping
        return False
    return not there.interrupted or there.epoch.size > table.epoch.size


@contextmanager
def _progress(total: int, port: str) -> Iterator[Callable[[int, Message], None]]:
    """Show how many epochs there are: a bar on a terminal, else a line now and then; both on stderr."""
    console = Console(stderr=True)
    if not console.is_terminal:
        print(f"collecting {total} epochs from {port}", file=sys.stderr, flush=True)
        yield _plain_lines(total)
        return
    columns = TextColumn("epochs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=total)

        def show(epochs: int, message: Message) -> None:
            bar.update(task, completed=epochs)
            if text := _told(message):
                bar.console.print(text, markup=False, highlight=False)

        yield show


def _plain_lines(total: int) -> Callable[[int, Message], None]:
    due = time.monotonic() + _LINE_EVERY_S

    def show(epochs: int, message: Message) -> None:
        nonlocal due
        if text := _told(message):
            print(text, file=sys.stderr, flush=True)
        if time.monotonic() >= due:
            due = time.monotonic() + _LINE_EVERY_S
            print(f"{epochs} of {total} epochs", file=sys.stderr, flush=True)

    return show


def _told(message: Message) -> str:
    """What the device says to the user."""
    return f"device: {message.level}: {printable(message.line)}" if message.name == "log" else ""
