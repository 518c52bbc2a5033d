"""The hit counters of the MRC monitor, counted per context and published once an epoch."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Case, If, Mux, Record, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.counter_buffer import CounterBuffer
from litemrc_gateware.records import PositionKind, counted_layout, width_of

BUFFERS = 3


class HitCounters(LiteXModule):
    """HitCtrs of zhou2004, section 3.1, figure 3 and table 1; held bit-equal to hls/hit_counters.

    Counts one position a clock; counters saturate. For each context, too: misses, accesses, and the pages
    touched in the epoch, its working set, which are the positions with `first_touch`. A position with
    `epoch_end` is counted, then the epoch is published: its counters stand in the window until the next one
    is. A clear starts the running epoch again from zero; nothing is published and the number of epochs stays.

    Three buffers take turns: the active one counts, the finished one is read in the window, the spare one
    is zeroed. So an end of epoch costs 4 clocks more, a clear 1, unless the spare buffer is not zeroed yet,
    groups * contexts clocks after the last turn: then the sink waits. It waits as long after reset.

    The window changes when an epoch ends; who reads it must see to it that none ends meanwhile.

    Parameters
    ----------
    groups, contexts : int
        powers of two; at least 4 groups, so that the totals have room behind them in the window.
    counter_bits : int
        fewer than 32 only to test saturation.

    Attributes
    ----------
    sink : stream.Endpoint(counted_layout), in
    window_adr : Signal, in
        context * 2 * groups + i; i < groups: hit[i]; groups: misses; groups + 1: accesses;
        groups + 2: touched; above: 0.
    window_dat_r : Signal(counter_bits), out
        the word at `window_adr` two clocks later.
    finished : Signal, out
        1 for one clock: a new epoch is in the window from this clock on.
    epoch : Signal(32), out
        number of finished epochs.
    idle : Signal, out
        every position taken is counted, every epoch that ended is in the window.
    overflow : Signal, out
        an increment met a counter at its limit in the epoch that is in the window.
    """

    def __init__(self, groups: int, contexts: int, counter_bits: int = 32) -> None:
        if groups < 4:
            raise ValueError(f"HitCounters: {groups} groups leave no room for the totals: choose at least 4")
        group_bits, context_bits = width_of(groups), width_of(contexts)
        self.sink = sink = stream.Endpoint(counted_layout(groups, contexts))
        self.window_adr = Signal(context_bits + group_bits + 1)
        self.window_dat_r = Signal(counter_bits)
        self.finished = Signal()
        self.epoch = Signal(32)
        self.overflow = Signal()
        self.idle = Signal()

        # # #

        # Buffers: one-hot roles.
        buffers = [CounterBuffer(groups, contexts, counter_bits) for _ in range(BUFFERS)]
        self.buffer0, self.buffer1, self.buffer2 = buffers
        active, window, spare = (Signal(BUFFERS, reset=1 << role) for role in range(BUFFERS))

        # Zeroing: after reset all buffers, later the spare one.
        zeroing = Signal(BUFFERS, reset=(1 << BUFFERS) - 1)
        zero_adr = Signal(group_bits + context_bits)
        self.sync += If(
            zeroing != 0,
            zero_adr.eq(zero_adr + 1),
            If(zero_adr == (1 << len(zero_adr)) - 1, zeroing.eq(0)),
        )

        # Counting: a position's counters are read, registered, caught, changed and written, a clock each.
        # Those of the three positions ahead are not in memory yet when they are read.
        count = Signal()
        target = [("valid", 1), ("hit", 1), ("first", 1), ("group", group_bits), ("context", context_bits)]
        totals = ("misses", "accesses", "touched")
        counters = [(name, counter_bits) for name in ("hits", *totals)]
        reading, fetched, caught, written = (Record(target) for _ in range(4))
        read, old, new, newest, newer = (Record(counters) for _ in range(5))
        limit = (1 << counter_bits) - 1
        saturated, overflow = Signal(), Signal()
        for buffer, is_active in zip(buffers, active, strict=True):
            self.comb += If(
                is_active,
                *(getattr(read, name).eq(getattr(buffer, name)) for name, _ in counters),
            )
        self.comb += [
            new.hits.eq(Mux(old.hits == limit, limit, old.hits + 1)),
            new.misses.eq(Mux(caught.hit | (old.misses == limit), old.misses, old.misses + 1)),
            new.accesses.eq(Mux(old.accesses == limit, limit, old.accesses + 1)),
            new.touched.eq(Mux(caught.first & (old.touched != limit), old.touched + 1, old.touched)),
            saturated.eq((old.accesses == limit) | (Mux(caught.hit, old.hits, old.misses) == limit)),
        ]
        self.sync += [
            reading.valid.eq(count),
            reading.hit.eq(sink.kind == PositionKind.HIT),
            reading.first.eq(sink.first_touch),
            reading.group.eq(sink.group),
            reading.context.eq(sink.context),
            fetched.eq(reading),
            caught.eq(fetched),
            written.eq(caught),
            old.eq(read),
            newest.eq(new),
            newer.eq(newest),
            If(caught.valid & saturated, overflow.eq(1)),
        ]
        # From the one three ahead, whose counters are oldest, to the one just ahead.
        for ahead, counted in ((written, newer), (caught, newest), (fetched, new)):
            same_context, same_group = Signal(), Signal()
            self.sync += [
                same_context.eq(ahead.valid & (ahead.context == reading.context)),
                same_group.eq(ahead.hit & (ahead.group == reading.group)),
                If(
                    same_context,
                    *(getattr(old, name).eq(getattr(counted, name)) for name in totals),
                    If(same_group, old.hits.eq(counted.hits)),
                ),
            ]

        # Ports of the buffers.
        for buffer, is_active, zero in zip(buffers, active, zeroing, strict=True):
            self.comb += [
                buffer.group.eq(Mux(is_active, sink.group, self.window_adr)),
                buffer.context.eq(Mux(is_active, sink.context, self.window_adr[group_bits + 1 :])),
                buffer.write_group.eq(caught.group),
                buffer.write_context.eq(caught.context),
                buffer.write_hits.eq(is_active & caught.valid & caught.hit),
                buffer.write_totals.eq(is_active & caught.valid),
                *(getattr(buffer, f"new_{name}").eq(getattr(new, name)) for name, _ in counters),
                buffer.zero.eq(zero),
                buffer.zero_adr.eq(zero_adr),
            ]

        # Turns.
        clear, publish, publishing = Signal(), Signal(), Signal()
        self.sync += self.finished.eq(publishing)
        self.fsm = fsm = FSM(reset_state="COUNT")
        fsm.act(
            "COUNT",
            sink.ready.eq((zeroing & active) == 0),
            If(
                sink.valid & sink.ready,
                count.eq((sink.kind == PositionKind.HIT) | (sink.kind == PositionKind.MISS)),
                NextValue(clear, sink.kind == PositionKind.CLEAR),
                NextValue(publish, sink.epoch_end),
                If((sink.kind == PositionKind.CLEAR) | sink.epoch_end, NextState("TURN")),
            ),
        )
        fsm.act(
            "TURN",
            If(
                ~reading.valid & ~fetched.valid & ~caught.valid & (zeroing == 0),
                NextValue(active, spare),
                NextValue(overflow, 0),
                If(
                    clear,
                    NextValue(spare, active),
                    NextValue(zeroing, active),
                    NextValue(clear, 0),
                    If(~publish, NextState("COUNT")),
                ).Else(
                    publishing.eq(1),
                    NextValue(window, active),
                    NextValue(spare, window),
                    NextValue(zeroing, window),
                    NextValue(self.epoch, self.epoch + 1),
                    NextValue(self.overflow, overflow),
                    NextState("COUNT"),
                ),
            ),
        )

        self.comb += self.idle.eq(fsm.ongoing("COUNT") & ~reading.valid & ~fetched.valid & ~caught.valid)

        # Window.
        read_word, word, shown = Signal(group_bits + 1), Signal(group_bits + 1), Record(counters)
        self.sync += [read_word.eq(self.window_adr), word.eq(read_word)]
        for buffer, in_window in zip(buffers, window, strict=True):
            self.comb += If(
                in_window,
                *(getattr(shown, name).eq(getattr(buffer, name)) for name, _ in counters),
            )
        self.comb += If(
            word < groups,
            self.window_dat_r.eq(shown.hits),
        ).Else(
            Case(
                word,
                {groups + n: self.window_dat_r.eq(getattr(shown, name)) for n, name in enumerate(totals)},
            )
        )
