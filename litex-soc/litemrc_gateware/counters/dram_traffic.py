# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of each epoch: reads, writes, row hits, ACTIVATEs and row conflicts of each bank."""

from enum import IntEnum

from litex.gen import LiteXModule
from migen import Array, Case, Cat, If, Mux, Replicate, Signal

from litemrc_gateware.counters.tally import COPIES, Tally
from litemrc_gateware.records import width_of

BANKS_MAX = 16  # counted apart
HEAD_WORDS = 8  # of the window, before those of the banks
BANK_WORDS = 8
CYCLE_BITS = 36
QUEUE_BITS = 8
LATENCY = 6  # cycles from the last read of a word to its sum in `dat_r`


class BankWord(IntEnum):
    """Words of a bank, as in struct litemrc_bank."""

    READS = 0
    WRITES = 1
    ROW_HITS = 2
    ACTIVATES = 3
    ROW_CONFLICTS = 4


class DRAMTraffic(LiteXModule):
    """Counts the commands to each bank of the DRAM, double-buffered; bit-identical to hls/dram_traffic.

    - A row hit is an access (a read or write) to a row that was accessed before as it was open.
    - A row conflict is an ACTIVATE of a bank that was closed for another row: by a PRECHARGE of its own or an
      auto-precharge, not by one of all banks, as before a refresh.
    - Rows are followed at all times; commands are counted, and cycles elapse, while `count` is 1.
    - Where there are more than 16 banks, those whose numbers are equal modulo 16 are counted together.

    An access keeps the data bus busy for one cycle: it is a word of LiteDRAM's native ports.

    Parameters
    ----------
    banks : int
        of all ranks, a power of two.
    ranks : int
        a power of two.
    accepts : int
        requests that can be accepted in one cycle.

    Attributes
    ----------
    count : Signal, in
        commands of this cycle are counted.
    access, write, access_bank, auto_precharge, activate, activate_bank, precharge, precharge_bank : Signal, in
        commands, as of `DFICommands`; no bank gets two of them in one cycle.
    precharge_all, refresh : Signal(ranks), in
        bit r: of rank r.
    accepted : Signal, in
        requests that the controller accepts in this cycle.
    issued : Signal, in
        it issues one.
    epoch_end, clear : Signal, in
        strobes while `ready`, not both: the epoch ends after this cycle's commands; it begins anew.
    ready : Signal, out
        0 after reset, an end and a clear, until as many cycles without a command as the RAM has words have
        passed.
    overflow : Signal, out
        the finished epoch had 2^36 - 1 cycles or more; a count stays at 2^32 - 1.
    words : int
        of the window.
    asks, adr : Signal, in
        show the word at `adr` of the finished epoch; to be held until `answers`. 0: cycles; 1: their upper
        bits; 2: refreshes; 3: most requests accepted and not issued; 8 + 8 * b: of bank b reads, writes, row
        hits, ACTIVATEs, row conflicts; others are 0.
    answers, dat_r : Signal, out
        strobe: `dat_r` is the word.
    """

    def __init__(self, banks: int, ranks: int = 1, accepts: int = 1) -> None:
        self.counted_banks = counted = min(banks, BANKS_MAX)
        bank_bits, counted_bits = width_of(banks), width_of(counted)
        self.count = Signal()
        self.access, self.write, self.access_bank = Signal(), Signal(), Signal(bank_bits)
        self.auto_precharge = Signal()
        self.activate, self.activate_bank = Signal(), Signal(bank_bits)
        self.precharge, self.precharge_bank = Signal(), Signal(bank_bits)
        self.precharge_all, self.refresh = Signal(ranks), Signal(ranks)
        self.accepted, self.issued = Signal(max=accepts + 1), Signal()
        self.epoch_end, self.clear, self.ready = Signal(), Signal(), Signal()
        self.overflow = Signal()
        self.words = HEAD_WORDS + BANK_WORDS * counted
        self.asks, self.adr = Signal(), Signal(max=self.words)
        self.answers, self.dat_r = Signal(), Signal(32)

        # # #

        # Of each bank: its open row was accessed; it was closed for another row.
        accessed, closed = Signal(banks), Signal(banks)
        of_access, of_activate, of_precharge = (
            [taken & (bank == number) for number in range(banks)]
            for taken, bank in (
                (self.access, self.access_bank),
                (self.activate, self.activate_bank),
                (self.precharge, self.precharge_bank),
            )
        )
        hit, conflict = Signal(), Signal()
        self.comb += [
            hit.eq(Array(accessed)[self.access_bank]),
            conflict.eq(Array(closed)[self.activate_bank]),
        ]
        for bank in range(banks):
            rank = bank * ranks // banks
            self.sync += [
                If(of_access[bank], accessed[bank].eq(1)),
                If(of_activate[bank], accessed[bank].eq(0)),
                If((of_access[bank] & self.auto_precharge) | of_precharge[bank], closed[bank].eq(1)),
                If(of_activate[bank] | self.precharge_all[rank] | self.refresh[rank], closed[bank].eq(0)),
            ]

        # What banks counted.
        self.accesses = accesses = Tally(4 * counted)
        self.activates = activates = Tally(2 * counted)
        tallies = (accesses, activates)
        self.comb += [
            self.ready.eq(accesses.ready & activates.ready),
            accesses.event.eq(self.access & self.count),
            accesses.counter.eq(Cat(hit, self.write, self.access_bank[:counted_bits])),
            activates.event.eq(self.activate & self.count),
            activates.counter.eq(Cat(conflict, self.activate_bank[:counted_bits])),
            *(each.turn.eq(self.epoch_end) for each in tallies),
            *(each.restart.eq(self.clear) for each in tallies),
        ]

        # Totals, and those of the finished epoch.
        cycles, refreshes = Signal(CYCLE_BITS), Signal(32)
        level, peak = Signal(QUEUE_BITS), Signal(QUEUE_BITS)
        counted_now = [Signal.like(each) for each in (cycles, refreshes, peak)]
        finished = [Signal.like(each) for each in counted_now]
        full = Signal()
        self.comb += [
            full.eq(cycles == 2**CYCLE_BITS - 1),
            counted_now[0].eq(cycles + (self.count & ~full)),
            counted_now[1].eq(refreshes + (self.count & (self.refresh != 0))),
            counted_now[2].eq(Mux(level > peak, level, peak)),
        ]
        self.sync += [
            level.eq(level + self.accepted - self.issued),
            *(now.eq(more) for now, more in zip((cycles, refreshes, peak), counted_now, strict=True)),
            If(
                self.epoch_end,
                *(each.eq(more) for each, more in zip(finished, counted_now, strict=True)),
                self.overflow.eq(full),
            ),
            If(self.epoch_end | self.clear, cycles.eq(0), refreshes.eq(0), peak.eq(0)),
        ]
        self._add_window(finished)

    def _add_window(self, finished):
        """The word at `adr`: a total, or the sum of the copies of the counters of which it consists."""
        accesses, activates = self.accesses, self.activates
        cycles, refreshes, peak = finished
        which, bank, of_bank = self.adr[:3], Signal(width_of(self.counted_banks)), Signal()
        busy, total, sum_ = Signal(), Signal(CYCLE_BITS), Signal(CYCLE_BITS)
        step, drained = Signal(max=2 * 2 * COPIES), Signal(LATENCY)
        copy, other, steps_done = step[:2], step[2], step[3]
        reads = Signal()
        self.comb += [
            bank.eq(self.adr[3:] - 1),
            of_bank.eq((self.adr[3:] != 0) & (which < len(BankWord))),
            Case(
                self.adr,
                {
                    0: total.eq(cycles[:32]),
                    1: total.eq(cycles[32:]),
                    2: total.eq(refreshes),
                    3: total.eq(peak),
                    "default": total.eq(0),
                },
            ),
            reads.eq(busy & of_bank & ~steps_done),
            accesses.read.eq(reads & (which < BankWord.ACTIVATES)),
            accesses.read_adr.eq(
                Cat(copy, Mux(which == BankWord.ROW_HITS, Cat(1, other), Cat(other, which[0])), bank)
            ),
            activates.read.eq(reads & (which >= BankWord.ACTIVATES)),
            activates.read_adr.eq(Cat(copy, other, bank)),
            self.answers.eq(drained[-1]),
        ]
        self.sync += [
            If(
                ~busy,
                busy.eq(self.asks),
                sum_.eq(total),
                step.eq(Mux(which == BankWord.ROW_CONFLICTS, COPIES, 0)),  # of their counters alone
            ).Else(
                step.eq(step + (accesses.reads | activates.reads)),
                sum_.eq(sum_ + (accesses.word | activates.word)),
            ),
            drained.eq(Cat(busy & ~self.answers & (steps_done | ~of_bank), drained)),
            If(self.answers, busy.eq(0), drained.eq(0)),
            self.dat_r.eq(sum_[:32] | Replicate(of_bank & (sum_[32:] != 0), 32)),
        ]
