# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `counters.dram_traffic.DRAMTraffic`: a word of the window is the commands of its epoch."""

from functools import reduce
from operator import add

from litemrc_gateware.counters.dram_traffic import BankWord, DRAMTraffic, HeadWord
from litemrc_gateware.counters.tally import COPIES
from migen import Case, Cat, If, Mux, Signal

from tests.formal.proof import Effort, Proof
from tests.formal.tally_lemmas import CounterCopies, control_lemmas

# After a reset the RAM is zeroed in 128 cycles, and swept after each end and each clear in 64.
READY, CLEARED, ENDED = 128, 136, 206
PARTS = 12
COMMANDS = (
    "count",
    "access",
    "write",
    "access_bank",
    "activate",
    "activate_bank",
    "precharge_all",
    "refresh",
)


class DRAMTrafficProof(Proof):
    """The reference follows one word of the window, any of them, from the commands a cycle before.

    A word is of the epoch that was finished when it was asked for, if none ends before the answer. A copy of
    a counter holds as many commands as an epoch of fewer than 2^(cycle_bits - 2) cycles may have.
    """

    reach = 240

    def __init__(self, unit_class=DRAMTraffic, banks=4, ranks=1, counter_bits=2, cycle_bits=5) -> None:
        super().__init__()
        self.effort = Effort(within=self.reach)
        self.parameters = f"{banks} banks, {counter_bits}-bit counts, {cycle_bits}-bit cycles"
        self.unit = unit = unit_class(banks, ranks, counter_bits=counter_bits, cycle_bits=cycle_bits)
        self.internal = internal = unit.internal
        self.most, self.copy_limit = 2**counter_bits - 1, 2 ** (cycle_bits - 2)
        self.seen = seen = {name: self.before(getattr(unit, name)) for name in COMMANDS}
        self.turn, self.restart = self.before(unit.epoch_end), self.before(unit.clear)
        self.word = word = self.any_constant(len(unit.adr), "word")
        self.number = word[:3]
        self.bank = self.named(word[3:] - 1, len(unit.access_bank))
        self.of_bank = self.named(word[3:] != 0)
        self._follow_rows()
        self._assume()

        # Cycles, and requests that wait, when they come, which is a cycle before the unit counts commands.
        cycles, ended_cycles = self._cycles(unit.count, unit.epoch_end, unit.clear)
        self.running_cycles, counted_cycles = self._cycles(seen["count"], self.turn, self.restart)
        self.short, self.ended_short = (
            self.named(each < self.copy_limit) for each in (self.running_cycles, counted_cycles)
        )
        level, peak, ended_peak = (Signal.like(internal.level) for _ in range(3))
        begins = unit.epoch_end | unit.clear
        self.sync += [
            level.eq(level + unit.accepted - unit.issued),
            peak.eq(Mux(begins | (level > peak), level, peak)),
            If(unit.epoch_end, ended_peak.eq(peak)),
        ]
        self.shown_cycles, self.shown_peak = self.before(ended_cycles), self.before(ended_peak)
        self.total_lemmas = [
            internal.cycles == cycles,
            unit.cycles == ended_cycles,
            internal.level == level,
            internal.peak == peak,
            unit.peak == ended_peak,
        ]

        busy = internal.window.busy
        self.torn = torn = Signal()
        self.sync += torn.eq(busy & (torn | self.turn))
        self.mine = self.named(busy & ~torn & (unit.adr == word))
        self.shown = self.named(unit.answers & ~torn)
        self._count()
        shown_word = self.named(self.shown & (unit.adr == word))
        is_count = self.named(self.of_bank & (self.number <= BankWord.ROW_CONFLICTS))
        lemmas = self._lemmas()
        numbers = {
            name: self.named(is_count & (self.number == BankWord[name])) for name in BankWord.__members__
        }
        self.prove(
            "a count of a bank in the window = its commands in the finished epoch, up to its limit",
            unit.dat_r == self.limited(self.ended),
            when=shown_word & is_count & self.ended_short,
            cases={
                "at the limit": self.ended > self.most,
                "of a second epoch, after a clear": (self.ended != 0)
                & self.ever(self.ever(self.turn) & self.restart),
                "two row hits": numbers["ROW_HITS"] & (self.ended == 2),
                "a row conflict": numbers["ROW_CONFLICTS"] & (self.ended == 1),
            },
            lemmas=lemmas,
            effort=self.effort,
            parts=PARTS,
        )
        head = Signal(32)
        self.comb += Case(
            Cat(self.number, self.of_bank),
            {
                HeadWord.CYCLES: head.eq(self.shown_cycles),
                HeadWord.REFRESHES: head.eq(self.limited(self.ended)),
                HeadWord.QUEUE_PEAK: head.eq(self.shown_peak),
                "default": head.eq(0),
            },
        )
        self.prove(
            "cycles, refreshes and most waiting requests are those of the finished epoch; other words are 0",
            unit.dat_r == head,
            when=shown_word & ~is_count & self.ended_short,
            cases={
                "a refresh": ~self.of_bank & (self.number == HeadWord.REFRESHES) & (head == 1),
                "three cycles": ~self.of_bank & (self.number == HeadWord.CYCLES) & (head == 3),
                "two requests": ~self.of_bank & (self.number == HeadWord.QUEUE_PEAK) & (head == 2),
            },
            lemmas=lemmas,
            effort=self.effort,
            parts=PARTS,
        )
        self.prove(
            "overflow: the finished epoch had 2^cycle_bits cycles or more",
            unit.overflow == ended_cycles[-1],
            when=self.ever(unit.epoch_end),
            cases={"it did": unit.overflow},
            lemmas=self.total_lemmas,
            effort=self.effort,
        )
        self._prove_sum()

    def limited(self, count):
        """Return what is shown of a count."""
        return Mux(count > self.most, self.most, count)

    def _cycles(self, count, ends, clears) -> tuple[Signal, Signal]:
        """Return the cycles of the running epoch, and of the finished one; they stop at a power of 2."""
        bits = len(self.internal.cycles)
        running, ended = Signal(bits), Signal(bits)
        now = self.named(running + (count & ~running[-1]), bits)
        self.sync += [running.eq(Mux(ends | clears, 0, now)), If(ends, ended.eq(now))]
        return running, ended

    def _follow_rows(self) -> None:
        """Of the word's bank: its row was accessed; one was opened since all were closed; both are known."""
        seen = self.seen
        self.accessed, self.opened = Signal(), Signal()
        self.knows_accessed, self.knows_opened = Signal(), Signal()
        self.accesses = self.named(seen["access"] & (seen["access_bank"] == self.bank))
        self.activates = self.named(seen["activate"] & (seen["activate_bank"] == self.bank))
        closes = self.named((seen["precharge_all"] | seen["refresh"]) != 0)
        self.sync += [
            If(self.accesses, self.accessed.eq(1)),
            If(self.activates, self.accessed.eq(0), self.opened.eq(1), self.knows_accessed.eq(1)),
            If(closes, self.opened.eq(0)),
            If(closes | self.activates, self.knows_opened.eq(1)),
        ]

    def _assume(self) -> None:
        unit, seen = self.unit, self.seen
        was_ready = self.named(self.ever(unit.ready) | unit.ready)
        self.assume(
            "an epoch ends while `ready`, a clear comes while `may_clear`; not both",
            ~(unit.epoch_end & (unit.clear | ~unit.ready)) & ~(unit.clear & ~unit.may_clear),
        )
        self.assume(
            "nothing counts or is cleared after a reset before `ready`",
            ~(unit.count | unit.clear) | was_ready,
        )
        self.assume(
            "a bank gets no access with its ACTIVATE; no ACTIVATE comes with what closes all rows",
            ~(unit.activate & ((unit.precharge_all | unit.refresh) != 0))
            & ~(unit.activate & unit.access & (unit.access_bank == unit.activate_bank)),
        )
        self.assume(
            "before a bank's accesses and ACTIVATEs count, its rows are opened and closed once",
            ~(seen["count"] & self.accesses & ~self.knows_accessed)
            & ~(seen["count"] & self.activates & ~self.knows_opened),
        )
        asked = self.before(unit.asks & ~unit.answers)
        self.assume(
            "a word that is asked for stays asked for until the answer",
            ~asked | (unit.asks & (self.before(unit.adr) == unit.adr)),
        )
        self.assume("a word of the window is asked for", unit.adr < unit.words)

    def _counter(self, more) -> tuple[Signal, Signal]:
        """Return the count of the running epoch, and that of the finished one."""
        bits = len(self.running_cycles)
        running, ended = Signal(bits), Signal(bits)
        now = self.named(Mux(self.short, running + more, running), bits)
        self.sync += [running.eq(Mux(self.turn | self.restart, 0, now)), If(self.turn, ended.eq(now))]
        return running, ended

    def _count(self) -> None:
        """Count the commands of the followed word."""
        seen, more = self.seen, Signal()
        write, counts = seen["write"], seen["count"]
        of_number = {
            BankWord.READS: more.eq(self.accesses & ~write),
            BankWord.WRITES: more.eq(self.accesses & write),
            BankWord.ROW_HITS: more.eq(self.accesses & self.accessed),
            BankWord.ACTIVATES: more.eq(self.activates),
            BankWord.ROW_CONFLICTS: more.eq(self.activates & self.opened),
        }
        self.is_refreshes = self.named(~self.of_bank & (self.number == HeadWord.REFRESHES))
        self.comb += If(
            counts,
            If(self.of_bank, Case(self.number, of_number)).Elif(
                self.is_refreshes, more.eq(seen["refresh"] != 0)
            ),
        )
        self.running, self.ended = self._counter(more)

    def _lemmas(self) -> list:
        unit, internal = self.unit, self.internal
        now = internal.now
        accesses, activates = unit.accesses, unit.activates
        number, bank = self.number, self.bank
        # The word's two counters, or the second one alone.
        of_activates = self.named(self.is_refreshes | (number >= BankWord.ACTIVATES))
        is_sum = self.named(self.is_refreshes | (self.of_bank & (number <= BankWord.ROW_CONFLICTS)))
        of_two = self.named(self.of_bank & (number != BankWord.ROW_CONFLICTS))
        around = (internal.area, internal.tags, internal.again, self.turn, self.restart)
        both, lemmas, bits = [], [], len(bank) + 2
        for second in range(2):
            of_access = self.named(
                Cat(
                    Mux(number == BankWord.ROW_HITS, 1, second),
                    Mux(number == BankWord.ROW_HITS, second, number[0]),
                    bank,
                ),
                bits,
            )
            of_activate = self.named(
                Mux(self.is_refreshes, 2 * unit.counted_banks, Cat(self.named(second, 1), bank)), bits
            )
            pair = (
                CounterCopies(self, accesses, of_access, *around),
                CounterCopies(self, activates, of_activate, *around),
            )
            lemmas += [of_activates | lemma for lemma in pair[0].lemmas]
            lemmas += [~of_activates | lemma for lemma in pair[1].lemmas]
            both.append(pair)

        def copies(name, second):
            pair = (getattr(each, name) for each in both[second])
            return [self.named(Mux(of_activates, b, a)) for a, b in zip(*pair, strict=True)]

        sum_bits = len(self.running_cycles) + 1
        for name, total, short in (
            ("running", self.running, self.short),
            ("ended", self.ended, self.ended_short),
        ):
            first = reduce(add, (Mux(of_two, each, 0) for each in copies(name, 0)))
            sum_ = self.named(reduce(add, copies(name, 1), first), sum_bits)
            lemmas.append(~is_sum | ~short | (sum_ == total))
        lemmas.append(~self.short | (self.running <= self.running_cycles))
        lemmas.append(~self.ended_short | (self.ended < self.copy_limit))

        lemmas += self._command_lemmas()
        swept = self.named(accesses.ready & activates.ready)
        emptying = self.named(accesses.emptying | activates.emptying)
        lemmas += [
            ~now.epoch_end | swept,
            ~now.clear | swept | ~internal.again,
            ~internal.again | ~swept | ~emptying,
            ~emptying | ~(now.count | now.clear | now.epoch_end | self.ever(unit.ready) | internal.again),
        ]
        for tally in (accesses, activates):
            lemmas += control_lemmas(self, tally, internal.area, internal.tags)
        lemmas += self.total_lemmas
        return [*lemmas, *self._window_lemmas(of_activates, is_sum, of_two, copies)]

    def _command_lemmas(self) -> list:
        """The commands a cycle later; rows."""
        internal, now, bank, seen = self.internal, self.internal.now, self.bank, self.seen
        lemmas = []
        for name, command in self.seen.items():
            lemmas.append(getattr(now, name) == command)
        lemmas += [
            ~(seen["activate"] & ((seen["precharge_all"] | seen["refresh"]) != 0)),
            ~(seen["activate"] & seen["access"] & (seen["access_bank"] == seen["activate_bank"])),
        ]
        lemmas += [now.epoch_end == self.turn, now.clear == self.restart, ~(now.epoch_end & now.clear)]
        for each, of_access, of_activate in zip(
            range(len(internal.accesses_bank)), internal.accesses_bank, internal.activates_bank, strict=True
        ):
            lemmas.append(of_access == (now.access & (now.access_bank == each)))
            lemmas.append(of_activate == (now.activate & (now.activate_bank == each)))
        lemmas.append(~self.knows_accessed | (self.named(internal.accessed >> bank, 1) == self.accessed))
        lemmas.append(~self.knows_opened | (self.named(internal.opened >> bank, 1) == self.opened))
        return lemmas

    def _window_lemmas(self, of_activates, is_sum, of_two, copies) -> list:
        unit, window = self.unit, self.internal.window
        busy, step, drained = window.busy, window.step, window.drained
        accesses, activates = unit.accesses, unit.activates
        mine, complete = self.mine, step[3]
        asked = self.before(unit.asks & ~unit.answers)
        ended = [*copies("ended", 0), *copies("ended", 1)]
        start = self.named(Mux(of_two, 0, COPIES), 4)
        of_bank, which = unit.adr[3:] != 0, unit.adr[:3]
        sums = self.named(Mux(of_bank, which <= BankWord.ROW_CONFLICTS, which == HeadWord.REFRESHES), 1)
        asks_activates = self.named(~of_bank | (which >= BankWord.ACTIVATES), 1)
        lemmas = [
            ~busy | asked,
            busy | (drained == 0),
            *(
                ~on | (~busy | ((unit.adr[3:] == 0) & (unit.adr[:3] == which)))
                for on, which in zip(
                    window.chosen, (HeadWord.CYCLES, HeadWord.CYCLES_HIGH, HeadWord.QUEUE_PEAK), strict=True
                )
            ),
            *(
                on | (~busy | (unit.adr[3:] != 0) | (unit.adr[:3] != which))
                for on, which in zip(
                    window.chosen, (HeadWord.CYCLES, HeadWord.CYCLES_HIGH, HeadWord.QUEUE_PEAK), strict=True
                )
            ),
        ]
        for tally, chosen in (
            (accesses, self.named(is_sum & ~of_activates)),
            (activates, self.named(is_sum & of_activates)),
        ):
            first, second, third = stages = tally.internal.stages[1:]
            reads = self.named(first.read | second.read | third.read)
            before = self.named(step - 1, 4)
            added = self.named(step - (second.read | third.read), 4)  # copies, from `start`
            sum_ = self.named(
                reduce(
                    add,
                    (Mux((start <= each) & (added > each), count, 0) for each, count in enumerate(ended)),
                ),
                len(tally.sum),
            )
            lemmas += [
                (busy & sums & (asks_activates == (tally is activates))) | ~reads,
                ~first.read | ~complete,
                ~drained[0] | ~(first.read | second.read),
                ~(drained[1] | drained[2]) | ~reads,
                ~(mine & ~chosen) | (~reads & (tally.sum == 0)),
                ~(mine & chosen) | (tally.sum == sum_),
                ~(mine & chosen) | ((step >= start) & (step <= 2 * COPIES)),
                *(
                    ~(mine & chosen & stage.read)
                    | (
                        (stage.adr[:2] == index[:2])
                        & (stage.adr[2:-1] == self._counter_of(tally, index[2]))
                        & (stage.adr[-1] != self.internal.area)
                        & (index < 2 * COPIES)
                        & (index >= start)
                    )
                    for stage, index in zip(stages, (step, before, before), strict=True)
                ),
            ]
        lemmas += [
            ~(mine & drained[2]) | ~self.ended_short | (unit.dat_r == self._expected(is_sum)),
            *(~drained[each] | drained[each - 1] for each in (1, 2)),
            ~drained[0] | complete | ~sums,
            step <= 2 * COPIES,
        ]
        return lemmas

    def _counter_of(self, tally, second):
        """Return the counter of the word that is read, the first or the second one."""
        number, bank = self.number, self.bank
        if tally is self.unit.activates:
            return self.named(
                Mux(self.is_refreshes, 2 * self.unit.counted_banks, Cat(second, bank)), len(bank) + 2
            )
        hits = number == BankWord.ROW_HITS
        return self.named(Cat(Mux(hits, 1, second), Mux(hits, second, number[0]), bank), len(bank) + 2)

    def _expected(self, is_sum):
        of_head = Signal(32)
        self.comb += Case(
            Cat(self.number, self.of_bank),
            {
                HeadWord.CYCLES: of_head.eq(self.shown_cycles),
                HeadWord.QUEUE_PEAK: of_head.eq(self.shown_peak),
                "default": of_head.eq(0),
            },
        )
        return self.named(Mux(is_sum, self.limited(self.ended), of_head), 32)

    def _prove_sum(self) -> None:
        """Reads + writes = row hits + first accesses: of what the unit counts of the bank."""
        tally = self.unit.accesses
        hit, write, bank = tally.counter[0], tally.counter[1], tally.counter[2:]
        event = self.named(tally.event & (bank == self.bank))
        counters = [self._counter(more) for more in (event & ~write, event & write, event & hit)]
        counters.append(self._counter(self.seen["count"] & self.accesses & ~self.accessed))
        bits = len(self.running_cycles) + 1
        sums = []
        for reads, writes, hits, first in zip(*counters, strict=True):
            sums.append(self.named(reads + writes, bits) == self.named(hits + first, bits))
        (_, reads), (_, writes), (_, hits), (_, first) = counters
        self.prove(
            "reads + writes = row hits + first accesses after an ACTIVATE, in a finished epoch",
            sums[1],
            when=self.ever(self.turn),
            cases={"of each two": (reads == 2) & (writes == 2) & (hits == 2) & (first == 2)},
            lemmas=[
                *self._command_lemmas(),
                *sums,
                *(~self.short | (each <= self.running_cycles) for each, _ in counters),
            ],
            effort=self.effort,
        )


class OneEpoch(DRAMTrafficProof):
    """Runs in which an epoch ends in a fixed cycle, perhaps after a clear; commands come in few cycles.

    What controls the unit is constant, so that faults are found in a minute: among all runs it takes hours.
    """

    reach = ENDED + 124  # the window is read when the sweep is done

    def __init__(self, unit_class=DRAMTraffic) -> None:
        super().__init__(unit_class, cycle_bits=4)
        unit, cycle, commands = self.unit, Signal(max=self.reach + 2), Signal()
        cleared = self.any_constant(1, "cleared")
        self.sync += cycle.eq(cycle + 1)
        self.comb += [
            unit.clear.eq(cleared & (cycle == CLEARED)),
            unit.epoch_end.eq(cycle == ENDED),
            unit.adr.eq(self.word),
            unit.asks.eq(cycle > ENDED),
            commands.eq(
                ((cycle >= READY) & (cycle < READY + 14)) | ((cycle >= ENDED - 6) & (cycle <= ENDED))
            ),
        ]
        for name in ("count", "access", "activate", "precharge_all", "refresh", "accepted", "issued"):
            free = Signal.like(getattr(unit, name), name=f"choose_{name}")
            when = cycle >= READY if name == "count" else commands
            self.comb += getattr(unit, name).eq(Mux(when, free, 0))
