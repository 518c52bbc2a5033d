# SPDX-License-Identifier: BSD-2-Clause
"""Page counts of closed buckets, and their sums over all newer buckets, in constant time."""

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Replicate, Signal, bits_for

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

LUT_RAM_WORDS = 16  # more words need a multiplexer between RAMs


class CountMemory(LiteXModule):
    """A memory of counts that takes a change a cycle; changes in flight are forwarded.

    Parameters
    ----------
    width, depth : int
        bits of a count, number of counts.

    Attributes
    ----------
    adr, change, load, amount, hide : Signal, in
        the count at `adr` becomes `amount` (`load`) or grows by it, modulo 2**width, if `change`.
    same1, same2 : Signal, in
        `adr` is that of one and of two cycles before.
    old : Signal, out
        the count before, three cycles later; 0 if it was loaded, or with `hide` in the cycle before.
    """

    def __init__(self, width: int, depth: int) -> None:
        self.adr = Signal(max=depth)
        self.change, self.load = Signal(), Signal()
        self.same1, self.same2, self.amount = Signal(), Signal(), Signal(width)
        self.old, self.hide = Signal(width, reset_less=True), Signal()

        # # #

        # Read in one cycle, registered without logic in the next, written in the third.
        self.ram = ram = SimpleDualPort(width, depth, block=depth > LUT_RAM_WORDS)
        adr1, adr2 = (Signal(max=depth, reset_less=True) for _ in range(2))
        change1, change2, one_behind = Signal(), Signal(), Signal()
        # Earlier changes of the same count, by distance in cycles. Unselected values are 0 and are OR-ed.
        one, one1, two1, load1 = (Signal(reset_less=True) for _ in range(4))
        amount1, amount2, word, old, new, last, second_last = (
            Signal(width, reset_less=True) for _ in range(7)
        )
        self.comb += [
            ram.read.adr.eq(self.adr),
            one_behind.eq(change1 & self.same1),
            old.eq(Mux(one, last, word | second_last)),
            new.eq(old + amount2),
            ram.write.adr.eq(adr2),
            ram.write.dat_w.eq(new),
            ram.write.we.eq(change2),
        ]
        self.sync += [
            adr1.eq(self.adr),
            change1.eq(self.change),
            amount1.eq(self.amount),
            one1.eq(one_behind & ~self.load),
            two1.eq(change2 & self.same2 & ~one_behind & ~self.load),
            load1.eq(self.load),
            adr2.eq(adr1),
            change2.eq(change1),
            amount2.eq(amount1),
            one.eq(one1),
            word.eq(ram.read.dat_r),
            If(one1 | two1 | load1, word.eq(0)),
            last.eq(new),
            second_last.eq(last),
            If(~two1, second_last.eq(0)),
            self.old.eq(old),
            If(self.hide, self.old.eq(0)),
        ]


class BucketTree(LiteXModule):
    """Pages in each closed bucket, and a binary tree over the ids for each context; one operation a cycle.

    A node holds the pages in its newer half. Along the path of an id, a 0 bit adds its node to the sum of
    newer pages, a 1 bit is where the id's pages are counted: so a query and the removal of a page are one
    operation. Each level is a memory, and all levels work at once. An id has two buckets, whose counts are
    the halves of a word.

    Parameters
    ----------
    frames, contexts, ids, bucket_pages : int
        powers of two; bucket_pages: a bucket's at most.

    Attributes
    ----------
    remove, insert, zero : Signal, in
        what to do, at most one: take a page out of the bucket; insert its id with these pages; zero all nodes
        in which the id's pages are counted, its counts stay.
    bucket, owner : Signal, in
        the bucket, an id and below it 1 for the newer one of its two; its context.
    older_pages, newer_pages, pages : Signal, in
        of the id's buckets, and their sum (`insert`).
    clear : Signal, in
        zero all nodes on the id's path in the tree of `owner`; each even id is on one of its own.
    older_count, newer_count : Signal, out
        pages in the id's buckets before the operation, 3 cycles later.
    newer : Signal, out
        pages in the closed ids of its context newer than the id, `latency` cycles later. Modulo frames, as
        all sums here: a page that is in the tree has at most frames - 1 newer ones.
    """

    def __init__(self, frames: int, contexts: int, ids: int, bucket_pages: int) -> None:
        id_bits, pages_bits, count_bits = width_of(ids), width_of(frames), bits_for(bucket_pages)
        trees = 1 << width_of(contexts)
        self.remove, self.insert, self.zero, self.clear = Signal(), Signal(), Signal(), Signal()
        self.bucket = Signal(id_bits + 1)
        self.owner = Signal(width_of(contexts))
        self.older_pages, self.newer_pages = Signal(count_bits), Signal(count_bits)
        self.pages = Signal(count_bits + 1)
        self.older_count, self.newer_count = Signal(count_bits), Signal(count_bits)
        self.newer = Signal(pages_bits)

        # # #

        acts, id = Signal(), self.bucket[1:]
        id1, id2 = (Signal(id_bits, reset_less=True) for _ in range(2))
        amount = Cat(
            Mux(self.remove, 2 ** len(self.pages) - 1, Mux(self.insert, self.pages, 0)),
            Replicate(self.remove, pages_bits),  # -1, as wide as each memory
        )
        self.comb += acts.eq(self.remove | self.insert | self.zero)

        self.counts = counts = CountMemory(2 * count_bits, ids)
        # -1 in one half: in the lower one, which is not 0, -1 of the whole word.
        one_less = Cat(Replicate(~self.bucket[0], count_bits), Replicate(1, count_bits))
        self.comb += [
            counts.adr.eq(id),
            counts.same1.eq(id == id1),
            counts.same2.eq(id == id2),
            counts.change.eq(self.remove | self.insert),
            counts.load.eq(self.insert),
            counts.amount.eq(Mux(self.remove, one_less, Cat(self.older_pages, self.newer_pages))),
            Cat(self.older_count, self.newer_count).eq(counts.old),
        ]

        # Levels, from the root. Each count is as wide as the ids in its half require. A node is compared with
        # those of the two operations ahead by one more bit than the node above it.
        owner1, owner2 = (Signal.like(self.owner, reset_less=True) for _ in range(2))
        self.sync += [Cat(id1, owner1).eq(Cat(id, self.owner)), Cat(id2, owner2).eq(Cat(id1, owner1))]
        same1, same2 = self.owner == owner1, self.owner == owner2
        sums = []
        for level in range(id_bits):
            bit = id_bits - 1 - level
            memory = CountMemory(min(pages_bits, bits_for(2 * bucket_pages << bit)), trees << level)
            setattr(self, f"level{level}", memory)
            node = Cat(id[bit + 1 :], self.owner) if level else self.owner
            self.comb += [
                memory.adr.eq(node),
                memory.same1.eq(same1),
                memory.same2.eq(same2),
                memory.change.eq(self.clear | (acts & id[bit])),
                memory.load.eq(self.clear | self.zero),
                memory.amount.eq(amount),
                memory.hide.eq(id2[bit]),
            ]
            same1 = memory.same1 & (id[bit] == id1[bit])
            same2 = memory.same2 & (id[bit] == id2[bit])
            sums.append(memory.old)

        # Two are added in a cycle.
        self.latency = 3
        while len(sums) > 1:
            sums = [self._sum(sums[n : n + 2], pages_bits) for n in range(0, len(sums), 2)]
            self.latency += 1
        self.comb += self.newer.eq(sums[0])

    def _sum(self, terms: list[Signal], most_bits: int) -> Signal:
        """The sum of one or two, a cycle later; it never needs more than `most_bits`."""
        total = Signal(min(most_bits, max(map(len, terms)) + 1), reset_less=True)
        self.sync += total.eq(sum(terms[1:], terms[0]))
        return total
