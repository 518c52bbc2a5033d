# SPDX-License-Identifier: BSD-2-Clause
"""A read-only memory of counters as a slave on the SoC's bus."""

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import If, Mux, Signal


class WindowBus(LiteXModule):
    """Wishbone slave for a window that returns a word two cycles after its address.

    Words of a memory that answers when it is free can follow them.

    Parameters
    ----------
    words : int
        of 32 bits.
    asked_words : int
        those that follow.

    Attributes
    ----------
    bus : wishbone.Interface
        to be mapped uncached; ``bytes`` is its size.
    reads : Signal, out
        the bus reads the word at ``adr``.
    adr, dat_r : Signal, out and in
    asks, asked_adr, answers, asked_dat_r : Signal, out and in
        `asks` for the word at ``asked_adr`` of those that follow, until the strobe `answers`.
    """

    def __init__(self, words, asked_words=0):
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word", mode="r")
        self.bytes = 4 * (words + asked_words)
        self.reads = Signal()
        self.adr = Signal(max=words)
        self.dat_r = Signal(32)
        self.asks, self.answers = Signal(), Signal()
        self.asked_adr, self.asked_dat_r = Signal(max=max(2, asked_words)), Signal(32)

        # # #

        reads, follows, word = Signal(), Signal(), Signal(32)
        place = Signal(max=words + asked_words)  # the bus has the whole address
        self.comb += [
            place.eq(bus.adr),
            reads.eq(bus.cyc & bus.stb),
            follows.eq(place >= words if asked_words else 0),
            self.reads.eq(reads & ~follows),
            self.adr.eq(place),
            bus.dat_r.eq(Mux(follows, word, self.dat_r)),
        ]
        under_way = Signal()  # the word comes a cycle later
        self.sync += [
            under_way.eq(self.reads & ~under_way & ~bus.ack),
            self.asks.eq(reads & follows & ~bus.ack & ~self.answers),
            self.asked_adr.eq(place - words),
            If(self.answers, word.eq(self.asked_dat_r)),
            bus.ack.eq(under_way | self.answers),
        ]
