"""The totals of each context beside its hit counters: misses, accesses, pages touched."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Array, If, Mux, Record, Signal

from litemrc_gateware.memory import SimpleDualPort

TOTALS = ("misses", "accesses", "touched")
WORDS = 4  # of a context in the window: the totals and an unused one


class CounterTotals(LiteXModule):
    """Counts the running epoch's totals, one position a cycle, and shows those of the last epoch.

    Counts have one bit more than counters: an increment at the limit sets it.

    Parameters
    ----------
    contexts : int
        a power of two.
    width : int
        bits of a count.

    Attributes
    ----------
    context : Signal, in
        that of the position to count in the next cycle, or the one to copy.
    count, misses, first : Signal, in
        strobe; the position is a miss, a first touch.
    overflow : Signal, out
        strobe, a cycle after `count`: a counter was at its limit.
    copies, copy_adr : Signal, in
        copy the total `copy_adr` = context * 4 + i to be shown; `context` must be that of the total. No
        position may come.
    zero : Signal, in
        strobe: all counts become 0; no position may be in progress.
    show_adr, shown : Signal, in and out
        a copied total, one cycle later.
    """

    def __init__(self, contexts: int, width: int) -> None:
        self.context = Signal(max=contexts)
        self.count, self.misses, self.first = Signal(), Signal(), Signal()
        self.overflow = Signal()
        self.copies, self.copy_adr = Signal(), Signal(max=contexts * WORDS)
        self.zero = Signal()
        self.show_adr, self.shown = Signal(max=contexts * WORDS), Signal(width)

        # # #

        layout = [(name, width) for name in TOTALS]
        old, new = Record(layout), Record(layout)
        context, follows = Signal.like(self.context), Signal()
        self.running = running = SimpleDualPort(len(TOTALS) * width, contexts, async_read=True)
        known = Array(Signal() for _ in range(contexts))  # else its counts are 0 and memory is stale
        self.comb += [
            follows.eq(self.count & (context == self.context)),
            running.read.adr.eq(self.context),
            running.write.adr.eq(context),
            running.write.dat_w.eq(new.raw_bits()),
            running.write.we.eq(self.count),
        ]
        self.sync += [
            context.eq(self.context),
            old.raw_bits().eq(Mux(follows, new.raw_bits(), running.read.dat_r)),
            If(~follows & ~known[self.context], old.raw_bits().eq(0)),
            If(self.count, known[context].eq(1)),
            If(self.zero, *(flag.eq(0) for flag in known)),
        ]
        # Totals that are not copied read as 0 and can be OR-ed.
        for number, name in enumerate(TOTALS):
            self.sync += If(self.copies & (self.copy_adr[:2] != number), getattr(old, name).eq(0))
        for name, counts in (("misses", self.misses), ("accesses", 1), ("touched", self.first)):
            was = getattr(old, name)
            grows = Signal()
            self.comb += [grows.eq(counts & ~was[-1]), getattr(new, name).eq(was + grows)]
        self.sync += self.overflow.eq(self.count & (new.accesses[-1] | (self.misses & new.misses[-1])))

        # Totals of the last epoch.
        self.finished = finished = SimpleDualPort(width, contexts * WORDS, block=True)
        self.comb += [
            finished.write.dat_w.eq(reduce(or_, (getattr(old, name) for name in TOTALS))),
            finished.read.adr.eq(self.show_adr),
            self.shown.eq(finished.read.dat_r),
        ]
        self.sync += [finished.write.adr.eq(self.copy_adr), finished.write.we.eq(self.copies)]
