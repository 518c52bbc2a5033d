#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Exports the SoCs for Renode: a platform description for each.

    python -m litemrc_soc.renode_export [--check]

writes renode/litemrc.repl, litemrc_linux.repl, litemrc_ranks.repl and litemrc_ulx3s.repl below the current
folder; with ``--check`` it compares instead and fails if they are stale. The SoCs are elaborated, not built:
addresses, sizes, interrupts and identifiers are those LiteX writes to csr.json, sizes of caches those of the
processor's Verilog and of LiteX's L2.
"""

import argparse
import json
import logging
import sys
from pathlib import Path

from litemrc_gateware.export.registers import registers
from litemrc_gateware.stacks.engines import DEFAULT_ENGINE, DEFAULT_WITH_MOVES
from litex.build.sim import SimPlatform
from litex.soc.integration.export import get_csr_json

from litemrc_soc.boards.ulx3s import ULX3SSoC
from litemrc_soc.renode_files.platform import platform_description
from litemrc_soc.sim import SimSoC, simulator_io

RENODE = Path("renode")
REPAIR = "python -m litemrc_soc.renode_export"
# The platforms of simulated SoCs, with their parameters in the Makefile.
PLATFORMS = {
    "litemrc.repl": {"engine": DEFAULT_ENGINE, "page_bitmap": True, "hot_pages": 64},
    "litemrc_linux.repl": {
        "engine": DEFAULT_ENGINE,
        "variant": "linux",
        "page_bitmap": True,
        "hot_pages": 64,
    },
    "litemrc_ranks.repl": {"engine": DEFAULT_WITH_MOVES, "groups": 256, "ranks": 4},
}
BOARDS = {"litemrc_ulx3s.repl": ULX3SSoC}  # the SoCs for Linux on boards


def description(variant="baremetal", ranks=None, **monitor_parameters):
    """Return csr.json of a simulated SoC."""
    platform = SimPlatform("SIM", simulator_io(ranks, variant))
    return csr_of(SimSoC(platform, variant, ranks, **monitor_parameters))


def csr_of(soc):
    """Return csr.json of a SoC."""
    soc.finalize()
    return json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))


def exported():
    """Return the text of every file, by path."""
    layouts = registers()
    found = {name: description(**parameters) for name, parameters in PLATFORMS.items()}
    found |= {name: csr_of(soc(boot="linux")) for name, soc in BOARDS.items()}
    return {RENODE / name: platform_description(csr, layouts, REPAIR) for name, csr in found.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the files, change nothing")
    args = parser.parse_args()
    logging.disable(logging.INFO)  # LiteX logs every step of the elaboration
    stale = []
    for path, text in exported().items():
        if not args.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path))
    if stale:
        sys.exit(f"stale, differs from the export of the gateware: {', '.join(stale)}; repair with: {REPAIR}")


if __name__ == "__main__":
    main()
