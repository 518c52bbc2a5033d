# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc selftest`: test a device's link, memory and monitor, and write a report to send back."""

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from litemrc.cli.shared.device_options import add_port_arguments, open_device
from litemrc.cli.shared.memory import memory_size
from litemrc.cli.shared.messages import note
from litemrc.device.link.protocol import Message
from litemrc.device.programmer import BOARDS
from litemrc.files.outputs import check_output_path, replacing

EXIT_FAILED = 1
_EPILOG = """\
Steps that a device cannot do are "not done", with the reason. On bare metal the self-test overwrites the
memory, clears the monitor and leaves its settings as after boot; the epoch length becomes 2^24 cycles.
The exit code is 1 if a step failed.

  litemrc selftest --port /dev/ttyUSB0 --board ulx3s --out report.json
  litemrc selftest --port socket://localhost:1234 --timeout 60 --memory 2M       # a simulated device
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc selftest`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_port_arguments(parser)
    boards = [name for name in BOARDS if ":" not in name]
    parser.add_argument("--board", choices=boards, help="the board that its gateware must be of")
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=memory_size,
        help="how much of the memory to test, such as 2M (all; a simulated device takes 30 s for 1 MB)",
    )
    parser.add_argument("--out", metavar="FILE.json", type=Path, help="report to write")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc selftest`."""
    from litemrc.checks.selftest import FAILED, NOT_DONE, self_test  # numpy takes long to load

    if args.out:
        check_output_path(args.out)
    steps = []
    with open_device(args) as device:
        pages = args.memory and args.memory.pages(device.page_bytes)
        for step in self_test(device, pages, note, args.board):
            print(f"{step.name:<10} {step.verdict:<9} {step.detail}", flush=True)
            steps.append(step)
        hello = device.hello
    failed = [step.name for step in steps if step.verdict == FAILED]
    if args.out:
        report = _header(args.board, hello) | {"passed": not failed, "steps": [vars(step) for step in steps]}
        with replacing(args.out) as temporary:
            temporary.write_text(json.dumps(report, indent=1) + "\n")
        note(f"report: {args.out}")
    left = sum(step.verdict == NOT_DONE for step in steps)
    print("FAILED: " + ", ".join(failed) if failed else f"passed{f', {left} not done' if left else ''}")
    return EXIT_FAILED if failed else 0


def _header(board: str | None, hello: Message) -> dict[str, Any]:
    """Return what the report says of device and host: nothing of the user, nor of the port."""
    names = [field.name for field in hello.body if field.name != "request"]
    described = {name: getattr(hello, name) for name in names}
    return {
        "report": 1,
        "board": board,
        "host": {
            "litemrc": version("litemrc"),
            "python": platform.python_version(),
            "system": platform.system(),
        },
        "hello": described | {"features": sorted(hello.features)},
    }
