# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc hot --rows`: the rows of a device's DRAM with the most ACTIVATEs in a refresh window."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from litemrc.cli.shared.device_options import open_device
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import hot_list
from litemrc.device.device import Device
from litemrc.device.errors import LinkError
from litemrc.device.hot import OF_ROWS, get_hot, page_messages, set_hot
from litemrc.device.link.schema import schema
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.pages.hot_lists import HotList

WINDOW_MS = 64  # in which DRAM refreshes every row once (JESD79: up to 85 degrees)
_SHOWN = 16  # rows of a table
_CYCLES_MAX = (1 << 32) - 1


def watch_rows(args: argparse.Namespace) -> int:
    """Show the rows of the device at `args.port`: until `args.epochs` or its programs have ended."""
    runs = [Run.parse(text) for text in args.runs]
    with open_device(args) as device:
        if not device.hello.row_bytes:
            raise UserError(
                "the device cannot list rows of the DRAM",
                where=device.url,
                remedy="build its monitor with hot_pages and the counts of DRAM commands",
            )
        with (
            _rows_counted(device, args),
            page_messages(device, hot=True) as messages,
        ):
            device.start_counting()
            collector = Collector(device)
            row_bytes, base = device.hello.row_bytes, messages.base_address
            for message in collector.collect(args.epochs, runs):
                del collector.counts[:-1]  # or memory would grow
                if message.name != "epoch" or int(message.record.head["row_bytes"]) != row_bytes:
                    continue
                if rows := hot_list(message.record):
                    text = _json(rows, row_bytes) if args.json else _table(rows, row_bytes, base)
                    print(text, flush=True)
    return 0


@contextmanager
def _rows_counted(device: Device, args: argparse.Namespace) -> Iterator[None]:
    """ACTIVATEs are counted, and an epoch is a refresh window; both are as before at the end.

    Except that a device refuses epochs without a length: if there was none, the window's stays.
    """
    before = get_hot(device)
    unit, length = device.numbers(device.request("get_epoch"), 2)
    hello, window_ms = device.hello, args.window or WINDOW_MS
    cycles = hello.clock_hz * window_ms // 1000
    if not 0 < cycles <= _CYCLES_MAX:
        raise UserError(
            f"a window of {window_ms} ms has {cycles} cycles of the device",
            where=device.url,
            remedy=f"give --window 1 to {_CYCLES_MAX * 1000 // hello.clock_hz}",
        )
    wanted = replace(
        before,
        enable=OF_ROWS,
        always_on=False,
        wanted=args.k or before.wanted,
        threshold=args.threshold or before.threshold,
        lower=0,
        upper=(hello.frames << hello.page_shift) // hello.row_bytes - 1,
    )
    device.request("set_epoch", unit="cycles", length=cycles)
    try:
        set_hot(device, wanted)
        note(f"ACTIVATEs of rows, epochs of {window_ms} ms; every page is invalid, and the epoch restarted")
        yield
    finally:
        with suppress(LinkError):  # the device may be gone
            set_hot(device, before)
            if length:
                units = {number: name for name, number in schema().enums["epoch_unit"].items()}
                device.request("set_epoch", unit=units[unit], length=length)


def _json(rows: HotList, row_bytes: int) -> str:
    return json.dumps(
        {
            "epoch": rows.epoch,
            "rows": [list(row) for row in zip(rows.frames, rows.counts, strict=True)],
            "row_bytes": row_bytes,
            "activates": rows.accesses,
            "more": rows.more,
            "saturated": rows.saturated,
        }
    )


def _table(rows: HotList, row_bytes: int, base_address: int) -> str:
    """Return the rows of an epoch with their addresses; on a terminal it takes the place of the last one."""
    lines = [
        [f"{base_address + row * row_bytes:#x}", f"{count:,}", f"{count / rows.accesses:.1%}"]
        for row, count in list(zip(rows.frames, rows.counts, strict=True))[:_SHOWN]
    ]
    largest = f"{rows.counts[0]:,} of one row at most" if rows.counts else "no row has enough"
    more = ", and more rows reach the threshold" if rows.more else ""
    saturated = ", some were lost or not counted" if rows.saturated else ""
    head = f"epoch {rows.epoch}: {rows.accesses:,} ACTIVATEs, {largest}{more}{saturated}"
    cleared = "\033[H\033[J" if sys.stdout.isatty() else ""
    table = text_table(["row at", "ACTIVATEs", "share"], lines) if lines else ""
    return f"{cleared}{head}\n{table}".rstrip("\n")
