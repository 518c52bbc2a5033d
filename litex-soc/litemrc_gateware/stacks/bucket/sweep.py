# SPDX-License-Identifier: BSD-2-Clause
"""The sweep of bucket_stack: rewrites all pages' ids while operations continue."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Signal

# Stages of operations and sweep. Stage 0: the page is read.
LOOKUP = 5  # its bucket is known
TOUCH = 6  # the operation acts
WRITE = 7  # the page is written


def equal_halves(page, others):
    """Expressions: two words, in both of which bit n is set if `page` is others[n].

    They are AND-ed a cycle later: comparisons of whole pages in one cycle take more logic.
    """
    half = len(page) // 2
    return [
        Cat(*(other[part] == page[part] for other in others)) for part in (slice(half), slice(half, None))
    ]


class BucketSweep(LiteXModule):
    """Selects a page in each cycle, from the bank that no operation reads, and the cycle of its write.

    A page is a row of one of two banks. It passes the stages of an operation, so that it is written when its
    bank is free.

    Parameters
    ----------
    row_bits : int

    Attributes
    ----------
    go : Signal, in
        0: all stages stall.
    skip, begin : Signal, in
        strobes: cancel the sweep; start a new one.
    coming, coming_bank, coming_row : Signal, in
        the page of an operation that will be in stage 0.
    touch, bank, row : list of Signal, in
        the operations' pages, by stage, to stage WRITE + 1.
    cursors : list of Signal, out
        row to read of each bank in the next cycle, if no operation does.
    banks, rows : list of Signal, out
        the page in progress, by stage.
    writes : Signal, out
        stage TOUCH: the page is to be written in the next stage.
    swept : Signal, out
        nothing to sweep; a cycle later.
    """

    def __init__(self, row_bits: int) -> None:
        self.go, self.skip, self.begin, self.swept, self.writes = (Signal() for _ in range(5))
        self.coming, self.coming_bank, self.coming_row = Signal(), Signal(), Signal(row_bits)
        self.touch = [Signal() for _ in range(WRITE + 2)]
        self.bank = [Signal(reset_less=True) for _ in range(WRITE + 2)]
        self.row = [Signal(row_bits, reset_less=True) for _ in range(WRITE + 2)]
        self.banks = banks = [Signal(reset_less=True) for _ in range(TOUCH + 1)]
        self.rows = rows = [Signal(row_bits, reset_less=True) for _ in range(TOUCH + 1)]

        # # #

        # Before stage 0. The highest bit of a cursor: nothing is left in this bank.
        finished = 1 << row_bits
        ends = [Signal(row_bits + 1, reset=finished) for _ in range(2)]
        self.cursors = [end[:-1] for end in ends]
        turn, prefers, next_bank = Signal(), Signal(), Signal()
        valid = [Signal() for _ in range(TOUCH + 1)]
        self.comb += [
            prefers.eq(Mux(Mux(turn, ends[1][-1], ends[0][-1]), ~turn, turn)),
            next_bank.eq(Mux(self.coming, ~self.coming_bank, prefers)),
        ]
        self.sync += [
            turn.eq(~turn),
            If(
                self.go,
                *(later[n + 1].eq(later[n]) for later in (valid, banks, rows) for n in range(TOUCH)),
                valid[0].eq(~Mux(next_bank, ends[1][-1], ends[0][-1])),
                banks[0].eq(next_bank),
                rows[0].eq(Array(self.cursors)[next_bank]),
            ),
        ]
        for number, end in enumerate(ends):
            self.sync += [
                If(self.go & ~end[-1] & (next_bank == number), end.eq(end + 1)),
                If(self.begin, end.eq(0)),
                If(self.skip, end.eq(finished)),
            ]

        # Stages 1 and 2: an operation in flight on the same page will write a current id itself.
        in_flight, same = Signal(), [Signal(WRITE) for _ in range(2)]
        ahead = [Cat(self.bank[n], self.row[n]) for n in range(2, WRITE + 2)]
        low, high = equal_halves(Cat(banks[1], rows[1]), ahead)
        self.comb += in_flight.eq((same[0] & same[1]) != 0)
        self.sync += If(
            self.go,
            same[0].eq(low),
            same[1].eq(high & Cat(*self.touch[2:])),
            valid[3].eq(valid[2] & ~in_flight),
        )

        # Stage TOUCH: so will one that reads the page in the cycle of the write; the two must not collide.
        is_read, page = Signal(), Cat(banks[TOUCH], rows[TOUCH])
        self.comb += [
            is_read.eq(self.coming & (Cat(self.coming_bank, self.coming_row) == page)),
            self.writes.eq(valid[TOUCH] & ~is_read),
        ]
        self.sync += self.swept.eq(ends[0][-1] & ends[1][-1] & ~reduce(or_, valid))
