# SPDX-License-Identifier: BSD-2-Clause
"""Simulation only: an observer inside LiteDRAM's DRAM model, independent of the tap it checks."""

from functools import reduce
from operator import and_, or_

from litedram.phy.model import BankModel
from litex.gen import LiteXModule
from migen import Cat, Constant, If, Signal

from litemrc_soc.simulation.dram import bank_memory


class DRAMObserver(LiteXModule):
    """Reports the byte address of every access to the memory arrays of a ``SDRAMPHYModel``.

    It reads the address lines of the arrays in the cycle of their use and does not decode ACTIVATE commands:
    the model's own row registers select the word.

    Attributes
    ----------
    read, write : Signal()
    address : Signal(32)
        byte address, from 0 at the bottom of the DRAM.
    activate, row : Signal(), Signal(32)
        a bank opens a row.
    bank : Signal(8)
        of the access or of `activate`: there is one command in a cycle.
    close_all : Signal()
        all banks close their rows.
    refresh : Signal()
        a REFRESH, which the model ignores: decoded from the DFI.
    """

    def __init__(self, phy):
        self.read = Signal()
        self.write = Signal()
        self.address = Signal(32)
        self.activate, self.bank, self.row = Signal(), Signal(8), Signal(32)
        self.close_all, self.refresh = Signal(), Signal()

        # # #

        if phy.settings.write_latency:
            raise ValueError("DRAMObserver: a model with write latency does not keep the order of accesses")
        geom = phy.module.geom_settings
        banks = [module for _, module in phy._submodules if isinstance(module, BankModel)]
        for number, bank in enumerate(banks):
            read_port, write_port = array_ports(bank)
            adr = Signal(len(read_port.adr))
            self.comb += If(bank.write, adr.eq(write_port.adr)).Else(adr.eq(read_port.adr))
            # An array word is one burst: the column bits below it are 0 in every access.
            word_bytes_log2 = (len(read_port.dat_r) // 8).bit_length() - 1
            burst_log2 = geom.rowbits + geom.colbits - len(adr)
            column_bits = geom.colbits - burst_log2
            self.comb += If(
                bank.read | bank.write,
                self.address.eq(
                    Cat(
                        Constant(0, word_bytes_log2),
                        adr[:column_bits],
                        Constant(number, geom.bankbits),
                        adr[column_bits:],
                    )
                ),
            )
            self.comb += [
                If(bank.read | bank.write | bank.activate, self.bank.eq(number)),
                If(bank.activate, self.row.eq(bank.activate_row)),
            ]
        (phase,) = phy.dfi.phases
        self.comb += [
            self.activate.eq(reduce(or_, [bank.activate for bank in banks])),
            self.close_all.eq(reduce(and_, [bank.precharge for bank in banks])),
            self.refresh.eq((phase.cs_n == 0) & ~phase.ras_n & ~phase.cas_n & phase.we_n),
            self.read.eq(reduce(or_, [bank.read for bank in banks])),
            self.write.eq(reduce(or_, [bank.write for bank in banks])),
        ]


def array_ports(bank):
    """The (read, write) ports of a BankModel's memory array."""
    memory = bank_memory(bank)
    (write_port,) = [port for port in memory.ports if port.we is not None]
    (read_port,) = [port for port in memory.ports if port.we is None]
    return read_port, write_port
