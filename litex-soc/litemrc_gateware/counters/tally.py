# SPDX-License-Identifier: BSD-2-Clause
"""Counts of events in a block RAM, of the running epoch and of the finished one, an event a cycle."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

COPIES = 4  # as many as an operation has stages
COUNT_BITS = 34  # with the tag at most the 36 bits that block RAMs are wide


class Tally(LiteXModule):
    """Counts one event a cycle in one of two areas of a RAM; the other area is that of the finished epoch.

    An operation reads its word, registers it, drops it if its tag is stale, and writes it with one event
    more: four stages. Each counter has four words, the copies, and an event goes to that of its cycle, modulo
    4. So no two events in the stages use one word, and nothing is forwarded; the value of a counter is the
    sum of its copies.

    A word is valid if its tag is that of its area. `turn` begins an epoch in the other area, and `restart` in
    the same one, with the area's other tag: all of its words are then 0. A sweep, in cycles without an event,
    writes the words that no event has renewed since with that tag. `ready` is 0 until all have it: a tag of
    one bit holds for one epoch. The sweep leaves a word that an event in the stages uses to that event.

    In cycles without an event, and while `ready`, words of the finished epoch are read.

    Parameters
    ----------
    counters : int
        a power of two.

    Attributes
    ----------
    event, counter : Signal, in
        an event in this cycle; ignored while `emptying`.
    emptying : Signal, out
        after a reset: both areas are being filled with zeros, whatever they hold.
    turn, restart : Signal, in
        strobes, while `ready`: after this cycle's event an epoch begins, in the other area or in this one.
    ready : Signal, out
    read, read_adr : Signal, in
        a word of the finished epoch is to be read: copy, then counter in the upper bits.
    reads : Signal, out
        it is, in this cycle.
    valid, word : Signal, out
        three cycles later; `word` is 0 if not `valid`.
    """

    def __init__(self, counters: int) -> None:
        counter_bits, copy_bits = width_of(counters), width_of(COPIES)
        adr_bits = copy_bits + counter_bits
        self.event, self.counter = Signal(), Signal(counter_bits)
        self.turn, self.restart = Signal(), Signal()
        self.ready = Signal()
        self.read, self.read_adr, self.reads = Signal(), Signal(adr_bits), Signal()
        self.valid, self.word = Signal(), Signal(COUNT_BITS)

        # # #

        self.memory = memory = SimpleDualPort(COUNT_BITS + 1, 2 * counters * COPIES, block=True)
        area, tags, copy = Signal(), Signal(2), Signal(copy_bits)
        self.emptying = emptying = Signal(reset=1)
        sweeping, swept = Signal(reset=1), Signal(adr_bits + 1)
        settling = Signal(COPIES - 1)  # operations of the epoch before are in the stages
        layout = [("adr", adr_bits + 1), ("tag", 1), ("event", 1), ("sweep", 1), ("read", 1), ("empty", 1)]
        stages = [Record(layout) for _ in range(COPIES)]
        first, _, third, last = stages
        event = Signal()

        # Stage 0: an event, a word of the sweep, or a word to read.
        tag = Signal()
        self.comb += [
            event.eq(self.event & ~emptying),
            tag.eq(Mux(area, tags[1], tags[0])),
            self.ready.eq(~sweeping & ~any_of(each.sweep for each in stages[1:])),
            first.event.eq(event),
            first.sweep.eq(~event & sweeping & (settling == 0)),
            first.read.eq(~event & self.ready & self.read),
            first.empty.eq(emptying),
            first.tag.eq(tag),
            If(event, first.adr.eq(Cat(copy, self.counter, area)))
            .Elif(sweeping, first.adr.eq(Cat(swept[:-1], swept[-1] ^ area)))
            .Else(first.adr.eq(Cat(self.read_adr, ~area))),
            memory.read.adr.eq(first.adr),
            self.reads.eq(first.read),
        ]
        more = Signal(adr_bits + 2)
        self.comb += more.eq(swept + 1)
        self.sync += [
            copy.eq(copy + 1),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
            settling.eq(settling[1:]),
            If(self.turn | self.restart, settling.eq(2 ** len(settling) - 1)),
            If(first.sweep, swept.eq(more)),
            If(
                first.sweep & (more[-1] | (~emptying & more[-2])),
                swept.eq(0),
                emptying.eq(0),
                sweeping.eq(0),
            ),
            If(
                self.turn,
                area.eq(~area),
                sweeping.eq(1),
                If(area, tags[0].eq(~tags[0])).Else(tags[1].eq(~tags[1])),
            ),
            If(
                self.restart,
                sweeping.eq(1),
                If(area, tags[1].eq(~tags[1])).Else(tags[0].eq(~tags[0])),
            ),
        ]

        # Stages 1 to 3: the word is in the RAM's output, in a register, and without what is stale.
        word, base, new = Signal(COUNT_BITS + 1), Signal(COUNT_BITS), Signal(COUNT_BITS)
        self.sync += [
            word.eq(memory.read.dat_r),
            base.eq(word[:-1]),
            If((word[-1] ^ third.tag) | third.empty, base.eq(0)),
            self.valid.eq(third.read),
            self.word.eq(word[:-1]),
            If(~third.read, self.word.eq(0)),
        ]

        # An event that uses the word of the sweep, ahead of it in the stages or as it is written, renews it.
        renewed, used = Signal(COPIES), Signal(COPIES - 1)
        self.comb += [
            renewed[0].eq(any_of(each.event & (each.adr == first.adr) for each in stages[1:])),
            renewed[1:].eq(used),
            memory.write.adr.eq(last.adr),
            new.eq(base + last.event),
            memory.write.dat_w.eq(Cat(new, last.tag)),
            memory.write.we.eq(
                last.event | (last.sweep & ~renewed[-1] & ~(first.event & (first.adr == last.adr)))
            ),
        ]
        self.sync += used.eq(renewed[:-1])


def any_of(signals):
    """The OR of single bits."""
    first, *others = signals
    return first | any_of(others) if others else first
