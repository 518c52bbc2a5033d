# SPDX-License-Identifier: BSD-2-Clause
"""The totals of each context beside its hit counters: misses, accesses, pages touched."""

from functools import reduce
from operator import or_
from types import SimpleNamespace

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Record, Signal

from litemrc_gateware.memory import SimpleDualPort

TOTALS = ("misses", "accesses", "touched")
WORDS = 4  # of a context in the window: the totals and an unused one
LOW_BITS = 2


class CounterTotals(LiteXModule):
    """Counts the running epoch's totals, one position a cycle, and shows those of the last epoch.

    A total has `LOW_BITS` low bits and a carry into its high part. A position increments the low bits of any
    of its context's totals. It adds one carry to its high part: so the three totals share an adder. Each
    total has a carry at most once in 4 positions of its context, so that none waits when the next one comes.

    Counts have one bit more than counters: an increment at the limit sets it.

    Parameters
    ----------
    contexts : int
        a power of two.
    width : int
        bits of a count, at least `LOW_BITS` + 2: a carry at the limit must not clear the highest bit.

    Attributes
    ----------
    context : Signal, in
        that of the position to count in the next cycle, or the one to copy.
    count, misses, first : Signal, in
        strobe; the position is a miss, a first touch.
    overflow : Signal, out
        a counter was at its limit: at the latest when the totals are copied, a cycle after `copies`.
    copies, copy_adr : Signal, in
        copy the total `copy_adr` = context * 4 + i to be shown after `publish`; `context` must be that of the
        total. No position may come.
    publish : Signal, in
        strobe: the copied totals are shown from the next cycle on, all at once.
    zero : Signal, in
        strobe: all counts become 0; no position may be in progress.
    show_adr, shown : Signal, in and out
        a copied total, one cycle later.
    """

    def __init__(self, contexts: int, width: int) -> None:
        if width < LOW_BITS + 2:
            raise ValueError(f"CounterTotals: width must be at least {LOW_BITS + 2} (got {width})")
        self.context = Signal(max=contexts)
        self.count, self.misses, self.first = Signal(), Signal(), Signal()
        self.overflow = Signal()
        self.copies, self.copy_adr = Signal(), Signal(max=contexts * WORDS)
        self.publish, self.zero = Signal(), Signal()
        self.show_adr, self.shown = Signal(max=contexts * WORDS), Signal(width)

        # # #

        # Low bits and, above them, the carry that waits, and whether the high part was written in this epoch.
        layout = [(name, [("low", LOW_BITS), ("carry", 1), ("high", 1)]) for name in TOTALS]
        old, next_old, new = (Record(layout) for _ in range(3))
        context, follows = Signal.like(self.context), Signal()
        self.running = running = SimpleDualPort(len(old.raw_bits()), contexts, async_read=True)
        known = Array(Signal() for _ in range(contexts))  # else its counts are 0 and memory is stale
        self.comb += [
            follows.eq(self.count & (context == self.context)),
            running.read.adr.eq(self.context),
            running.write.adr.eq(context),
            running.write.dat_w.eq(new.raw_bits()),
            running.write.we.eq(self.count),
        ]
        # Totals that are not copied read as 0 and can be OR-ed.
        lanes = [getattr(old, name) for name in TOTALS]
        coming = [getattr(next_old, name) for name in TOTALS]
        self.comb += [
            next_old.raw_bits().eq(Mux(follows, new.raw_bits(), running.read.dat_r)),
            If(~follows & ~known[self.context], next_old.raw_bits().eq(0)),
            *(
                If(self.copies & (self.copy_adr[:2] != number), lane.raw_bits().eq(0))
                for number, lane in enumerate(coming)
            ),
        ]
        self.sync += [
            context.eq(self.context),
            old.eq(next_old),
            If(self.count, known[context].eq(1)),
            If(self.zero, *(flag.eq(0) for flag in known)),
        ]

        # The total that is copied, else the first one that has a carry: selected a cycle ahead.
        waiting, first = Cat(lane.carry for lane in coming), Signal(len(TOTALS))
        copying, served, number = Signal(), Signal(len(TOTALS)), Signal(2)
        carries, written = Signal(), Signal()
        self.comb += first.eq(waiting & -waiting)  # the lowest bit
        self.sync += [
            copying.eq(self.copies),
            served.eq(first),
            number.eq(Mux(self.copies, self.copy_adr[:2], first[1:])),
            carries.eq(waiting != 0),
            written.eq(
                reduce(
                    or_,
                    (lane.high & (self.copies | serves) for lane, serves in zip(coming, first, strict=True)),
                )
            ),
        ]

        # Its high part, which stays at the limit.
        self.highs = highs = SimpleDualPort(width - LOW_BITS, contexts * WORDS, async_read=True)
        high, grown = Signal(width - LOW_BITS), Signal(width - LOW_BITS)
        self.comb += [
            highs.read.adr.eq(Cat(number, context)),
            If(written, high.eq(highs.read.dat_r)),
            grown.eq(high + carries),
            highs.write.adr.eq(highs.read.adr),
            highs.write.dat_w.eq(grown),
            highs.write.we.eq(self.count & carries & ~high[-1]),
            # If the pages touched are at the limit, so are the accesses.
            self.overflow.eq((self.count | copying) & (number != TOTALS.index("touched")) & grown[-1]),
        ]
        for was, now, serves, counts in zip(
            lanes, (getattr(new, name) for name in TOTALS), served, (self.misses, 1, self.first), strict=True
        ):
            wraps = Signal()
            self.comb += [
                Cat(now.low, wraps).eq(was.low + counts),
                now.carry.eq(wraps | (was.carry & ~serves)),
                now.high.eq(was.high | serves),
            ]

        # Totals of the last epoch, and those that are copied.
        self.finished = finished = SimpleDualPort(width, 2 * contexts * WORDS, block=True)
        half = Signal()
        self.comb += [
            finished.write.dat_w.eq(Cat(reduce(or_, (lane.low for lane in lanes)), grown)),
            finished.read.adr.eq(Cat(self.show_adr, half)),
            self.shown.eq(finished.read.dat_r),
        ]
        self.sync += [
            finished.write.adr.eq(Cat(self.copy_adr, ~half)),
            finished.write.we.eq(self.copies),
            If(self.publish, half.eq(~half)),
        ]

        # For the lemmas of tests/formal.
        self.internal = SimpleNamespace(
            old=old, known=known, context=context, copying=copying, served=served, number=number,
            carries=carries, written=written, half=half,
        )  # fmt: skip
