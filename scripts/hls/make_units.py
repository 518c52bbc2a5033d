# SPDX-License-Identifier: BSD-2-Clause
"""Makes the Verilog of the units of hls/ with Bambu, in build/bambu/soc/<top function>.

    python -m scripts.hls.make_units                        all top functions
    python -m scripts.hls.make_units group_stack working_set
    python -m scripts.hls.make_units --define LITEMRC_FRAMES=65536 group_stack      in build/bambu/65536

What has not changed is not made again.
"""

import argparse
import sys
import time

from scripts.hls.bambu import NoBambuError, make_verilog, version
from scripts.hls.tops import TOPS


def main() -> int:
    """Make the functions named, all by default."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tops", nargs="*", metavar="TOP", help=f"some of: {', '.join(TOPS)}")
    parser.add_argument(
        "--define", action="append", default=[], metavar="NAME=N", help="a size of hls/common/config.hpp"
    )
    args = parser.parse_args()
    if unknown := set(args.tops) - set(TOPS):
        parser.error(f"no function {', '.join(sorted(unknown))}; there are: {', '.join(TOPS)}")
    try:
        print(version(), flush=True)
        for top in args.tops or TOPS:
            begin = time.monotonic()
            folder = make_verilog(top, tuple(f"-D{size}" for size in args.define))
            print(f"{top}: {folder} ({time.monotonic() - begin:.0f} s)", flush=True)
    except NoBambuError as error:
        print(f"make_units.py: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"make_units.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
