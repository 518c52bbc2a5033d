# SPDX-License-Identifier: BSD-2-Clause
"""The register map as a C header for firmware and the Linux driver, and as JSON for the host."""

import json

from litemrc_gateware.counters.dram_traffic import BANK_WORDS, HEAD_WORDS, HeadWord
from litemrc_gateware.counters.hot_pages import QUEUE
from litemrc_gateware.counters.tagged_words import PAGES_PER_WORD
from litemrc_gateware.monitor.hot import PAGE_WORDS
from litemrc_gateware.monitor.registers import REGISTERS_VERSION
from litemrc_gateware.ranks.registers import RANK_REGISTERS_VERSION, STATE_BITS, MeterWord, Policy, PowerState
from litemrc_gateware.refs.control import LOAD_INITIAL
from litemrc_gateware.refs.registers import REF_COUNTER_REGISTERS_VERSION, Counter, Master
from litemrc_gateware.refs.traffic_generator import Pattern
from litemrc_gateware.stacks.engines import ENGINES


def c_header(blocks, repair):
    """The text of litemrc_regs.h.

    Parameters
    ----------
    blocks : dict
        what ``export.registers.registers`` returns.
    repair : str
        the command that writes the file.
    """
    lines = [
        "/* SPDX-License-Identifier: BSD-2-Clause */",
        f"/* Generated from the gateware by: {repair}. Do not edit. */",
        "#ifndef LITEMRC_REGS_H",
        "#define LITEMRC_REGS_H",
        "",
        f"#define LITEMRC_REGS_VERSION {REGISTERS_VERSION}",
        *_defines("LITEMRC_ENGINE_", {name.upper(): each.number for name, each in ENGINES.items()}),
        "/* Initialisers of an array of the engines' names by number. */",
        "#define LITEMRC_ENGINE_NAMES "
        + ", \\\n\t".join(f'[LITEMRC_ENGINE_{name.upper()}] = "{name}"' for name in ENGINES),
        "",
        "/* Registers: byte offsets from the base of the block; fields: shift and mask (in place). */",
        *_register_defines("LITEMRC_", blocks["mrc"]),
        "",
        "/* The window: words [context][LITEMRC_WINDOW_ROW(groups)]; a row holds each group's hits, then: */",
        "#define LITEMRC_WINDOW_ROW(groups) (2 * (groups))",
        "#define LITEMRC_WINDOW_MISSES(groups) (groups)",
        "#define LITEMRC_WINDOW_ACCESSES(groups) ((groups) + 1)",
        "#define LITEMRC_WINDOW_TOUCHED(groups) ((groups) + 2)",
        "/* Behind it, if built in: bits of the frames accessed, then of those written. */",
        f"#define LITEMRC_BITMAP_FRAMES {PAGES_PER_WORD} /* in a word */",
        "#define LITEMRC_WINDOW_ACCESSED(groups, contexts) ((contexts) * LITEMRC_WINDOW_ROW(groups))",
        f"#define LITEMRC_BITMAP_WORDS(frames) (2 * ((frames) / {PAGES_PER_WORD}))",
        "/* Behind these (bitmap: their words, or 0), if built in: frame and count of each hot page. */",
        "#define LITEMRC_WINDOW_HOT(groups, contexts, bitmap) \\",
        "\t(LITEMRC_WINDOW_ACCESSED(groups, contexts) + (bitmap))",
        f"#define LITEMRC_HOT_PAGE_WORDS {PAGE_WORDS}",
        f"#define LITEMRC_HOT_QUEUED_MAX {QUEUE}",
        "/* Behind these (hot: their words, or 0), if built in: counts of DRAM commands, then by bank. */",
        "#define LITEMRC_WINDOW_DRAM(groups, contexts, bitmap, hot) \\",
        "\t(LITEMRC_WINDOW_HOT(groups, contexts, bitmap) + (hot))",
        *_defines("LITEMRC_DRAM_", HeadWord.__members__),
        f"#define LITEMRC_DRAM_HEAD_WORDS {HEAD_WORDS}",
        f"#define LITEMRC_DRAM_BANK_WORDS {BANK_WORDS} /* struct litemrc_bank */",
        "",
        "/* Rank meter and rank power: a separate block, in SoCs that have it. */",
        f"#define LITEMRC_RANKS_REGS_VERSION {RANK_REGISTERS_VERSION}",
        f"#define LITEMRC_RANKS_STATE_BITS {STATE_BITS}",
        *_defines("LITEMRC_POWER_", PowerState.__members__),
        *_defines("LITEMRC_POLICY_", Policy.__members__),
        "",
        *_register_defines("LITEMRC_RANKS_", blocks["ranks"]),
        "",
        "/* The meter's window: words [domain][LITEMRC_METER_ROW], then N_mrc of each context. */",
        f"#define LITEMRC_METER_ROW {len(MeterWord)}",
        *_defines("LITEMRC_METER_", MeterWord.__members__),
        "",
        "/* Reference counters: a separate block, in SoCs that have it. Window: words [page][COUNTERS]. */",
        f"#define LITEMRC_REFS_REGS_VERSION {REF_COUNTER_REGISTERS_VERSION}",
        f"#define LITEMRC_REFS_COUNTERS {len(Counter)}",
        f"#define LITEMRC_REFS_LOAD_INITIAL 0x{1 << LOAD_INITIAL:08x}u",
        *_defines("LITEMRC_COUNTER_", Counter.__members__),
        *_defines("LITEMRC_REFS_MASTER_", Master.__members__),
        "",
        *_register_defines("LITEMRC_REFS_", blocks["refs"]),
        "",
        "/* Traffic generator: a separate block, in SoCs that have it. */",
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


def host_file(blocks, repair):
    """The text of registers.json.

    Parameters
    ----------
    blocks : dict
        what ``export.registers.registers`` returns.
    repair : str
        the command that writes the file.
    """
    described = {
        "generated_by": repair,
        "versions": {
            "mrc": REGISTERS_VERSION,
            "ranks": RANK_REGISTERS_VERSION,
            "refs": REF_COUNTER_REGISTERS_VERSION,
        },
        # Bytes from the base of the block, and words, of each register.
        "places": {
            name: {r.name: [r.offset, -(-r.size // 32)] for r in found} for name, found in blocks.items()
        },
        # Shift and size of each field of each register.
        "fields": {name: {r.name: _fields(r) for r in found} for name, found in blocks.items()},
        "engines": {name: each.number for name, each in ENGINES.items()},
        # Those that count each hit in exactly its group.
        "exact_engines": [name for name, each in ENGINES.items() if each.exact],
    }
    return json.dumps(described, indent=1) + "\n"


def _fields(register):
    return {field.name: [field.offset, field.size] for field in register.fields}
