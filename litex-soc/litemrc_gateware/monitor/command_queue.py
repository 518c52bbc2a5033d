# SPDX-License-Identifier: BSD-2-Clause
"""The processor's commands that wait for the monitor's queue."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Signal

from litemrc_gateware.records import width_of

COMMANDS = 16  # as many as a LUT RAM of the usual FPGAs holds
LATE_CYCLES = 64


class CommandQueue(LiteXModule):
    """Holds invalidations and clears, in the order written, until the monitor's queue takes them.

    A command that finds all places taken is lost: `lost` is asserted. If both commands come in the same
    cycle, the clear is taken and the invalidation is lost.

    Accesses cannot wait, so a command enters the monitor's queue in a cycle without an access. While a
    command waits, later accesses precede it. When commands have waited for `LATE_CYCLES` cycles at a stretch,
    or one cycle less, `late` is asserted: software that relies on a command being queued ahead of its own
    later accesses must then wait until `pending` is 0.

    Parameters
    ----------
    frames : int
        a power of two.

    Attributes
    ----------
    clear, invalidate, frame : Signal, in
        strobes, and the frame of the invalidation.
    source : stream.Endpoint([("clear", 1), ("frame", width_of(frames))]), out
        the oldest command: a clear, or an invalidation of `frame`. It comes a cycle after its strobe at the
        earliest.
    pending : Signal, out
        at least one command waits. While it is 0, `COMMANDS` more find a place.
    lost, late : Signal, out
        since reset or `acknowledge`: a command was lost; commands have waited for long.
    acknowledge : Signal, in
        strobe: deassert `lost` and `late`. What happens in the same cycle is reported.
    """

    def __init__(self, frames):
        layout = [("clear", 1), ("frame", width_of(frames))]
        self.clear, self.invalidate = Signal(), Signal()
        self.frame = Signal(width_of(frames))
        self.source = stream.Endpoint(layout)
        self.pending = Signal()
        self.lost, self.late = Signal(), Signal()
        self.acknowledge = Signal()

        # # #

        self.fifo = fifo = stream.SyncFIFO(layout, COMMANDS)
        waited = Signal(max=LATE_CYCLES)
        self.comb += [
            fifo.sink.valid.eq(self.clear | self.invalidate),
            fifo.sink.clear.eq(self.clear),
            fifo.sink.frame.eq(self.frame),
            fifo.source.connect(self.source),
            self.pending.eq(fifo.source.valid),
        ]
        self.sync += [
            If(self.acknowledge, self.lost.eq(0), self.late.eq(0)),
            If((fifo.sink.valid & ~fifo.sink.ready) | (self.clear & self.invalidate), self.lost.eq(1)),
            If(self.pending, waited.eq(waited + 1)).Else(waited.eq(0)),
            If(waited == LATE_CYCLES - 1, self.late.eq(1)),
        ]
