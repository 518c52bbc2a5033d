# SPDX-License-Identifier: BSD-2-Clause
"""Sizes of the bitstreams without Linux: `make boards-bitstreams` fills the table of docs/boards/README.md.

A clock is that which comes closest to missing its target; a build that misses one leaves no bitstream.
"""

import json
import sys
from pathlib import Path

from scripts.docs.page_tables import fill_tables

REPO = Path(__file__).resolve().parents[2]
PAGE = REPO / "docs" / "boards" / "README.md"
BOARDS = ("ulx3s", "versa_ecp5", "orangecrab")


def row(folder: Path) -> str:
    """Return a line of the table for a board built in a folder.

    Raises
    ------
    FileNotFoundError
        if it has not been built.
    """
    board = json.loads((folder / "board.json").read_text())
    found = json.loads((folder / "report.json").read_text())
    clock = min(found["clocks"].values(), key=lambda clock: clock["fmax_mhz"] / clock["target_mhz"])
    size = f"{found['lut4']:,} | {found['ff']:,} | {found['dp16kd']}"
    clocks = f"{clock['fmax_mhz']:.1f} | {clock['target_mhz']:g}"
    return f"| {board['title']}, {board['device']} | {size} | {clocks} |"


def main() -> int:
    """Write the table; the exit code is 2 if a board has not been built."""
    lines = ["| board | LUT4 | FF | DP16KD | MHz | target |", "| --- | --: | --: | --: | --: | --: |"]
    try:
        lines += [row(REPO / "build" / board) for board in BOARDS]
    except FileNotFoundError as error:
        print(f"{error.filename} is missing: make {' '.join(BOARDS)}", file=sys.stderr)
        return 2
    fill_tables(PAGE, {"bitstreams": "\n".join(lines)})
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
