#!/usr/bin/env python3
"""Builds the LiteMRC SoC for an FPGA board: firmware and bitstream, or what a vendor's tool makes one of.

python litex-soc/board.py ulx3s
python litex-soc/board.py ulx3s --device 45F --output build/ulx3s-45f
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from litemrc_gateware.monitor import ENGINES

BOARDS = ("ulx3s", "versa_ecp5", "orangecrab", "arty")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("--output", type=Path, help="folder of the build (build/BOARD)")
    parser.add_argument("--device", help="FPGA that the board has (the first that its page names)")
    parser.add_argument("--seed", type=int, default=1, help="of the placement (%(default)s)")
    parser.add_argument("--engine", choices=ENGINES, help="bucket_stack unless told otherwise")
    parser.add_argument("--pages", type=int, help="pages of the engine; fewer than frames are sampled")
    parser.add_argument("--without-monitor", action="store_true", help="a plain SoC, to compare with")
    parser.add_argument("--no-compile", action="store_true", help="stop before synthesis")
    args = parser.parse_args()
    module = import_module(f"boards.{args.board}")
    parameters = {name: getattr(args, name) for name in ("engine", "pages") if getattr(args, name)}
    device = args.device or module.BOARD.devices[0]
    if device not in module.BOARD.devices:
        parser.error(f"no {device} on {args.board}; there are: {', '.join(module.BOARD.devices)}")
    output = args.output or Path("build") / args.board
    try:
        report = module.build(
            output,
            monitor=not args.without_monitor,
            compile_gateware=not args.no_compile,
            device=device,
            seed=args.seed,
            **parameters,
        )
    except RuntimeError as error:
        print(f"board.py: {error}", file=sys.stderr)
        return 1
    if report:
        print(f"{output}/litemrc.bit: {report.lut4:,} LUT4, {report.ff:,} FF, {report.dp16kd} DP16KD")
        for name, clock in report.clocks.items():
            print(f"  {name}: {clock.fmax_mhz:.2f} MHz, asked for {clock.target_mhz:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
