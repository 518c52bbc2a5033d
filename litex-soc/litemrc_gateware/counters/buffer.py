"""One buffer of hit counters: a counter for each context and group."""

from litex.gen import LiteXModule
from migen import If, Mux, Signal

from litemrc_gateware.memory import SimpleDualPort


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
