# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc live`: a device's curves, working sets, ranks and pages on the terminal, as epochs end."""

import argparse
import sys
from pathlib import Path

from litemrc.cli.shared.device_options import (
    add_epoch_arguments,
    add_port_arguments,
    add_run_argument,
    bundle_identifier,
)
from litemrc.errors import UserError

_SETTLED_S = 5.0  # beside the timeout of requests

_EPILOG = """\
Keys: 1 to 6 change the panels, w sums epochs, r records into Parquet files, ? explains all others. The device
keeps its settings but for those that keys change. Frames accessed (the heat map) take some bytes of the link
with each epoch; --no-pages leaves them out.

  litemrc soc --link-port 4711 &
  litemrc live --port socket://localhost:4711 --timeout 60 --epoch-length 10000 --run zipf --run loop
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc live`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    add_epoch_arguments(parser)
    add_run_argument(parser, "run a program on the device")
    parser.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="folder of recordings and screenshots (default: the current one)",
    )
    parser.add_argument(
        "--window",
        metavar="N",
        type=int,
        choices=(1, 5, 20, 100),
        default=5,
        help="epochs that are summed at first: 1, 5, 20 or 100 (%(default)s)",
    )
    parser.add_argument(
        "--no-pages", action="store_true", help="do not ask the device for the frames accessed in each epoch"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc live`."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on stderr
        raise UserError(
            "litemrc live needs a terminal: standard input, output and error",
            remedy="collect into a file instead: litemrc collect --port URL --epochs N --out FILE.parquet",
        )
    from litemrc.extras import require

    require("live")
    from litemrc.device.running import Run
    from litemrc.feed.feed import Feed, FeedOptions
    from litemrc.live.app import LiveApp
    from litemrc.live.connection import Connection

    runs = [Run.parse(text) for text in args.runs]
    options = FeedOptions(
        timeout_s=args.timeout,
        baud=args.baud,
        identifier=bundle_identifier(args),
        take=args.take,
        pages=not args.no_pages,
        hot=True,
        if_there=True,
        epoch_unit=args.epoch_unit,
        epoch_length=args.epoch_length,
    )
    connection = Connection(args.port, args.out, lambda: Feed(args.port, options))
    connection.feed.start()
    app: LiveApp | None = None
    try:
        if failure := connection.feed.wait(4 * args.timeout + _SETTLED_S):
            raise failure
        if runs:
            connection.programs.start(runs).result()
        app = LiveApp(connection, args.window)
        code = app.run()
    finally:
        connection.feed.close()
        if connection.recorder.on:
            interrupted = app is None or app.return_value != 0
            print(connection.recorder.stop(interrupted=interrupted), flush=True)
    if app.failure:
        raise app.failure
    return app.return_code or 0 if code is None else code
