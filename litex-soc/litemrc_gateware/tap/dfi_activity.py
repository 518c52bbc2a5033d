# SPDX-License-Identifier: BSD-2-Clause
"""The activity of each power domain, from the commands on the DRAM bus."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Replicate, Signal, log2_int

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import MAX_DOMAINS, width_of
from litemrc_gateware.tap.dram_address import AddressMapping


class DFIActivity(LiteXModule):
    """Watches the DFI at the PHY; reports accesses, activates, refreshes and open rows of each domain.

    A domain is a rank, or an equal address slice of a single rank. With slices, an access or an activate
    belongs to the slice of its row; refreshes and open rows are those of the whole device and the same in all
    domains. Commands to a rank with CKE low are ignored, as by the DRAM; a self-refresh entry, in whose cycle
    CKE falls, is no refresh. A row is closed by the precharge of its bank or of all banks, by a read or write
    with auto-precharge (A10), and by a refresh.

    The phases of a cycle are evaluated in order. There must be at most one access and one activate a cycle,
    as LiteDRAM issues them.

    The unit is passive: it drives nothing on the DFI.

    Parameters
    ----------
    dfi : litedram.phy.dfi.Interface
        the interface to watch.
    geom : litedram.common.GeomSettings
        bank, row and column bits of a rank.
    column_bytes : int
        bytes of one column address (the width of the data bus).
    domains : int
        as many as the DFI has ranks; 1 to 16, a power of two, if it has one.
    bank_byte_alignment : int
        as in `AddressMapping`.

    Attributes
    ----------
    access, access_domain, write : Signal, out
        a burst was read or written in the cycle before.
    activate, activate_domain : Signal, out
        a row was opened in the cycle before.
    refresh : Signal(domains), out
        bit d: a refresh in the cycle before.
    open : Signal(domains), out
        bit d: a row is open after the commands of the cycle before.
    """

    def __init__(self, dfi, geom, column_bytes, domains, bank_byte_alignment=0):
        ranks, banks = len(dfi.p0.cs_n), 2**geom.bankbits
        if domains & (domains - 1) or not 1 <= domains <= MAX_DOMAINS:
            raise ValueError(
                f"DFIActivity: domains must be a power of two up to {MAX_DOMAINS} (got {domains})"
            )
        if ranks > 1 and domains != ranks:
            raise ValueError(f"DFIActivity: {domains} domains, but {ranks} ranks on the DFI, each a domain")
        mapping = AddressMapping(geom, ranks, column_bytes, bank_byte_alignment)
        domain_bits = log2_int(domains)
        if ranks == 1 and domain_bits > geom.rowbits + geom.bankbits:
            raise ValueError(f"DFIActivity: {domains} domains are more than the rows of the memory")
        self.access, self.access_domain, self.write = Signal(), Signal(width_of(domains)), Signal()
        self.activate, self.activate_domain = Signal(), Signal(width_of(domains))
        self.refresh, self.open = Signal(domains), Signal(domains)

        # # #

        # The domain of the row that is open in a bank: a few words, so LUT RAM. No row is opened and accessed
        # in one cycle.
        self.rows = rows = SimpleDualPort(width_of(domains), banks, async_read=True)

        access, write, activate, activate_domain = Signal(), Signal(), Signal(), Signal(width_of(domains))
        refresh, rank = Signal(ranks), Signal(width_of(ranks))
        self.rows_open = [Signal(banks, name=f"rank{r}_open") for r in range(ranks)]
        rows_open = self.rows_open
        for phase in dfi.phases:
            selected = Signal(ranks)
            self.comb += selected.eq(~phase.cs_n & phase.cke)
            number = reduce(or_, (Mux(selected[r], r, 0) for r in range(ranks)))
            bank, a10 = phase.bank[: geom.bankbits], phase.address[10]
            row = phase.address[: geom.rowbits]
            opens = phase.cas_n & phase.we_n & ~phase.ras_n
            accesses = phase.ras_n & ~phase.cas_n
            precharges = ~phase.ras_n & phase.cas_n & ~phase.we_n
            refreshes = ~phase.ras_n & ~phase.cas_n & phase.we_n
            self.comb += [
                If(
                    (selected != 0) & opens,
                    activate.eq(1),
                    activate_domain.eq(
                        number
                        if ranks > 1
                        else mapping.address(0, bank, row, Signal(geom.colbits))[mapping.bits - domain_bits :]
                        if domain_bits
                        else 0
                    ),
                    rows.write.adr.eq(bank),
                    rows.write.we.eq(1),
                ),
                If(
                    (selected != 0) & accesses,
                    access.eq(1),
                    write.eq(~phase.we_n),
                    rank.eq(number),
                    rows.read.adr.eq(bank),
                ),
                If(refreshes, refresh.eq(selected)),
            ]
            behind = [Signal(banks) for _ in range(ranks)]
            for r, (now, then) in enumerate(zip(rows_open, behind, strict=True)):
                all_banks, this_bank = Replicate(selected[r], banks), Signal(banks)
                self.comb += [
                    this_bank.eq(Mux(selected[r], 1 << bank, 0)),
                    then.eq(now),
                    If(opens, then.eq(now | this_bank)),
                    If(accesses & a10, then.eq(now & ~this_bank)),
                    If(precharges, then.eq(now & ~Mux(a10, all_banks, this_bank))),
                    If(refreshes, then.eq(now & ~all_banks)),
                ]
            rows_open = behind
        self.comb += rows.write.dat_w.eq(activate_domain)

        # Registered, so that this logic is not on a path of the meter.
        self.sync += [
            self.access.eq(access),
            self.access_domain.eq(rank if ranks > 1 else rows.read.dat_r),
            self.write.eq(write),
            self.activate.eq(activate),
            self.activate_domain.eq(activate_domain),
            self.refresh.eq(refresh if ranks > 1 else Replicate(refresh, domains)),
            *(now.eq(then) for now, then in zip(self.rows_open, rows_open, strict=True)),
        ]
        any_open = [now != 0 for now in self.rows_open]
        self.comb += self.open.eq(Cat(*any_open) if ranks > 1 else Replicate(any_open[0], domains))
