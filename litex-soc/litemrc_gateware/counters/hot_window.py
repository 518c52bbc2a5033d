"""Accesses of hot_pages that meet in the pipeline of the table."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Record, Signal

WINDOW = 5  # accesses between the read of a set and the write of an entry


class HotWindow(LiteXModule):
    """Compares each access with the WINDOW accesses before, and decides whether its entry is written.

    The set that an access reads lacks what the accesses in flight write. A page is not admitted if one of the
    WINDOW accesses before was to another page of its set (see hls/hot_pages). So at most one page of a set is
    admitted in flight, and three cases are left:

    - The accesses in flight to the same page that are written are added to the count that was read.
    - The page was admitted in flight: the access read the same set as that which was admitted, so it finds
      the same way and inherits the same count.
    - Another page was admitted to the way in which the page was found: the page was replaced in flight, and
      the access is not written.

    Which accesses are in flight depends on the cycles between them; the results do not.

    Parameters
    ----------
    set_bits, tag_bits, way_bits : int
        sizes of a set's number, a tag, a way's number.

    Attributes
    ----------
    valids : Signal, in
        the accesses in stages 1 (bit 0) to 1 + WINDOW, where entries are written.
    set, tag : Signal, in
        of the access in stage 1.
    forget : Signal, in
        strobe: the accesses before are of another epoch.
    matched, admits, way : Signal, in
        of the access in stage WINDOW: its page is in the set that was read; the entry with the smallest count
        would admit it; the way of its page, else of that entry.
    writes : Signal, out
        in the same cycle: its entry is written.
    adds : Signal, out
        in the next cycle: accesses to add to the count that was read, itself included.
    """

    def __init__(self, set_bits: int, tag_bits: int, way_bits: int) -> None:
        self.valids = Signal(WINDOW + 1)
        self.set, self.tag, self.forget = Signal(set_bits), Signal(tag_bits), Signal()
        self.matched, self.admits, self.way = Signal(), Signal(), Signal(way_bits)
        self.writes, self.adds = Signal(), Signal(max=WINDOW + 2)

        # # #

        # Stage 1. Bit n is for the access that came as (n + 1)-th before.
        before = [Record([("valid", 1), ("set", set_bits), ("tag", tag_bits)]) for _ in range(WINDOW)]
        stages = [Record([("others", WINDOW), ("same", WINDOW)]) for _ in range(WINDOW)]
        in_set, equal, in_flight = Signal(WINDOW), Signal(WINDOW), Signal(WINDOW)
        enters, leaves = self.valids[0], self.valids[-1]
        self.comb += [
            in_set.eq(Cat(*(each.valid & (each.set == self.set) for each in before))),
            equal.eq(Cat(*(each.tag == self.tag for each in before))),
            stages[0].others.eq(in_set & ~equal),
            stages[0].same.eq(in_set & equal & in_flight),
        ]
        self.sync += [
            If(
                enters,
                before[0].set.eq(self.set),
                before[0].tag.eq(self.tag),
                before[0].valid.eq(1),
                *(older.eq(newer) for newer, older in pairwise(before)),
            ),
            If(self.forget, *(each.valid.eq(0) for each in before)),
            # As many low bits as there are accesses in stages 2 to 1 + WINDOW.
            If(enters & ~leaves, in_flight.eq(Cat(1, in_flight))),
            If(~enters & leaves, in_flight.eq(in_flight[1:])),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
        ]

        # Stage WINDOW.
        here = stages[-1]
        done = [Record([("written", 1), ("admitted", 1), ("way", way_bits)]) for _ in range(WINDOW)]
        new = Record(done[0].layout)
        same, replaced = Signal(WINDOW), Signal()
        self.comb += [
            same.eq(here.same & Cat(*(each.written for each in done))),
            replaced.eq(
                Cat(*(here.others[n] & each.admitted & (each.way == self.way) for n, each in enumerate(done)))
                != 0
            ),
            new.way.eq(self.way),
            new.admitted.eq(~self.matched & (same == 0) & (here.others == 0) & self.admits),
            new.written.eq((same != 0) | (self.matched & ~replaced) | new.admitted),
            self.writes.eq(self.valids[WINDOW - 1] & new.written),
        ]
        self.sync += [
            If(
                self.valids[WINDOW - 1],
                done[0].eq(new),
                *(older.eq(newer) for newer, older in pairwise(done)),
            ),
            self.adds.eq(1 + sum(same)),
        ]
