# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc serve`: devices over HTTP."""

import argparse
import os
import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.device_options import add_build_arguments, add_run_argument, add_take_argument
from litemrc.cli.shared.messages import warning
from litemrc.device import TIMEOUT_S
from litemrc.errors import OutputError, UserError

if TYPE_CHECKING:
    from litemrc.device.running import Run
    from litemrc.feed.history.history import Retention

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,256}")
LISTEN = "127.0.0.1:8000"

_EPILOG = """\
One process owns the link; a page, an API, Prometheus and other litemrc commands read from it:

  litemrc serve --demo                                       the simulated SoC, with programs running
  litemrc serve --port /dev/ttyUSB1                          then open http://127.0.0.1:8000/
  litemrc serve --port a=/dev/ttyUSB1 --port b=socket://10.0.0.7:1234 --label a:rack=3 --history ~/litemrc
  litemrc collect --port http://127.0.0.1:8000 --epochs 20 --out curves.parquet

The server changes no setting of a device unless --control is given, and then for the token's owner only.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc serve`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "--port",
        metavar="[NAME=]URL",
        action="append",
        default=[],
        dest="ports",
        help="port of a device, as for litemrc collect; may be repeated, each with a name",
    )
    add_take_argument(parser)
    parser.add_argument(
        "--demo",
        action="store_true",
        help="start the simulated SoC in place of a device, run its programs in turn, and open the page",
    )
    add_run_argument(
        parser,
        "run a program on the device, over and over; without --port, as with --demo",
    )
    add_build_arguments(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open the page of --demo in a browser")
    parser.add_argument(
        "--label",
        metavar="NAME:KEY=VALUE",
        action="append",
        default=[],
        dest="labels",
        help="label of a device; curves of devices are merged by labels; may be repeated",
    )
    parser.add_argument(
        "--bundle",
        metavar="[NAME=]FOLDER",
        action="append",
        default=[],
        dest="bundles",
        help="refuse the device if its gateware is not that of this bundle; without NAME, each device "
        "(docs/boards/bundles.md); may be repeated",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help="address to listen at (%(default)s); port 0: a free one",
    )
    parser.add_argument(
        "--allow-host",
        metavar="HOST",
        action="append",
        default=[],
        help="name under which browsers reach the server, beside localhost and the address of --listen",
    )
    parser.add_argument("--control", action="store_true", help="let the owner of the token change settings")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file with the token, made for you alone if it is not there (default: a token is printed once)",
    )
    parser.add_argument(
        "--history",
        metavar="FOLDER",
        type=Path,
        help="keep every epoch in Parquet files in this folder (default: none is kept)",
    )
    parser.add_argument(
        "--keep-days",
        metavar="N",
        type=positive,
        help="remove epochs of the history that are older (default: none)",
    )
    parser.add_argument(
        "--keep-bytes",
        metavar="SIZE",
        help="remove the oldest epochs of a device above this size, such as 10G (default: none)",
    )
    parser.add_argument(
        "--baud", type=positive, default=115200, help="bit rate of device files (%(default)s)"
    )
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=positive,
        default=TIMEOUT_S,
        help="seconds to wait for a device's answer (%(default)g)",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc serve`."""
    from litemrc.extras import require

    require("serve")
    from litemrc.cli.device.serve_demo import DEMO, demo_runs, simulated_soc
    from litemrc.device.running import Run
    from litemrc.serve.ports import parse_ports

    runs = [Run.parse(text) for text in args.runs]
    demo = args.demo or bool(runs and not args.ports)
    if demo and args.ports:
        raise UserError("--demo with --port", remedy="leave out one: --demo starts a device of its own")
    if not demo and not args.ports:
        raise UserError("no device to serve", remedy="give --port URL, or --demo for the simulated SoC")
    if runs and len(args.ports) > 1:
        raise UserError("--run with several devices", remedy="serve that device alone")
    if demo:
        with simulated_soc(args.sim, args.firmware) as url:
            return _serve(args, {DEMO: url}, runs or demo_runs(), demo=True)
    return _serve(args, parse_ports(args.ports), runs)


def _serve(args: argparse.Namespace, ports: dict[str, str], runs: list["Run"], *, demo: bool = False) -> int:
    from litemrc.cli.device.serve_demo import EPOCH_ACCESSES, TIMEOUT_S, open_page, run_over_and_over
    from litemrc.device.bundle import Bundle
    from litemrc.device.link.sharing import check_can_take
    from litemrc.feed.feed import FeedOptions
    from litemrc.serve.app import build
    from litemrc.serve.fleet import open_fleet
    from litemrc.serve.ports import check_url, parse_bundles, parse_labels
    from litemrc.serve.security import allowed_hosts, is_loopback
    from litemrc.serve.server import listening, run

    for url in ports.values():
        check_url(url)
        if args.take:
            check_can_take(url)
    labels = parse_labels(args.labels, list(ports))
    bundles = parse_bundles(args.bundles, list(ports))
    identifiers = {name: Bundle.read(folder).identifier for name, folder in bundles.items()}
    host, port = _address(args.listen)
    if args.token_file and not args.control:
        raise UserError("--token-file without --control", remedy="add --control")
    with listening(host, port) as listener:
        options = FeedOptions(
            timeout_s=max(args.timeout, TIMEOUT_S) if demo else args.timeout,
            baud=args.baud,
            take=args.take,
            pages=True,
            hot=True,
            if_there=not demo,
            epoch_length=EPOCH_ACCESSES if demo else None,
        )
        token = _token(args.token_file) if args.control else None
        if not is_loopback(host):
            warning(_exposed(host, control=args.control))
        fleet = open_fleet(
            ports,
            labels,
            options,
            identifiers=identifiers,
            history=args.history,
            retention=_retention(args),
            say=warning,
        )
        application = build(fleet, token=token, hosts=allowed_hosts(host, args.allow_host))
        shown = f"[{host}]" if ":" in host else host
        page = f"http://{shown}:{listener.getsockname()[1]}/"
        print(page, flush=True)
        if runs:
            run_over_and_over(next(iter(fleet.values())).feed, runs, warning)
        if demo and not args.no_open:
            open_page(page)
        run(application, fleet, [listener])
    return 0


def _retention(args: argparse.Namespace) -> "Retention":
    from litemrc.curves.sizes import size_bytes
    from litemrc.feed.history.history import Retention

    if args.history is None and (args.keep_days or args.keep_bytes):
        raise UserError("--keep-days and --keep-bytes are of a history", remedy="add --history FOLDER")
    seconds = args.keep_days * 86400 if args.keep_days else None
    return Retention(seconds, size_bytes(args.keep_bytes) if args.keep_bytes else None)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (colon and host and port.isascii() and port.isdigit()) or int(port) > 65535:
        raise UserError("not an address to listen at", where=f"--listen {text}", remedy=f"write {LISTEN}")
    return host, int(port)


def _token(path: Path | None) -> str:
    """Return the token of a file, or a new one, which is printed."""
    if path is None:
        token = secrets.token_urlsafe(24)
        print(f"litemrc: token for control: {token}", file=sys.stderr, flush=True)
        return token
    made = _made_token(path)
    if made:
        return made
    try:
        token = path.read_text(encoding="ascii").strip()
        readable = path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "not ASCII text"
        raise UserError(f"the token cannot be read: {what}", where=str(path)) from error
    if not _TOKEN.fullmatch(token):
        remedy = "write one line of 16 characters or more: openssl rand -hex 24"
        raise UserError(
            "the token is too short, or has other characters than A-Z a-z 0-9 _ -",
            where=str(path),
            remedy=remedy,
        )
    if readable:
        warning(f"{path}: other users of this machine can read the token (chmod 600)")
    return token


def _made_token(path: Path) -> str | None:
    """Write a new token to a file that only its owner can read; None: something of that name is there.

    O_EXCL makes the file in one step and follows no link, also not one that leads nowhere.
    """
    token = secrets.token_urlsafe(24)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return None
    except OSError as error:
        raise UserError(
            f"the token cannot be written: {error.strerror}",
            where=str(path),
            remedy="name a file in a folder of yours",
        ) from error
    try:
        with open(file, "w", encoding="ascii") as written:
            os.fchmod(file, 0o600)  # whatever the umask is
            written.write(f"{token}\n")
    except OSError as error:
        path.unlink(missing_ok=True)  # a part of a token is none
        raise OutputError(
            f"the token cannot be written: {error.strerror}", where=str(path), remedy="make room there"
        ) from error
    print(f"litemrc: the token for control is in {path}", file=sys.stderr, flush=True)
    return token


def _exposed(host: str, *, control: bool) -> str:
    can = "read all devices" + (" and, with the token, change their settings" if control else "")
    return f"--listen {host}: whoever reaches this machine can {can}; neither is encrypted (docs/serve.md)"
