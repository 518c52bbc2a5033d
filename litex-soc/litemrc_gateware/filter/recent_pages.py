# SPDX-License-Identifier: BSD-2-Clause
"""The pages accessed last: their order of access, and their order in the stack engine."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, Constant, If, Mux, Replicate, Signal

from litemrc_gateware.records import width_of


class RecentPages(LiteXModule):
    """Slots of the recent pages, compared in parallel.

    Each pair of slots has two bits: which page is more recent, and whether the engine has the opposite order.
    A page is compared a cycle before its use, so that no comparator is on the path from one operation to the
    next.

    Parameters
    ----------
    slots : int
        recent pages.
    page_bits : int

    Attributes
    ----------
    next_page, take_next : Signal(page_bits), Signal(), in
        the page of the operation that is current from the next cycle on.
    page : Signal(page_bits), in
        that of the current operation.
    match : Signal(slots), out
        one-hot or 0: the slot that holds `page`.
    misplaced : Signal(), out
        the engine's order of the pages differs; `touch` and `touch_page` are the least recent page that must
        be accessed again.
    touch, touch_page : Signal(slots), Signal(page_bits), out
    vacant : Signal(slots), out
        one-hot: the slot to fill next: a free one, else that of the least recent page.
    hit, fill, touched, invalidate, clear : Signal, in
        at most one at a time: the page in `match` is accessed; `page` goes to the slot `vacant`; the page in
        `touch` was accessed in the engine; the page in `match` is invalidated; all pages are.
    """

    def __init__(self, slots: int, page_bits: int) -> None:
        self.next_page, self.take_next = Signal(page_bits), Signal()
        self.page = Signal(page_bits)
        self.match = Signal(slots)
        self.misplaced = Signal()
        self.touch, self.touch_page = Signal(slots), Signal(page_bits)
        self.vacant = Signal(slots)
        self.hit, self.fill, self.touched, self.invalidate, self.clear = (Signal() for _ in range(5))

        # # #

        valid, pages = Signal(slots), [Signal(page_bits, reset_less=True) for _ in range(slots)]
        pairs = [(i, j) for j in range(slots) for i in range(j)]
        first_newer = {pair: Signal(reset_less=True) for pair in pairs}
        inverted = {pair: Signal() for pair in pairs}  # 0 unless both are valid

        def newer(slot, than):
            return first_newer[slot, than] if slot < than else ~first_newer[than, slot]

        # Comparators.
        equal, same_again = Signal(slots, reset_less=True), Signal()
        self.comb += [same_again.eq(self.next_page == self.page), self.match.eq(equal & valid)]
        for slot in range(slots):
            filled = self.fill & self.vacant[slot]
            self.sync += If(
                self.take_next,
                equal[slot].eq(Mux(filled, same_again, pages[slot] == self.next_page)),
            )

        # Outputs from the two orders.
        misplaced = Signal(slots)
        self.comb += self.misplaced.eq(any_of(inverted.values()))
        for slot in range(slots):
            others = [other for other in range(slots) if other != slot]
            self.comb += [
                misplaced[slot].eq(
                    any_of(inverted[min(slot, o), max(slot, o)] & newer(slot, o) for o in others)
                ),
                self.touch[slot].eq(misplaced[slot] & ~any_of(misplaced[o] & newer(slot, o) for o in others)),
                If(self.touch[slot], self.touch_page.eq(pages[slot])),
                # The last free slot; a full set has exactly one least recent page.
                If(
                    valid == 2**slots - 1,
                    self.vacant[slot].eq(~any_of(newer(slot, o) for o in others)),
                ).Else(
                    self.vacant[slot].eq(~valid[slot] & ~any_of(~valid[o] for o in others if o > slot)),
                ),
            ]

        # Updates of the two orders.
        hits, fills, touches, leaves = (Signal(slots) for _ in range(4))
        self.comb += [
            hits.eq(Replicate(self.hit, slots) & self.match),
            fills.eq(Replicate(self.fill, slots) & self.vacant),
            touches.eq(Replicate(self.touched, slots) & self.touch),
            leaves.eq(Replicate(self.clear, slots) | (Replicate(self.invalidate, slots) & self.match)),
        ]
        for slot in range(slots):
            self.sync += [
                If(fills[slot], valid[slot].eq(1), pages[slot].eq(self.page)),
                If(leaves[slot], valid[slot].eq(0)),
            ]
        for i, j in pairs:
            recency, wrong = first_newer[i, j], inverted[i, j]
            in_engine = recency ^ wrong  # page i was accessed there later than page j
            self.sync += [
                If(hits[i] | fills[i], recency.eq(1)).Elif(hits[j] | fills[j], recency.eq(0)),
                If(fills[i] | fills[j] | leaves[i] | leaves[j], wrong.eq(0))
                .Elif(hits[i], wrong.eq(valid[j] & ~in_engine))
                .Elif(hits[j], wrong.eq(valid[i] & in_engine))
                .Elif(touches[i], wrong.eq(valid[j] & ~recency))
                .Elif(touches[j], wrong.eq(valid[i] & recency)),
            ]


def any_of(terms):
    """Expression: the OR of one-bit expressions; 0 of none."""
    return reduce(or_, terms, Constant(0, 1))


def index_of(one_hot, slots: int) -> Cat:
    """Expression: the number of the bit set in a one-hot signal; 0 if none is."""
    bits = range(width_of(1 << (slots - 1).bit_length()))
    return Cat(*(any_of(one_hot[slot] for slot in range(slots) if slot >> bit & 1) for bit in bits))
