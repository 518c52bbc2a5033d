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

    Each counter has four words, its copies, and its value is their sum. In each cycle an operation uses a
    copy with the number of the cycle, modulo 4: an event adds 1 to its counter's; else a sweep or a read uses
    that of its own. An operation takes four cycles from the read to the write of its word, so no word is used
    by two operations at a time, and nothing is forwarded.

    A word is 0 unless it has the tag of its area. `turn` begins an epoch in the other area, and `restart` in
    the same one, with the area's other tag: all of its words are then 0. The sweep writes the area's tag into
    words that no event has written since. `ready` is 0 until all of them have it, because a tag of one bit
    holds for one epoch.

    Parameters
    ----------
    counters : int
        a power of two.

    Attributes
    ----------
    event, counter : Signal, in
        an event in this cycle; ignored after a reset until both areas are empty.
    turn, restart : Signal, in
        strobes, while `ready`: after this cycle's event an epoch begins, in the other area or in this one.
    ready : Signal, out
    read, read_counter : Signal, in
        read this cycle's copy of the counter, of the finished epoch.
    reads : Signal, out
        it is being read: `ready` is 1, and there is no event in this cycle.
    this_copy : Signal(COPIES), out
        of this cycle, one-hot.
    valid, word : Signal, out
        three cycles later: the copy.
    """

    def __init__(self, counters: int) -> None:
        counter_bits, copy_bits = width_of(counters), width_of(COPIES)
        self.event, self.counter = Signal(), Signal(counter_bits)
        self.turn, self.restart, self.ready = Signal(), Signal(), Signal()
        self.read, self.read_counter, self.reads = Signal(), Signal(counter_bits), Signal()
        self.this_copy = this_copy = Signal(COPIES)
        self.valid, self.word = Signal(), Signal(COUNT_BITS)

        # # #

        self.memory = memory = SimpleDualPort(COUNT_BITS + 1, 2 * counters * COPIES, block=True)
        area, tags, tag, copy = Signal(), Signal(2), Signal(), Signal(copy_bits)
        # The sweep: its word, and the copies of it that it has done. `emptying`: after a reset, all words of
        # both areas become 0, whatever they hold.
        self.emptying = emptying = Signal(reset=1)
        sweeping, swept, more_swept = Signal(reset=1), Signal(counter_bits + 1), Signal(counter_bits + 2)
        done, with_this = Signal(COPIES), Signal(COPIES)
        layout = [("adr", copy_bits + counter_bits + 1), *((name, 1) for name in ("tag", "event", "empty"))]
        stages = [Record([*layout, ("sweep", 1), ("read", 1)]) for _ in range(COPIES)]
        first, _, third, last = stages
        counter = Signal(counter_bits)
        self.comb += [
            tag.eq(Mux(area, tags[1], tags[0])),
            this_copy.eq(1 << copy),
            self.ready.eq(~sweeping),
            first.event.eq(self.event & ~emptying),
            first.sweep.eq(~first.event & sweeping & ((done & this_copy) == 0)),
            first.read.eq(~first.event & ~sweeping & self.read),
            self.reads.eq(first.read),
            first.empty.eq(emptying),
            first.tag.eq(tag),
            If(first.event, counter.eq(self.counter))
            .Elif(sweeping, counter.eq(swept[:-1]))
            .Else(counter.eq(self.read_counter)),
            first.adr.eq(Cat(copy, counter, area ^ (~first.event & Mux(sweeping, swept[-1], 1)))),
            memory.read.adr.eq(first.adr),
            with_this.eq(done | this_copy),
            more_swept.eq(swept + 1),
        ]
        self.sync += [
            copy.eq(copy + 1),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
            If(
                first.sweep,
                done.eq(with_this),
                If(
                    with_this == 2**COPIES - 1,
                    done.eq(0),
                    swept.eq(more_swept),
                    If(
                        more_swept[-1] | (~emptying & more_swept[-2]),
                        swept.eq(0),
                        emptying.eq(0),
                        sweeping.eq(0),
                    ),
                ),
            ),
            If(self.turn, area.eq(~area)),
            If(self.turn | self.restart, sweeping.eq(1)),
            # Of the area in which the epoch begins.
            If((self.turn & area) | (self.restart & ~area), tags[0].eq(~tags[0])),
            If((self.turn & ~area) | (self.restart & area), tags[1].eq(~tags[1])),
        ]

        # Stages 1 to 3: the word is in the RAM's output, in a register, and without what is stale.
        word, base, new = Signal(COUNT_BITS + 1), Signal(COUNT_BITS), Signal(COUNT_BITS)
        self.comb += [
            new.eq(base + last.event),
            memory.write.adr.eq(last.adr),
            memory.write.dat_w.eq(Cat(new, last.tag)),
            memory.write.we.eq(last.event | last.sweep),
            self.valid.eq(last.read),
            self.word.eq(base),
        ]
        self.sync += [
            word.eq(memory.read.dat_r),
            base.eq(word[:-1]),
            If(~third.read & ((word[-1] ^ third.tag) | third.empty), base.eq(0)),
        ]
