"""One buffer of hit counters: a counter for each context and group."""

from litex.gen import LiteXModule
from migen import If, Mux, Signal

from litemrc_gateware.memory import SimpleDualPort


class CounterBuffer(LiteXModule):
    """One epoch's hit counters, a block RAM; what is read comes out of one of two registers, 0 if not wanted.

    So the outputs of several buffers, of which at most one is wanted, are put together by OR alone.

    Parameters
    ----------
    width, depth : int
        bits of a counter, number of counters.

    Attributes
    ----------
    adr : Signal, in
        what to read.
    to_count, to_show : Signal, in
        one clock later: it is wanted in `counted`, in `shown`.
    counted, shown : Signal(width), out
        two clocks later.
    write, write_adr, new : Signal, in
        strobe: the counter is `new`, from the second clock behind this one on.
    zero, zero_adr : Signal, in
        the same, with 0; wins.
    """

    def __init__(self, width: int, depth: int) -> None:
        self.adr = Signal(max=depth)
        self.to_count, self.to_show = Signal(), Signal()
        self.counted, self.shown = Signal(width), Signal(width)
        self.write, self.write_adr, self.new = Signal(), Signal(max=depth), Signal(width)
        self.zero, self.zero_adr = Signal(), Signal(max=depth)

        # # #

        # Registers at all ports, right at the memory: a block RAM takes most of a clock to show its word.
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
