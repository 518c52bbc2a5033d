# SPDX-License-Identifier: BSD-2-Clause
"""Two more masters of the DRAM: an uncached window of the processor, and a generator of accesses."""

from enum import IntEnum

from litedram.frontend.wishbone import LiteDRAMWishbone2Native
from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from migen import If, Mux, Replicate, Signal, log2_int


class RemoteWindow(LiteXModule):
    """An uncached path to the DRAM: each load or store is one access of a separate port.

    Software treats memory behind this window as remote. The same bytes through the L2 cache may be older or
    newer: use a page through one path only, or flush in between.

    Parameters
    ----------
    port : LiteDRAMNativePort
        used by the window alone.
    origin : int
        byte address of the window on the bus; its first byte is that of the DRAM.

    Attributes
    ----------
    bus : wishbone.Interface
        of 32 bits.
    """

    def __init__(self, port, origin):
        self.bus = wishbone.Interface(data_width=32, addressing="word")

        # # #

        wide = wishbone.Interface(data_width=len(port.wdata.data), addressing="word")
        self.converter = wishbone.Converter(self.bus, wide)
        self.bridge = LiteDRAMWishbone2Native(wide, port, base_address=origin)


class Pattern(IntEnum):
    """Where the next access goes."""

    STRIDE = 0  # a fixed number of words further: 1 is sequential
    RANDOM = 1  # anywhere in the range


class TrafficGenerator(LiteXModule):
    """Requests accesses from a port, in a stream that a few lines of software can predict.

    While it is not busy, set range and pattern and write ``seed``; then write ``count``: that number of
    accesses follows, ``gap`` cycles apart. Another ``count`` continues the stream, ``seed`` restarts it.

    The stream: for each access the state x, initially the seed, is advanced once by Marsaglia's xorshift32
    (13, 17, 5). The access is a write if x >> 24 is below ``writes``. In a range of 2^n words a random access
    goes to word x mod 2^n; with a stride, the first goes to word 0 and each other one to the word ``stride``
    after the last, mod 2^n. ``litemrc.traces.generators.traffic`` implements this stream in software.

    The k-th write since the seed, from 0, writes k into each 32 bits of its word; with ``masked`` it changes
    no byte, but the DRAM sees it all the same.

    Parameters
    ----------
    port : LiteDRAMNativePort
        used by the generator alone.

    Attributes
    ----------
    busy : Signal, out
        accesses remain to be requested; the data of the last ones may follow some cycles later.
    """

    def __init__(self, port):
        word_bits, words_log2 = len(port.wdata.data), len(port.cmd.addr)
        word_shift = log2_int(word_bits // 8)
        self.busy = Signal()
        self._words = CSRStatus(
            description="Units of the generator.",
            fields=[
                CSRField("bytes_log2", 4, reset=word_shift, description="log2 of the bytes of a word."),
                CSRField(
                    "count_log2", 5, offset=8, reset=words_log2, description="log2 of the words of the DRAM."
                ),
            ],
        )
        self._base = CSRStorage(32, description="First word of the range, which must end within the DRAM.")
        self._range = CSRStorage(5, description="log2 of the words of the range.")
        self._stride = CSRStorage(32, reset=1, description="Words from an access to the next one.")
        self._pattern = CSRStorage(
            description="The pattern of the accesses.",
            fields=[
                CSRField("kind", 1, description=", ".join(f"{p.value} {p.name.lower()}" for p in Pattern)),
                CSRField("masked", offset=1, description="Writes change no byte."),
                CSRField("writes", 9, offset=4, description="Writes in 256 accesses, on average."),
                CSRField("gap", 16, offset=16, description="Cycles between an access and the next one."),
            ],
        )
        self._seed = CSRStorage(32, reset=1, description="Any value but 0. A write restarts the stream.")
        self._count = CSRStorage(32, description="A write starts this number of accesses; 0 stops.")
        self._left = CSRStatus(32, description="Accesses that remain to be requested.")

        # # #

        state, drawn = Signal(32, reset=1), Signal(32)
        shifted = Signal(32), Signal(32)
        self.comb += [
            shifted[0].eq(state ^ (state << 13)),
            shifted[1].eq(shifted[0] ^ (shifted[0] >> 17)),
            drawn.eq(shifted[1] ^ (shifted[1] << 5)),
        ]
        pattern, mask = self._pattern.fields, Signal(words_log2)
        place, word, wait, written = Signal(words_log2), Signal(words_log2), Signal(16), Signal(32)
        self.comb += [
            self.busy.eq(self._left.status != 0),
            mask.eq((1 << self._range.storage) - 1),
            word.eq(Mux(pattern.kind == Pattern.RANDOM, drawn, place) & mask),
            port.cmd.valid.eq(self.busy & (wait == 0)),
            port.cmd.last.eq(1),
            port.cmd.we.eq(drawn[24:] < pattern.writes),
            port.cmd.addr.eq(self._base.storage + word),
            port.wdata.valid.eq(1),
            port.wdata.data.eq(Replicate(written, -(-word_bits // 32))),
            port.wdata.we.eq(Replicate(~pattern.masked, word_bits // 8)),
            port.rdata.ready.eq(1),
        ]
        self.sync += [
            If(wait != 0, wait.eq(wait - 1)),
            If(
                port.cmd.valid & port.cmd.ready,
                state.eq(drawn),
                place.eq(place + self._stride.storage),
                wait.eq(pattern.gap),
                self._left.status.eq(self._left.status - 1),
            ),
            If(port.wdata.ready, written.eq(written + 1)),
            If(self._count.re, self._left.status.eq(self._count.storage)),
            If(self._seed.re, state.eq(self._seed.storage), place.eq(0), written.eq(0)),
        ]
