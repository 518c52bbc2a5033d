# SPDX-License-Identifier: BSD-2-Clause
"""The middle of bucket_stack: an operation's effect on its page's bucket and on its owner's open id."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import C, Cat, If, Mux, Record, Replicate, Signal, bits_for

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import OpKind, width_of
from litemrc_gateware.stacks.bucket.sweep import WRITE


class BucketTouch(LiteXModule):
    """Stages LOOKUP and TOUCH of an operation, and the open id of each context, of one or two buckets.

    LOOKUP determines whether the page's bucket is of its owner's open id. An operation in TOUCH may still
    close that id; it updates the operations in earlier stages a cycle later, in which they stall. The id that
    opens then has no pages. If only its older bucket fills up, the newer one follows without a stall.

    Parameters
    ----------
    ids, contexts : int
        powers of two.
    closing_pages : int
        at which a bucket closes.

    Attributes
    ----------
    go : Signal, in
        0: both stages stall; an id that is given then is one that opens.
    bucket, page_owner, page_valid, page_owned, matches : Signal, in
        stage LOOKUP: the page, from BucketPages.
    claims, context : Signal, in
        stage LOOKUP: the operation is a claim; its context, or the running one.
    valid, kind : Signal, in
        stage TOUCH: there is an operation, and which.
    acts, is_access, hits, owner : Signal, out
        stage TOUCH: the operation proceeds; it is an access; its page was valid; the owner of its stack.
    page_bucket, is_open : Signal, out
        stage TOUCH: the page's bucket, and whether it is of the open id.
    open_id, open_pages : Signal, out
        stage TOUCH: the open id of `owner` and its pages before the operation.
    older_pages : Signal, out
        stage TOUCH, with `closes`: pages in the older bucket of the open id, after the operation.
    new_bucket : Signal, out
        stage TOUCH: the page's bucket after the operation, or its claim; 0: neither.
    removes, closes : Signal, out
        stage TOUCH, strobes: the page leaves a closed bucket; the open id is full.
    give, given_id, given_owner : Signal, in
        strobe: the open id of a context becomes this one.
    empty : Signal, in
        strobe: the open id of `given_owner` has no pages. `go` must be 0, or no operation in TOUCH.
    """

    def __init__(self, ids: int, contexts: int, closing_pages: int) -> None:
        id_bits, context_bits, count_bits = width_of(ids), width_of(contexts), bits_for(closing_pages)
        self.go, self.valid, self.kind = Signal(), Signal(), Signal(2)
        self.bucket, self.page_owner, self.matches = Signal(id_bits + 1), Signal(context_bits), Signal(WRITE)
        self.page_valid, self.page_owned = Signal(), Signal()
        self.claims, self.context = Signal(), Signal(context_bits)
        self.acts, self.is_access, self.hits, self.owner = Signal(), Signal(), Signal(), Signal(context_bits)
        self.page_bucket, self.is_open, self.open_id = Signal(id_bits + 1), Signal(), Signal(id_bits)
        self.open_pages, self.older_pages = Signal(bits_for(2 * closing_pages)), Signal(count_bits)
        self.new_bucket = Signal(id_bits + 1)
        self.removes, self.closes = Signal(), Signal()
        self.give, self.given_id, self.given_owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.empty = Signal()

        # # #

        open_ids = [SimpleDualPort(id_bits, 1 << context_bits, async_read=True) for _ in range(2)]
        self.looked_up, self.touched_ids = open_ids  # two copies, because a memory has one read port
        # Of the newest bucket: its pages, whether one more fills it (no comparison is on the path to
        # `closes`), and whether it is the newer one of the open id; then the pages of the id.
        layout = [("pages", count_bits), ("one_left", 1), ("is_newer", 1), ("both", len(self.open_pages))]
        now, then = Record(layout), Record(layout)
        self.counts = counts = SimpleDualPort(len(now.raw_bits()), 1 << context_bits, async_read=True)
        for memory in open_ids:
            self.comb += [
                memory.write.adr.eq(self.given_owner),
                memory.write.dat_w.eq(self.given_id),
                memory.write.we.eq(self.give),
            ]

        # State of the pages after the operations in stage TOUCH and later stages, youngest first.
        layout = [("valid", 1), ("owned", 1), ("is_open", 1), ("owner", context_bits)]
        layout += [("bucket", id_bits + 1)]
        touched = [Record(layout) for _ in range(WRITE + 1)]
        claimed, new_owner = Signal(), Signal(context_bits)  # of the page in stage TOUCH
        self.comb += [
            touched[0].valid.eq(self.is_access),
            touched[0].owned.eq(self.is_access | claimed),
            touched[0].is_open.eq(self.is_access),
            touched[0].owner.eq(new_owner),
            touched[0].bucket.eq(Cat(now.is_newer, self.open_id)),
        ]
        self.sync += If(
            self.go,
            *(touched[n + 1].eq(touched[n]) for n in range(WRITE)),
        ).Else(
            *(If(past.owner == self.given_owner, past.is_open.eq(0)) for past in touched[1:]),
        )

        # Stage LOOKUP: the page as the last operation on it left it, else as it was read.
        valid, owned, is_open, owner, is_newer = Signal(), Signal(), Signal(), Signal(context_bits), Signal()
        past = [Cat(page.valid, page.owned, page.is_open, page.owner, page.bucket[0]) for page in touched]
        self.comb += [
            self.looked_up.read.adr.eq(self.page_owner),
            If(
                self.matches == 0,
                valid.eq(self.page_valid),
                owned.eq(self.page_owned),
                is_open.eq(self.page_valid & (self.bucket[1:] == self.looked_up.read.dat_r)),
                owner.eq(self.page_owner),
                is_newer.eq(self.bucket[0]),
            ).Else(
                Cat(valid, owned, is_open, owner, is_newer).eq(_chosen(self.matches, past)),
            ),
        ]

        # Stage TOUCH.
        was_valid, was_newer, read_bucket, matches = Signal(), Signal(), Signal(id_bits + 1), Signal(WRITE)
        self.sync += If(
            self.go,
            was_valid.eq(valid),
            was_newer.eq(is_newer),
            self.is_open.eq(is_open),
            self.owner.eq(Mux(owned, owner, self.context)),
            new_owner.eq(Mux(owned & ~self.claims, owner, self.context)),
            claimed.eq(self.claims),
            read_bucket.eq(self.bucket),
            matches.eq(self.matches),
        ).Elif(
            self.owner == self.given_owner,
            self.is_open.eq(0),
        )
        joins, leaves, fills, touches, claim_id = Signal(), Signal(), Signal(), Signal(), Signal(id_bits)
        in_newest, enters, gone = Signal(), Signal(), Signal()
        past_buckets = [page.bucket for page in touched[1:]]
        self.comb += [
            self.touched_ids.read.adr.eq(self.owner),
            self.open_id.eq(self.touched_ids.read.dat_r),
            counts.read.adr.eq(self.owner),
            now.raw_bits().eq(counts.read.dat_r),
            self.open_pages.eq(now.both),
            self.page_bucket.eq(Mux(matches == 0, read_bucket, _chosen(matches, past_buckets))),
            self.acts.eq(self.valid & self.go),
            self.is_access.eq(self.kind == OpKind.ACCESS),
            self.hits.eq(self.is_access & was_valid),
            touches.eq(self.is_access | (self.kind == OpKind.INVALIDATE)),
            in_newest.eq(self.is_open & (was_newer == now.is_newer)),
            joins.eq(self.is_access & ~in_newest),
            leaves.eq(touches & ~self.is_access & in_newest),
            fills.eq(joins & now.one_left),
            self.removes.eq(self.acts & touches & was_valid & ~self.is_open),
            self.closes.eq(self.acts & fills & now.is_newer),
            self.older_pages.eq(then.both - closing_pages),
            claim_id.eq((ids - contexts) | (new_owner & (contexts - 1))),
            self.new_bucket.eq(
                Mux(self.is_access, touched[0].bucket, Mux(claimed, Cat(C(0, 1), claim_id), 0))
            ),
            counts.write.adr.eq(Mux(self.empty, self.given_owner, self.owner)),
            then.pages.eq(now.pages + Cat(joins | leaves, Replicate(leaves, count_bits))),  # +1, -1 or 0
            # After a page has left, at least two places are left.
            then.one_left.eq(Mux(joins, now.pages == max(closing_pages - 2, 0), now.one_left & ~leaves)),
            then.is_newer.eq(now.is_newer),
            enters.eq(self.is_access & ~self.is_open),
            gone.eq(touches & ~self.is_access & self.is_open),
            then.both.eq(now.both + Cat(enters | gone, Replicate(gone, len(now.both)))),
            If(
                fills,  # the newer bucket follows
                then.pages.eq(0),
                then.one_left.eq(closing_pages == 1),
                then.is_newer.eq(1),
            ),
            counts.write.dat_w.eq(Mux(self.empty, int(closing_pages == 1) << count_bits, then.raw_bits())),
            counts.write.we.eq(self.empty | (self.acts & touches)),
        ]


def _chosen(select: Signal, values: list):
    """The value whose bit of `select` is set; 0 if none is. There are no two."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(select, values, strict=False)))
