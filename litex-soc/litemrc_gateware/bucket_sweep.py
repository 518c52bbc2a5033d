"""The sweep of bucket_stack: rewrites all pages' ids while operations go on."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Signal

STAGES = 5  # clocks from the read of a page to its write


class BucketSweep(LiteXModule):
    """Picks a page in each clock, from the bank that no operation reads, and says when it may be written.

    A page is a row of one of two banks. Each goes through the stages of an operation, so it is written when
    its bank is free again.

    Parameters
    ----------
    row_bits : int

    Attributes
    ----------
    go : Signal, in
        0: all stages stand still.
    skip, begin : Signal, in
        strobes: drop the sweep; begin a new one.
    touch, bank, row : list of Signal, in
        the operations' pages, by stage, to stage STAGES + 1.
    coming, coming_bank, coming_row : Signal, in
        the page of an operation that will be in stage 0.
    cursors : list of Signal, out
        row to read in each bank, in stage 0, if no operation reads there.
    banks, rows : list of Signal, out
        the page under way, by stage.
    writes : Signal, out
        stage STAGES: it is to be written.
    swept : Signal, out
        nothing to sweep.
    """

    def __init__(self, row_bits: int) -> None:
        self.go, self.skip, self.begin, self.swept, self.writes = (Signal() for _ in range(5))
        self.touch, self.bank = ([Signal() for _ in range(STAGES + 2)] for _ in range(2))
        self.row = [Signal(row_bits) for _ in range(STAGES + 2)]
        self.coming, self.coming_bank, self.coming_row = Signal(), Signal(), Signal(row_bits)
        self.banks = banks = [Signal() for _ in range(STAGES + 1)]
        self.rows = rows = [Signal(row_bits) for _ in range(STAGES + 1)]

        # # #

        # Stage 0. The highest bit of a cursor: nothing is left in this bank.
        finished = 1 << row_bits
        ends = [Signal(row_bits + 1, reset=finished) for _ in range(2)]
        self.cursors = [end[:-1] for end in ends]
        turn, prefers = Signal(), Signal()
        valid = [Signal() for _ in range(STAGES + 1)]
        self.comb += [
            prefers.eq(Mux(Mux(turn, ends[1][-1], ends[0][-1]), ~turn, turn)),
            banks[0].eq(Mux(self.touch[0], ~self.bank[0], prefers)),
            rows[0].eq(Array(self.cursors)[banks[0]]),
            valid[0].eq(~Mux(banks[0], ends[1][-1], ends[0][-1])),
        ]
        self.sync += turn.eq(~turn)
        for number, end in enumerate(ends):
            self.sync += [
                If(self.go & ~end[-1] & (banks[0] == number), end.eq(end + 1)),
                If(self.begin, end.eq(0)),
                If(self.skip, end.eq(finished)),
            ]

        # Stage 1: an operation that has not written yet will bring the page up to date itself.
        # Stage STAGES: an operation that reads the page now will do so, and must not read what is written.
        page, in_flight, is_read = Cat(banks[1], rows[1]), Signal(), Signal()
        behind = range(2, STAGES + 2)
        self.comb += [
            in_flight.eq(
                reduce(or_, (self.touch[n] & (Cat(self.bank[n], self.row[n]) == page) for n in behind))
            ),
            self.writes.eq(valid[STAGES] & ~is_read),
            self.swept.eq(ends[0][-1] & ends[1][-1] & ~reduce(or_, valid[1:])),
        ]
        last = Cat(banks[STAGES - 1], rows[STAGES - 1])
        self.sync += If(
            self.go,
            *(later[n + 1].eq(later[n]) for later in (valid, banks, rows) for n in range(STAGES)),
            valid[2].eq(valid[1] & ~in_flight),
            is_read.eq(self.coming & (Cat(self.coming_bank, self.coming_row) == last)),
        )
