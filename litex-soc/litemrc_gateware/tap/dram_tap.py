# SPDX-License-Identifier: BSD-2-Clause
"""The passive tap on the DRAM bus: DFI commands in, page frames out."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Mux, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import access_layout, width_of
from litemrc_gateware.tap.dram_address import AddressMapping


class DRAMTap(LiteXModule):
    """Watches the DFI between a LiteDRAM controller and its PHY and reports the page frame of every access.

    A DRAM access is a column command (read or write). Its row is the one that the last ACTIVATE opened in
    its bank. `AddressMapping` computes the address from rank, row, bank and column, so that ``frame`` is
    (physical address - DRAM base) >> page_shift.
    LiteDRAM issues at most one column command and one ACTIVATE per system clock cycle, with any number of DFI
    phases.

    The tap is passive: it drives nothing and adds no cycles.

    Parameters
    ----------
    dfi : litedram.phy.dfi.Interface
        the interface to watch.
    geom : litedram.common.GeomSettings
        bank, row and column bits of the memory.
    column_bytes : int
        bytes of one column address (the width of the data bus).
    page_shift : int
        log2 of the page size in bytes.
    bank_byte_alignment : int
        the controller's setting: 0, or as many bytes as a bank has, which puts bank and rank above the row.
    ranks : int
        ``phy.settings.nranks``. Default: one for each chip select; two selects of a clamshell are one rank.

    Attributes
    ----------
    source : stream.Endpoint(access_layout), out
        the access of the cycle before: page frame, and whether it was a write. `ready` is ignored, because
        an access cannot wait.
    frame_bits : int
        width of a page frame's number.
    ranks : int
    """

    @classmethod
    def of_controller(cls, phy, sdram, page_shift=12):
        """Return the tap between a PHY and its controller (``soc.sdram``), with their sizes."""
        settings = sdram.controller.settings
        return cls(
            phy.dfi,
            settings.geom,
            column_bytes=phy.settings.databits // 8,
            page_shift=page_shift,
            bank_byte_alignment=settings.bank_byte_alignment,
            ranks=phy.settings.nranks,
        )

    def __init__(self, dfi, geom, column_bytes, page_shift=12, bank_byte_alignment=0, ranks=None):
        selects = len(dfi.p0.cs_n)
        self.ranks = ranks = selects if ranks is None else ranks
        mapping = AddressMapping(geom, ranks, column_bytes, bank_byte_alignment)
        if not mapping.column_shift <= page_shift < mapping.bits:
            raise ValueError(
                f"DRAMTap: page_shift must be {mapping.column_shift} (a column) to {mapping.bits - 1} (half "
                f"the memory), got {page_shift}"
            )
        self.frame_bits = mapping.bits - page_shift

        self.source = stream.Endpoint(access_layout(2**self.frame_bits))

        # # #

        # A few words, so LUT RAM. No row is opened and accessed in one cycle.
        self.rows = rows = SimpleDualPort(geom.rowbits, ranks * 2**geom.bankbits, async_read=True)

        access = Signal()
        write = Signal()
        bank = Signal(geom.bankbits)
        rank = Signal(width_of(ranks))
        column = Signal(geom.colbits)

        for phase in dfi.phases:
            selected = ~phase.cs_n if selects == 1 else phase.cs_n != 2**selects - 1
            number = reduce(or_, (Mux(phase.cs_n[r], 0, r) for r in range(ranks)))
            self.comb += If(
                selected & ~phase.ras_n & phase.cas_n & phase.we_n,
                rows.write.we.eq(1),
                rows.write.adr.eq(Cat(phase.bank[: geom.bankbits], number) if ranks > 1 else phase.bank),
                rows.write.dat_w.eq(phase.address),
            ).Elif(
                selected & phase.ras_n & ~phase.cas_n,
                access.eq(1),
                write.eq(~phase.we_n),
                bank.eq(phase.bank),
                rank.eq(number if ranks > 1 else 0),
                column.eq(_column(phase.address)),
            )

        address = mapping.address(rank, bank, rows.read.dat_r, column)
        self.comb += rows.read.adr.eq(Cat(bank, rank) if ranks > 1 else bank)
        self.sync += [
            self.source.valid.eq(access),
            self.source.write.eq(write),
            self.source.frame.eq(address[page_shift:]),
        ]


def _column(address):
    """The column of a column command: A10 is the auto-precharge flag, never a column bit."""
    return Cat(address[:10], address[11:]) if len(address) > 11 else address[:10]
