"""Renumbering of bucket_stack: merges neighbouring buckets and gives new ids to what is left."""

from litex.gen import LiteXModule
from migen import Array, If, Mux, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

RENUMBER_DELAY = 8  # operations between the one that runs short of ids and the renumbering


class BucketRenumbering(LiteXModule):
    """Hands out ids. When they run short, all buckets get new ones in two passes of an id a clock.

    One pass over the old ids, whose pages leave the tree; one over the new ones, whose pages enter it: ids
    used + new ids + 5 clocks. New ids are never above the old ones, so tables are rewritten in place.
    The unit owns neither tree nor tables: it drives their ports while it is `busy`.

    Parameters
    ----------
    frames, contexts, ids, group_pages : int
        group_pages: a bucket's pages at most.

    Attributes
    ----------
    restart : Signal, in
        ids begin anew behind those of the contexts' first open buckets, 1 .. contexts.
    ends, takes_id : Signal, in
        strobes: an operation ends; it takes `next_id`.
    next_id : Signal, out
        the first id not used.
    waits, last : Signal, out
        renumbering waits for `last` more operations, and for `start` if that is 0.
    start : Signal, in
        strobe: nothing is under way.
    busy, done : Signal, out
        at work; strobe in the last clock.
    zero, insert, id, pages : Signal, out
        to the tree, one clock later.
    owner : Signal, in
        owner of `id`, in the same clock.
    merge, merge_id, merge_owner : Signal, out
        strobe: old id `merge_id` of `merge_owner` gets the number `new_id`; its `count` and `is_open` are
        asked for.
    count, is_open : Signal, in
        pages in it, if it is closed; whether it is its owner's open one.
    new_id : Signal, out
        see `merge`; to be written to the map.
    opens : Signal, out
        with `merge`: `new_id` is a new bucket, which needs an owner; it may be the open one.
    """

    def __init__(self, frames: int, contexts: int, ids: int, group_pages: int) -> None:
        id_bits, context_bits, pages_bits = width_of(ids), width_of(contexts), width_of(frames) + 1
        self.start, self.busy, self.done = Signal(), Signal(), Signal()
        self.restart, self.ends, self.takes_id = Signal(), Signal(), Signal()
        self.next_id = Signal(id_bits + 1)
        self.waits, self.last = Signal(), Signal(max=RENUMBER_DELAY + 1)
        self.zero, self.insert = Signal(), Signal()
        self.id, self.owner, self.pages = Signal(id_bits), Signal(context_bits), Signal(pages_bits)
        self.merge, self.merge_id, self.merge_owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.count, self.is_open = Signal(pages_bits), Signal()
        self.new_id, self.opens = Signal(id_bits), Signal()

        # # #

        new_next_id = Signal(id_bits + 1)
        self.sync += [
            If(
                self.ends,
                If(self.waits, self.last.eq(self.last - 1)),
                If(
                    self.takes_id,
                    self.next_id.eq(self.next_id + 1),
                    If(
                        self.next_id == ids - RENUMBER_DELAY - 1,
                        self.waits.eq(1),
                        self.last.eq(RENUMBER_DELAY),
                    ),
                ),
            ),
            If(self.done, self.next_id.eq(new_next_id), self.waits.eq(0)),
            If(self.restart, self.next_id.eq(contexts + 1), self.waits.eq(0)),
        ]

        # The tree's count of an id comes three clocks behind its number: one to get there, two inside.
        at = Signal(id_bits + 1)
        asked = [Signal() for _ in range(4)]
        asked_id = [self.id, *(Signal(id_bits) for _ in range(3))]
        asked_owner = [self.owner, *(Signal(context_bits) for _ in range(3))]
        self.sync += [later[n + 1].eq(later[n]) for later in (asked, asked_id, asked_owner) for n in range(3)]
        self.comb += [
            self.id.eq(at),
            asked[0].eq(self.zero),
            self.merge.eq(asked[3] & (self.is_open | (self.count != 0))),
            self.merge_id.eq(asked_id[3]),
            self.merge_owner.eq(asked_owner[3]),
        ]

        # The youngest closed bucket of each context so far, and the pages of all new ones.
        merges = Array(Signal() for _ in range(1 << context_bits))  # there is one
        youngest = SimpleDualPort(id_bits + pages_bits, 1 << context_bits, async_read=True)
        pages = SimpleDualPort(pages_bits, ids, async_read=True)
        self.youngest, self.new_pages = youngest, pages
        youngest_id, youngest_pages, merged = Signal(id_bits), Signal(pages_bits), Signal(pages_bits + 1)
        new_pages = Signal(pages_bits)
        self.comb += [
            youngest.read.adr.eq(self.merge_owner),
            youngest_id.eq(youngest.read.dat_r[:id_bits]),
            youngest_pages.eq(youngest.read.dat_r[id_bits:]),
            merged.eq(youngest_pages + self.count),
            self.opens.eq(self.is_open | ~merges[self.merge_owner] | (merged > group_pages)),
            self.new_id.eq(Mux(self.opens, new_next_id, youngest_id)),
            new_pages.eq(Mux(self.is_open, 0, Mux(self.opens, self.count, merged))),
            youngest.write.adr.eq(self.merge_owner),
            youngest.write.dat_w[:id_bits].eq(self.new_id),
            youngest.write.dat_w[id_bits:].eq(new_pages),
            youngest.write.we.eq(self.merge & ~self.is_open),
            pages.read.adr.eq(self.id),
            self.pages.eq(pages.read.dat_r),
        ]
        self.sync += [
            pages.write.adr.eq(self.new_id),  # read in the second pass only: so a clock later
            pages.write.dat_w.eq(new_pages),
            pages.write.we.eq(self.merge),
            If(self.merge & self.opens, new_next_id.eq(new_next_id + 1)),
            If(self.merge & ~self.is_open, merges[self.merge_owner].eq(1)),
            If(self.start, new_next_id.eq(1), *(merge.eq(0) for merge in merges)),
        ]

        # Control.
        self.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE"))
        fsm.act("IDLE", NextValue(at, 1), If(self.start, NextState("SCAN")))
        fsm.act(
            "SCAN",
            self.zero.eq(at != self.next_id),
            If(
                self.zero,
                NextValue(at, at + 1),
            ).Elif(
                ~(asked[1] | asked[2] | asked[3]),
                NextValue(at, 1),
                NextState("INSERT"),
            ),
        )
        fsm.act(
            "INSERT",
            self.insert.eq(at != new_next_id),
            NextValue(at, at + 1),
            If(~self.insert, self.done.eq(1), NextState("IDLE")),
        )
