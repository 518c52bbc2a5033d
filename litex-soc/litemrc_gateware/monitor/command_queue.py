# SPDX-License-Identifier: BSD-2-Clause
"""The processor's commands that wait for the monitor's queue."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Signal

from litemrc_gateware.records import width_of

COMMANDS = 16  # as many as a LUT RAM of the usual FPGAs holds
LATE_CYCLES = 64
ORDER_BITS = 3  # of a claim of 2^order frames


class CommandQueue(LiteXModule):
    """Holds invalidations, claims and clears, in the order written, until the monitor's queue takes them.

    A command that finds all places taken is lost: `lost` is asserted. If several come in the same cycle, one
    is taken, a clear before a claim before an invalidation, and the others are lost.

    A claim takes one place, whatever its order, and is taken once for each of its frames: 2^order times, each
    time of the next frame, but none behind the memory's last frame.

    Accesses cannot wait, so a command enters the monitor's queue in a cycle without an access. While a
    command waits, later accesses precede it. When commands have waited for `LATE_CYCLES` cycles at a stretch,
    or one cycle less, `late` is asserted: software that relies on a command being queued ahead of its own
    later accesses must then wait until `pending` is 0.

    Parameters
    ----------
    frames, contexts : int
        powers of two.

    Attributes
    ----------
    clear, invalidate, claim : Signal, in
        strobes.
    frame : Signal, in
        of the invalidation, or the first one of the claim.
    context, order : Signal, in
        of the claim: the owner, and log2 of the frames.
    source : stream.Endpoint(clear, claim, frame, context), out
        the oldest command: a clear, a claim of `frame` for `context`, or an invalidation of `frame`. It comes
        a cycle after its strobe at the earliest.
    pending : Signal, out
        at least one command waits. While it is 0, `COMMANDS` more find a place.
    lost, late : Signal, out
        since reset or `acknowledge`: a command was lost; commands have waited for long.
    acknowledge : Signal, in
        strobe: deassert `lost` and `late`. What happens in the same cycle is reported.
    """

    def __init__(self, frames, contexts):
        layout = [("clear", 1), ("claim", 1), ("frame", width_of(frames)), ("context", width_of(contexts))]
        self.clear, self.invalidate, self.claim = Signal(), Signal(), Signal()
        self.frame = Signal(width_of(frames))
        self.context, self.order = Signal(width_of(contexts)), Signal(ORDER_BITS)
        self.source = stream.Endpoint(layout)
        self.pending = Signal()
        self.lost, self.late = Signal(), Signal()
        self.acknowledge = Signal()

        # # #

        self.fifo = fifo = stream.SyncFIFO([*layout, ("order", ORDER_BITS)], COMMANDS)
        waited = Signal(max=LATE_CYCLES)
        several = (self.clear & (self.claim | self.invalidate)) | (self.claim & self.invalidate)
        self.comb += [
            fifo.sink.valid.eq(self.clear | self.invalidate | self.claim),
            fifo.sink.clear.eq(self.clear),
            fifo.sink.claim.eq(self.claim & ~self.clear),
            fifo.sink.frame.eq(self.frame),
            fifo.sink.context.eq(self.context),
            If(fifo.sink.claim & (self.frame != frames - 1), fifo.sink.order.eq(self.order)),
            self.pending.eq(fifo.source.valid),
        ]

        # The entry that the source shows of the oldest command: `entry` counts from 1, and entry 2^order is
        # the last one, or that of the memory's last frame.
        entry, last = Signal(max=2 ** (2**ORDER_BITS - 1) + 1, reset=1), Signal()
        next_frame, memory_ends = Signal(len(self.frame), reset_less=True), Signal()
        self.comb += [
            last.eq((entry >> fifo.source.order)[0] | memory_ends),
            fifo.source.connect(self.source, omit={"ready", "frame", "order"}),
            fifo.source.ready.eq(self.source.ready & last),
            self.source.frame.eq(Mux(entry[0] & (entry[1:] == 0), fifo.source.frame, next_frame)),
        ]
        self.sync += If(
            self.source.valid & self.source.ready,
            entry.eq(Mux(last, 1, entry + 1)),
            next_frame.eq(self.source.frame + 1),
            memory_ends.eq(~last & (self.source.frame == frames - 2)),
        )

        self.sync += [
            If(self.acknowledge, self.lost.eq(0), self.late.eq(0)),
            If((fifo.sink.valid & ~fifo.sink.ready) | several, self.lost.eq(1)),
            If(self.pending, waited.eq(waited + 1)).Else(waited.eq(0)),
            If(waited == LATE_CYCLES - 1, self.late.eq(1)),
        ]
