# SPDX-License-Identifier: BSD-2-Clause
"""The commands on the DRAM bus, one of each kind a cycle."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, Mux, Signal

from litemrc_gateware.records import width_of
from litemrc_gateware.tap.dram_address import AddressMapping

CMD_BUFFERS = 2  # of a bank, behind the FIFO of its requests


class DFICommands(LiteXModule):
    """Watches the DFI between a LiteDRAM controller and its PHY; reports its commands one cycle later.

    LiteDRAM issues at most one column command (read or write) and one ACTIVATE in a cycle of the system
    clock, whatever the number of DFI phases. A PRECHARGE of all banks, as before a refresh, and a REFRESH may
    reach several ranks. The entry into self-refresh, in whose cycle CKE falls, is no REFRESH.

    The unit is passive: it drives nothing on the DFI.

    Parameters
    ----------
    dfi : litedram.phy.dfi.Interface
        the interface to watch.
    geom : litedram.common.GeomSettings
        bank bits of a rank.
    ranks : int
        ``phy.settings.nranks``; a power of two. Two chip selects of a clamshell are one rank.
    access_bytes, refresh_cycles, accepts, requests : int
        of the controller: see below; requests that it can accept in a cycle, and that can wait in it.
    column_bytes, bank_byte_alignment : int
        as of `DRAMTap`.

    Attributes
    ----------
    banks, ranks : int
        banks of all ranks.
    at_once : int
        commands of a cycle at most: 1 with one DFI phase, else 2, an access and an ACTIVATE.
    accepted, issued : Signal, out
        requests that the controller accepts in this cycle, and whether it issues one: of a controller only.
    access_bytes, refresh_cycles : int
        that a column command moves, in one cycle of the data bus; cycles that a REFRESH takes (tRFC).
    access, write, access_bank : Signal, out
        a column command, in the cycle in which `DRAMTap` reports it. A bank's number is its rank's times the
        banks of a rank, plus its own.
    activate, activate_bank, activate_row : Signal, out
        the row is the address of its first byte, in units of ``2**row_bytes_log2`` bytes.
    row_bytes_log2, rows : int
        log2 of a row's bytes, and the rows of the memory.
    precharge_all, refresh : Signal(ranks), out
        bit r: of rank r.
    """

    @classmethod
    def of_controller(cls, phy, sdram):
        """Return the commands between a PHY and its controller (``soc.sdram``), with its queue."""
        settings = sdram.controller.settings
        requests = sdram.controller.interface
        banks = [getattr(requests, f"bank{number}") for number in range(requests.nbanks)]
        commands = cls(
            phy.dfi,
            settings.geom,
            ranks=phy.settings.nranks,
            access_bytes=requests.data_width // 8,
            refresh_cycles=settings.timing.tRFC,
            accepts=len(banks),
            requests=len(banks) * (settings.cmd_buffer_depth + CMD_BUFFERS),
            column_bytes=phy.settings.databits // 8,
            bank_byte_alignment=settings.bank_byte_alignment,
        )
        commands.comb += [
            commands.accepted.eq(sum(bank.valid & bank.ready for bank in banks)),
            commands.issued.eq(reduce(or_, (bank.wdata_ready | bank.rdata_valid for bank in banks))),
        ]
        return commands

    def __init__(
        self,
        dfi,
        geom,
        ranks=1,
        access_bytes=1,
        refresh_cycles=0,
        accepts=1,
        requests=255,
        column_bytes=1,
        bank_byte_alignment=0,
    ):
        selects = len(dfi.p0.cs_n)
        self.banks, self.ranks, self.accepts = ranks << geom.bankbits, ranks, accepts
        self.requests, self.at_once = requests, min(2, len(dfi.phases))
        self.access_bytes, self.refresh_cycles = access_bytes, refresh_cycles
        self.accepted, self.issued = Signal(max=accepts + 1), Signal()
        banks = self.banks
        self.access, self.write, self.access_bank = Signal(), Signal(), Signal(width_of(banks))
        self.activate, self.activate_bank = Signal(), Signal(width_of(banks))
        mapping = AddressMapping(geom, ranks, column_bytes, bank_byte_alignment)
        self.row_bytes_log2 = geom.colbits + mapping.column_shift
        self.rows = 1 << (mapping.bits - self.row_bytes_log2)
        self.activate_row = Signal(max=self.rows)
        self.precharge_all, self.refresh = Signal(ranks), Signal(ranks)

        # # #

        kinds = ("access", "activate")
        seen = {kind: [] for kind in (*kinds, "write", "precharge_all", "refresh")}
        seen_bank, seen_row = {kind: [] for kind in kinds}, []
        no_column = Signal(geom.colbits)
        for phase in dfi.phases:
            selected = Signal(ranks)
            self.comb += selected.eq(~phase.cs_n[:ranks] if ranks > 1 else phase.cs_n != 2**selects - 1)
            rank, bank = Signal(width_of(ranks)), Signal(width_of(banks))
            self.comb += [
                rank.eq(reduce(or_, (Mux(selected[r], r, 0) for r in range(ranks)))),
                bank.eq(Cat(phase.bank[: geom.bankbits], rank)),  # with one rank, the upper bit is cut off
            ]
            commands = {name: Signal() for name in kinds}
            all_banks, refreshes = Signal(), Signal()
            self.comb += [
                commands["access"].eq((selected != 0) & phase.ras_n & ~phase.cas_n),
                commands["activate"].eq((selected != 0) & ~phase.ras_n & phase.cas_n & phase.we_n),
                all_banks.eq(~phase.ras_n & phase.cas_n & ~phase.we_n & phase.address[10]),
                refreshes.eq(~phase.ras_n & ~phase.cas_n & phase.we_n),
            ]
            for kind in kinds:
                seen[kind].append(commands[kind])
                seen_bank[kind].append(Mux(commands[kind], bank, 0))
            row = mapping.address(rank, phase.bank[: geom.bankbits], phase.address[: geom.rowbits], no_column)
            seen_row.append(Mux(commands["activate"], row[self.row_bytes_log2 :], 0))
            seen["write"].append(commands["access"] & ~phase.we_n)
            seen["precharge_all"].append(Mux(all_banks, selected, 0))
            seen["refresh"].append(Mux(refreshes, selected & phase.cke[:ranks], 0))
        # Of each kind there is at most one in a cycle, so those of all phases can be OR-ed.
        self.sync += [getattr(self, kind).eq(reduce(or_, each)) for kind, each in seen.items()]
        self.sync += [getattr(self, f"{kind}_bank").eq(reduce(or_, each)) for kind, each in seen_bank.items()]
        self.sync += self.activate_row.eq(reduce(or_, seen_row))
