# SPDX-License-Identifier: BSD-2-Clause
"""The middle of bucket_stack: an operation's effect on its page's bucket and on its owner's open bucket."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Signal, bits_for

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import OpKind, width_of
from litemrc_gateware.stacks.bucket.sweep import WRITE


class BucketTouch(LiteXModule):
    """Stages LOOKUP and TOUCH of an operation, and the open bucket of each context.

    LOOKUP determines whether the page's bucket is its owner's open one. An operation in TOUCH may still close
    that bucket; it updates the operations in earlier stages a cycle later, in which they stall. The bucket
    that opens then is empty.

    Parameters
    ----------
    ids, contexts : int
        powers of two.
    bucket_pages : int
        at which an open bucket closes.

    Attributes
    ----------
    go : Signal, in
        0: both stages stall; an id that is given then is that of a bucket that opens.
    id, page_owner, page_valid, page_owned, matches : Signal, in
        stage LOOKUP: the page, from BucketPages.
    claims, context : Signal, in
        stage LOOKUP: the operation is a claim; its context, or the running one.
    valid, kind : Signal, in
        stage TOUCH: there is an operation, and which.
    acts, is_access, hits, owner : Signal, out
        stage TOUCH: the operation proceeds; it is an access; its page was valid; the owner of its stack.
    page_id, is_open : Signal, out
        stage TOUCH: the page's bucket, and whether it is open.
    open_id, open_pages : Signal, out
        stage TOUCH: the open bucket of `owner` before the operation.
    new_id : Signal, out
        stage TOUCH: the page's bucket after the operation, or its claim; 0: neither.
    removes, closes : Signal, out
        stage TOUCH, strobes: the page leaves a closed bucket; the open bucket is full.
    give, given_id, given_owner : Signal, in
        strobe: the open bucket of a context gets this id.
    empty : Signal, in
        strobe: the open bucket of `given_owner` has no pages. `go` must be 0, or no operation in TOUCH.
    """

    def __init__(self, ids: int, contexts: int, bucket_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(bucket_pages)
        self.go, self.valid, self.kind = Signal(), Signal(), Signal(2)
        self.id, self.page_owner, self.matches = Signal(id_bits), Signal(context_bits), Signal(WRITE)
        self.page_valid, self.page_owned = Signal(), Signal()
        self.claims, self.context = Signal(), Signal(context_bits)
        self.acts, self.is_access, self.hits, self.owner = Signal(), Signal(), Signal(), Signal(context_bits)
        self.page_id, self.is_open, self.open_id = Signal(id_bits), Signal(), Signal(id_bits)
        self.open_pages, self.new_id = Signal(count_bits), Signal(id_bits)
        self.removes, self.closes = Signal(), Signal()
        self.give, self.given_id, self.given_owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.empty = Signal()

        # # #

        open_ids = [SimpleDualPort(id_bits, 1 << context_bits, async_read=True) for _ in range(2)]
        self.looked_up, self.touched_ids = open_ids  # two copies, because a memory has one read port
        # Pages, and whether one more fills the bucket: no comparison is on the path to `closes`.
        self.counts = counts = SimpleDualPort(count_bits + 1, 1 << context_bits, async_read=True)
        for memory in open_ids:
            self.comb += [
                memory.write.adr.eq(self.given_owner),
                memory.write.dat_w.eq(self.given_id),
                memory.write.we.eq(self.give),
            ]

        # State of the pages after the operations in stage TOUCH and later stages, youngest first.
        layout = [("valid", 1), ("owned", 1), ("is_open", 1), ("owner", context_bits), ("id", id_bits)]
        touched = [Record(layout) for _ in range(WRITE + 1)]
        claimed, new_owner = Signal(), Signal(context_bits)  # of the page in stage TOUCH
        self.comb += [
            touched[0].valid.eq(self.is_access),
            touched[0].owned.eq(self.is_access | claimed),
            touched[0].is_open.eq(self.is_access),
            touched[0].owner.eq(new_owner),
            touched[0].id.eq(self.open_id),
        ]
        self.sync += If(
            self.go,
            *(touched[n + 1].eq(touched[n]) for n in range(WRITE)),
        ).Else(
            *(If(past.owner == self.given_owner, past.is_open.eq(0)) for past in touched[1:]),
        )

        # Stage LOOKUP: the page as the last operation on it left it, else as it was read.
        valid, owned, is_open, owner = Signal(), Signal(), Signal(), Signal(context_bits)
        past = [Cat(page.valid, page.owned, page.is_open, page.owner) for page in touched]
        self.comb += [
            self.looked_up.read.adr.eq(self.page_owner),
            If(
                self.matches == 0,
                valid.eq(self.page_valid),
                owned.eq(self.page_owned),
                is_open.eq(self.page_valid & (self.id == self.looked_up.read.dat_r)),
                owner.eq(self.page_owner),
            ).Else(
                Cat(valid, owned, is_open, owner).eq(_chosen(self.matches, past)),
            ),
        ]

        # Stage TOUCH.
        was_valid, read_id, matches = Signal(), Signal(id_bits), Signal(WRITE)
        self.sync += If(
            self.go,
            was_valid.eq(valid),
            self.is_open.eq(is_open),
            self.owner.eq(Mux(owned, owner, self.context)),
            new_owner.eq(Mux(owned & ~self.claims, owner, self.context)),
            claimed.eq(self.claims),
            read_id.eq(self.id),
            matches.eq(self.matches),
        ).Elif(
            self.owner == self.given_owner,
            self.is_open.eq(0),
        )
        joins, leaves, touches, claim_id = Signal(), Signal(), Signal(), Signal(id_bits)
        one_left, pages_then, one_left_then = Signal(), Signal(count_bits), Signal()
        past_ids = [page.id for page in touched[1:]]
        self.comb += [
            self.touched_ids.read.adr.eq(self.owner),
            self.open_id.eq(self.touched_ids.read.dat_r),
            counts.read.adr.eq(self.owner),
            Cat(self.open_pages, one_left).eq(counts.read.dat_r),
            self.page_id.eq(Mux(matches == 0, read_id, _chosen(matches, past_ids))),
            self.acts.eq(self.valid & self.go),
            self.is_access.eq(self.kind == OpKind.ACCESS),
            self.hits.eq(self.is_access & was_valid),
            touches.eq(self.is_access | (self.kind == OpKind.INVALIDATE)),
            joins.eq(self.is_access & ~self.is_open),
            leaves.eq(touches & ~self.is_access & self.is_open),
            self.removes.eq(self.acts & touches & was_valid & ~self.is_open),
            self.closes.eq(self.acts & joins & one_left),
            claim_id.eq((ids - contexts) | (new_owner & (contexts - 1))),
            self.new_id.eq(Mux(self.is_access, self.open_id, Mux(claimed, claim_id, 0))),
            counts.write.adr.eq(Mux(self.empty, self.given_owner, self.owner)),
            pages_then.eq(self.open_pages + joins - leaves),
            # After a page has left, at least two places are left.
            one_left_then.eq(Mux(joins, self.open_pages == max(bucket_pages - 2, 0), one_left & ~leaves)),
            counts.write.dat_w.eq(
                Mux(self.empty, int(bucket_pages == 1) << count_bits, Cat(pages_then, one_left_then))
            ),
            counts.write.we.eq(self.empty | (self.acts & touches)),
        ]


def _chosen(select: Signal, values: list):
    """The value whose bit of `select` is set; 0 if none is. There are no two."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(select, values, strict=False)))
