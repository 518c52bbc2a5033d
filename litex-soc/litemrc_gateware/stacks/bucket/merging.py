"""The merging of bucket_stack: assigns each old bucket's pages to a new bucket, one id a cycle."""

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal, bits_for

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of


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
