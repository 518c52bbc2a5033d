"""Caches between a SoC's processor and its DRAM, for the monitor's functional model."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litex.soc.cores.cpu.vexriscv.core import CPU_VARIANTS

# Of LiteX's add_sdram: an L2 line has the data of a column access, but at least these.
_L2_LINE_BYTES_MIN = 16
# Processors of litex_json2renode that have no data cache in LiteX.
_UNCACHED = ("cv32e40p", "ibex", "picorv32")


@dataclass(frozen=True)
class Caches:
    """Sizes in bytes; ``access_bytes`` are those of a column access of the DRAM."""

    l1_bytes: int
    l1_ways: int
    l1_line_bytes: int
    l2_bytes: int
    l2_line_bytes: int
    access_bytes: int


def caches_of(csr: dict[str, Any], access_bytes: int) -> Caches:
    """Return the caches of a SoC.

    Parameters:
        csr: csr.json.

    Raises:
        ValueError: the processor is none that the model knows.
    """
    l2_bytes = csr["constants"].get("config_l2_size", 0)
    line_bytes = max(access_bytes, _L2_LINE_BYTES_MIN) if l2_bytes else 0
    return Caches(*_data_cache_of(csr["constants"]), l2_bytes, line_bytes, access_bytes)


def _data_cache_of(constants: dict[str, Any]) -> tuple[int, int, int]:
    processor = next((name[16:] for name in constants if name.startswith("config_cpu_type_")), "none")
    if processor in _UNCACHED:
        return 0, 0, 0
    if processor != "vexriscv":
        known = ", ".join(("vexriscv", *_UNCACHED))
        raise ValueError(f"the model in Renode has no data cache of {processor}; it has those of {known}")
    if "config_cpu_has_dcache" not in constants:
        return 0, 0, 0
    variant = next(name[19:] for name in constants if name.startswith("config_cpu_variant_"))
    return data_cache(verilog_of(variant))


def verilog_of(variant: str) -> str:
    """Return the Verilog of a variant of VexRiscv."""
    from pythondata_cpu_vexriscv import data_location  # only this needs it

    return (Path(data_location) / f"{CPU_VARIANTS[variant]}.v").read_text()


def data_cache(verilog: str) -> tuple[int, int, int]:
    """Return bytes, ways and bytes of a line of the data cache in VexRiscv's Verilog.

    Raises:
        ValueError: it has none, or not of the known form.
    """
    module = re.search(r"^module DataCache .*?^endmodule", verilog, re.MULTILINE | re.DOTALL)
    ways = re.findall(r"\breg +\[\d+:0\] ways_\d+_tags \[0:(\d+)\]", module[0]) if module else []
    symbols = re.findall(r"\breg +\[7:0\] ways_0_data_symbol\d+ \[0:(\d+)\]", module[0]) if module else []
    if not ways or not symbols:
        raise ValueError("the processor's Verilog has no data cache of the known form")
    lines, way_bytes = int(ways[0]) + 1, len(symbols) * (int(symbols[0]) + 1)
    return len(ways) * way_bytes, len(ways), way_bytes // lines
