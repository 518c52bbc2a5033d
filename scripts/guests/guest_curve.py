#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints and draws the miss-ratio curves of loads on Linux in QEMU: `make qemu-guest`.

    python -m scripts.guests.guest_curve amd64
    python -m scripts.guests.guest_curve riscv64 --load redis --engine bucket --sample-rate 1/64
    python -m scripts.guests.guest_curve amd64 --load redis --print

Other options are those of `litemrc qemu`. The pictures are build/guests/GUEST/LOAD.png.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence

from litemrc.cli.main import main as litemrc
from litemrc.errors import UserError

from scripts.guests.guests import GUESTS, check_log, command, log_of


def main(arguments: Sequence[str]) -> int:
    """Run the loads of a guest one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("guest", choices=GUESTS)
    parser.add_argument("--load", help="of redis and sqlite, or sort on riscv32; all of them")
    parser.add_argument("--print", action="store_true", help="only print the commands")
    args, options = parser.parse_known_args(arguments)
    try:
        for load in [args.load] if args.load else GUESTS[args.guest].loads:
            words = command(args.guest, load)
            picture = log_of(args.guest, load).with_suffix(".png")
            ours = ["qemu", "--system", "--plot", str(picture), *options, "--", *words]
            if args.print:
                print(shlex.join(["litemrc", *ours]))
                continue
            print(f"{args.guest}, {load}: about a minute", file=sys.stderr, flush=True)
            if code := litemrc(ours):
                return code
            check_log(args.guest, load)
    except UserError as error:
        print(f"guest_curve.py: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
