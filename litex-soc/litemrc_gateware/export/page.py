# SPDX-License-Identifier: BSD-2-Clause
"""The register map as a page of the documentation."""

from litemrc_gateware.counters.dram_traffic import BANK_WORDS, BANKS_MAX, HEAD_WORDS, BankWord, HeadWord
from litemrc_gateware.monitor.registers import REGISTERS_VERSION
from litemrc_gateware.ranks.registers import RANK_REGISTERS_VERSION, MeterWord
from litemrc_gateware.refs.control import LOAD_INITIAL
from litemrc_gateware.refs.registers import REF_COUNTER_REGISTERS_VERSION, Counter


def page(blocks, repair):
    """The text of registers.md.

    Parameters
    ----------
    blocks : dict
        what ``export.registers.registers`` returns.
    repair : str
        the command that writes the file.
    """
    lines = [
        "# Registers of the monitor",
        "",
        f"Generated from the gateware by `{repair}`; do not edit. Layout version {REGISTERS_VERSION}.",
        "All registers are words of 32 bits; offsets are bytes from the base of the block (`CSR_MRC_BASE` in",
        "LiteX's csr.h).",
        "",
        *_table(blocks["mrc"]),
        "",
        "The window is a read-only memory of 32-bit words, `[context][2 * groups]`: the hits of each group",
        "in the finished epoch, then misses, accesses, touched pages (working set), and zeros.",
        "With stack_capabilities.page_bitmap, bits of the frames follow: first those accessed in the epoch,",
        "frame 0 in the lowest bit of the first word, then those written. Accesses that are out of range,",
        "dropped or frozen do not count; accesses to pages that are not sampled do.",
        "With stack_capabilities.hot_pages_log2 a list of hot pages follows: frame and count of each page,",
        "the largest count first, hot_status.listed pages.",
        "With dram_capabilities.banks the DRAM's commands follow: cycles, their upper bits, REFRESHes, the",
        f"most requests that waited in the controller, {HEAD_WORDS - len(HeadWord)} zeros; then for each",
        f"bank reads, writes, row hits, ACTIVATEs, row conflicts, {BANK_WORDS - len(BankWord)} zeros. Banks",
        f"whose numbers are equal modulo {BANKS_MAX} are counted together.",
        "",
        "In every epoch sum(hits) + misses == accesses for each context; the accesses of all contexts +",
        "epoch_outside + epoch_unsampled + epoch_dropped equal the DRAM's accesses while the monitor was",
        "enabled and not frozen, as do the reads and writes of all banks; unless status.overflow is 1.",
        "",
        "With control.hold the window stays as it is until command.release. Without it, an epoch that ends",
        "overwrites the window even while it is read. Then read `epoch`; words of the window, epoch_dropped,",
        "epoch_outside and epoch_unsampled; and `epoch` again. If it is the same, all of them are of epoch",
        "number `epoch` - 1. If it is not, read again. The meter's window, below, changes after this one:",
        "for it and the list of hot pages, status.epoch_due must also be 0 after the first read of `epoch`.",
        "The bits of the frames and the DRAM's commands change before: for them, status.epoch_due must also",
        "be 0 after they were read and before `epoch` is read again.",
        "",
        "## Registers of rank meter and rank power",
        "",
        "A separate block (`CSR_RANKS_BASE`), in SoCs that have it. Layout version "
        f"{RANK_REGISTERS_VERSION}.",
        "",
        *_table(blocks["ranks"]),
        "",
        f"The meter's window is a read-only memory of 32-bit words, `[domain][{len(MeterWord)}]`: the counts",
        "since the previous epoch, latched when the monitor publishes an epoch. N_mrc of each context",
        "follows the last domain. The counters of a domain:",
        f"{', '.join(word.name.lower() for word in MeterWord)}.",
        "The cycles in the five states add up to snapshot_clocks.",
        "",
        "## Registers of the reference counters",
        "",
        "A separate block (`CSR_REFS_BASE`), in SoCs that have it. Layout version "
        f"{REF_COUNTER_REGISTERS_VERSION}.",
        "",
        *_table(blocks["refs"]),
        "",
        f"Their window is a readable and writable memory of 32-bit words, `[page][{len(Counter)}]`:",
        f"{', '.join(counter.name for counter in Counter)}. A write loads the counter with the word's low",
        f"bits or, if bit {LOAD_INITIAL} is set, with its initial value.",
        "",
        "## Registers of the traffic generator",
        "",
        "A separate block (`CSR_TRAFFIC_BASE`), in SoCs that have it.",
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
