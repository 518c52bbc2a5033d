# SPDX-License-Identifier: BSD-2-Clause
"""The command line of a board, as of LiteX's targets: python -m litemrc_soc.boards.ulx3s --build --load"""

import argparse
import os
import subprocess
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from litemrc_gateware.hls.exported import unit_and_folder
from litemrc_gateware.hls.units import HLS_UNITS
from litemrc_gateware.stacks.engines import DEFAULT_ENGINE, ENGINES

BOARDS = ("ulx3s", "versa_ecp5", "orangecrab", "arty")  # a module beside this one for each


@contextmanager
def output_to(log):
    """Redirect stdout and stderr, also of started programs, to a file (None: no redirection)."""
    if log is None:
        yield
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    kept = [os.dup(number) for number in (1, 2)]
    with log.open("w") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
        try:
            yield
        finally:
            sys.stdout.flush()
            for number, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, number)
                os.close(copy)


def main(name):
    """Run the command line of a board; returns the exit code."""
    board = import_module(f"litemrc_soc.boards.{name}")
    devices = board.BOARD.devices
    parser = argparse.ArgumentParser(description=f"LiteMRC's SoC on the {board.BOARD.title}.")
    parser.add_argument(
        "--build", action="store_true", help="make the bitstream; without, what the tools need"
    )
    parser.add_argument(
        "--load", action="store_true", help="load the bitstream into the FPGA (openFPGALoader)"
    )
    parser.add_argument("--output", type=Path, help=f"folder of the build (build/{name})")
    parser.add_argument("--log", type=Path, help="file for the tools' output (default: stdout)")
    parser.add_argument("--device", help=f"FPGA of the board: {' or '.join(devices)} (default: {devices[0]})")
    parser.add_argument(
        "--seed", type=int, help="seed of nextpnr (default: the first of 3 that meets timing)"
    )
    parser.add_argument("--engine", choices=ENGINES, help=f"default: {DEFAULT_ENGINE}")
    parser.add_argument("--pages", type=int, help="pages of the engine; fewer than frames are sampled")
    parser.add_argument(
        "--boot",
        choices=("rom", "serial", "linux"),
        default="rom",
        help="source of the firmware (%(default)s)",
    )
    parser.add_argument("--linux", dest="boot", action="store_const", const="linux", help="--boot linux")
    parser.add_argument(
        "--hls-verilog",
        type=unit_and_folder,
        action="append",
        metavar="UNIT=FOLDER",
        help=f"Verilog of an HLS compiler for this unit: {', '.join(HLS_UNITS)}; can be given several times",
    )
    parser.add_argument("--without-monitor", action="store_true", help="the plain SoC, for comparison")
    args = parser.parse_args()
    output = args.output or Path("build") / name
    options = ("engine", "pages")
    parameters = {name: getattr(args, name) for name in options if getattr(args, name)}
    if args.hls_verilog:
        parameters["hls_verilog"] = dict(args.hls_verilog)
    if args.seed is not None:
        parameters["seeds"] = (args.seed,)
    try:
        with output_to(args.log):
            device = args.device or devices[0]
            if device not in devices:
                raise ValueError(f"--device must be one of {', '.join(devices)} on {name} (got {device})")
            result = board.build(
                output,
                monitor=not args.without_monitor,
                compile_gateware=args.build,
                device=device,
                boot=args.boot,
                **parameters,
            )
    except ValueError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except (RuntimeError, subprocess.CalledProcessError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        if args.log:
            print(f"earlier output: {args.log}", file=sys.stderr)
        return 1
    print(result)
    if args.load:
        return subprocess.run(
            ["litemrc", "flash", "--board", name, "--bitstream", output / "litemrc.bit"]
        ).returncode
    return 0
