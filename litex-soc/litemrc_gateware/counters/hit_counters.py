# SPDX-License-Identifier: BSD-2-Clause
"""The hit counters of the MRC monitor: counted per context, published at the end of each epoch."""

from functools import reduce
from itertools import pairwise
from operator import or_
from types import SimpleNamespace

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Mux, Record, Replicate, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.counters.totals import TOTALS, CounterTotals
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import PositionKind, counted_layout, width_of

BUFFERS = 3


class CounterBuffer(LiteXModule):
    """One epoch's hit counters in a block RAM, read through two registers.

    A register that is not selected is 0, so the outputs of several buffers, of which at most one is selected,
    can be OR-ed.

    Parameters
    ----------
    width, depth : int
        bits of a counter, number of counters.

    Attributes
    ----------
    adr : Signal, in
        counter to read.
    to_count, to_show : Signal, in
        one cycle later: select `counted`, select `shown`.
    counted, shown : Signal(width), out
        two cycles later.
    write, write_adr, new : Signal, in
        strobe: the counter becomes `new`, visible to reads two cycles later.
    zero, zero_adr : Signal, in
        the same with 0; has priority.
    """

    def __init__(self, width: int, depth: int) -> None:
        self.adr = Signal(max=depth)
        self.to_count, self.to_show = Signal(), Signal()
        self.counted, self.shown = Signal(width), Signal(width)
        self.write, self.write_adr, self.new = Signal(), Signal(max=depth), Signal(width)
        self.zero, self.zero_adr = Signal(), Signal(max=depth)

        # # #

        # Registers directly at all ports, because the read of a block RAM takes most of a cycle.
        self.memory = memory = SimpleDualPort(width, depth)
        self.comb += memory.read.adr.eq(self.adr)
        self.sync += [
            self.counted.eq(memory.read.dat_r),
            If(~self.to_count, self.counted.eq(0)),
            self.shown.eq(memory.read.dat_r),
            If(~self.to_show, self.shown.eq(0)),
            memory.write.adr.eq(Mux(self.zero, self.zero_adr, self.write_adr)),
            memory.write.we.eq(self.zero | self.write),
            memory.write.dat_w.eq(self.new),
            If(self.zero, memory.write.dat_w.eq(0)),
        ]


class HitCounters(LiteXModule):
    """HitCtrs of zhou2004, section 3.1, figure 3 and table 1; bit-identical to hls/hit_counters.

    Counts one position a cycle; counters saturate. Each context also has counters of misses, of accesses, and
    of pages touched in the epoch (its working set: positions with `first_touch`). A position with `epoch_end`
    is counted, then the epoch is published: its counters are in the window until the next epoch is published.
    A clear restarts the running epoch from zero; nothing is published and the number of epochs stays.

    Three buffers of hits rotate: the active one counts, the finished one is read in the window, the spare one
    is zeroed. The end of an epoch costs 4 * contexts + 1 more cycles, in which the totals are copied; a clear
    costs 1. The sink also waits until the spare buffer is zeroed, groups * contexts + 1 cycles after the last
    rotation or after reset.

    The whole window changes in the cycle in which `epoch` does. A reader that cannot ensure that no epoch
    ends while it reads compares `epoch` before and after: if it is the same, all words are of one epoch.

    Parameters
    ----------
    groups, contexts : int
        powers of two; at least 4 groups, so that the totals fit after them in a row of the window.
    counter_bits : int
        fewer than 32 only to test saturation.

    Attributes
    ----------
    sink : stream.Endpoint(counted_layout), in
    window_adr : Signal, in
        context * 2 * groups + i; i < groups: hit[i]; groups: misses; groups + 1: accesses;
        groups + 2: touched; above: 0.
    window_dat_r : Signal(counter_bits), out
        the word at `window_adr` two cycles later.
    finished : Signal, out
        1 for one cycle: a new epoch is in the window from this cycle on.
    epoch : Signal(32), out
        number of finished epochs.
    idle : Signal, out
        every position taken is counted and every epoch that ended is in the window.
    overflow : Signal, out
        a counter saturated in the epoch that is in the window.
    """

    def __init__(self, groups: int, contexts: int, counter_bits: int = 32) -> None:
        if groups < 4:
            raise ValueError(f"HitCounters: groups must be at least 4 to hold the totals (got {groups})")
        group_bits, context_bits = width_of(groups), width_of(contexts)
        self.sink = sink = stream.Endpoint(counted_layout(groups, contexts))
        self.window_adr = Signal(context_bits + group_bits + 1)
        self.window_dat_r = Signal(counter_bits)
        self.finished = Signal()
        self.epoch = Signal(32)
        self.overflow = Signal()
        self.idle = Signal()

        # # #

        # Counts have one bit more than counters: an increment at the limit sets it.
        width = counter_bits + 1

        # Buffers, with one-hot roles.
        buffers = [CounterBuffer(width, groups << context_bits) for _ in range(BUFFERS)]
        self.buffer0, self.buffer1, self.buffer2 = buffers
        active, window, spare = (Signal(BUFFERS, reset=1 << role) for role in range(BUFFERS))

        # Zeroing: all buffers after reset, then the spare one.
        zeroing = Signal(BUFFERS, reset=(1 << BUFFERS) - 1)
        zero_adr = Signal(group_bits + context_bits + 1)
        self.sync += If(
            zeroing != 0,
            zero_adr.eq(zero_adr + 1),
            If(zero_adr[-1], zero_adr.eq(0), zeroing.eq(0)),  # in this cycle the last word is written
        )

        # A counter is read, registered, selected, incremented and written, one cycle each. Those of the
        # four positions ahead are not in memory yet: the latest of them with the same counter is forwarded.
        count, copy, next_copy = Signal(), Signal(), Signal(context_bits + 2)
        target = [("valid", 1), ("hit", 1), ("first", 1), ("group", group_bits), ("context", context_bits)]
        stages = [Record(target) for _ in range(4)]
        reading, fetched, caught, _ = stages
        ahead, chosen = Signal(4), Signal(4)
        for number, position in enumerate(stages):
            same = (position.context == sink.context) & (position.group == sink.group)
            self.comb += ahead[number].eq(position.valid & position.hit & same)
        self.sync += [
            reading.valid.eq(count),
            reading.hit.eq(sink.kind == PositionKind.HIT),
            reading.first.eq(sink.first_touch),
            reading.group.eq(sink.group),
            reading.context.eq(Mux(copy, next_copy[2:], sink.context)),
            *(behind.eq(before) for before, behind in pairwise(stages)),
            chosen.eq(ahead & -ahead),  # the lowest bit; the positions are one stage further now
        ]

        # Hits.
        old, new, newest, newer, recent, earlier = (Signal(width) for _ in range(6))
        follows, grows = Signal(), Signal()
        self.comb += [grows.eq(~old[-1]), new.eq(old + grows)]
        self.sync += [
            newest.eq(new),
            newer.eq(newest),
            # At most one of these and of the buffers' words is not 0.
            recent.eq(new),
            If(~chosen[1], recent.eq(0)),
            earlier.eq(Mux(chosen[2], newest, newer)),
            If(~(chosen[2] | chosen[3]), earlier.eq(0)),
            follows.eq(chosen[0]),
            old.eq(Mux(follows, new, reduce(or_, (buffer.counted for buffer in buffers), recent | earlier))),
        ]

        # Totals: incremented a cycle earlier, and copied in the order of the window.
        self.totals = totals = CounterTotals(1 << context_bits, width)
        overflow = Signal()
        self.comb += [
            totals.context.eq(reading.context),
            totals.count.eq(fetched.valid),
            totals.misses.eq(~fetched.hit),
            totals.first.eq(fetched.first),
        ]
        self.sync += [
            totals.copies.eq(copy),
            totals.copy_adr.eq(next_copy),
            If(copy, next_copy.eq(next_copy + 1)),
            If(totals.overflow | (caught.valid & caught.hit & new[-1]), overflow.eq(1)),
        ]

        # Window.
        word, of_group, of_total, shown = Signal(group_bits + 1), Signal(), Signal(), Signal(width)
        total = Signal(width)
        self.sync += [
            word.eq(self.window_adr),
            total.eq(totals.shown),
            If(~of_total, total.eq(0)),
        ]
        self.comb += [
            of_group.eq(word < groups),
            of_total.eq((word >= groups) & (word < groups + len(TOTALS))),
            totals.show_adr.eq(Cat(self.window_adr[:2], self.window_adr[group_bits + 1 :])),
            shown.eq(reduce(or_, (buffer.shown for buffer in buffers), total)),
            self.window_dat_r.eq(shown[:-1] | Replicate(shown[-1], counter_bits)),
        ]

        # Ports of the buffers.
        window_counter = Cat(self.window_adr[:group_bits], self.window_adr[group_bits + 1 :])
        for number, buffer in enumerate(buffers):
            self.comb += [
                buffer.adr.eq(Mux(active[number], Cat(sink.group, sink.context), window_counter)),
                buffer.to_count.eq(active[number] & (chosen[1:] == 0)),
                buffer.to_show.eq(window[number] & of_group),
                buffer.write.eq(active[number] & caught.valid & caught.hit),
                buffer.write_adr.eq(Cat(caught.group, caught.context)),
                buffer.new.eq(new),
                # Not a second time the first word, which may be read already.
                buffer.zero.eq(zeroing[number] & ~zero_adr[-1]),
                buffer.zero_adr.eq(zero_adr),
            ]

        # Rotation of the buffers.
        clear, publish, publishing = Signal(), Signal(), Signal()
        self.comb += totals.publish.eq(publishing)
        self.sync += [
            self.finished.eq(publishing),
            If(publishing, self.epoch.eq(self.epoch + 1)),
        ]
        self.fsm = fsm = FSM(reset_state="COUNT")
        fsm.act(
            "COUNT",
            sink.ready.eq((zeroing & active) == 0),
            If(
                sink.valid & sink.ready,
                count.eq((sink.kind == PositionKind.HIT) | (sink.kind == PositionKind.MISS)),
                NextValue(clear, sink.kind == PositionKind.CLEAR),
                NextValue(publish, sink.epoch_end),
                If(
                    sink.kind == PositionKind.CLEAR,
                    NextState("TURN"),
                ).Elif(
                    sink.epoch_end,
                    NextState("COPY"),
                ),
            ),
        )
        fsm.act(
            "COPY",
            copy.eq(1),
            If(next_copy == 2 ** len(next_copy) - 1, NextState("TURN")),
        )
        fsm.act(
            "TURN",
            If(
                ~reading.valid & ~fetched.valid & ~caught.valid & (zeroing == 0),
                totals.zero.eq(1),
                NextValue(active, spare),
                NextValue(overflow, 0),
                If(
                    clear,
                    NextValue(spare, active),
                    NextValue(zeroing, active),
                    NextValue(clear, 0),
                    NextState("COUNT"),
                    If(publish, NextState("COPY")),
                ).Else(
                    publishing.eq(1),
                    NextValue(window, active),
                    NextValue(spare, window),
                    NextValue(zeroing, window),
                    NextValue(self.overflow, overflow),
                    NextState("COUNT"),
                ),
            ),
        )
        self.comb += self.idle.eq(fsm.ongoing("COUNT") & ~reading.valid & ~fetched.valid & ~caught.valid)

        # For the lemmas of tests/formal.
        self.internal = SimpleNamespace(
            active=active, window=window, spare=spare, zeroing=zeroing, zero_adr=zero_adr,
            stages=stages, chosen=chosen, follows=follows, old=old, new=new, newest=newest, newer=newer,
            recent=recent, earlier=earlier, word=word, overflow=overflow, clear=clear, publish=publish,
            next_copy=next_copy,
        )  # fmt: skip
