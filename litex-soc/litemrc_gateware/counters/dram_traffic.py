# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of each epoch: reads, writes, row hits, ACTIVATEs and row conflicts of each bank."""

from enum import IntEnum

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Replicate, Signal

from litemrc_gateware.counters.tally import COPIES, Tally
from litemrc_gateware.records import width_of

BANKS_MAX = 16  # counted apart
HEAD_WORDS = 8  # of the window, before those of the banks
BANK_WORDS = 8
CYCLE_BITS = 36
QUEUE_BITS = 8
LATENCY = 4  # cycles from the last read of a word to its sum in `dat_r`


class HeadWord(IntEnum):
    """Words before those of the banks."""

    CYCLES = 0
    CYCLES_HIGH = 1
    REFRESHES = 2
    QUEUE_PEAK = 3


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
    access, write, access_bank, auto_precharge : Signal, in
    activate, activate_bank, precharge, precharge_bank : Signal, in
        commands, as of `DFICommands`; no bank gets two of them in one cycle.
    precharge_all, refresh : Signal(ranks), in
        bit r: of rank r. There is no ACTIVATE in the cycle of a REFRESH.
    accepted : Signal, in
        requests that the controller accepts in this cycle.
    issued : Signal, in
        it issues one.
    epoch_end, clear : Signal, in
        strobes while `ready`, not both: the epoch ends after this cycle's commands; it begins anew. The
        requests that wait at the begin of this cycle are the first of the next `peak`.
    ready : Signal, out
        0 after reset, an end and a clear, until as many cycles without a command as the RAM has words have
        passed.
    overflow : Signal, out
        the finished epoch had 2^36 cycles or more. A count of more than 2^32 - 1 is shown as that.
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
        self.activates = activates = Tally(4 * counted)  # the upper half has one: refreshes
        tallies = (accesses, activates)
        self.comb += [
            self.ready.eq(accesses.ready & activates.ready),
            accesses.event.eq(self.access & self.count),
            accesses.counter.eq(Cat(hit, self.write, self.access_bank[:counted_bits])),
            activates.event.eq((self.activate | (self.refresh != 0)) & self.count),
            activates.counter.eq(
                Mux(
                    self.activate, Cat(conflict, self.activate_bank[:counted_bits]), 2 * counted
                )
            ),
            *(each.turn.eq(self.epoch_end) for each in tallies),
            *(each.restart.eq(self.clear) for each in tallies),
        ]

        # Totals, and those of the finished epoch. A count of cycles stops when its uppermost bit is set.
        cycles, level, peak = Signal(CYCLE_BITS + 1), Signal(QUEUE_BITS), Signal(QUEUE_BITS)
        more_cycles = Signal(CYCLE_BITS + 1)
        self.cycles, self.peak = Signal.like(cycles), Signal.like(peak)
        begins = Signal()
        self.comb += [
            begins.eq(self.epoch_end | self.clear),
            more_cycles.eq(cycles + (self.count & ~cycles[-1])),
            self.overflow.eq(self.cycles[-1]),
        ]
        self.sync += [
            level.eq(level + self.accepted - self.issued),
            If(begins | (level > peak), peak.eq(level)),
            cycles.eq(more_cycles),
            If(begins, cycles.eq(0)),
            If(self.epoch_end, self.cycles.eq(more_cycles), self.peak.eq(peak)),
        ]
        self._add_window()

    def _add_window(self):
        """The word at `adr`: a total, or the sum of the copies of one or two counters."""
        accesses, activates = self.accesses, self.activates
        which, bank, of_bank = self.adr[:3], Signal(width_of(self.counted_banks)), Signal()
        is_refreshes, of_activates, is_sum, of_two = Signal(), Signal(), Signal(), Signal()
        of_tally = Signal(2)
        busy, second, done, with_this = Signal(), Signal(), Signal(COPIES), Signal(COPIES)
        complete, drained, sum_ = Signal(), Signal(LATENCY), Signal(CYCLE_BITS)
        self.comb += [
            bank.eq(self.adr[3:] - 1),
            of_bank.eq(self.adr[3:] != 0),
            is_refreshes.eq(~of_bank & (which == HeadWord.REFRESHES)),
            is_sum.eq(is_refreshes | (of_bank & (which <= BankWord.ROW_CONFLICTS))),
            of_activates.eq(is_refreshes | (which >= BankWord.ACTIVATES)),
            of_two.eq(of_bank & (which != BankWord.ROW_CONFLICTS)),
            # Those of this cycle's copy, if it was not read yet.
            of_tally.eq(
                Mux(
                    busy & is_sum & ~complete & ((done & accesses.this_copy) == 0),
                    Mux(of_activates, 2, 1),
                    0,
                )
            ),
            Cat(accesses.read, activates.read).eq(of_tally),
            accesses.read_counter.eq(
                Cat(Mux(which == BankWord.ROW_HITS, Cat(1, second), Cat(second, which[0])), bank)
            ),
            activates.read_counter.eq(
                Mux(is_refreshes, 2 * self.counted_banks, Cat(second | which[2], bank))
            ),
            with_this.eq(done | accesses.this_copy),
            self.answers.eq(drained[-1]),
        ]
        self.sync += [
            If(~busy, busy.eq(self.asks), done.eq(0), second.eq(0), complete.eq(0), sum_.eq(0)),
            If(
                accesses.reads | activates.reads,
                done.eq(with_this),
                If(
                    with_this == 2**COPIES - 1,
                    done.eq(0),
                    second.eq(1),
                    complete.eq(second | ~of_two),
                ),
            ),
            If(
                accesses.valid | activates.valid,
                sum_.eq(sum_ + Mux(of_activates, activates.word, accesses.word)),
            ),
            drained.eq(Cat(busy & (complete | ~is_sum), drained)),
            If(self.answers, busy.eq(0), drained.eq(0)),
            If(
                is_sum,
                self.dat_r.eq(sum_[:32] | Replicate(sum_[32:] != 0, 32)),
            )
            .Elif(of_bank | which[2], self.dat_r.eq(0))
            .Elif(
                which[1],
                self.dat_r.eq(self.peak),  # refreshes are a sum
            )
            .Elif(which[0], self.dat_r.eq(self.cycles[32:]))
            .Else(self.dat_r.eq(self.cycles[:32])),
        ]
