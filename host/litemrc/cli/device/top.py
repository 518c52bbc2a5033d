# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc top`: programs of a device by bandwidth, working set and miss ratio, refreshed as by top."""

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import number, positive
from litemrc.cli.shared.device_options import (
    add_epoch_arguments,
    add_port_arguments,
    add_run_argument,
    bundle_identifier,
)
from litemrc.cli.shared.messages import note, warning
from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.feed.feed import Event, Feed
    from litemrc.feed.records import DeviceParameters, FeedEpoch

_SETTLED_S = 5.0  # beside the timeout of requests
_LONGEST_DELAY_S = 3600.0
_WAIT_S = 0.5  # for an event, while no epoch is due

_EPILOG = """\
Each refresh shows the epochs that ended since the one before. The first lines are the device, and what its
DRAM moved: bytes read and written in a second by all masters, their share of the peak, row hits; what the
device does not count is left out. Then a line for each context with accesses, the largest bandwidth first:

  bandwidth         bytes of its accesses in a second; where pages are sampled, estimated
  share of accesses its share of the accesses of all contexts
  working set       pages accessed in its last epoch
  miss ratio        accesses that would miss in the whole memory, of its accesses

Ctrl-C ends it. With -b, or if the output is no terminal, refreshes follow each other as plain text.

  litemrc top --port socket://localhost:4711 --run zipf --run loop
  litemrc top --port URL -b -n 1
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc top`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    add_epoch_arguments(parser)
    add_run_argument(parser, "run a program on the device")
    parser.add_argument("-n", "--iterations", metavar="N", type=positive, help="end after N refreshes")
    parser.add_argument(
        "-d",
        "--delay",
        metavar="S",
        type=lambda text: number(text, _LONGEST_DELAY_S),
        default=1.0,
        help="seconds between two refreshes at least; 0: refresh with each epoch (%(default)g)",
    )
    parser.add_argument("-b", "--batch", action="store_true", help="plain text without terminal control")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc top`."""
    # Imported here: the device layer takes long to load.
    from litemrc.device.running import Run
    from litemrc.feed.feed import Feed, FeedOptions
    from litemrc.feed.programs import Programs

    runs = [Run.parse(text) for text in args.runs]
    options = FeedOptions(
        timeout_s=args.timeout,
        baud=args.baud,
        identifier=bundle_identifier(args),
        take=args.take,
        epoch_unit=args.epoch_unit,
        epoch_length=args.epoch_length,
    )
    feed, events = Feed(args.port, options), SimpleQueue["Event"]()
    programs = Programs(lambda: feed, lambda text, wrong: warning(text) if wrong else note(text))
    feed.listen(events.put)
    feed.listen(programs)
    feed.start()
    try:
        if failure := feed.wait(4 * args.timeout + _SETTLED_S):
            raise failure
        _check_epochs_end(feed, runs=bool(runs))
        if runs:
            programs.start(runs).result()
        _show(feed, events, args)
    except KeyboardInterrupt:  # the way to end it
        return 0
    finally:
        feed.close()
    return 0


def _check_epochs_end(feed: "Feed", *, runs: bool) -> None:
    length = feed.call(lambda device: device.numbers(device.request("get_epoch"), 2)[1]).result()
    if not length and not runs:
        raise UserError(
            "the device has no epoch length, so its epochs never end",
            where=feed.url,
            remedy="add --epoch-length, or a program with --run",
        )


def _show(feed: "Feed", events: "SimpleQueue[Event]", args: argparse.Namespace) -> None:
    """Print refreshes until there are enough."""
    from litemrc.cli.device.top_lines import top_text

    batch = args.batch or not sys.stdout.isatty()
    refreshes = _intervals(feed, events, args.delay, batch=batch)
    for place, (parameters, epochs) in enumerate(islice(refreshes, args.iterations)):
        text = top_text(feed.url, parameters, epochs)
        if batch:
            print(f"\n{text}" if place else text, flush=True)
        else:
            room = max(shutil.get_terminal_size().lines - 1, 1)
            print("\033[H\033[J" + "\n".join(text.splitlines()[:room]), flush=True)


def _intervals(
    feed: "Feed", events: "SimpleQueue[Event]", delay_s: float, *, batch: bool
) -> "Iterator[tuple[DeviceParameters, list[FeedEpoch]]]":
    """Yield the epochs of each interval of this length, one epoch at least, and their device.

    Raises
    ------
    UserError
        the link is lost, in a batch; else the feed opens it again.
    """
    from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost

    parameters: DeviceParameters | None = None
    epochs: list[FeedEpoch] = []
    due = time.monotonic() + delay_s
    while True:
        left = due - time.monotonic()
        if parameters and epochs and left <= 0:
            yield parameters, epochs
            epochs, due = [], time.monotonic() + delay_s
            continue
        try:
            event = events.get(timeout=left if left > 0 else _WAIT_S)
        except Empty:
            feed.check()
            continue
        if isinstance(event, DeviceParameters):
            parameters, epochs = event, []
        elif isinstance(event, FeedEpoch):
            epochs.append(event)
        elif isinstance(event, FeedLost):
            if batch and feed.failure:
                raise feed.failure
            warning(f"the link is lost: {event.reason}; it is opened again")
