#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes for registers.robot what every register of our peripherals must do, from the gateware of the SoC.

    python -m tests.renode.register_map OUT.json

A row is a bus word: its address, what it reads after reset, and what behind a write of all ones.
"""

import json
import logging
import sys
from pathlib import Path

from litemrc_soc.renode_export import PLATFORMS
from litemrc_soc.sim import SimSoC, simulator_io
from litex.build.sim import SimPlatform
from litex.soc.interconnect.csr import CSRStorage

WORD = 2**32 - 1
SCRIPTS = {"litemrc.repl": "litemrc.resc", "litemrc_ranks.repl": "litemrc_ranks.resc"}


def words(soc, block):
    """The bus words of a block of registers, in order of address."""
    region = soc.csr_regions[block]
    found, address = [], region.origin
    for csr in region.obj:
        stored = isinstance(csr, CSRStorage)
        reset = (csr.storage if stored else csr.status).reset.value
        if block == "mrc" and csr.name == "status":
            idle = next(field for field in csr.fields.fields if field.name == "idle")
            reset = 1 << idle.offset  # logic drives it: nothing was asked of the monitor yet
        ones = (1 << csr.size) - 1 if stored else reset
        for word in reversed(range(-(-csr.size // 32))):  # LiteX puts the highest word first
            found.append(
                {
                    "name": f"{block}_{csr.name}" + (("_low", "_high")[word] if csr.size > 32 else ""),
                    "address": address,
                    "reset": reset >> 32 * word & WORD,
                    "ones": ones >> 32 * word & WORD,
                    "writable": stored,
                }
            )
            address += 4
    return found


def register_map():
    """Words of each platform's peripherals, by the name of the script that starts it."""
    found = {}
    for platform, script in SCRIPTS.items():
        parameters = dict(PLATFORMS[platform])
        ranks, variant = parameters.pop("ranks", None), parameters.pop("variant", "baremetal")
        soc = SimSoC(SimPlatform("SIM", simulator_io(ranks, variant)), variant, ranks, **parameters)
        soc.finalize()
        found[script] = words(soc, "mrc") + (words(soc, "ranks") if ranks else [])
    return found


if __name__ == "__main__":
    logging.disable(logging.INFO)  # LiteX logs its elaboration at length
    Path(sys.argv[1]).write_text(json.dumps(register_map(), indent=1))
