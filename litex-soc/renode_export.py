#!/usr/bin/env python3
"""Exports the SoCs for Renode: a platform description for each, and the registers as C#.

    python litex-soc/renode_export.py [--check]

writes renode/litemrc.repl, litemrc_linux.repl, litemrc_ranks.repl and renode/peripherals/Registers.cs, below
the current folder; with ``--check`` it compares instead and fails if they are stale. The SoCs are elaborated,
not built: addresses, sizes and interrupts are those LiteX writes to csr.json, sizes of caches those of the
processor's Verilog and of LiteX's L2.
"""

import argparse
import json
import logging
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from litemrc_gateware.export.registers import registers
from litemrc_gateware.ranks.records import MeterWord, Policy, PowerState
from litemrc_gateware.ranks.registers import STATE_BITS
from litex.build.sim import SimPlatform
from litex.soc.cores.cpu.vexriscv.core import CPU_VARIANTS
from litex.soc.integration.export import get_csr_json
from pythondata_cpu_vexriscv import data_location
from renode_files.platform import platform_description
from renode_files.registers import registers_csharp
from sim import SimSoC, simulator_io

RENODE = Path("renode")
REPAIR = "python litex-soc/renode_export.py"
# The platforms, with the parameters of their SoCs in the Makefile.
PLATFORMS = {
    "litemrc.repl": {"engine": "bucket_stack"},
    "litemrc_linux.repl": {"engine": "bucket_stack", "variant": "linux"},
    "litemrc_ranks.repl": {"engine": "group_stack", "groups": 256, "ranks": 4},
}


@dataclass(frozen=True)
class Caches:
    """Sizes in bytes; ``access_bytes`` are those of a column access of the DRAM."""

    l1_bytes: int
    l1_ways: int
    l1_line_bytes: int
    l2_bytes: int
    l2_line_bytes: int
    access_bytes: int


def data_cache(verilog):
    """Read bytes, ways and bytes of a line of the data cache from VexRiscv's Verilog.

    Raises
    ------
    ValueError
        it has none, or not of the known form.
    """
    module = re.search(r"^module DataCache .*?^endmodule", verilog, re.MULTILINE | re.DOTALL)
    ways = re.findall(r"\breg +\[\d+:0\] ways_\d+_tags \[0:(\d+)\]", module[0]) if module else []
    symbols = re.findall(r"\breg +\[7:0\] ways_0_data_symbol\d+ \[0:(\d+)\]", module[0]) if module else []
    if not ways or not symbols:
        raise ValueError("renode_export: the processor's Verilog has no data cache of the known form")
    lines, way_bytes = int(ways[0]) + 1, len(symbols) * (int(symbols[0]) + 1)
    return len(ways) * way_bytes, len(ways), way_bytes // lines


def caches(soc):
    """Return the caches between a SoC's processor and its DRAM."""
    variant = CPU_VARIANTS[soc.cpu.variant]
    verilog = Path(data_location) / f"{variant}.v"
    return Caches(
        *data_cache(verilog.read_text()),
        l2_bytes=soc.constants["CONFIG_L2_SIZE"],
        l2_line_bytes=len(soc.l2_cache.slave.dat_r) // 8,
        access_bytes=soc.sdram.crossbar.controller.data_width // 8,
    )


def description(variant="baremetal", ranks=None, **monitor_parameters):
    """Return csr.json of a simulated SoC, the fields of its monitor's capabilities, and its caches."""
    soc = SimSoC(SimPlatform("SIM", simulator_io(ranks)), variant, ranks, **monitor_parameters)
    soc.finalize()
    csr = json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    fields = [*soc.mrc._capabilities.fields.fields, *soc.mrc._stack_capabilities.fields.fields]
    if ranks:
        fields += soc.ranks._capabilities.fields.fields
    capabilities = {field.name: field.reset.value for field in fields}
    return csr, capabilities, caches(soc)


def exported():
    """Return the text of every file, by path."""
    files = {
        RENODE / name: platform_description(*description(**parameters), REPAIR)
        for name, parameters in PLATFORMS.items()
    }
    enums = {"PowerState": PowerState, "RankPolicy": Policy, "MeterWord": MeterWord}
    text = registers_csharp(registers(), enums, {"RankStateBits": STATE_BITS}, REPAIR)
    return files | {RENODE / "peripherals/Registers.cs": text}


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
