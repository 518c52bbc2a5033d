# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of each epoch: reads, writes, row hits, ACTIVATEs and row conflicts of each bank."""

from enum import IntEnum
from functools import reduce
from operator import or_
from types import SimpleNamespace

from litex.gen import LiteXModule
from migen import Array, Cat, Constant, If, Mux, Signal

from litemrc_gateware.counters.tally import COPIES, SUM_BITS, TAG_BITS, Tally
from litemrc_gateware.records import width_of

BANKS_MAX = 16  # counted apart
HEAD_WORDS = 8  # of the window, before those of the banks
BANK_WORDS = 8
LATENCY = 3  # cycles from the last read of a word to its sum in `dat_r`, less 1


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
    - A row conflict is an ACTIVATE of a bank that was closed for another row, by a PRECHARGE of its own or an
      auto-precharge: there was an ACTIVATE of the bank before, and since then no PRECHARGE of all banks, as
      before a refresh.
    - Rows are followed at all times; commands are counted, and cycles elapse, while `count` is 1.
    - Where there are more than 16 banks, those whose numbers are equal modulo 16 are counted together.

    An access keeps the data bus busy for one cycle: it is a word of LiteDRAM's native ports.

    Parameters
    ----------
    banks : int
        of all ranks, a power of two.
    ranks : int
        a power of two.
    accepts, requests : int
        requests that can be accepted in one cycle, and that can wait.
    at_once : int
        commands of a cycle at most: 2, an access and an ACTIVATE; or 1, then all share a `Tally`.
    counter_bits, cycle_bits : int
        of a count as it is shown, and of cycles; fewer only to test their limits.

    Attributes
    ----------
    count : Signal, in
        commands of this cycle are counted.
    access, write, access_bank, activate, activate_bank : Signal, in
        commands, as of `DFICommands`; no bank gets both in one cycle.
    precharge_all, refresh : Signal(ranks), in
        bit r: of rank r. There is no ACTIVATE in the cycle of either.
    accepted : Signal, in
        requests that the controller accepts in this cycle.
    issued : Signal, in
        it issues one.
    epoch_end : Signal, in
        strobe while `ready`: the epoch ends after this cycle's commands. The requests that wait at the begin
        of this cycle belong to the next one.
    clear : Signal, in
        strobe while `may_clear`, and not `epoch_end`: the epoch begins anew after this cycle's commands.
    ready : Signal, out
        0 after reset, an end and a clear, until the RAM's words are 0, a word in a cycle without a command.
    may_clear : Signal, out
        0 while not `ready`, after a second clear.
    overflow : Signal, out
        the finished epoch had 2^34 cycles or more. A count of more than 2^32 - 1 is shown as that.
    words : int
        of the window.
    asks, adr : Signal, in
        show the word at `adr` of the finished epoch; to be held until `answers`. 0: cycles; 1: their upper
        bits; 2: refreshes; 3: most requests accepted and not issued; 8 + 8 * b: of bank b reads, writes, row
        hits, ACTIVATEs, row conflicts; others are 0.
    answers, dat_r : Signal, out
        strobe: `dat_r` is the word.
    """

    def __init__(
        self,
        banks: int,
        ranks: int = 1,
        accepts: int = 1,
        requests: int = 255,
        at_once: int = 2,
        counter_bits: int = 32,
        cycle_bits: int = SUM_BITS,
    ) -> None:
        self.counted_banks = counted = min(banks, BANKS_MAX)
        bank_bits, counted_bits = width_of(banks), width_of(counted)
        self.count = Signal()
        self.access, self.write, self.access_bank = Signal(), Signal(), Signal(bank_bits)
        self.activate, self.activate_bank = Signal(), Signal(bank_bits)
        self.precharge_all, self.refresh = Signal(ranks), Signal(ranks)
        self.accepted, self.issued = Signal(max=accepts + 1), Signal()
        self.epoch_end, self.ready = Signal(), Signal()
        self.clear, self.may_clear = Signal(), Signal()
        self.overflow = Signal()
        self.words = HEAD_WORDS + BANK_WORDS * counted
        self.asks, self.adr = Signal(), Signal(max=self.words)
        self.answers, self.dat_r = Signal(), Signal(32)

        # # #

        # The commands a cycle later; the banks of accesses and ACTIVATEs are decoded before the registers.
        now = SimpleNamespace()
        strobes = (
            "count",
            "access",
            "write",
            "access_bank",
            "activate",
            "activate_bank",
            "epoch_end",
            "clear",
        )
        for name in (*strobes, "precharge_all", "refresh"):
            setattr(now, name, Signal.like(getattr(self, name), name=f"{name}_now"))
            self.sync += getattr(now, name).eq(getattr(self, name))
        accesses_bank = self._decoded(self.access, self.access_bank)
        activates_bank = self._decoded(self.activate, self.activate_bank)

        # Of each bank: its open row was accessed; a row was opened since all rows were closed. A DRAM's
        # initialization, which closes all rows, precedes accesses after a reset, too.
        accessed, opened = Signal(banks, reset_less=True), Signal(banks, reset_less=True)
        hit, conflict = Signal(), Signal()
        self.comb += [
            hit.eq(Array(accessed)[now.access_bank]),
            conflict.eq(Array(opened)[now.activate_bank]),
        ]
        for bank in range(banks):
            rank = bank * ranks // banks
            self.sync += [
                If(accesses_bank[bank], accessed[bank].eq(1)),
                If(activates_bank[bank], accessed[bank].eq(0), opened[bank].eq(1)),
                If(now.precharge_all[rank] | now.refresh[rank], opened[bank].eq(0)),
            ]

        # What banks counted: accesses, and ACTIVATEs, the upper half of whose counters has one, of refreshes.
        counter_of = {kind: Signal(counted_bits + 2) for kind in ("access", "activate")}
        counts = {kind: Signal() for kind in counter_of}
        self.comb += [
            counts["access"].eq(now.access & now.count),
            counter_of["access"].eq(Cat(hit, now.write, now.access_bank[:counted_bits])),
            counts["activate"].eq((now.activate | (now.refresh != 0)) & now.count),
            counter_of["activate"].eq(
                Mux(now.activate, Cat(conflict, now.activate_bank[:counted_bits]), 2 * counted)
            ),
        ]
        if at_once == 1:
            self.accesses = self.activates = shared = Tally(8 * counted, cycle_bits)
            self.comb += [
                shared.event.eq(counts["access"] | counts["activate"]),
                shared.counter.eq(
                    Cat(Mux(counts["access"], *counter_of.values()), ~counts["access"]),
                ),
            ]
        else:
            self.accesses = Tally(4 * counted, cycle_bits)
            self.activates = Tally(4 * counted, cycle_bits)
            for kind, tally in (("access", self.accesses), ("activate", self.activates)):
                self.comb += [tally.event.eq(counts[kind]), tally.counter.eq(counter_of[kind])]
        accesses, activates = self.accesses, self.activates
        self.tallies = [accesses] if activates is accesses else [accesses, activates]

        # Epochs: one begins in the other area, and after a clear in the same one, with its next tag.
        area, tags, again = Signal(), [Signal(TAG_BITS) for _ in range(2)], Signal()
        begins = Signal()
        self.comb += [
            begins.eq(now.epoch_end | now.clear),
            self.ready.eq(accesses.ready & activates.ready & ~begins),
            self.may_clear.eq(self.ready | ~(again | begins)),
        ]
        for tally in self.tallies:
            self.comb += [
                tally.area.eq(area),
                tally.tag.eq(Mux(area, tags[1], tags[0])),
                tally.begin.eq(begins),
            ]
        self.sync += [
            If(now.epoch_end, area.eq(~area)),
            *(
                If((now.epoch_end & (area != number)) | (now.clear & (area == number)), each.eq(each + 1))
                for number, each in enumerate(tags)
            ),
            # The words may have the tags of two epochs before.
            If(begins, again.eq(now.clear & ~(accesses.ready & activates.ready))),
        ]

        # Totals, and those of the finished epoch. A count of cycles stops when its uppermost bit is set.
        cycles, level, peak = Signal(cycle_bits + 1), Signal(max=requests + 1), Signal(max=requests + 1)
        more_cycles = Signal(cycle_bits + 1)
        self.cycles, self.peak = Signal.like(cycles), Signal.like(peak)
        self.comb += [
            more_cycles.eq(cycles + (self.count & ~cycles[-1])),
            self.overflow.eq(self.cycles[-1]),
        ]
        self.sync += [
            level.eq(level + self.accepted - self.issued),
            If(self.epoch_end | self.clear | (level > peak), peak.eq(level)),
            cycles.eq(more_cycles),
            If(self.epoch_end | self.clear, cycles.eq(0)),
            If(self.epoch_end, self.cycles.eq(more_cycles), self.peak.eq(peak)),
        ]
        window = self._add_window(counter_bits)

        # For the lemmas of tests/formal.
        self.internal = SimpleNamespace(
            now=now, accesses_bank=accesses_bank, activates_bank=activates_bank, accessed=accessed,
            opened=opened, area=area, tags=tags, again=again, cycles=cycles, level=level, peak=peak,
            window=window,
        )  # fmt: skip

    def _decoded(self, taken, bank):
        """For each bank: the command was for it in the cycle before; upper and lower bits decoded apart."""
        low_bits = max(1, len(bank) // 2)
        low, high = Signal(2**low_bits), Signal(2 ** (len(bank) - low_bits))
        above = bank[low_bits:] if len(bank) > low_bits else Constant(0)
        self.sync += [low.eq(taken << bank[:low_bits]), high.eq(1 << above)]
        return [low[number % len(low)] & high[number // len(low)] for number in range(2 ** len(bank))]

    def _add_window(self, counter_bits):
        """The word at `adr`: a total, or the sum of the copies of one or two counters."""
        accesses, activates = self.accesses, self.activates
        which, bank, of_bank = self.adr[:3], Signal(width_of(self.counted_banks)), Signal()
        is_refreshes, of_activates, is_sum, of_two = (Signal() for _ in range(4))
        reads, read_access, read_activate = Signal(), Signal(len(bank) + 2), Signal(len(bank) + 2)
        # The copies read, of the one counter or of two.
        busy, step, drained = Signal(), Signal(max=4 * COPIES), Signal(LATENCY)
        copy, second, complete = step[:2], step[2], step[3]
        totals = {
            HeadWord.CYCLES: self.cycles[:32],
            HeadWord.CYCLES_HIGH: self.cycles >> 32,
            HeadWord.QUEUE_PEAK: self.peak,
        }
        chosen = [Signal() for _ in totals]
        self.comb += [
            bank.eq(self.adr[3:] - 1),
            of_bank.eq(self.adr[3:] != 0),
            is_refreshes.eq(~of_bank & (which == HeadWord.REFRESHES)),
            is_sum.eq(is_refreshes | (of_bank & (which <= BankWord.ROW_CONFLICTS))),
            of_activates.eq(is_refreshes | (which >= BankWord.ACTIVATES)),
            of_two.eq(of_bank & (which != BankWord.ROW_CONFLICTS)),
            reads.eq(busy & is_sum & ~complete),
            read_access.eq(Cat(Mux(which == BankWord.ROW_HITS, Cat(1, second), Cat(second, which[0])), bank)),
            read_activate.eq(Mux(is_refreshes, 2 * self.counted_banks, Cat(second, bank))),
            self.answers.eq(drained[-1]),
        ]
        if activates is accesses:
            self.comb += [
                accesses.read.eq(reads),
                accesses.read_counter.eq(Cat(Mux(of_activates, read_activate, read_access), of_activates)),
            ]
        else:
            self.comb += [
                accesses.read.eq(reads & ~of_activates),
                accesses.read_counter.eq(read_access),
                activates.read.eq(reads & of_activates),
                activates.read_counter.eq(read_activate),
            ]
        for tally in self.tallies:
            self.comb += [tally.zero.eq(~busy), tally.read_copy.eq(copy)]
        total = reduce(or_, (tally.sum for tally in self.tallies))
        self.sync += [
            step.eq(step + reduce(or_, (tally.reads for tally in self.tallies))),
            If(~busy, busy.eq(self.asks), step.eq(Mux(of_two, 0, COPIES))),
            drained.eq(Cat(busy & (complete | ~is_sum), drained)),
            If(self.answers, busy.eq(0), drained.eq(0)),
            *(on.eq(~of_bank & (which == word)) for on, word in zip(chosen, totals, strict=True)),
            # All but one are 0.
            self.dat_r.eq(
                reduce(
                    or_,
                    (Mux(on, total, 0) for on, total in zip(chosen, totals.values(), strict=True)),
                    total[:32],
                )
            ),
            If(total >> counter_bits != 0, self.dat_r.eq(2**counter_bits - 1)),
        ]
        return SimpleNamespace(busy=busy, step=step, drained=drained, chosen=chosen)
