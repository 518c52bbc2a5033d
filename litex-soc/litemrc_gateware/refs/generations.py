# SPDX-License-Identifier: BSD-2-Clause
"""Resets of all reference counters: tags that invalidate old values, and the sweep that rewrites them."""

from litex.gen import LiteXModule
from migen import Cat, If, Signal

from litemrc_gateware.records import width_of

TAG_BITS = 2
UNDER_WAY = 10  # cycles from the slot to the memory, and one more
IN_FORCE = 6  # stage
MOST_OWED = 2**TAG_BITS - 1  # resets that rows may not have met yet, so that a tag is unambiguous


class CounterGenerations(LiteXModule):
    """Counts resets, keeps the initial values of the last one, and sweeps the rows after each.

    After the hardware's reset it also sweeps all rows (`zeroing`).

    Parameters
    ----------
    rows : int
        a power of two.
    initials : list of Signal
        the values that a reset in this cycle gives.

    Attributes
    ----------
    reset, reset_ready : Signal, in and out
        both 1: a reset, before the operation in the slot.
    tag : Signal(TAG_BITS), out
        that of the operation in the slot.
    behind_reset : Signal, out
        a reset directly precedes the operation in the slot.
    last, in_force : list of Signal, out
        initial values of the last reset, and those for the operation in stage 6.
    free : Signal, in
        the slot is not used by a request or command.
    sweeps, row : Signal, Signal(width_of(rows)), out
        the sweep uses the slot, if it is free, to visit this row.
    zeroing : Signal, out
        the row's contents are invalid with any tag.
    """

    def __init__(self, rows: int, initials) -> None:
        self.reset, self.reset_ready = Signal(), Signal()
        self.tag, self.free = Signal(TAG_BITS), Signal()
        self.sweeps, self.zeroing = Signal(), Signal(reset=1)
        self.row = Signal(width_of(rows))
        self.behind_reset = Signal()
        self.last, self.in_force = ([Signal(len(initial)) for initial in initials] for _ in range(2))

        # # #

        # Initial values take effect in the pipeline with the operation after the reset.
        tag, reset, under_way = Signal(TAG_BITS), Signal(), Signal(IN_FORCE)  # bit n: in stage n
        owed = Signal(max=MOST_OWED + 1)
        self.comb += [
            self.reset_ready.eq(~self.zeroing & (owed != MOST_OWED) & (under_way == 0)),
            reset.eq(self.reset & self.reset_ready),
            self.behind_reset.eq(reset),
            self.tag.eq(tag + reset),
            self.sweeps.eq(self.zeroing | (owed != 0)),
        ]
        self.sync += [under_way.eq(Cat(reset, under_way)), tag.eq(self.tag)]
        for initial, last, in_force in zip(initials, self.last, self.in_force, strict=True):
            self.sync += [If(reset, last.eq(initial)), If(under_way[-1], in_force.eq(last))]

        # A full pass after the last reset leaves a single tag once its last row is written; the sweep
        # therefore continues a little and visits the first rows again.
        visits = Signal(max=rows + UNDER_WAY)
        self.comb += self.row.eq(visits)
        self.sync += [
            If(
                self.sweeps & self.free,
                visits.eq(visits + 1),
                If(visits == rows + UNDER_WAY - 1, visits.eq(0), owed.eq(0), self.zeroing.eq(0)),
            ),
            If(reset, visits.eq(0), owed.eq(owed + 1)),
        ]
