"""Exports the register map from the gateware: a C header and a page of documentation.

    python -m litemrc_gateware.export [--check]

writes firmware/include/litemrc_regs.h and docs/registers.md below the current folder; with ``--check`` it
compares instead and fails if they are stale. Addresses of a whole SoC are in LiteX's csr.json and csr.h.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from litedram.common import GeomSettings, LiteDRAMNativePort
from litedram.phy import dfi
from litex.build.sim import SimPlatform
from litex.soc.integration.soc_core import SoCMini

from litemrc_gateware.monitor.monitor import Monitor
from litemrc_gateware.monitor.registers import ENGINE_NUMBERS, REGISTERS_VERSION
from litemrc_gateware.ranks.records import MeterWord, Policy, PowerState
from litemrc_gateware.ranks.registers import RANK_REGISTERS_VERSION, STATE_BITS, RankRegisters
from litemrc_gateware.records import MAX_DOMAINS
from litemrc_gateware.refs.control import LOAD_INITIAL
from litemrc_gateware.refs.records import Counter, Master
from litemrc_gateware.refs.registers import REF_COUNTER_REGISTERS_VERSION, RefCounterRegisters
from litemrc_gateware.refs.traffic_generator import Pattern, TrafficGenerator
from litemrc_gateware.tap.dram_tap import DRAMTap

HEADER = Path("firmware/include/litemrc_regs.h")
PAGE = Path("docs/registers.md")
REPAIR = "python -m litemrc_gateware.export"
BLOCKS = ("mrc", "ranks", "refs", "traffic")


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    size: int
    description: str


@dataclass(frozen=True)
class Register:
    name: str
    offset: int  # bytes from the base of the block
    size: int  # bits
    access: str
    reset: int
    description: str
    fields: tuple[Field, ...]


class _RegistersOnly(SoCMini):
    """The smallest SoC with all registers: their layout does not depend on the memory watched."""

    def __init__(self):
        super().__init__(SimPlatform("SIM", []), clk_freq=1_000_000)
        geom = GeomSettings(bankbits=2, rowbits=13, colbits=9)
        pins = dfi.Interface(addressbits=13, bankbits=2, nranks=1, databits=16)
        self.tap = DRAMTap(pins, geom, column_bytes=2)
        self.mrc = Monitor(self.tap)
        self.ranks = RankRegisters(domains=MAX_DOMAINS, virtual=False, groups=64, partial=True)
        self.refs = RefCounterRegisters(
            pages=65536, masters=4, contexts=8, width=12, queue_depth=512, page_shift=12
        )
        self.traffic = TrafficGenerator(LiteDRAMNativePort("both", address_width=24, data_width=64))


def registers():
    """The registers of each block, in order of address, by the block's name."""
    soc = _RegistersOnly()
    soc.finalize()
    return {name: _of_region(soc.csr_regions[name]) for name in BLOCKS}


def _of_region(region):
    found, offset = [], 0
    for csr in region.obj:
        fields = getattr(csr, "fields", None)
        found.append(
            Register(
                name=csr.name,
                offset=offset,
                size=csr.size,
                access="read-only" if getattr(csr, "read_only", False) else "read-write",
                reset=_reset(csr),
                description=" ".join((getattr(csr, "description", None) or "").split()),
                fields=tuple(
                    Field(f.name, f.offset, f.size, " ".join((f.description or "").split()))
                    for f in (fields.fields if fields else ())
                ),
            )
        )
        offset += 4 * -(-csr.size // region.busword)
    return found


def _reset(csr):
    signal = getattr(csr, "storage", None)
    if signal is None:
        signal = getattr(csr, "status", None)
    return signal.reset.value if signal is not None else 0


def c_header(blocks):
    """The text of litemrc_regs.h."""
    lines = [
        "/* SPDX-License-Identifier: BSD-2-Clause */",
        f"/* Generated from the gateware by: {REPAIR}. Do not edit. */",
        "#ifndef LITEMRC_REGS_H",
        "#define LITEMRC_REGS_H",
        "",
        f"#define LITEMRC_REGS_VERSION {REGISTERS_VERSION}",
        *_defines("LITEMRC_ENGINE_", {name.upper(): number for name, number in ENGINE_NUMBERS.items()}),
        "",
        "/* Registers: byte offsets from the base of the block; fields: shift and mask (in place). */",
        *_register_defines("LITEMRC_", blocks["mrc"]),
        "",
        "/* The window: words [context][LITEMRC_WINDOW_ROW(groups)]; in a row each group's hits, then: */",
        "#define LITEMRC_WINDOW_ROW(groups) (2 * (groups))",
        "#define LITEMRC_WINDOW_MISSES(groups) (groups)",
        "#define LITEMRC_WINDOW_ACCESSES(groups) ((groups) + 1)",
        "#define LITEMRC_WINDOW_TOUCHED(groups) ((groups) + 2)",
        "",
        "/* Rank meter and rank power: a block of its own, where there is one. */",
        f"#define LITEMRC_RANKS_REGS_VERSION {RANK_REGISTERS_VERSION}",
        f"#define LITEMRC_RANKS_STATE_BITS {STATE_BITS}",
        *_defines("LITEMRC_POWER_", PowerState.__members__),
        *_defines("LITEMRC_POLICY_", Policy.__members__),
        "",
        *_register_defines("LITEMRC_RANKS_", blocks["ranks"]),
        "",
        "/* The meter's window: words [domain][LITEMRC_METER_ROW], N_mrc of each context behind them. */",
        f"#define LITEMRC_METER_ROW {len(MeterWord)}",
        *_defines("LITEMRC_METER_", MeterWord.__members__),
        "",
        "/* Reference counters: a block of their own, if there are any. Window: words [page][COUNTERS]. */",
        f"#define LITEMRC_REFS_REGS_VERSION {REF_COUNTER_REGISTERS_VERSION}",
        f"#define LITEMRC_REFS_COUNTERS {len(Counter)}",
        f"#define LITEMRC_REFS_LOAD_INITIAL 0x{1 << LOAD_INITIAL:08x}u",
        *_defines("LITEMRC_COUNTER_", Counter.__members__),
        *_defines("LITEMRC_REFS_MASTER_", Master.__members__),
        "",
        *_register_defines("LITEMRC_REFS_", blocks["refs"]),
        "",
        "/* Traffic generator: the same. */",
        *_defines("LITEMRC_PATTERN_", Pattern.__members__),
        *_register_defines("LITEMRC_TRAFFIC_", blocks["traffic"]),
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _defines(prefix, numbers):
    return [f"#define {prefix}{name} {int(number)}" for name, number in numbers.items()]


def _register_defines(prefix, found):
    lines = []
    for register in found:
        name = f"{prefix}{register.name.upper()}"
        lines.append(f"#define {name} 0x{register.offset:02x}")
        for field in register.fields:
            mask = ((1 << field.size) - 1) << field.offset
            lines.append(f"#define {name}_{field.name.upper()}_SHIFT {field.offset}")
            lines.append(f"#define {name}_{field.name.upper()} 0x{mask:08x}u")
    return lines


def page(blocks):
    """The text of registers.md."""
    lines = [
        "# Registers of the monitor",
        "",
        f"Generated from the gateware by `{REPAIR}`; do not edit. Layout version {REGISTERS_VERSION}.",
        "All registers are words of 32 bits; offsets are bytes from the base of the block (`CSR_MRC_BASE` in",
        "LiteX's csr.h).",
        "",
        *_table(blocks["mrc"]),
        "",
        "The window is a read-only memory of 32-bit words, `[context][2 * groups]`: the hits of each group",
        "of the finished epoch, then its misses, its accesses, its touched pages (working set), and zeros.",
        "In every epoch sum(hits) + misses == accesses of a context; the accesses of all contexts +",
        "epoch_outside + epoch_unsampled + epoch_dropped are those of the DRAM while the monitor was enabled",
        "and not frozen.",
        "",
        "## Registers of rank meter and rank power",
        "",
        "A block of its own (`CSR_RANKS_BASE`), where they are built in. Layout version "
        f"{RANK_REGISTERS_VERSION}.",
        "",
        *_table(blocks["ranks"]),
        "",
        f"The meter's window is a read-only memory of 32-bit words, `[domain][{len(MeterWord)}]`: what was",
        "counted since the epoch before, taken when the monitor publishes an epoch. N_mrc of each context is",
        "behind the last domain. The counters of a domain:",
        f"{', '.join(word.name.lower() for word in MeterWord)}.",
        "The clocks in the five states add up to snapshot_clocks.",
        "",
        "## Registers of the reference counters",
        "",
        "A block of its own (`CSR_REFS_BASE`), where they are built in. Layout version "
        f"{REF_COUNTER_REGISTERS_VERSION}.",
        "",
        *_table(blocks["refs"]),
        "",
        f"Their window is a memory of 32-bit words, `[page][{len(Counter)}]`, to be read and written:",
        f"{', '.join(counter.name for counter in Counter)}. A write loads the counter, with the word's low",
        f"bits or, with bit {LOAD_INITIAL}, with its initial value.",
        "",
        "## Registers of the traffic generator",
        "",
        "A block of its own (`CSR_TRAFFIC_BASE`), where it is built in.",
        "",
        *_table(blocks["traffic"]),
        "",
    ]
    return "\n".join(lines)


def _table(found):
    lines = ["| offset | register | access | bits | meaning |", "| --- | --- | --- | --- | --- |"]
    for register in found:
        lines.append(
            f"| 0x{register.offset:02x} | `{register.name}` | {register.access} | {register.size} "
            f"| {register.description} |"
        )
        for field in register.fields:
            bits = f"{field.offset + field.size - 1}:{field.offset}" if field.size > 1 else f"{field.offset}"
            lines.append(f"| | `.{field.name}` | | {bits} | {field.description} |")
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the files, change nothing")
    args = parser.parse_args()
    found = registers()
    stale = []
    for path, text in ((HEADER, c_header(found)), (PAGE, page(found))):
        if args.check:
            if not path.exists() or path.read_text() != text:
                stale.append(str(path))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale:
        sys.exit(f"stale, not what the gateware exports: {', '.join(stale)}; repair with: {REPAIR}")
