# SPDX-License-Identifier: BSD-2-Clause
"""Renumbering of bucket_stack: merges neighbouring buckets and assigns new ids to the remaining ones."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal, bits_for
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import RegisteredMemory, SimpleDualPort
from litemrc_gateware.records import width_of

RENUMBER_DELAY = 8  # operations from the one after which ids are short to the renumbering


class BucketMerging(LiteXModule):
    """Merges each closed bucket into the preceding one of its context, if both hold at most a group's pages.

    Buckets come in order of age, oldest first, with all contexts mixed. Empty closed buckets are dropped. The
    open bucket of a context, its last, gets its own number and no pages.

    Parameters
    ----------
    contexts, ids, group_pages : int
        powers of two; group_pages: a bucket's pages at most.

    Attributes
    ----------
    start : Signal, in
        strobe: new numbers begin at 1.
    busy : Signal, in
        0: forget the buckets of the context in the lowest bits of `forget`; to be done for each context.
    asks, id, owner, is_open : Signal, in
        strobe, and the next bucket.
    count : Signal, in
        its pages, 3 cycles later.
    under_way : Signal, out
        not all buckets have been merged.
    maps, map_id, map_owner, new_id, new_pages, new_open : Signal, out
        strobe, 5 cycles after `asks`: bucket `map_id` of `map_owner` goes to the new bucket `new_id`, which
        then holds `new_pages`.
    next_id : Signal, out
        the first new id not used.
    """

    def __init__(self, contexts: int, ids: int, group_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(group_pages)
        self.start, self.busy, self.forget = Signal(), Signal(), Signal(context_bits)
        self.asks, self.id, self.owner, self.is_open = (
            Signal(),
            Signal(id_bits),
            Signal(context_bits),
            Signal(),
        )
        self.count, self.under_way, self.next_id = Signal(count_bits), Signal(), Signal(id_bits + 1)
        self.maps, self.map_id, self.map_owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.new_id, self.new_pages, self.new_open = Signal(id_bits), Signal(count_bits), Signal()

        # # #

        asks = [self.asks, *(Signal() for _ in range(4))]
        bucket = [Cat(self.id, self.owner, self.is_open)]
        bucket += [Signal(len(bucket[0])) for _ in range(4)]
        old_id, owner, is_open = Signal(id_bits), Signal(context_bits), Signal()
        self.comb += [
            Cat(old_id, owner, is_open).eq(bucket[4]),
            self.under_way.eq(self.asks | asks[1] | asks[2] | asks[3] | asks[4] | self.maps),
        ]
        self.sync += [later[n + 1].eq(later[n]) for later in (asks, bucket) for n in range(4)]

        # When the count is known.
        pages, fewer, filled = Signal(count_bits), Signal(count_bits), Signal()
        self.sync += [pages.eq(self.count), fewer.eq(self.count - 1), filled.eq(self.count != 0)]

        # The youngest new bucket of each context so far; if there is none, a full one that takes no pages.
        youngest = SimpleDualPort(id_bits + count_bits, 1 << context_bits, async_read=True)
        self.youngest = youngest
        youngest_id, youngest_pages = Signal(id_bits), Signal(count_bits)
        next_owner = bucket[3][id_bits : id_bits + context_bits]
        merged, room, opens = Signal(count_bits), Signal(count_bits), Signal()
        new_id, new_pages = Signal(id_bits), Signal(count_bits)
        self.comb += [
            youngest.read.adr.eq(next_owner),
            merged.eq(youngest_pages + pages),
            room.eq(youngest_pages + fewer),  # group_pages or more: the sum exceeds a group
            opens.eq(is_open | room[-1]),
            new_id.eq(Mux(opens, self.next_id, youngest_id)),
            new_pages.eq(Mux(opens, pages, merged)),
            youngest.write.adr.eq(Mux(self.busy, owner, self.forget)),
            youngest.write.dat_w.eq(Cat(new_id, Mux(self.busy, new_pages, group_pages))),
            youngest.write.we.eq(~self.busy | (asks[4] & filled & ~is_open)),
        ]
        # It is read for the next bucket while this one may change it.
        changes = youngest.write.we & (youngest.write.adr == next_owner)
        self.sync += Cat(youngest_id, youngest_pages).eq(
            Mux(changes, youngest.write.dat_w, youngest.read.dat_r)
        )
        self.sync += [
            self.maps.eq(asks[4] & (is_open | filled)),
            self.map_id.eq(old_id),
            self.map_owner.eq(owner),
            self.new_id.eq(new_id),
            self.new_pages.eq(new_pages),
            If(is_open, self.new_pages.eq(0)),
            self.new_open.eq(is_open),
            If(asks[4] & opens & (is_open | filled), self.next_id.eq(self.next_id + 1)),
            If(self.start, self.next_id.eq(1)),
        ]


class BucketRenumbering(LiteXModule):
    """Allocates ids. When they run short, all buckets get new ones in two passes of one id a cycle.

    The first pass takes the old ids, whose pages leave the tree; the second takes the new ids, whose pages
    enter it: ids used + new ids + 19 cycles. A new generation of ids starts between the two. The unit owns
    neither tree nor tables: it drives their ports while it is busy. The last `contexts` ids are allocated by
    a clear only.

    Parameters
    ----------
    contexts, ids, group_pages : int
        powers of two; group_pages: a bucket's pages at most.

    Attributes
    ----------
    clear : Signal, in
        allocate all ids in turn, also those of the previous generation; the last ones are 1 .. contexts. To
        be held for a multiple of 2 * ids cycles, from `restart` on.
    restart : Signal, in
        strobe, in the cycle before `clear`. Not needed after reset.
    ends, takes_id : Signal, in
        strobes: an operation ends; it takes `next_id`.
    next_id : Signal, out
        the first id not used.
    waits, last : Signal, out
        renumbering waits for `last` more operations, and for `start` if that is 0.
    start : Signal, in
        strobe: the pipeline is empty.
    busy, flips, done : Signal, out
        in progress; strobes: the new generation starts; the last cycle.
    scans, scan_id : Signal, out
        the pipeline must look up this id.
    zero : Signal, out
        the id is looked up: its pages must leave the tree a cycle later.
    asked_id, asked_owner, asked_open, count : Signal, in
        in that cycle: id, owner, and whether it is its owner's open bucket; 3 cycles later: the pages of a
        closed one.
    maps, map_id, map_owner, new_id : Signal, out
        strobe: the id `map_id` of `map_owner` becomes `new_id`.
    inserts, pages, owner, is_open : Signal, out
        strobe: the next new bucket takes `next_id`. The pages of an open one are 0.
    """

    def __init__(self, contexts: int, ids: int, group_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(group_pages)
        self.clear, self.restart = Signal(), Signal()
        self.ends, self.takes_id, self.next_id = Signal(), Signal(), Signal(id_bits + 1, reset=contexts + 1)
        self.waits, self.last = Signal(), Signal(max=RENUMBER_DELAY + 1)
        self.start, self.busy, self.flips, self.done = (Signal() for _ in range(4))
        self.scans, self.scan_id, self.zero = Signal(), Signal(id_bits), Signal()
        self.inserts, self.pages = Signal(), Signal(count_bits)
        self.owner, self.is_open = Signal(context_bits), Signal()

        # # #

        self.merging = merging = BucketMerging(contexts, ids, group_pages)
        self.asked_id, self.asked_owner, self.asked_open = merging.id, merging.owner, merging.is_open
        self.count, self.maps, self.map_id = merging.count, merging.maps, merging.map_id
        self.map_owner, self.new_id = merging.map_owner, merging.new_id

        # Compared a cycle ahead, as a bucket takes no id in the cycle after another.
        few_left = Signal()
        self.sync += [
            few_left.eq(self.next_id == ids - contexts - RENUMBER_DELAY - 1),
            If(self.takes_id | self.inserts | self.clear, self.next_id.eq(self.next_id + 1)),
            If(
                self.ends,
                If(self.waits, self.last.eq(self.last - 1)),
                If(
                    self.takes_id & few_left,
                    self.waits.eq(1),
                    self.last.eq(RENUMBER_DELAY),
                ),
            ),
            If(self.done | self.clear, self.waits.eq(0)),
            If(self.restart, self.next_id.eq(contexts + 1)),
            If(self.flips, self.next_id.eq(1)),
        ]

        # The owner of a scanned id is known 3 cycles later; the id is in the tree in the cycle after.
        at = Signal(id_bits + 1)
        scanning = [Signal() for _ in range(5)]
        self.comb += [
            self.scan_id.eq(at),
            scanning[0].eq(self.scans),
            self.zero.eq(scanning[3]),
            merging.asks.eq(scanning[4]),
            merging.start.eq(self.start),
            merging.forget.eq(self.next_id),
        ]
        self.sync += [scanning[n + 1].eq(scanning[n]) for n in range(4)]

        # The new buckets.
        self.buckets = buckets = RegisteredMemory((count_bits + context_bits + 1,), ids)
        reads = [Signal() for _ in range(3)]
        self.comb += [
            buckets.adr.eq(at),
            Cat(self.pages, self.owner, self.is_open).eq(buckets.dat_r),
            buckets.write.adr.eq(merging.new_id),
            buckets.write.dat_w.eq(Cat(merging.new_pages, merging.map_owner, merging.new_open)),
            buckets.write.we.eq(merging.maps),
            self.inserts.eq(reads[2]),
        ]
        self.sync += [reads[n + 1].eq(reads[n]) for n in range(2)]

        # Control. A pass begins at id 1, and there are two or more: its end is compared a cycle ahead. So is
        # whether a bucket is in progress, as the wires of `flips` are long: without a scan none can begin.
        ended, drained = Signal(), Signal()
        self.sync += drained.eq(~(reduce(or_, scanning) | merging.under_way))
        self.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE"))
        fsm.act("IDLE", NextValue(at, 1), If(self.start, NextState("SCAN")))
        fsm.act(
            "SCAN",
            merging.busy.eq(1),
            self.scans.eq(~ended),
            If(
                ~ended,
                NextValue(at, at + 1),
                NextValue(ended, at + 1 == self.next_id),
            ).Elif(
                drained,
                self.flips.eq(1),
                NextValue(at, 1),
                NextValue(ended, 0),
                NextState("INSERT"),
            ),
        )
        fsm.act(
            "INSERT",
            reads[0].eq(~ended),
            If(
                ~ended,
                NextValue(at, at + 1),
                NextValue(ended, at + 1 == merging.next_id),
            ).Elif(
                ~(reads[1] | reads[2]),
                self.done.eq(1),
                NextValue(ended, 0),
                NextState("IDLE"),
            ),
        )
