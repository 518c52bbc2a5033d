"""Exports the register map from the gateware: a C header, a page of documentation, and JSON for the host.

    python -m litemrc_gateware.export [--check]

writes firmware/include/litemrc_regs.h, docs/registers.md and host/litemrc/device/bridge/registers.json below
the current folder; with ``--check`` it compares instead and fails if they are stale. Addresses of a whole SoC
are in LiteX's csr.json and csr.h.
"""

import argparse
import sys
from pathlib import Path

from litemrc_gateware.export.c_header import c_header
from litemrc_gateware.export.host_file import host_file
from litemrc_gateware.export.page import page
from litemrc_gateware.export.registers import registers

HEADER = Path("firmware/include/litemrc_regs.h")
PAGE = Path("docs/registers.md")
HOST_FILE = Path("host/litemrc/device/bridge/registers.json")
REPAIR = "python -m litemrc_gateware.export"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the files, change nothing")
    args = parser.parse_args()
    blocks = registers()
    stale = []
    texts = ((HEADER, c_header), (PAGE, page), (HOST_FILE, host_file))
    for path, text in ((path, write(blocks, REPAIR)) for path, write in texts):
        if args.check:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale:
        sys.exit(f"stale, differs from the export of the gateware: {', '.join(stale)}; repair with: {REPAIR}")


main()
