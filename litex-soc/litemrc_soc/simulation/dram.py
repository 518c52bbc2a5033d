# SPDX-License-Identifier: BSD-2-Clause
"""Simulation only: initialises LiteDRAM's DRAM model with the contents of files."""

from litedram.phy.model import BankModel
from migen import Memory


def fill_at_start(phy):
    """Make every bank of a ``SDRAMPHYModel`` read a file, in Verilog's ``$readmemh`` format, at time 0.

    With the controller's ROW_BANK_COL mapping consecutive rows are in different banks, so that byte
    address ``((row * banks + bank) * row_words + column) * word_bytes`` is word ``row * row_words + column``
    of a bank.

    Returns
    -------
    dict
        ``bank_files``: the file of each bank, in the simulator's working directory; ``word_bytes``, bytes of
        a word of these files, least significant first; ``row_words``, consecutive words in one bank;
        ``bytes``, of the whole DRAM.
    """
    banks = [module for _, module in phy._submodules if isinstance(module, BankModel)]
    memories = [bank_memory(bank) for bank in banks]
    for number, memory in enumerate(memories):
        memory.name_override = f"dram_bank{number}"
        memory.init = [0]
    word_bytes = memories[0].width // 8
    geom = phy.module.geom_settings
    return {
        "bank_files": [f"sim_{memory.name_override}.init" for memory in memories],
        "word_bytes": word_bytes,
        "row_words": memories[0].depth >> geom.rowbits,
        "bytes": sum(memory.depth for memory in memories) * word_bytes,
    }


def bank_memory(bank):
    """The memory array of a BankModel."""
    (memory,) = [special for special in bank._fragment.specials if isinstance(special, Memory)]
    return memory
