"""The passive tap on the DRAM bus: DFI commands in, page frames out."""

from litex.gen import LiteXModule
from migen import Cat, Constant, If, Signal, log2_int

from litemrc_gateware.memory import SimpleDualPort


class DRAMTap(LiteXModule):
    """Watches the DFI between a LiteDRAM controller and its PHY and names the page frame of every access.

    A DRAM access is a column command (read or write). Its row is the one that the last ACTIVATE opened in
    its bank; row, bank and column are put together again to the address that the controller took apart
    (LiteDRAM's ``ROW_BANK_COL`` mapping), so ``frame`` is (physical address - DRAM base) >> page_shift.
    LiteDRAM issues at most one column command and one ACTIVATE per system clock, whatever the number of DFI
    phases.

    The tap drives nothing: the controller cannot tell whether it is there.

    Parameters
    ----------
    dfi : litedram.phy.dfi.Interface
        the interface to watch.
    geom : litedram.common.GeomSettings
        bank, row and column bits of the memory.
    column_bytes : int
        bytes behind one column address (the width of the data bus).
    page_shift : int
        log2 of the page size in bytes.

    Attributes
    ----------
    valid : Signal()
        an access happened one clock ago.
    frame : Signal(frame_bits)
        its page frame.
    write : Signal()
        it was a write.
    """

    def __init__(self, dfi, geom, column_bytes, page_shift=12):
        nranks = len(dfi.p0.cs_n)
        if nranks != 1:
            raise ValueError(f"DRAMTap: {nranks} ranks on the DFI, but only one is supported")
        column_shift = log2_int(column_bytes)
        address_bits = geom.rowbits + geom.bankbits + geom.colbits + column_shift
        if not column_shift <= page_shift < address_bits:
            raise ValueError(
                f"DRAMTap: page_shift {page_shift} is outside {column_shift}..{address_bits - 1}, "
                f"the bits of a column and of the whole memory"
            )
        self.frame_bits = address_bits - page_shift

        self.valid = Signal()
        self.frame = Signal(self.frame_bits)
        self.write = Signal()

        # # #

        # A few words, so LUT RAM. No row is opened and accessed in one clock.
        self.rows = rows = SimpleDualPort(geom.rowbits, 2**geom.bankbits, async_read=True)

        access = Signal()
        write = Signal()
        bank = Signal(geom.bankbits)
        column = Signal(geom.colbits)

        for phase in dfi.phases:
            selected = ~phase.cs_n
            self.comb += If(
                selected & ~phase.ras_n & phase.cas_n & phase.we_n,
                rows.write.we.eq(1),
                rows.write.adr.eq(phase.bank),
                rows.write.dat_w.eq(phase.address),
            ).Elif(
                selected & phase.ras_n & ~phase.cas_n,
                access.eq(1),
                write.eq(~phase.we_n),
                bank.eq(phase.bank),
                # A10 is the auto-precharge flag, never a column bit.
                column.eq(Cat(phase.address[:10], phase.address[11:])),
            )

        below_column = [Constant(0, column_shift)] if column_shift else []
        address = Cat(*below_column, column, bank, rows.read.dat_r)
        self.comb += rows.read.adr.eq(bank)
        self.sync += [
            self.valid.eq(access),
            self.write.eq(write),
            self.frame.eq(address[page_shift:]),
        ]
