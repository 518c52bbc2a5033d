# SPDX-License-Identifier: BSD-2-Clause
"""The frames accessed, and those written, in the last epoch: what an OS reads as accessed bits."""

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Signal

from litemrc_gateware.counters.tagged_words import PAGES_PER_WORD, TAG_BITS, TaggedWords
from litemrc_gateware.records import width_of


class PageBitmap(LiteXModule):
    """A bit per frame that was accessed, and one if it was written; bit-identical to hls/page_bitmap.

    Source: zhou2004, section 3.2, whose tracker reads accessed bits; some processors set none.

    Two banks of words: one holds the running epoch, the other one the last epoch that ended. The epoch's
    number modulo 32 gives the bank (its lowest bit) and the tag of a word (the others), so the end of an
    epoch only changes the number. A sweep renews all words of both banks in cycles without an operation, once
    in 16 epochs, so that no tag is as old as 32 epochs. In the last two of these 16 epochs `ready` is 0 until
    the sweep has finished.

    A clear zeroes the bank of the running epoch: `ready` is 0 for frames / 32 cycles; twice as long after
    reset, for both banks. Invalidations have no effect, because frames are counted, whatever they hold.

    Parameters
    ----------
    frames : int
        a power of two.

    Attributes
    ----------
    touch, write : Signal, in
        strobe: `frame` is accessed, and written if `write` is 1.
    frame : Signal(width_of(frames)), in
    advance : Signal, in
        strobe: the epoch ends after this cycle's operation.
    clear : Signal, in
        strobe, never with `touch`: the running epoch is empty. If it ends in this cycle, too, it ends empty.
    ready : Signal, out
        strobes may come.
    asks, adr : Signal, in
        show the word at `adr` of the last epoch that ended; to be held until `answers`. The words of accessed
        frames come first, frame 0 in the lowest bit of word 0; then those of written frames.
    answers : Signal, out
        strobe: `dat_r` is the word. It comes 3 cycles after the next cycle without an operation.
    words : int
        that can be asked for.
    """

    def __init__(self, frames: int) -> None:
        bank_words = max(2, frames // PAGES_PER_WORD)
        word_bits = width_of(bank_words)
        self.words = 2 * bank_words
        self.touch, self.write, self.advance, self.clear = (Signal() for _ in range(4))
        self.frame = Signal(width_of(frames))
        self.ready = Signal()
        self.asks, self.answers = Signal(), Signal()
        self.adr, self.dat_r = Signal(max=self.words), Signal(PAGES_PER_WORD)

        # # #

        # The running epoch, and that before it: bank and tag.
        epoch, ended = Signal(TAG_BITS + 1), Signal(TAG_BITS + 1, reset=-1)
        self.sync += If(self.advance, epoch.eq(epoch + 1), ended.eq(epoch))

        # Sweep and zeroing.
        swept, sweep_adr, half_ends = Signal(), Signal(word_bits + 1), Signal()
        zeroing, zero_adr, zero_bank, zero_both = (
            Signal(reset=1),
            Signal(word_bits),
            Signal(),
            Signal(reset=1),
        )
        zeroes, shows, sweeps = Signal(), Signal(), Signal()  # what is done in a cycle without an operation
        last_word = bank_words - 1
        self.comb += [
            half_ends.eq(epoch[1:TAG_BITS] == 2 ** (TAG_BITS - 1) - 1),  # in two epochs
            self.ready.eq(~zeroing & (swept | ~half_ends)),
        ]
        self.sync += [
            If(
                zeroes,
                zero_adr.eq(zero_adr + 1),
                If(zero_adr == last_word, zero_bank.eq(1), zero_both.eq(0), zeroing.eq(zero_both)),
            ),
            If(self.clear, zeroing.eq(1), zero_bank.eq(epoch[0])),
            If(sweeps, sweep_adr.eq(sweep_adr + 1), If(sweep_adr == self.words - 1, swept.eq(1))),
            If(self.advance & (epoch[:TAG_BITS] == 2**TAG_BITS - 1), swept.eq(0)),
        ]

        # An operation; else a word is zeroed, or shown, or swept.
        self.accessed, self.written = accessed, written = TaggedWords(self.words), TaggedWords(self.words)
        op, to_write, shown = Record(accessed.op.layout), Signal(), Signal(4)
        adr = accessed.op.adr
        self.sync += [
            op.adr.eq(Cat((self.frame >> width_of(PAGES_PER_WORD))[:word_bits], epoch[0])),
            op.bit.eq(self.frame),
            op.tag.eq(epoch[1:]),
            op.touch.eq(self.touch),
            op.valid.eq(self.touch),
            to_write.eq(self.write),
            shown.eq(Cat(shows, shown)),
        ]
        self.comb += [
            zeroes.eq(zeroing & ~op.valid),
            shows.eq(self.asks & (shown == 0) & ~zeroing & ~op.valid),
            sweeps.eq(~swept & ~shows & ~zeroing & ~op.valid),
            accessed.op.eq(op),
            If(
                ~op.valid,
                accessed.op.valid.eq(zeroes | shows | sweeps),
                accessed.op.zero.eq(zeroes),
                adr.eq(Mux(zeroes, Cat(zero_adr, zero_bank), sweep_adr)),
                If(shows, adr.eq(Cat(self.adr[:word_bits], ended[0]))),
                accessed.op.tag.eq(Mux(adr[-1] == epoch[0], epoch[1:], ended[1:])),
            ),
            written.op.eq(accessed.op),
            written.op.touch.eq(accessed.op.touch & to_write),
            self.answers.eq(shown[2]),
            self.dat_r.eq(Mux(self.adr[-1], written.before, accessed.before)),
        ]
