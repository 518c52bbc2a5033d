#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs make.py of a checkout of linux-on-litex-vexriscv, with LiteMRC's monitor in its SoC and device tree.

    examples/linux_on_litex.py ../linux-on-litex-vexriscv --board=ulx3s --build

All options but those below go to make.py, which writes build/BOARD and images/ of the checkout. The overlay
of the monitor's node, build/BOARD/litemrc.dtso, is applied to images/rv32.dtb. See docs/linux-on-litex.md.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from litemrc_gateware import add_monitor
from litemrc_gateware.export.device_tree import device_tree

# Files of the checkout that are used here.
NEEDED = ("make.py", "soc_linux.py", "boards.py")


def with_monitor(make: Any, **parameters: Any) -> list[str]:
    """Change make.py so that each SoC that it creates has a monitor, and its device tree the monitor's node.

    Parameters
    ----------
    make
        the module make.py.
    parameters
        those of :func:`litemrc_gateware.add_monitor`.

    Returns
    -------
    list of str
        the boards whose device tree has got the node, as make.py goes on.
    """
    soc_linux = make.SoCLinux
    described: list[str] = []

    def monitored(soc_class: type, **options: Any) -> Any:
        soc = soc_linux(soc_class, **options)
        try:
            add_monitor(soc, **parameters)
        except ValueError as error:
            fail(str(error))
        others = getattr(soc, "get_fdtoverlays", lambda board, given: given)

        def overlays(board: str, given: str) -> str:
            """make.py asks after LiteX has written csr.json, and before dtc compiles the tree."""
            described.append(board)
            return f"{others(board, given)} {overlay(board)}".strip()

        soc.get_fdtoverlays = overlays
        return soc

    make.SoCLinux = monitored
    return described


def overlay(board: str) -> Path:
    """Write and compile the overlay of a board's monitor; returns the compiled file."""
    folder = Path("build") / board
    source, compiled = folder / "litemrc.dtso", folder / "litemrc.dtbo"
    source.write_text(device_tree(json.loads((folder / "csr.json").read_text()), {}, overlay=True))
    # The interrupt controller is in the tree that the overlay is applied to.
    quiet = ("-W", "no-interrupts_property")
    subprocess.run(["dtc", "-@", *quiet, "-I", "dts", "-O", "dtb", "-o", compiled, source], check=True)
    return compiled


def fail(message: str) -> NoReturn:
    print(f"linux_on_litex.py: {message}", file=sys.stderr)
    sys.exit(2)


def arguments() -> tuple[argparse.Namespace, list[str]]:
    """Return our options, and those of make.py."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("checkout", type=Path, help="folder of linux-on-litex-vexriscv")
    parser.add_argument("--block-rams", type=int, metavar="N", help="most block RAMs of 18 Kbit (34)")
    parser.add_argument(
        "--no-software", action="store_true", help="do not compile LiteX's BIOS: needs no compiler"
    )
    return parser.parse_known_args()


def main() -> None:
    args, rest = arguments()
    missing = [name for name in NEEDED if not (args.checkout / name).is_file()]
    if missing:
        fail(
            f"{args.checkout}: no {missing[0]}; give the folder of a clone of "
            "https://github.com/litex-hub/linux-on-litex-vexriscv"
        )
    os.chdir(args.checkout)  # make.py writes to folders below the current one
    sys.path.insert(0, os.getcwd())
    sys.argv = ["make.py", *rest]
    make: Any = importlib.import_module("make")
    described = with_monitor(make, block_rams=args.block_rams)
    if args.no_software:
        make.Builder = partial(make.Builder, compile_software=False)
    make.main()
    if not described:
        fail(
            f"{args.checkout}: its make.py asks no SoC for overlays, so the device tree lacks the monitor: "
            "update the clone to November 2025 or later"
        )


if __name__ == "__main__":
    main()
