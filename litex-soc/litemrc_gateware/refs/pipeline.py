# SPDX-License-Identifier: BSD-2-Clause
"""The pipeline of the reference counters: read-modify-write of one page's counters in each cycle."""

from functools import reduce
from itertools import pairwise
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Signal

from litemrc_gateware.records import width_of
from litemrc_gateware.refs.banks import BANKS, CounterBanks
from litemrc_gateware.refs.generations import TAG_BITS
from litemrc_gateware.refs.registers import Counter

READ, CHOOSE, CHANGE, WRITE = 2, 5, 7, 8  # stages
WINDOW = WRITE - READ  # a page is read before the operations up to n cycles ahead are written


def operation_layout(pages: int, width: int) -> list[tuple[str, int]]:
    """An operation on both counters of a page."""
    return [
        ("valid", 1),
        ("page", width_of(pages)),
        ("tag", TAG_BITS),  # of the last reset before it
        ("behind_reset", 1),  # a reset directly precedes it, valid or not
        ("zero", 1),  # the contents of its row are invalid
        ("counts", 2),  # bit n: decrement Counter n
        ("load", 2),
        ("value", width),  # to be loaded, in the encoding of the memory
        ("asked", 1),  # report `counter`
        ("counter", 1),
    ]


class CounterPipeline(LiteXModule):
    """Does one operation a cycle, for any sequence of pages.

    Counters are stored XOR the initial value of the last reset. A page without an operation since then is
    zero, which hidden block RAMs and reset registers give at no cost.

    Stages: 0 compared with operations ahead, 1 its page is decoded, 2 addressed, 3 read, 4 registered,
    5 selected among the memories, 6 merged with operations in flight, 7 changed, 8 written. Operations 1 to 6
    cycles ahead have not been written when an operation reads: if one is of the same page, its counters are
    forwarded; if one renews the row, all pages of the row have their initial values.

    Parameters
    ----------
    pages, width : int

    Attributes
    ----------
    slot : Record(operation_layout), in
        a cycle before stage 0.
    initials : list of Signal(width), in
        the initial values for the operation in stage 6.
    page, fires : Signal, Signal(2), out
        stage 8: bit n of `fires`: Counter n of the page has become 0.
    answered, value : Signal, Signal(width), out
        stage 8: the requested counter; `value` stays.
    """

    def __init__(self, pages: int, width: int) -> None:
        bank_bits = width_of(BANKS)
        layout = operation_layout(pages, width)
        self.slot = slot = Record(layout)
        self.initials = [Signal(width, name=f"in_force{counter}") for counter in Counter]
        self.page, self.fires = Signal(width_of(pages)), Signal(2)
        self.answered, self.value = Signal(), Signal(width)

        # # #

        stages = [Record(layout) for _ in range(WRITE + 1)]
        for stage in stages:
            for name in ("page", "tag", "zero", "load", "value", "counter"):
                getattr(stage, name).reset_less = True
        self.sync += [behind.eq(ahead) for ahead, behind in pairwise([slot, *stages])]

        # Stage 0: operations ahead on a page of this row after the same reset, and on this page.
        current = Signal(WINDOW, reset_less=True)  # bit n: operation in stage n + 1
        rows, rows_met, pages_met = (
            Signal(WINDOW, reset_less=True) for _ in range(3)
        )  # stage 1; bit n: n + 1 cycles ahead
        self.sync += [
            current[0].eq(~slot.behind_reset),
            *(behind.eq(ahead & ~slot.behind_reset) for ahead, behind in pairwise(current)),
        ]
        for n in range(WINDOW):
            mine, ahead, row, same = stages[0].page, stages[n + 1], Signal(), Signal()
            self.comb += [
                row.eq(ahead.valid & (mine[bank_bits:] == ahead.page[bank_bits:])),
                same.eq(current[n] & (mine[:bank_bits] == ahead.page[:bank_bits])),
            ]
            self.sync += [
                rows[n].eq(row),
                rows_met[n].eq(row & current[n]),
                pages_met[n].eq(row & same),
            ]

        # Stage 1: the youngest of them, kept for later stages.
        kept_layout = [("nearest", WINDOW), ("row_met", 1), ("oldest_row", 1)]
        kept = [Record(kept_layout, reset_less=True) for _ in range(CHOOSE)]
        self.comb += [
            kept[0].nearest.eq(pages_met & -pages_met),  # the lowest bit
            kept[0].row_met.eq(rows_met != 0),
            kept[0].oldest_row.eq(rows[-1]),
        ]
        self.sync += [behind.eq(ahead) for ahead, behind in pairwise(kept)]
        met = kept[-1]

        # Memories. The word is blanked if it is forwarded from 3 to 6 cycles ahead.
        self.banks = banks = CounterBanks(pages, width)
        self.comb += [banks.page.eq(stages[0].page), banks.blank.eq(kept[0].nearest[2:] != 0)]

        # Stage 5: selected. The tag of a row that is renewed in the cycle of its read is undefined.
        stale, renews = Signal(), Signal(WINDOW, reset_less=True)  # bit n: stage 6 + n
        self.comb += stale.eq(
            stages[CHOOSE].zero | (banks.tag != stages[CHOOSE].tag) | (met.oldest_row & renews[WINDOW - 1])
        )
        self.sync += renews.eq(Cat(stages[CHOOSE].valid & stale & ~met.row_met, renews))
        chosen, new = ([Signal(width, reset_less=True) for _ in Counter] for _ in range(2))  # stages 6, 7
        # What was written, by stages 8 and later.
        written = [[Signal(width, reset_less=True) for _ in Counter] for _ in range(WINDOW - 2)]
        takes_new, takes_last = Signal(2, reset_less=True), Signal(2, reset_less=True)  # stage 6
        for counter in Counter:
            load = stages[CHOOSE].load[counter]
            read = Mux(load | stale, 0, banks.word[counter * width : (counter + 1) * width])
            instead = [Mux(load, stages[CHOOSE].value, 0)]
            instead += [
                Mux(hit & ~load, by_stage[counter], 0)
                for hit, by_stage in zip(met.nearest[2:], written, strict=True)
            ]
            self.sync += [
                chosen[counter].eq(reduce(or_, [read, *instead])),
                takes_new[counter].eq(met.nearest[0] & ~load),
                takes_last[counter].eq(met.nearest[1] & ~load),
            ]

        # Stages 6 and 7: merged and changed.
        for counter in Counter:
            word, other = Signal(width, reset_less=True), Signal(width)  # stages 7, 6
            less, counts, initial = Signal(width + 1), stages[CHANGE].counts[counter], self.initials[counter]
            self.comb += [
                other.eq(Mux(takes_last[counter], written[0][counter], chosen[counter]) ^ initial),
                less.eq(word - counts),
                If(~less[-1], new[counter].eq(less)),  # the highest bit: the counter is 0 and stays so
            ]
            self.sync += [
                word.eq(Mux(takes_new[counter], new[counter], other)),
                self.fires[counter].eq(counts & (word == 1)),
                written[0][counter].eq(new[counter] ^ initial),
                *(later[counter].eq(earlier[counter]) for earlier, later in pairwise(written)),
            ]
        done = stages[CHANGE]
        self.sync += [
            self.answered.eq(done.asked),
            If(done.asked, self.value.eq(Mux(done.counter, new[Counter.UPDATE], new[Counter.DELAY]))),
        ]

        # Stage 8: written.
        self.comb += [
            self.page.eq(stages[WRITE].page),
            banks.write.eq(done.valid),
            banks.write_page.eq(done.page),
            banks.new.eq(Cat(word ^ initial for word, initial in zip(new, self.initials, strict=True))),
            banks.renew.eq(renews[1]),
            banks.new_tag.eq(done.tag),
        ]
