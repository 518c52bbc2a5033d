# SPDX-License-Identifier: BSD-2-Clause
"""LiteDRAM's DRAM models at the DFI of any PHY, and the accesses to their arrays."""

from functools import reduce
from operator import or_
from pathlib import Path

from litedram.phy.dfi import Interface
from litedram.phy.model import BankModel, SDRAMPHYModel
from litex.gen import LiteXModule
from migen import Cat, ClockSignal, If, Instance, Memory, Signal
from migen.fhdl.specials import _MemoryPort

from scripts.targets.command_pins import COMMANDS, DFICommands
from scripts.targets.dram import DRAM

SPARSE_MEMORY = (Path(__file__).parent / "sparse_memory.sv").read_text()
# Words of one access in LiteDRAM's model, for each phase.
_MODEL_BURST = {"SDR": 1, "DDR": 2, "LPDDR": 2, "DDR2": 2, "DDR3": 2, "DDR4": 2}


class ModelPHY(LiteXModule):
    """The DFI and settings of a target's PHY with one unmodified ``SDRAMPHYModel`` a rank behind it.

    Between DFI and model, commands of DDR4 and LPDDR4 are translated to the memory's pins and back
    (command_pins.py). LiteDRAM has no such model of LPDDR4: its arrays are those of DDR4 with a burst of 16.

    The arrays of the models have their full size (sparse_memory.sv). LiteDRAM's model takes A10 for a column
    bit; it is given column commands without it.

    Attributes
    ----------
    settings : PhySettings
        rdphase and wrphase are signals to drive where the target's are.
    arrays : ArrayPorts
    """

    def __init__(self, dram: DRAM):
        module = dram.module()
        self.phases = {name: Signal(max=dram.phy["nphases"], reset=at) for name, at in dram.phases.items()}
        self.settings = dram.phy_settings(**self.phases)
        self.addressbits, self.bankbits = dram.dfi["addressbits"], dram.dfi["bankbits"]
        sizes = (self.addressbits, self.bankbits, dram.dfi["selects"])
        self.dfi = Interface(*sizes, dram.phy["dfi_databits"], dram.dfi["nphases"])

        # # #

        memtype = dram.phy["memtype"]
        self.pins = pins = COMMANDS.get(memtype, DFICommands)(self.dfi, dram.phy["nphases"])
        alone = dram.phy_settings(
            nranks=1,
            is_clam_shell=False,
            memtype=memtype if memtype in _MODEL_BURST else "DDR4",
            read_latency=dram.phy["read_latency"] - pins.delay,
            write_latency=dram.phy["write_latency"] - pins.delay,
        )
        models = [SDRAMPHYModel(module, settings=alone) for _ in range(dram.phy["nranks"])]
        for rank, model in enumerate(models):
            setattr(self, f"model_{rank}", model)
            for phase, command, seen in zip(pins.data, pins.commands, model.dfi.phases, strict=False):
                self.comb += [
                    *(getattr(seen, name).eq(getattr(command, name)) for name in ("ras_n", "cas_n", "we_n")),
                    seen.cs_n.eq(command.cs_n[rank]),  # the two selects of a clamshell are alike
                    seen.bank.eq(command.bank),
                    seen.address.eq(command.address),
                    seen.wrdata.eq(phase.wrdata),
                    seen.wrdata_mask.eq(phase.wrdata_mask),
                ]
                if dram.geom["colbits"] > 10:
                    column = Cat(command.address[:10], command.address[11:])
                    self.comb += If(command.ras_n & ~command.cas_n, seen.address.eq(column))
        for number, phase in enumerate(pins.data):
            lanes = [model.dfi.phases[number].rddata for model in models]
            self.comb += phase.rddata.eq(reduce(or_, lanes))
        self.arrays = ArrayPorts(dram, models, pins.delay)


class ArrayPorts(LiteXModule):
    """The use of the arrays of all banks of all ranks, rank 0 first.

    Attributes
    ----------
    reads, writes : Signal(banks)
        the banks with a read or write in this cycle.
    read_index, write_index : Signal()
        the array's index.
    data : Signal(64 or less)
        written, lowest bits.
    delay : int
        cycles from a read command at the DFI to the array.
    """

    def __init__(self, dram: DRAM, models, delay):
        self.dram, self.delay = dram, delay
        banks = [bank for model in models for _, bank in model._submodules if isinstance(bank, BankModel)]
        ports = [_sparse(bank) for bank in banks]
        width = len(ports[0][0].adr)
        self.reads, self.writes = Signal(len(banks)), Signal(len(banks))
        self.read_index, self.write_index = Signal(width), Signal(width)
        self.data = Signal(min(64, len(ports[0][1].dat_w)))

        # # #

        for number, (bank, (read, write)) in enumerate(zip(banks, ports, strict=True)):
            self.comb += [
                self.reads[number].eq(bank.read),
                self.writes[number].eq(bank.write),
                If(bank.read, self.read_index.eq(read.adr)),
                If(bank.write, self.write_index.eq(write.adr), self.data.eq(write.dat_w)),
            ]

    def address(self, bank: int, index: int) -> int:
        """Return the byte address of an array's word in LiteDRAM's mapping.

        Parameters
        ----------
        bank
            number among the banks of all ranks.
        """
        columns = _MODEL_BURST.get(self.dram.phy["memtype"], 2) * self.dram.phy["nphases"]
        column_bytes = self.dram.phy["databits"] // 8
        within = index * columns * column_bytes
        row_bytes = column_bytes << self.dram.geom["colbits"]
        piece = max(row_bytes, self.dram.controller["bank_byte_alignment"])
        banks = self.dram.phy["nranks"] << self.dram.geom["bankbits"]
        return (within // piece * banks + bank) * piece + within % piece


def _sparse(bank: BankModel):
    """Put a sparse memory in the place of a bank's array; return its read and write port."""
    fragment = bank._fragment
    (memory,) = [special for special in fragment.specials if isinstance(special, Memory)]
    (write,) = [port for port in memory.ports if port.we is not None]
    (read,) = [port for port in memory.ports if port.we is None]
    fragment.specials = {each for each in fragment.specials if not isinstance(each, Memory | _MemoryPort)}
    fragment.specials.add(
        Instance(
            "sparse_memory",
            p_WIDTH=memory.width,
            p_ADDRESS=len(write.adr),
            i_clk=ClockSignal(),
            i_write_address=write.adr,
            i_write_data=write.dat_w,
            i_write_enable=write.we,
            i_read_address=read.adr,
            o_read_data=read.dat_r,
        )
    )
    return read, write
