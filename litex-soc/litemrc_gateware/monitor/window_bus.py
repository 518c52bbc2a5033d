"""A read-only memory of counters as a slave on the SoC's bus."""

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import Signal


class WindowBus(LiteXModule):
    """Wishbone slave for a window that returns a word two cycles after its address.

    Parameters
    ----------
    words : int
        of 32 bits.

    Attributes
    ----------
    bus : wishbone.Interface
        to be mapped uncached; ``bytes`` is its size.
    reads : Signal, out
        the bus reads the word at ``adr``.
    adr, dat_r : Signal, out and in
    """

    def __init__(self, words):
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word", mode="r")
        self.bytes = 4 * words
        self.reads = Signal()
        self.adr = Signal(max=words)
        self.dat_r = Signal(32)

        # # #

        self.comb += [
            self.reads.eq(bus.cyc & bus.stb),
            self.adr.eq(bus.adr),
            bus.dat_r.eq(self.dat_r),
        ]
        under_way = Signal()  # the word comes a cycle later
        self.sync += [
            under_way.eq(self.reads & ~under_way & ~bus.ack),
            bus.ack.eq(under_way),
        ]
