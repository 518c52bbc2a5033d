# SPDX-License-Identifier: BSD-2-Clause
"""Exports the register map from the gateware, and describes the monitors of any SoC to Linux and Renode.

    python -m litemrc_gateware.export [--check]
    python -m litemrc_gateware.export dts csr.json >>soc.dts
    python -m litemrc_gateware.export dts --overlay csr.json >litemrc.dtso
    python -m litemrc_gateware.export renode csr.json >>soc.repl

Without a command it writes firmware/include/litemrc_regs.h, docs/registers.md and
host/litemrc/device/bridge/registers.json below the current folder; with ``--check`` it compares instead and
fails if they are stale. The commands print what LiteX's litex_json2dts_linux and litex_json2renode leave out.
"""

import argparse
import json
import logging
import sys
from pathlib import Path

from litemrc_gateware.export.c_header import c_header, host_file
from litemrc_gateware.export.device_tree import device_tree
from litemrc_gateware.export.page import page
from litemrc_gateware.export.registers import registers
from litemrc_gateware.export.renode import platform_lines

HEADER = Path("firmware/include/litemrc_regs.h")
PAGE = Path("docs/registers.md")
HOST_FILE = Path("host/litemrc/device/bridge/registers.json")
REPAIR = "python -m litemrc_gateware.export"


def main():
    args = arguments()
    logging.disable(logging.INFO)  # LiteX logs every step of the elaboration
    if args.command:
        sys.exit(describe(args))
    write(args.check)


def arguments():
    parser = argparse.ArgumentParser(
        prog=REPAIR, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the files, change nothing")
    commands = parser.add_subparsers(dest="command", metavar="{dts,renode}")
    dts = commands.add_parser("dts", help="device tree nodes of a SoC's monitors")
    dts.add_argument("csr", type=Path, metavar="csr.json")
    dts.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="NAME=LABEL",
        help="label of the memory node that the monitor NAME observes, if that is not LiteX's main_ram",
    )
    dts.add_argument("--overlay", action="store_true", help="print an overlay, for dtc -@ and fdtoverlay")
    renode = commands.add_parser("renode", help="a monitor's entries for a platform of Renode")
    renode.add_argument("csr", type=Path, metavar="csr.json")
    renode.add_argument("--monitor", metavar="NAME", help="one of several")
    return parser.parse_args()


def describe(args):
    """Print the output of a command; returns the exit code."""
    try:
        csr = json.loads(args.csr.read_text())
        if args.command == "dts":
            text = device_tree(csr, dict(_pair(each) for each in args.memory), args.overlay)
        else:
            text = platform_lines(csr, registers(), args.monitor)
    except OSError as error:
        print(f"{REPAIR}: {args.csr}: {error.strerror}", file=sys.stderr)
        return 2
    except json.JSONDecodeError as error:
        print(f"{REPAIR}: {args.csr}: not a csr.json of LiteX: {error}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"{REPAIR}: {args.csr}: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return 0


def _pair(text):
    name, equals, label = text.partition("=")
    if not equals:
        raise ValueError(f"--memory {text}: write NAME=LABEL")
    return name, label


def write(check):
    """Write the files of the register map, or compare them."""
    blocks = registers()
    stale = []
    texts = ((HEADER, c_header), (PAGE, page), (HOST_FILE, host_file))
    for path, text in ((path, make(blocks, REPAIR)) for path, make in texts):
        if check:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale:
        sys.exit(f"stale, differs from the export of the gateware: {', '.join(stale)}; repair with: {REPAIR}")


main()
