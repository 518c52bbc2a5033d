# SPDX-License-Identifier: BSD-2-Clause
"""The working set of an epoch: one bit a page, set by its first touch and not cleared at the epoch's end."""

from litex.gen import LiteXModule
from migen import If, Record, Signal

from litemrc_gateware.counters.tagged_words import PAGES_PER_WORD, TAG_BITS, TaggedWords
from litemrc_gateware.records import width_of

# Narrow words take less logic. Up to here they do not take more block RAMs: 1,024 words of 8 pages and a tag.
FEW_PAGES, FEW_PAGES_PER_WORD = 8192, 8


class WorkingSet(LiteXModule):
    """Reports the first touch of each page in an epoch; bit-identical to hls/working_set.

    Source: Denning, The Working Set Model for Program Behavior, CACM 1968. The working set of an epoch is the
    number of its first touches.

    A word holds the bits of n pages and the tag of their epoch, its number modulo 16; n is 8 with up to 8,192
    pages, whose words fill a block RAM, else 32. Bits of another epoch read as 0, so the end of an epoch, or
    a clear, only changes the tag. Tags repeat after 16 epochs: a sweep rewrites the words in cycles without
    an operation, once in each half of the tags, so that a word's tag is at most 15 epochs old. In the last
    epoch of a half `ready` is 0 until the sweep has finished. That takes no cycles unless 7 epochs together
    had fewer than pages / n free cycles, and at most pages / n cycles in 8 epochs.

    One operation a cycle: registered, then that of `TaggedWords`.

    After reset the words are zeroed: `ready` is 0 for pages / n cycles.

    Parameters
    ----------
    pages : int
        a power of two.

    Attributes
    ----------
    touch, leave : Signal, in
        strobes, at most one: `page` is touched; it leaves the set, because its frame gets a new page.
    page : Signal(width_of(pages)), in
    advance : Signal, in
        strobe: the set is empty after this cycle's operation.
    ready : Signal, out
        strobes may come.
    first_touch : Signal, out
        the page touched `latency` cycles before was not in the set.
    latency : int
        cycles.
    """

    latency = 4

    def __init__(self, pages: int) -> None:
        pages_per_word = FEW_PAGES_PER_WORD if pages <= FEW_PAGES else PAGES_PER_WORD
        words = max(2, pages // pages_per_word)
        bit_bits, adr_bits = width_of(pages_per_word), width_of(words)
        self.touch, self.leave, self.advance = Signal(), Signal(), Signal()
        self.page = Signal(width_of(pages))
        self.ready = Signal()
        self.first_touch = Signal()

        # # #

        # Tags, and the sweep that keeps them unambiguous.
        tag, swept, zeroing, sweep_adr = Signal(TAG_BITS), Signal(), Signal(reset=1), Signal(adr_bits)
        half_ends, sweeps = Signal(), Signal()
        self.comb += [
            half_ends.eq(tag[:-1] == 2 ** (TAG_BITS - 1) - 1),
            self.ready.eq(~zeroing & (swept | ~half_ends)),
        ]
        self.sync += [
            If(
                sweeps,
                sweep_adr.eq(sweep_adr + 1),
                If(sweep_adr == words - 1, sweep_adr.eq(0), swept.eq(1), zeroing.eq(0)),
            ),
            If(self.advance, tag.eq(tag + 1), If(half_ends, swept.eq(0))),
        ]

        # An operation, else a word of the sweep.
        self.words = tagged = TaggedWords(words, pages_per_word)
        op = Record(tagged.op.layout)
        self.sync += [
            op.adr.eq(self.page[bit_bits:] if pages > pages_per_word else 0),
            op.bit.eq(self.page),
            op.tag.eq(tag),
            op.touch.eq(self.touch),
            op.leave.eq(self.leave),
            op.valid.eq(self.touch | self.leave),
        ]
        self.comb += [
            sweeps.eq(~op.valid & (~swept | zeroing)),
            tagged.op.eq(op),
            If(
                ~op.valid,
                tagged.op.adr.eq(sweep_adr),
                tagged.op.tag.eq(tag),
                tagged.op.valid.eq(sweeps),
                tagged.op.zero.eq(zeroing),
            ),
            self.first_touch.eq(tagged.first),
        ]
