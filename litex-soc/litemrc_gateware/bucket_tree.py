"""Page counts of closed buckets, and their sums over all newer buckets, in constant work."""

from litex.gen import LiteXModule
from migen import Cat, Mux, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of


class CountMemory(LiteXModule):
    """A memory of counts that takes a change a clock: what is on its way to memory is forwarded.

    Parameters
    ----------
    width, depth : int
        bits of a count, number of counts.

    Attributes
    ----------
    adr, change, load, amount : Signal, in
        the count at `adr` becomes `amount` (`load`) or grows by it, modulo 2**width, if `change`.
    old : Signal, out
        the count before, two clocks later.
    """

    def __init__(self, width: int, depth: int) -> None:
        self.adr = Signal(max=depth)
        self.change, self.load = Signal(), Signal()
        self.amount = Signal(width)
        self.old = Signal(width)

        # # #

        # Read in one clock, caught in the next, written in the third.
        self.ram = ram = SimpleDualPort(width, depth)
        adr1, adr2 = Signal.like(self.adr), Signal.like(self.adr)
        change1, change2, change3, load1, load2 = (Signal() for _ in range(5))
        amount1, amount2, new, last = (Signal(width) for _ in range(4))
        one_behind, two_behind = Signal(), Signal()  # the operation caught now is for the same count as ...
        self.comb += [
            ram.read.adr.eq(self.adr),
            new.eq(Mux(load2, 0, self.old) + amount2),
            ram.write.adr.eq(adr2),
            ram.write.dat_w.eq(new),
            ram.write.we.eq(change2),
        ]
        self.sync += [
            adr1.eq(self.adr),
            change1.eq(self.change),
            load1.eq(self.load),
            amount1.eq(self.amount),
            one_behind.eq(self.adr == adr1),
            two_behind.eq(self.adr == adr2),
            adr2.eq(adr1),
            change2.eq(change1),
            load2.eq(load1),
            amount2.eq(amount1),
            change3.eq(change2),
            last.eq(new),
            self.old.eq(
                Mux(one_behind & change2, new, Mux(two_behind & change3, last, ram.read.dat_r)),
            ),
        ]


class BucketTree(LiteXModule):
    """Pages in each closed bucket, and a binary tree over the ids for each context; one operation a clock.

    A node holds the pages in its newer half. Along the path of an id, a 0 bit adds its node to the sum of
    newer pages, a 1 bit is where the bucket's pages are counted: so a query and the removal of a page are
    one operation. Each level is a memory, and all levels work at once.

    Parameters
    ----------
    frames, contexts, ids : int
        powers of two.

    Attributes
    ----------
    remove, insert, zero : Signal, in
        what to do, at most one: take a page out of the bucket; insert it with `pages` pages; zero all nodes
        its pages are counted in, `count` stays.
    id, owner, pages : Signal, in
        the bucket, its context, its pages (`insert`).
    clear, clear_adr : Signal, in
        zero the nodes with this number, a level each; numbers below `nodes`.
    count : Signal, out
        pages in the bucket before the operation, 2 clocks later.
    newer : Signal, out
        pages in the closed buckets of its context newer than it, `latency` clocks later.
    """

    def __init__(self, frames: int, contexts: int, ids: int) -> None:
        id_bits, pages_bits = width_of(ids), width_of(frames) + 1
        trees = 1 << width_of(contexts)
        self.nodes = trees << (id_bits - 1)
        self.remove, self.insert, self.zero, self.clear = Signal(), Signal(), Signal(), Signal()
        self.id = Signal(id_bits)
        self.owner = Signal(width_of(contexts))
        self.pages = Signal(pages_bits)
        self.clear_adr = Signal(max=self.nodes)
        self.count = Signal(pages_bits)
        self.newer = Signal(pages_bits)

        # # #

        amount, acts = Signal(pages_bits), Signal()
        self.comb += [
            acts.eq(self.remove | self.insert | self.zero),
            amount.eq(Mux(self.remove, 2**pages_bits - 1, Mux(self.insert & ~self.clear, self.pages, 0))),
        ]

        self.counts = counts = CountMemory(pages_bits, ids)
        self.comb += [
            counts.adr.eq(self.id),
            counts.change.eq(self.remove | self.insert),
            counts.load.eq(self.insert),
            counts.amount.eq(amount),
            self.count.eq(counts.old),
        ]

        # Levels, from the root.
        id1, id2 = Signal(id_bits), Signal(id_bits)
        self.sync += [id1.eq(self.id), id2.eq(id1)]
        sums = []
        for level in range(id_bits):
            memory = CountMemory(pages_bits, trees << level)
            setattr(self, f"level{level}", memory)
            bit = id_bits - 1 - level
            node = Cat(self.id[bit + 1 :], self.owner) if level else self.owner
            self.comb += [
                memory.adr.eq(Mux(self.clear, self.clear_adr, node)),
                memory.change.eq(self.clear | (acts & self.id[bit])),
                memory.load.eq(self.clear | self.zero),
                memory.amount.eq(amount),
            ]
            older = Signal(pages_bits)
            self.comb += older.eq(Mux(id2[bit], 0, memory.old))
            sums.append(older)

        # Two are added in a clock.
        self.latency = 2
        while len(sums) > 1:
            added = [Signal(pages_bits) for _ in range((len(sums) + 1) // 2)]
            for n, total in enumerate(added):
                self.sync += total.eq(sum(sums[2 * n + 1 : 2 * n + 2], sums[2 * n]))
            sums = added
            self.latency += 1
        self.comb += self.newer.eq(sums[0])
