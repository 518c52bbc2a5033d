# SPDX-License-Identifier: BSD-2-Clause
"""Renumbering of bucket_stack: merges neighbouring buckets and assigns new ids to the remaining ones."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import C, Cat, If, Mux, Record, Signal, bits_for
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import RegisteredMemory, SimpleDualPort
from litemrc_gateware.records import width_of

RENUMBER_DELAY = 8  # operations from the one after which ids are short to the renumbering


class BucketMerging(LiteXModule):
    """Merges closed buckets: the two of an id, and then each with the preceding one of its context.

    Two are merged if the older one has room for the pages of the other. The ids, of two buckets each, come in
    order of age, oldest first, with all contexts mixed. Empty closed buckets are dropped. The open id of a
    context, its last, gets its own number and no pages.

    Parameters
    ----------
    contexts, ids, bucket_pages : int
        powers of two; bucket_pages: a bucket's pages at most.

    Attributes
    ----------
    start : Signal, in
        strobe: new numbers begin at 1.
    busy : Signal, in
        0: forget the buckets of the context in the lowest bits of `forget`; to be done for each context.
    asks, id, owner, is_open : Signal, in
        strobe, and the next id.
    older_count, newer_count : Signal, in
        the pages of its buckets, 3 cycles later.
    under_way : Signal, out
        not all buckets have been merged.
    maps, map_id, map_owner, new_open : Signal, out
        strobe, 6 cycles after `asks`: the id `map_id` of `map_owner`.
    map_older, map_newer, older_pages, newer_pages : Signal, out
        the new buckets of its two ones, and the pages that these then hold. If both are the same,
        `newer_pages` holds; else one is the older and one the newer bucket of an id.
    next_id : Signal, out
        the first new id not used.
    """

    def __init__(self, contexts: int, ids: int, bucket_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(bucket_pages)
        self.start, self.busy, self.forget = Signal(), Signal(), Signal(context_bits)
        self.asks, self.id, self.owner, self.is_open = (
            Signal(),
            Signal(id_bits),
            Signal(context_bits),
            Signal(),
        )
        self.older_count, self.newer_count = Signal(count_bits), Signal(count_bits)
        self.under_way, self.next_id = Signal(), Signal(id_bits + 1)
        self.maps, self.map_id, self.map_owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.map_older, self.map_newer = Signal(id_bits + 1), Signal(id_bits + 1)
        self.older_pages, self.newer_pages, self.new_open = Signal(count_bits), Signal(count_bits), Signal()

        # # #

        stages = 5
        asks = [self.asks, *(Signal() for _ in range(stages))]
        layout = [("id", id_bits), ("owner", context_bits), ("is_open", 1)]
        asked = [Record(layout) for _ in range(stages + 1)]
        old_id, owner, is_open = asked[-1].id, asked[-1].owner, asked[-1].is_open
        next_owner, next_open = asked[-2].owner, asked[-2].is_open
        self.comb += [
            asked[0].raw_bits().eq(Cat(self.id, self.owner, self.is_open)),
            self.under_way.eq(reduce(or_, asks) | self.maps),
        ]
        self.sync += [later[n + 1].eq(later[n]) for later in (asks, asked) for n in range(stages)]

        # When the counts are known: the pages of both buckets, then what is to be placed. If both fit into
        # one bucket, they are placed as one; else the older one, and the newer one behind it.
        older, newer, both, is_one = Signal(count_bits), Signal(count_bits), Signal(count_bits), Signal()
        one, placed, fewer, alone, last = Signal(), *(Signal(count_bits) for _ in range(4))
        total = Signal(count_bits + 1)
        self.comb += total.eq(self.older_count + self.newer_count)
        self.sync += [
            older.eq(self.older_count),
            newer.eq(self.newer_count),
            both.eq(total),
            is_one.eq((total < bucket_pages) | (total == bucket_pages)),  # `<=` would need carries
            one.eq(is_one & ~next_open),
            placed.eq(Mux(is_one, both, older)),
            fewer.eq(Mux(is_one, both, older) - 1),
            alone.eq(older),
            last.eq(Mux(is_one, both, newer)),
            If(next_open, alone.eq(0), last.eq(0)),
        ]

        # The youngest new bucket of each context so far. If there is none, a full one: the newer one of id 0,
        # which takes only buckets without pages.
        youngest = SimpleDualPort(id_bits + 1 + count_bits, 1 << context_bits, async_read=True)
        self.youngest = youngest
        youngest_bucket, youngest_pages = Signal(id_bits + 1), Signal(count_bits)
        fits, is_newer, older_opens, opens = (Signal() for _ in range(4))
        merged, over, last_pages, last_bucket = *(Signal(count_bits) for _ in range(3)), Signal(id_bits + 1)
        self.comb += [
            youngest.read.adr.eq(next_owner),
            merged.eq(youngest_pages + placed),
            over.eq(youngest_pages + fewer),  # bucket_pages or more: the sum exceeds it
            # An open id takes two buckets behind the newer one of an id.
            fits.eq(~over[-1] & ~is_open),
            is_newer.eq(youngest_bucket[0] | is_open),
            older_opens.eq(~fits & is_newer),
            opens.eq(Mux(one, older_opens, is_newer | ~fits)),
            last_bucket.eq(
                Cat(is_newer ^ (one ^ fits), Mux(opens, self.next_id[:-1], youngest_bucket[1:])),
            ),
            last_pages.eq(Mux(one & fits, merged, last)),
            youngest.write.adr.eq(Mux(self.busy, owner, self.forget)),
            youngest.write.dat_w.eq(
                Mux(self.busy, Cat(last_bucket, last_pages), C(1 | bucket_pages << (id_bits + 1)))
            ),
            youngest.write.we.eq(~self.busy | (asks[-1] & ~is_open)),
        ]
        # It is read for the next id while this one may change it.
        changes = youngest.write.we & (youngest.write.adr == next_owner)
        self.sync += Cat(youngest_bucket, youngest_pages).eq(
            Mux(changes, youngest.write.dat_w, youngest.read.dat_r)
        )
        self.sync += [
            self.maps.eq(asks[-1]),
            self.map_id.eq(old_id),
            self.map_owner.eq(owner),
            self.new_open.eq(is_open),
            self.map_older.eq(
                Cat(is_newer ^ ~fits, Mux(older_opens, self.next_id[:-1], youngest_bucket[1:]))
            ),
            self.older_pages.eq(Mux(fits, merged, alone)),
            self.map_newer.eq(last_bucket),
            self.newer_pages.eq(last_pages),
            If(asks[-1] & opens, self.next_id.eq(self.next_id + 1)),
            If(self.start, self.next_id.eq(1)),
        ]


class BucketRenumbering(LiteXModule):
    """Allocates ids. When they run short, all buckets get new ones in two passes of one id a cycle.

    The first pass takes the old ids, whose pages leave the tree; the second takes the new ids, whose pages
    enter it: ids used + new ids + 20 cycles. A new generation of ids starts between the two. The unit owns
    neither tree nor tables: it drives their ports while it is busy. The last `contexts` ids are allocated by
    a clear only.

    Parameters
    ----------
    contexts, ids, bucket_pages : int
        powers of two; bucket_pages: a bucket's pages at most.

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
    asked_id, asked_owner, asked_open, older_count, newer_count : Signal, in
        in that cycle: id, owner, and whether it is its owner's open id; 3 cycles later: the pages of a closed
        one's buckets.
    maps, map_id, map_owner, map_older, map_newer : Signal, out
        strobe: the buckets of the id `map_id` of `map_owner` become these.
    inserts, older_pages, newer_pages, owner, is_open : Signal, out
        strobe: two new buckets take `next_id`. Those of an open one have no pages here.
    """

    def __init__(self, contexts: int, ids: int, bucket_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(bucket_pages)
        self.clear, self.restart = Signal(), Signal()
        self.ends, self.takes_id, self.next_id = Signal(), Signal(), Signal(id_bits + 1, reset=contexts + 1)
        self.waits, self.last = Signal(), Signal(max=RENUMBER_DELAY + 1)
        self.start, self.busy, self.flips, self.done = (Signal() for _ in range(4))
        self.scans, self.scan_id, self.zero = Signal(), Signal(id_bits), Signal()
        self.inserts = Signal()
        self.older_pages, self.newer_pages = Signal(count_bits), Signal(count_bits)
        self.owner, self.is_open = Signal(context_bits), Signal()

        # # #

        self.merging = merging = BucketMerging(contexts, ids, bucket_pages)
        self.asked_id, self.asked_owner, self.asked_open = merging.id, merging.owner, merging.is_open
        self.older_count, self.newer_count = merging.older_count, merging.newer_count
        self.maps, self.map_id, self.map_owner = merging.maps, merging.map_id, merging.map_owner
        self.map_older, self.map_newer = merging.map_older, merging.map_newer

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

        # The new buckets: the older ones of the ids with what belongs to the id, and the newer ones, which
        # become 0 when they have been read, as not every id gets one.
        self.older = older = RegisteredMemory((count_bits + context_bits + 1,), ids)
        self.newer = newer = RegisteredMemory((count_bits,), ids)
        ends_newer = merging.map_newer[0]
        reads = [Signal() for _ in range(3)]
        self.comb += [
            older.adr.eq(at),
            newer.adr.eq(at),
            Cat(self.older_pages, self.owner, self.is_open).eq(older.dat_r),
            self.newer_pages.eq(newer.dat_r),
            older.write.adr.eq(Mux(ends_newer, merging.map_older, merging.map_newer)[1:]),
            older.write.dat_w.eq(
                Cat(
                    Mux(ends_newer, merging.older_pages, merging.newer_pages),
                    merging.map_owner,
                    merging.new_open,
                )
            ),
            older.write.we.eq(merging.maps & ~(ends_newer & merging.map_older[0])),
            newer.write.adr.eq(Mux(ends_newer, merging.map_newer, merging.map_older)[1:]),
            newer.write.dat_w.eq(Mux(ends_newer, merging.newer_pages, merging.older_pages)),
            newer.write.we.eq(merging.maps & (ends_newer | merging.map_older[0])),
            If(
                self.inserts | self.clear,
                newer.write.adr.eq(self.next_id),
                newer.write.dat_w.eq(0),
                newer.write.we.eq(1),
            ),
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
