# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `counters.hit_counters.HitCounters`: a word of the window is what was counted in its epoch."""

from functools import reduce
from operator import or_

from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.records import PositionKind, width_of
from migen import Array, Case, If, Mux, Signal

from tests.formal.hit_lemmas import control_lemmas, hit_lemmas, overflow_event, total_lemmas
from tests.formal.proof import ALWAYS, Proof

WINDOW_LATENCY = 2


class HitCountersProof(Proof):
    """The reference follows one word of the window, any of them, from the positions that are taken.

    A word is of the epoch in the window when its address came, if none is published before the word is there.
    Counts of the reference have one bit more than counters, like those of the unit: above the limit it is 1.
    """

    def __init__(self, unit_class=HitCounters, groups=4, contexts=2, counter_bits=3) -> None:
        super().__init__()
        self.parameters = f"{groups} groups, {contexts} contexts, {counter_bits}-bit counters"
        self.unit = unit = unit_class(groups, contexts, counter_bits)
        self.most = 2**counter_bits - 1
        self.group_bits = width_of(groups)
        self.word = word = self.any_constant(len(unit.window_adr), "word")
        self.number, self.context = word[: self.group_bits + 1], word[self.group_bits + 1 :]
        self.ending, self.any_shown, epochs = Signal(), Signal(), Signal(2)
        self.under_way = self.named(self.ending & ~unit.finished)  # an end was taken, and is not published

        taken = self.named(unit.sink.valid & unit.sink.ready)
        self.ends = ends = self.named(taken & unit.sink.epoch_end)
        self.clears = clears = self.named(taken & (unit.sink.kind == PositionKind.CLEAR))
        published = self.named(epochs + unit.finished, 2)  # modulo 4
        self.sync += [
            If(unit.finished, self.any_shown.eq(1)),
            If(ends, self.ending.eq(1)).Elif(unit.finished, self.ending.eq(0)),
            epochs.eq(published),
        ]
        kind = unit.sink.kind
        position = self.named(taken & ((kind == PositionKind.HIT) | (kind == PositionKind.MISS)))
        self.running, self.ended = self._counter(
            self._counts_word(position & (unit.sink.context == self.context), groups)
        )
        shown = Signal.like(self.ended)
        self.in_window = in_window = self.named(Mux(unit.finished, self.ended, shown))
        self.sync += shown.eq(in_window)
        self.asked = self.before(self.any_shown & (unit.window_adr == word))
        self.to_show = self.before(self.limited(in_window))
        due = self.before(self.asked) & ~unit.finished & ~self.before(unit.finished)

        control, hits, totals = control_lemmas(self), hit_lemmas(self), total_lemmas(self)
        is_group = self.number < groups
        expected = self.before(self.to_show)
        saturated = self.before(in_window[-1], WINDOW_LATENCY)
        cases = {
            "saturated": saturated,
            "saturated in a third epoch": saturated & (epochs == 3),
            "a count after a clear": (expected == 2) & self.ever(clears),
        }
        self.prove(
            "hits of a group in the window = those taken in its epoch, saturated",
            unit.window_dat_r == expected,
            when=due & is_group,
            cases=cases,
            lemmas=control + hits,
        )
        self.prove(
            "the same of misses, accesses, pages touched, and zeros",
            unit.window_dat_r == expected,
            when=due & ~is_group,
            cases=cases,
            lemmas=control + totals,
        )
        self.prove(
            "an epoch is published once, and only when its end was taken", self.ending, when=unit.finished
        )
        self.prove("no second end is taken before the epoch is published", ~ends, when=self.under_way)
        self.prove(
            "epoch counts published epochs",
            unit.epoch[:2] == published,
            when=ALWAYS,
            cases={"three epochs": epochs == 3},
        )
        self.prove(
            "idle: every epoch that ended is in the window",
            ~self.under_way,
            when=unit.idle,
            cases={"an epoch is in the window": self.any_shown},
        )
        self._prove_overflow(position, groups, contexts, control, hits + totals)

    def limited(self, count):
        """Return what is shown of a count."""
        return Mux(count[-1], self.most, count[:-1])

    def _counter(self, more) -> tuple[Signal, Signal]:
        """Return the count of the running epoch, and that of the last one that ended."""
        running, ended = Signal(max=self.most + 2), Signal(max=self.most + 2)
        now = self.named(Mux(self.clears, 0, running + (more & ~running[-1])), len(running))
        self.sync += [running.eq(Mux(self.ends, 0, now)), If(self.ends, ended.eq(now))]
        return running, ended

    def _counts_word(self, of_context, groups: int) -> Signal:
        """Return whether a position counts in the followed word."""
        sink, counted = self.unit.sink, Signal()
        numbers = {
            groups: counted.eq(sink.kind == PositionKind.MISS),
            groups + 1: counted.eq(1),
            groups + 2: counted.eq(sink.first_touch),
            "default": counted.eq(
                (sink.kind == PositionKind.HIT) & ~self.number[-1] & (sink.group == self.number)
            ),
        }
        self.comb += If(of_context, Case(self.number, numbers))
        return counted

    def _prove_overflow(self, position, groups: int, contexts: int, control, lemmas) -> None:
        """A counter of a context is at most its accesses: one is above the limit if these are.

        The first two properties are proved of the followed word, which is any word: they hold of all words.
        The third one is given them, and therefore needs only the accesses of each context.
        """
        unit, internal = self.unit, self.unit.internal
        accesses = [self._counter(position & (unit.sink.context == each)) for each in range(contexts)]
        running, ended = (Array(counts) for counts in zip(*accesses, strict=True))

        def above(context):
            return self.named(Mux(self.under_way, ended[context], running[context]))[-1]

        publishes = self.named(unit.fsm.ongoing("TURN") & ~internal.clear)
        of_word = [self.running <= running[self.context], self.ended <= ended[self.context]]
        self.prove(
            "a counter of the epoch goes above its limit only if the accesses of its context do",
            above(self.context) & ~unit.totals.zero,
            when=overflow_event(self) & ~internal.clear,
            cases={"of a group": self.number < groups, "of a total": self.number >= groups},
            lemmas=control + lemmas + of_word,
        )
        self.prove(
            "accesses above the limit are known before the epoch is published",
            internal.overflow,
            when=publishes & self.ended[-1] & (self.number == groups + 1),
            lemmas=control + lemmas,
        )
        caught, totals = internal.stages[2], unit.totals
        of_hits, of_totals = caught.valid & caught.hit & internal.new[-1], totals.overflow
        given = [
            ~of_hits | internal.clear | (above(caught.context) & ~totals.zero),
            ~of_totals | internal.clear | (above(totals.internal.context) & ~totals.zero),
            *(~(publishes & count[-1]) | internal.overflow for count in ended),
        ]
        ended_above = self.named(reduce(or_, (count[-1] for count in ended)))
        shown_above = Signal()
        above_now = self.named(Mux(unit.finished, ended_above, shown_above))
        self.sync += shown_above.eq(above_now)
        any_above = reduce(or_, (above(each) for each in range(contexts)))
        shown = self.any_shown | unit.finished
        self.prove(
            "overflow: a counter of the epoch in the window saturated",
            unit.overflow == above_now,
            when=shown,
            cases={
                "it did": unit.overflow,
                "it did not, after an epoch in which it did": ~unit.overflow
                & self.ever(shown & unit.overflow),
            },
            lemmas=[
                *control,
                ~internal.overflow | internal.clear | any_above,
                ~shown | (unit.overflow == above_now),
            ],
            given=given,
        )
