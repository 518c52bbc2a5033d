"""The working set of an epoch: one bit a page, set by its first touch and not cleared at the epoch's end."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Replicate, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

PAGES_PER_WORD = 32
TAG_BITS = 4  # with the pages of a word the 36 bits that block RAMs are wide


class WorkingSet(LiteXModule):
    """Reports the first touch of each page in an epoch; bit-identical to hls/working_set.

    Source: Denning, The Working Set Model for Program Behavior, CACM 1968. The working set of an epoch is the
    number of its first touches.

    A word holds the bits of 32 pages and the tag of their epoch, its number modulo 16. Bits of another epoch
    read as 0, so the end of an epoch, or a clear, only changes the tag. Tags repeat after 16 epochs:
    a sweep rewrites the words in cycles without an operation, once in each half of the tags, so that a word's
    tag is at most 15 epochs old. In the last epoch of a half `ready` is 0 until the sweep has finished. That
    takes no cycles unless 7 epochs together had fewer than pages / 32 free cycles, and at most pages / 32
    cycles in 8 epochs.

    One operation a cycle, in these stages: 0 registered, its word is addressed, 1 the word is read,
    2 registered, 3 changed and written. The words of the three operations ahead are forwarded.

    After reset the words are zeroed: `ready` is 0 for pages / 32 cycles.

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
        words = max(2, pages // PAGES_PER_WORD)
        bit_bits, adr_bits = width_of(PAGES_PER_WORD), width_of(words)
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

        # Stage 0: an operation, else a word of the sweep. Both read, modify and write a word.
        layout = [("adr", adr_bits), ("bit", bit_bits), ("tag", TAG_BITS)]
        flags = [("valid", 1), ("touch", 1), ("leave", 1), ("zero", 1)]
        op = Record([*layout, *flags])
        self.sync += [
            op.adr.eq(self.page[bit_bits:] if pages > PAGES_PER_WORD else 0),
            op.bit.eq(self.page),
            op.tag.eq(tag),
            op.touch.eq(self.touch),
            op.leave.eq(self.leave),
            op.valid.eq(self.touch | self.leave),
        ]
        stages = [Record([*layout, *flags]) for _ in range(4)]
        self.comb += [
            sweeps.eq(~op.valid & (~swept | zeroing)),
            stages[0].eq(op),
            If(
                ~op.valid,
                stages[0].adr.eq(sweep_adr),
                stages[0].tag.eq(tag),
                stages[0].valid.eq(sweeps),
                stages[0].zero.eq(zeroing),
            ),
        ]
        self.sync += [behind.eq(ahead) for ahead, behind in pairwise(stages)]

        # Stages 1 and 2: the word, or its new value from an operation ahead; that of three stages ahead was
        # written in the cycle of this read. Of the word read and the past word one is selected, the other 0.
        self.words = memory = SimpleDualPort(PAGES_PER_WORD + TAG_BITS, words)
        read, past, word, new, newest = (Signal(PAGES_PER_WORD + TAG_BITS) for _ in range(5))
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
        last, stale, chosen = stages[3], Signal(), Signal(PAGES_PER_WORD)
        choose = Signal(PAGES_PER_WORD)  # stage 2
        self.comb += [
            choose.eq((stages[2].touch | stages[2].leave) << stages[2].bit),
            stale.eq(last.zero | (word[PAGES_PER_WORD:] != last.tag)),
            new[:PAGES_PER_WORD].eq(
                (chosen & Replicate(last.touch, PAGES_PER_WORD))
                | (~chosen & word & Replicate(~stale, PAGES_PER_WORD))
            ),
            new[PAGES_PER_WORD:].eq(last.tag),
            self.first_touch.eq(last.touch & (stale | ((word[:PAGES_PER_WORD] & chosen) == 0))),
            memory.read.adr.eq(stages[0].adr),
            memory.write.adr.eq(last.adr),
            memory.write.dat_w.eq(new),
            memory.write.we.eq(last.valid),
        ]
        self.sync += chosen.eq(choose)
