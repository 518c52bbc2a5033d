# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc hot --port`: the hot pages of a device, as each epoch ends."""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterator

from litemrc.cli.device.hot_options import change_hot, hot_text
from litemrc.cli.shared.device_options import open_device
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import HEADER, hot_line, text_table
from litemrc.device.collecting.collector import Collector
from litemrc.device.hot import PageMessages, page_messages
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.pages.hot_lists import HotList

_TABLE_LINES = 6  # of the screen, around the rows of the table


def watch(args: argparse.Namespace) -> int:
    """Show the hot pages of the device at `args.port`: until `args.epochs` or its programs have ended."""
    runs = [Run.parse(text) for text in args.runs]
    with open_device(args) as device:
        settings, changed = change_hot(
            device,
            enable=True,
            wanted=args.k,
            threshold=args.threshold,
            only=args.only,
            sampling_log2=args.sample,
        )
        if changed:
            note(f"hot pages: {hot_text(settings)}; every page is invalid, and the epoch restarted")
        if not device.numbers(device.request("get_epoch"), 2)[1]:
            raise UserError(
                "the device has no epoch length, so its epochs never end",
                where=device.url,
                remedy="set one: litemrc collect --epoch-length",
            )
        device.start_counting()
        with page_messages(device, hot=True) as messages:
            lines = _shown(args.json, device.page_bytes, messages.base_address)
            collector = Collector(device, messages=PageMessages(False, True, messages.base_address))
            for _ in collector.collect(args.epochs, runs):
                del collector.counts[:-1]  # or memory would grow
                while collector.hot:
                    for line in lines(collector.hot.popleft()):
                        print(line, flush=True)
    return 0


def _shown(as_json: bool, page_bytes: int, base_address: int) -> Callable[[HotList], Iterator[str]]:
    """Return what makes the lines of an epoch."""
    if as_json:
        return _json
    if sys.stdout.isatty():
        return lambda row: _screen(row, page_bytes, base_address)
    print(HEADER, flush=True)
    return _line


def _json(row: HotList) -> Iterator[str]:
    yield json.dumps(
        {
            "epoch": row.epoch,
            "pages": [list(page) for page in zip(row.frames, row.counts, strict=True)],
            "accesses": row.accesses,
            "more": row.more,
            "saturated": row.saturated,
        }
    )


def _line(row: HotList) -> Iterator[str]:
    head = f"{row.epoch:>5} {row.accesses:>12,}"
    yield hot_line(head, row.accesses, row.frames, row.counts, more=row.more, saturated=row.saturated)


def _screen(row: HotList, page_bytes: int, base_address: int) -> Iterator[str]:
    """Clear the terminal and fill it with the hottest pages."""
    room = max(shutil.get_terminal_size().lines - _TABLE_LINES, 1)
    pages = list(zip(row.frames, row.counts, strict=True))[:room]
    rows = [
        [
            str(frame),
            f"{base_address + frame * page_bytes:#x}",
            f"{count:,}",
            f"{count / row.accesses:.1%}",
        ]
        for frame, count in pages
    ]
    listed = f"{len(row.frames)} hot pages{', and more are hot' if row.more else ''}"
    head = f"epoch {row.epoch}: {row.accesses:,} accesses, {row.share:.1%} of them to {listed}"
    yield f"\033[H\033[J{head}\n"
    yield text_table(["frame", "address", "accesses", "share"], rows, left=2) if rows else "no page is hot"
