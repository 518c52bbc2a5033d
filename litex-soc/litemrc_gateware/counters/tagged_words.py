# SPDX-License-Identifier: BSD-2-Clause
"""Bits of pages in words with a tag, one operation a cycle; bits of another tag read as 0."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Replicate, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

PAGES_PER_WORD = 32
TAG_BITS = 4  # with the pages of a word the 36 bits that block RAMs are wide


class TaggedWords(LiteXModule):
    """Sets and clears bits of words; a word whose tag is not that of the operation is 0 before it.

    One operation a cycle, in these stages: 0 its word is addressed, 1 the word is read, 2 registered, 3
    changed and written with the tag of the operation. The words of the three operations ahead are forwarded.
    An operation that neither touches nor leaves renews its word: bits of another tag are 0 from then on.

    Parameters
    ----------
    words, pages_per_word : int
        powers of two.

    Attributes
    ----------
    op : Record, in
        stage 0: `valid`; `adr` of the word; `bit` that `touch` sets and `leave` clears; `tag`; `zero`: the
        word becomes 0.
    done : Record, out
        the operation in stage 3.
    first : Signal, out
        it touches a bit that was 0.
    before : Signal(pages_per_word), out
        bits of its word before it.
    """

    def __init__(self, words: int, pages_per_word: int = PAGES_PER_WORD) -> None:
        bit_bits, adr_bits = width_of(pages_per_word), width_of(words)
        flags = [(name, 1) for name in ("valid", "touch", "leave", "zero")]
        stages = [Record([("adr", adr_bits), ("bit", bit_bits), ("tag", TAG_BITS), *flags]) for _ in range(4)]
        self.op, self.done = stages[0], stages[3]
        self.first, self.before = Signal(), Signal(pages_per_word)

        # # #

        self.sync += [behind.eq(ahead) for ahead, behind in pairwise(stages)]

        # Stages 1 and 2: the word, or its new value from an operation ahead; that of three stages ahead was
        # written in the cycle of this read. Of the word read and the past word one is selected, the other 0.
        self.words = memory = SimpleDualPort(pages_per_word + TAG_BITS, words)
        read, past, word, new, newest = (Signal(pages_per_word + TAG_BITS) for _ in range(5))
        same = Signal(3)  # the operation in stage 1 uses the word of the n-th one ahead
        follows = Signal()  # the operation in stage 2 uses that of the next one
        written = Record(stages[3].layout)
        ahead = (stages[2], stages[3], written)
        self.comb += same.eq(Cat(*(op.valid & (stages[1].adr == op.adr) for op in ahead)))
        self.sync += [
            read.eq(memory.read.dat_r),
            If(same != 0, read.eq(0)),
            past.eq(Mux(same[1], new, newest)),
            If(same[0] | (same[1:] == 0), past.eq(0)),
            follows.eq(same[0]),
            newest.eq(new),
            written.eq(stages[3]),
            word.eq(Mux(follows, new, read | past)),
        ]

        # Stage 3.
        last, stale, chosen = stages[3], Signal(), Signal(pages_per_word)
        choose = Signal(pages_per_word)  # stage 2
        self.comb += [
            choose.eq((stages[2].touch | stages[2].leave) << stages[2].bit),
            stale.eq(last.zero | (word[pages_per_word:] != last.tag)),
            self.before.eq(word & Replicate(~stale, pages_per_word)),
            new[:pages_per_word].eq(
                (chosen & Replicate(last.touch, pages_per_word)) | (~chosen & self.before)
            ),
            new[pages_per_word:].eq(last.tag),
            self.first.eq(last.touch & (stale | ((word[:pages_per_word] & chosen) == 0))),
            memory.read.adr.eq(stages[0].adr),
            memory.write.adr.eq(last.adr),
            memory.write.dat_w.eq(new),
            memory.write.we.eq(last.valid),
        ]
        self.sync += chosen.eq(choose)
