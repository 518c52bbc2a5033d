# SPDX-License-Identifier: BSD-2-Clause
"""Entries of monitor and ranks in a platform description for Renode."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litex.soc.cores.cpu.vexriscv.core import CPU_VARIANTS

from litemrc_gateware.counters.dram_traffic import BANK_WORDS, HEAD_WORDS
from litemrc_gateware.export.blocks import MONITOR_KIND, RANKS_KIND, Block, find_blocks
from litemrc_gateware.export.registers import Register
from litemrc_gateware.integration.description import MONITOR, RANKS
from litemrc_gateware.ranks.ddr3_timings import TDLLK, TXPDLL

# Of LiteX's add_sdram: an L2 line has the data of a column access, but at least these.
_L2_LINE_BYTES_MIN = 16
# Processors of litex_json2renode that have no data cache in LiteX.
_UNCACHED = ("cv32e40p", "ibex", "picorv32")
Layouts = Mapping[str, Sequence[Register]]
SUPERVISOR = 1000  # inputs of Renode's VexRiscv: an external interrupt in supervisor mode
_CLASSES = {MONITOR_KIND: "Miscellaneous.LiteMrcMonitor", RANKS_KIND: "Miscellaneous.RankPower"}
# Fields of the registers of capabilities, by the arguments of the monitor's class.
_MONITOR_FIELDS = {
    "pageShift": "page_shift",
    "framesLog2": "frames_log2",
    "pagesLog2": "pages_log2",
    "groupsLog2": "groups_log2",
    "contextsLog2": "contexts_log2",
    "queueLog2": "queue_log2",
    "engine": "engine",
    "recentPages": "recent_pages",
    "ranks": "ranks",
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


def caches_of(csr: dict[str, Any], access_bytes: int) -> Caches:
    """Return the caches of a SoC.

    Parameters
    ----------
    csr
        csr.json.

    Raises
    ------
    ValueError
        the processor is none that the model knows.
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

    Raises
    ------
    ValueError
        it has none, or not of the known form.
    """
    module = re.search(r"^module DataCache .*?^endmodule", verilog, re.MULTILINE | re.DOTALL)
    ways = re.findall(r"\breg +\[\d+:0\] ways_\d+_tags \[0:(\d+)\]", module[0]) if module else []
    symbols = re.findall(r"\breg +\[7:0\] ways_0_data_symbol\d+ \[0:(\d+)\]", module[0]) if module else []
    if not ways or not symbols:
        raise ValueError("the processor's Verilog has no data cache of the known form")
    lines, way_bytes = int(ways[0]) + 1, len(symbols) * (int(symbols[0]) + 1)
    return len(ways) * way_bytes, len(ways), way_bytes // lines


def platform_lines(csr: dict[str, Any], layouts: Layouts, monitor: str | None = None) -> str:
    """Return the lines to add to the platform that litex_json2renode writes.

    Parameters
    ----------
    csr
        csr.json.
    layouts
        what ``export.registers.registers`` returns.
    monitor
        name of the monitor, if the SoC has several.

    Raises
    ------
    ValueError
        the SoC has no monitor, or one that Renode cannot model.
    """
    blocks = find_blocks(csr)
    names = [block.name for block in blocks if block.kind == MONITOR_KIND]
    if monitor is None and len(names) > 1:
        raise ValueError(
            f"Renode reports a processor's accesses to one monitor: choose with --monitor {'|'.join(names)}"
        )
    if monitor not in (None, *names):
        raise ValueError(f"--monitor {monitor}: the SoC has {', '.join(names)}")
    harts = csr["constants"].get("config_cpu_count", 1)
    if harts > 1:
        raise ValueError(f"the monitor's model in Renode follows one processor; this SoC has {harts}")
    chosen = monitor or names[0]
    found = entries(csr, layouts, chosen, "cpu0")
    return "\n\n".join([_how_to_use(chosen, _parts(csr, layouts, chosen)[2]), *found.values()]) + "\n"


def entries(csr: dict[str, Any], layouts: Layouts, monitor: str, cpu: str) -> dict[str, str]:
    """Return the entries of a monitor and of the ranks of its memory, by name.

    Parameters
    ----------
    cpu
        Renode's name of the processor.

    Raises
    ------
    ValueError
        their constants are missing in csr.json, or those of another version of the gateware.
    """
    chosen, ranks, fields = _parts(csr, layouts, monitor)
    counters = 8 << fields["contexts_log2"] + fields["groups_log2"]
    # The model counts the DRAM's commands as of one bank.
    window_size = counters + 4 * (HEAD_WORDS + BANK_WORDS)
    if _hot_pages(fields):
        window_size = chosen.window_size - 4 * BANK_WORDS * max(fields["banks"] - 1, 0)
    found = {monitor: _entry(csr, chosen, window_size, _monitor_arguments(csr, chosen, fields, cpu), cpu)}
    return found | {
        block.name: _entry(csr, block, block.window_size, _rank_arguments(csr, monitor, fields), cpu)
        for block in ranks
    }


def _parts(csr: dict[str, Any], layouts: Layouts, monitor: str) -> tuple[Block, list[Block], dict[str, int]]:
    """Return a monitor, the ranks of its memory, and the fields of the capabilities of both."""
    blocks = {block.name: block for block in find_blocks(csr)}
    chosen = blocks[monitor]
    if chosen.memory_base is None:
        raise ValueError(f"csr.json does not say which memory {monitor} observes: Renode cannot model it")
    ranks = [
        block
        for block in blocks.values()
        if block.kind == RANKS_KIND and block.memory_base == chosen.memory_base
    ]
    fields = _fields(chosen, MONITOR, layouts["mrc"])
    for block in ranks:
        fields |= _fields(block, RANKS, layouts["ranks"])
    return chosen, ranks, fields


def _entry(
    csr: dict[str, Any], block: Block, window_size: int, arguments: dict[str, object], cpu: str
) -> str:
    lines = [
        f"{block.name}: {_CLASSES[block.kind]} @ {{",
        f"        sysbus 0x{block.base:x};",
        # Its size may not be a multiple of Renode's pages: the window is accessed through the peripheral.
        f"        sysbus new Bus.BusMultiRegistration {{ address: 0x{block.window_base:x}; "
        f'size: 0x{window_size:x}; region: "window" }}',
        "    }",
        *(f"    {argument}: {value}" for argument, value in arguments.items()),
    ]
    if block.interrupt is not None:
        lines.append(interrupt_line(csr, block.interrupt, cpu))
    return "\n".join(lines)


def interrupt_line(csr: dict[str, Any], number: int, cpu: str) -> str:
    """Return the line of an entry that connects LiteX's interrupt `number`."""
    if "plic" in csr["memories"]:
        return f"    IRQ -> plic@{number}"
    also = f" | {cpu}@{SUPERVISOR + number}" if "config_cpu_variant_linux" in csr["constants"] else ""
    return f"    IRQ -> {cpu}@{number}{also}"


def _fields(block: Block, compatible: str, layout: Sequence[Register]) -> dict[str, int]:
    """Return the fields of a block's registers of capabilities."""
    if block.compatible != compatible:
        raise ValueError(f"{block.name} is a {block.compatible}; the files for Renode are of {compatible}")
    found = {}
    for register in layout:
        if not register.name.endswith("capabilities"):
            continue
        constant = f"built_{register.name}"
        if constant not in block.constants:
            raise ValueError(f"csr.json has no constant {block.name}_{constant}")
        value = block.constants[constant]
        found |= {each.name: value >> each.offset & ((1 << each.size) - 1) for each in register.fields}
    return found


def _hot_pages(fields: dict[str, int]) -> int:
    """Return the model's hot pages; it has those and the page bitmap, or neither."""
    log2 = fields["hot_pages_log2"]
    return 1 << log2 if log2 and fields["page_bitmap"] else 0


def _monitor_arguments(
    csr: dict[str, Any], block: Block, fields: dict[str, int], cpu: str
) -> dict[str, object]:
    caches = caches_of(csr, block.constants["access_bytes"])
    return {
        "cpu": cpu,
        "frequency": csr["constants"]["config_clock_frequency"],
        "memoryBase": f"0x{block.memory_base:x}",
        **{argument: fields[field] for argument, field in _MONITOR_FIELDS.items()},
        "l1Bytes": caches.l1_bytes,
        "l1Ways": caches.l1_ways,
        "l1LineBytes": caches.l1_line_bytes,
        "l2Bytes": caches.l2_bytes,
        "l2LineBytes": caches.l2_line_bytes,
        "accessBytes": caches.access_bytes,
        **({"domains": 1 << fields["domains_log2"]} if "domains_log2" in fields else {}),
        **({"hotPages": hot_pages} if (hot_pages := _hot_pages(fields)) else {}),
    }


def _rank_arguments(csr: dict[str, Any], monitor: str, fields: dict[str, int]) -> dict[str, object]:
    return {
        "monitor": monitor,
        "isVirtual": str(bool(fields["virtual"])).lower(),
        "states": fields["states"],
        **_exits(csr),
    }


def _exits(csr: dict[str, Any]) -> dict[str, int]:
    """Return the cycles from a wake-up to the first column access."""
    constants = csr["constants"]
    phases = constants["config_dram_phases"]
    tck_ns = 1e9 / (constants["config_clock_frequency"] * phases)
    return {
        "powerDownExit": TXPDLL.clocks(tck_ns, phases),
        "selfRefreshExit": TDLLK.clocks(tck_ns, phases),
    }


def _how_to_use(monitor: str, fields: dict[str, int]) -> str:
    size = (
        fields["engine"],
        *(1 << fields[f"{name}_log2"] for name in ("frames", "pages", "groups", "contexts")),
        fields["recent_pages"],
        1 << fields["domains_log2"] if "domains_log2" in fields else 0,
    )
    hot_pages = _hot_pages(fields)
    return (
        "// LiteMRC: append these lines to the platform of litex_json2renode. In the script, before\n"
        "// LoadPlatformDescription: include @LITEMRC/renode/peripherals.resc\n"
        f"// and after it: sysbus.{monitor} Library @LITEMRC/build/models/liblitemrc_model.so, made by\n"
        f"// make -C LITEMRC/models SIZES={'.'.join(map(str, size))}"
        f" PAGES={f'{size[1]}.{hot_pages}' if hot_pages else ''}"
    )
