#!/usr/bin/env python3
"""Builds the LiteMRC SoC for an FPGA board: firmware and bitstream, or a project for a vendor's tool.

python litex-soc/board.py ulx3s
python litex-soc/board.py ulx3s --device 45F --output build/ulx3s-45f
"""

import argparse
import os
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from subprocess import CalledProcessError

from litemrc_gateware.hls.exported import unit_and_folder
from litemrc_gateware.hls.units import HLS_UNITS
from litemrc_gateware.monitor.monitor import ENGINES

BOARDS = ("ulx3s", "versa_ecp5", "orangecrab", "arty")


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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("--output", type=Path, help="folder of the build (build/BOARD)")
    parser.add_argument("--log", type=Path, help="file for the tools' output (default: stdout)")
    parser.add_argument("--device", help="FPGA of the board (default: the first on its page)")
    parser.add_argument(
        "--seed", type=int, help="seed of nextpnr (default: the first of 3 that meets timing)"
    )
    parser.add_argument("--engine", choices=ENGINES, help="default: bucket_stack")
    parser.add_argument("--pages", type=int, help="pages of the engine; fewer than frames are sampled")
    parser.add_argument(
        "--boot",
        choices=("rom", "serial", "linux"),
        default="rom",
        help="source of the firmware (%(default)s)",
    )
    parser.add_argument(
        "--hls-verilog",
        type=unit_and_folder,
        action="append",
        metavar="UNIT=FOLDER",
        help=f"Verilog of an HLS compiler for this unit: {', '.join(HLS_UNITS)}; can be given several times",
    )
    parser.add_argument("--without-monitor", action="store_true", help="the plain SoC, for comparison")
    parser.add_argument("--no-compile", action="store_true", help="stop before synthesis")
    args = parser.parse_args()
    output = args.output or Path("build") / args.board
    options = ("engine", "pages")
    parameters = {name: getattr(args, name) for name in options if getattr(args, name)}
    if args.hls_verilog:
        parameters["hls_verilog"] = dict(args.hls_verilog)
    if args.seed is not None:
        parameters["seeds"] = (args.seed,)
    try:
        with output_to(args.log):
            board = import_module(f"boards.{args.board}")
            device = args.device or board.BOARD.devices[0]
            if device not in board.BOARD.devices:
                devices = ", ".join(board.BOARD.devices)
                raise ValueError(f"--device must be one of {devices} on {args.board} (got {device})")
            result = board.build(
                output,
                monitor=not args.without_monitor,
                compile_gateware=not args.no_compile,
                device=device,
                boot=args.boot,
                **parameters,
            )
    except ValueError as error:
        print(f"board.py: {error}", file=sys.stderr)
        return 2
    except (RuntimeError, CalledProcessError) as error:
        print(f"board.py: {error}", file=sys.stderr)
        if args.log:
            print(f"earlier output: {args.log}", file=sys.stderr)
        return 1
    print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
