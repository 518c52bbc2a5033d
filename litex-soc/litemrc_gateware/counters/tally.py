# SPDX-License-Identifier: BSD-2-Clause
"""Counts of events in a block RAM, of the running epoch and of the finished one, an event a cycle."""

from itertools import pairwise
from types import SimpleNamespace

from litex.gen import LiteXModule
from migen import Cat, If, Record, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

COPIES = 4  # as many as an operation has stages
TAG_BITS = 2
SUM_BITS = 34  # of a counter: its four copies


class Tally(LiteXModule):
    """Counts one event a cycle in one of two areas of a RAM; the other area is that of the finished epoch.

    Each counter has four words, its copies, and its value is their sum. An operation uses the copy whose
    number is that of the cycle, modulo 4: an event adds 1 to it; without one, the sweep or a read proceeds if
    it is at this copy. An operation takes four cycles from the read to the write of its word, so no word is
    used by two operations at a time, and nothing is forwarded.

    A word is 0 unless it has `tag`, so an epoch begins with another area or another tag. The sweep then
    writes the tag into the words that no event has written since; it restarts with each `begin`. While
    `ready` is 1, all words have the tags of their areas.

    Parameters
    ----------
    counters : int
        a power of two.
    sum_bits : int
        of a counter; two fewer of a copy.

    Attributes
    ----------
    event, counter : Signal, in
        an event in this cycle; ignored after a reset until both areas are empty.
    area, tag : Signal, Signal(TAG_BITS), in
        of the running epoch; 0 after a reset.
    begin : Signal, in
        strobe: in the next cycle, area or tag change.
    ready : Signal, out
    read, read_counter, read_copy : Signal, in
        add this copy of the counter, of the finished epoch, to `sum`; to be held until `reads`. Waits for
        `ready`, for a cycle of this copy without an event, and until no other read is in the stages.
    reads : Signal, out
        strobe: it is being added.
    zero : Signal, in
        `sum` becomes 0.
    sum : Signal(sum_bits), out
        three cycles after the last of `reads`, the sum.
    """

    def __init__(self, counters: int, sum_bits: int = SUM_BITS) -> None:
        count_bits = sum_bits - 2
        counter_bits, copy_bits = width_of(counters), width_of(COPIES)
        self.event, self.counter = Signal(), Signal(counter_bits)
        self.area, self.tag, self.begin, self.ready = Signal(), Signal(TAG_BITS), Signal(), Signal()
        self.read, self.read_counter, self.reads = Signal(), Signal(counter_bits), Signal()
        self.read_copy = Signal(copy_bits)
        self.zero, self.sum = Signal(), Signal(sum_bits)

        # # #

        self.memory = memory = SimpleDualPort(count_bits + TAG_BITS, 2 * counters * COPIES, block=True)
        copy = Signal(copy_bits)
        # The next word of the sweep. `emptying`: after a reset, all words of both areas become 0.
        self.emptying = emptying = Signal(reset=1)
        sweeping, swept = Signal(reset=1), Signal(copy_bits + counter_bits + 1)
        more_swept = Signal(len(swept) + 1)
        layout = [("adr", len(swept)), ("tag", TAG_BITS)]
        layout += [(name, 1) for name in ("empty", "event", "sweep", "read")]
        stages = [Record(layout) for _ in range(COPIES)]
        first, second, third, last = stages
        counter, other_area = Signal(counter_bits), Signal()
        self.comb += [
            self.ready.eq(~sweeping),
            self.reads.eq(second.read),
            first.event.eq(self.event & ~emptying),
            first.sweep.eq(~first.event & sweeping & (swept[:copy_bits] == copy)),
            first.read.eq(
                ~(first.event | sweeping | second.read | third.read | last.read)
                & self.read
                & (self.read_copy == copy)
            ),
            first.tag.eq(self.tag),
            first.empty.eq(emptying),
            If(first.event, counter.eq(self.counter))
            .Elif(sweeping, counter.eq(swept[copy_bits:-1]), other_area.eq(swept[-1]))
            .Else(counter.eq(self.read_counter), other_area.eq(1)),
            first.adr.eq(Cat(copy, counter, self.area ^ other_area)),
            memory.read.adr.eq(first.adr),
            more_swept.eq(swept + 1),
        ]
        self.sync += [
            copy.eq(copy + 1),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
            If(
                first.sweep,
                swept.eq(more_swept),
                If(
                    more_swept[-1] | (~emptying & more_swept[-2]),
                    swept.eq(0),
                    emptying.eq(0),
                    sweeping.eq(0),
                ),
            ),
            If(self.begin, swept.eq(0), sweeping.eq(1)),
        ]

        # Stages 1 to 3: the word is in the RAM's output, in a register, and without what is stale. An event
        # adds 1 to it, a read the sum of the copies read before.
        word, base = Signal(count_bits + TAG_BITS), Signal(count_bits)
        summand, new = Signal(sum_bits), Signal(sum_bits)
        self.comb += [
            new.eq(base + summand + last.event),
            memory.write.adr.eq(last.adr),
            memory.write.dat_w.eq(Cat(new[:count_bits], last.tag)),
            memory.write.we.eq(last.event | last.sweep),
        ]
        self.sync += [
            word.eq(memory.read.dat_r),
            base.eq(word[:count_bits]),
            If(~third.read & ((word[count_bits:] != third.tag) | third.empty), base.eq(0)),
            summand.eq(self.sum),
            If(~third.read, summand.eq(0)),
            If(last.read, self.sum.eq(new)),
            If(self.zero, self.sum.eq(0)),
        ]

        # For the lemmas of tests/formal.
        self.internal = SimpleNamespace(
            copy=copy, sweeping=sweeping, swept=swept, stages=stages, word=word, base=base, summand=summand
        )
