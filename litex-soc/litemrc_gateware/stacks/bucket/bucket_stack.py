# SPDX-License-Identifier: BSD-2-Clause
"""LRU positions estimated in hardware: one operation a cycle, 10 bits a page."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import C, Cat, If, Mux, Record, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.records import OpKind, PositionKind, check_sizes, op_layout, width_of
from litemrc_gateware.stacks.bucket.answers import ANSWERS, BucketAnswers
from litemrc_gateware.stacks.bucket.pages import BucketPages, is_claim
from litemrc_gateware.stacks.bucket.renumbering import RENUMBER_DELAY, BucketRenumbering
from litemrc_gateware.stacks.bucket.sweep import LOOKUP, TOUCH
from litemrc_gateware.stacks.bucket.touch import BucketTouch
from litemrc_gateware.stacks.bucket.tree import BucketTree


class BucketStack(LiteXModule):
    """Stamps each page with the bucket of its last touch; bit-identical to hls/bucket_stack.

    An id has two buckets, an older and a newer one, of at most half a group of pages each. Id 0 is an invalid
    page. The last `contexts` ids are given to no buckets: a page with id `ids` - `contexts` + c is invalid
    and claimed by context c. They are the same in every generation.

    An operation takes one cycle in each of these stages:

    0 to 2. its page is read (`pages`)
    3 to 4. the word read is looked up: bucket of this generation and owner (`pages.ids`)
    5 (LOOKUP). validity, owner, and whether the bucket is of the owner's open id (`touch`)
    6 (TOUCH). the owner's open id is updated; it may close
    7 (WRITE). the page is written; the id's path in `tree` is read and changed

    The position is known seven cycles later. Pages of operations in stages 1 to 7 are forwarded. Closing an
    id costs a cycle, in which the stages up to TOUCH stall and the id is inserted into the tree.

    Cycles from one operation to the next:

    - 1; 2 after an operation that closes an id;
    - max(frames / 2, ids * contexts, 2 * ids) + about 10 for a clear, and the same after reset;
    - ids used + new ids + about 40 for the operation before a renumbering. A renumbering waits until the
      sweep of the previous one has rewritten every page.

    Measured with 65,536 frames in 64 groups and a queue of 512: no access is dropped at 0.995 random accesses
    a cycle (3 M of them, at most 379 wait), 0.4 % at 1. The worst case is accesses to one bank only, where
    the sweep gets only cycles without an access: none is dropped at 0.79 a cycle, 5 % at 0.85. Ids of few
    pages close more often: the rate stays below 1 - 1 / pages of an id.

    Parameters
    ----------
    frames, groups, contexts : int
        powers of two; groups from 2 to frames. A group holds frames / groups pages.

    Attributes
    ----------
    sink : stream.Endpoint(op_layout), in
        operations; `context` must be below `contexts`.
    source : stream.Endpoint(position_layout), out
        one position for every operation, in order.
    idle : Signal, out
        1 when every operation taken is done and its position has been taken.
    """

    def __init__(self, frames: int, groups: int, contexts: int) -> None:
        check_sizes(frames, groups, contexts)
        self.sink = stream.Endpoint(op_layout(frames, contexts))
        self.idle = Signal()

        # # #

        ids = 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY + contexts - 1).bit_length()
        self.contexts = contexts
        bucket_pages = max(1, frames // groups // 2)
        self.closing_pages = closing_pages = (3 * bucket_pages + 3) // 4  # a bucket of that size closes
        self.pages = BucketPages(frames, ids, contexts)
        self.tree = tree = BucketTree(frames, contexts, ids, bucket_pages)
        self.touch = BucketTouch(ids, contexts, closing_pages)
        self.renumbering = BucketRenumbering(contexts, ids, bucket_pages)
        self.answers = answers = BucketAnswers(
            frames, groups, contexts, ids, bucket_pages, closing_pages, tree.latency
        )
        self.source = answers.source

        # In this cycle an id is inserted into the tree; the stages up to TOUCH stall.
        self.inserting = Signal()
        # An operation may be taken; a clear waits until the pipeline is empty, then `clears`.
        self.may_take = Signal()
        self.clearing = Signal()
        self.clears = Signal()
        # Operations taken and not yet answered; those of them in stages 0 to TOUCH.
        self.under_way = Signal(max=ANSWERS + 1)
        self.ahead = Signal(max=TOUCH + 2)
        # The context that the id given in this cycle belongs to.
        self.given_owner = Signal(width_of(contexts))
        # The tree of which a clear zeroes paths.
        self.cleared_tree = Signal(width_of(contexts))

        ops = self._add_taking()
        self._add_ids()
        self._add_touch(ops)
        self._add_tree_input()
        self._add_answers(ops[TOUCH])
        self._add_renumbering()
        self._add_control(words_to_clear=max(frames // 2, ids << width_of(contexts), 2 * ids))

    def _add_taking(self):
        """Take operations and read their pages; returns the operations in stages 0 to TOUCH, by stage."""
        sink, source, pages = self.sink, self.source, self.pages
        takes, inserting = Signal(), self.inserting
        self.comb += [
            sink.ready.eq(self.may_take & ~inserting & ~self.clearing),
            takes.eq(sink.valid & sink.ready),
            pages.go.eq(~inserting),
            pages.frame.eq(sink.frame),
            pages.touch.eq(takes & ((sink.kind == OpKind.ACCESS) | (sink.kind == OpKind.INVALIDATE))),
        ]
        self.sync += [
            self.under_way.eq(self.under_way + takes - (source.valid & source.ready)),
            self.ahead.eq(self.ahead + takes - self.touch.acts),
            If(takes & (sink.kind == OpKind.CLEAR), self.clearing.eq(1)),
        ]
        stage_layout = [("valid", 1), ("kind", 2), ("context", len(sink.context)), ("epoch_end", 1)]
        ops = [Record([*stage_layout, ("claims", 1)]) for _ in range(TOUCH + 1)]
        self.sync += If(
            ~inserting,
            ops[0].valid.eq(takes),
            ops[0].claims.eq((sink.kind == OpKind.INVALIDATE) & sink.write),
            *(getattr(ops[0], name).eq(getattr(sink, name)) for name in ("kind", "context", "epoch_end")),
            *(ops[n + 1].eq(ops[n]) for n in range(TOUCH)),
        )
        return ops

    def _add_ids(self):
        """Give an id that opens and each new one of a renumbering; a clear gives all ids.

        The clear gives id 1 + c to context c, where it opens, and the last ids to the claims.

        The tables hold it a cycle later.
        """
        pages, touch, renumbering, clears = self.pages, self.touch, self.renumbering, self.clears
        given, given_opens, given_anew = (Signal() for _ in range(3))
        given_word, given_owner = Signal(len(renumbering.next_id)), self.given_owner
        cleared_owner, next_id = Signal.like(given_owner), renumbering.next_id[:-1]
        self.comb += cleared_owner.eq(
            Mux(is_claim(next_id, self.contexts), next_id & (self.contexts - 1), next_id - 1)
        )
        self.sync += [
            given.eq(touch.closes | renumbering.inserts | clears),
            given_opens.eq(touch.closes | (renumbering.inserts & renumbering.is_open) | clears),
            given_anew.eq(touch.closes | clears),
            given_word[:-1].eq(renumbering.next_id),
            given_word[-1].eq(Mux(clears, renumbering.next_id[-1], pages.generation)),
            given_owner.eq(
                Mux(renumbering.inserts, renumbering.owner, Mux(clears, cleared_owner, touch.owner))
            ),
        ]
        self.comb += [
            pages.ids.give.eq(given),
            pages.ids.given_word.eq(given_word),
            pages.ids.given_owner.eq(given_owner),
            touch.give.eq(given_opens),
            touch.given_id.eq(given_word),
            touch.given_owner.eq(given_owner),
            touch.empty.eq(given_anew),
        ]

    def _add_touch(self, ops):
        """Stages LOOKUP and TOUCH: find the page's bucket and update its owner's open id."""
        pages, touch = self.pages, self.touch
        self.comb += [
            touch.go.eq(~self.inserting),
            touch.bucket.eq(pages.bucket),
            touch.page_owner.eq(pages.owner),
            touch.page_valid.eq(pages.valid),
            touch.page_owned.eq(pages.owned),
            touch.matches.eq(pages.matches),
            touch.context.eq(ops[LOOKUP].context),
            touch.claims.eq(ops[LOOKUP].claims),
            touch.valid.eq(ops[TOUCH].valid),
            touch.kind.eq(ops[TOUCH].kind),
            pages.new_bucket.eq(touch.new_bucket),
        ]

    def _add_tree_input(self):
        """Into the tree go a page that leaves, a closed id, or a request of the renumbering.

        A clear zeroes the path of each id in one tree after the other.
        """
        tree, touch, renumbering, inserting = self.tree, self.touch, self.renumbering, self.inserting
        clearing, takes_inserted = Signal(), Signal()
        inserted_id = Signal.like(touch.open_id)
        older, newer = (Signal(len(tree.older_pages), reset_less=True) for _ in range(2))
        self.comb += takes_inserted.eq(inserting | clearing)
        self.sync += [
            inserting.eq(touch.closes | renumbering.inserts),
            clearing.eq(self.clears),
            inserted_id.eq(Mux(renumbering.inserts | self.clears, renumbering.next_id, touch.open_id)),
            tree.remove.eq(touch.removes),
            tree.insert.eq(inserting),
            tree.zero.eq(renumbering.zero),
            tree.clear.eq(clearing),
            tree.bucket.eq(Mux(takes_inserted, Cat(C(0, 1), inserted_id), touch.page_bucket)),
            tree.owner.eq(Mux(clearing, self.cleared_tree, Mux(inserting, self.given_owner, touch.owner))),
            older.eq(Mux(renumbering.inserts, renumbering.older_pages, touch.older_pages)),
            newer.eq(Mux(renumbering.inserts, renumbering.newer_pages, self.closing_pages)),
            tree.older_pages.eq(older),
            tree.newer_pages.eq(newer),
            tree.pages.eq(older + newer),
        ]

    def _add_answers(self, op):
        """Ask for the answer to the operation in stage TOUCH, which is completed while the tree works."""
        answers, tree, touch = self.answers, self.tree, self.touch
        self.comb += [
            answers.asked.valid.eq(touch.acts),
            answers.asked.kind.eq(PositionKind.NONE),
            answers.asked.epoch_end.eq(op.epoch_end),
            answers.asked.hits_closed.eq(touch.acts & touch.hits & ~touch.is_open),
            answers.asked.open_pages.eq(touch.open_pages),
            If(
                touch.is_access,
                answers.asked.kind.eq(Mux(touch.hits, PositionKind.HIT, PositionKind.MISS)),
                answers.asked.owner.eq(touch.owner),
            ).Elif(
                op.kind == OpKind.CLEAR,
                answers.asked.kind.eq(PositionKind.CLEAR),
            ),
            answers.bucket.eq(tree.bucket),
            answers.older_count.eq(tree.older_count),
            answers.newer_count.eq(tree.newer_count),
            answers.newer.eq(tree.newer),
            answers.front.forget.eq(self.renumbering.done),
            answers.front.clear.eq(self.clears),
        ]

    def _add_renumbering(self):
        """Connect the renumbering to the pipeline, which looks up old ids, and to the tables it rewrites."""
        pages, tree, touch, renumbering = self.pages, self.tree, self.touch, self.renumbering
        self.comb += [
            renumbering.ends.eq(touch.acts),
            renumbering.takes_id.eq(touch.closes),
            renumbering.clear.eq(self.clears),
            renumbering.asked_id.eq(tree.bucket[1:]),
            renumbering.asked_owner.eq(tree.owner),
            renumbering.older_count.eq(tree.older_count),
            renumbering.newer_count.eq(tree.newer_count),
            pages.ask.eq(renumbering.scans),
            pages.asked_id.eq(renumbering.scan_id),
            pages.ids.map.eq(renumbering.maps),
            pages.ids.map_word.eq(Cat(renumbering.map_id, pages.generation)),
            pages.ids.map_older.eq(renumbering.map_older),
            pages.ids.map_newer.eq(renumbering.map_newer),
            pages.ids.map_owner.eq(renumbering.map_owner),
            pages.flip.eq(renumbering.flips),
        ]
        self.sync += renumbering.asked_open.eq(touch.is_open)

    def _add_control(self, words_to_clear):
        """Clear all memories after reset and for a clear; else run, or drain the pipeline and renumber."""
        pages, renumbering = self.pages, self.renumbering
        may_take, ahead, clearing = self.may_take, self.ahead, self.clearing
        count, drained = Signal(max=words_to_clear), Signal()  # `ids` cycles for each tree
        self.comb += drained.eq((ahead == 0) & ~self.inserting)
        self.sync += [
            pages.zero.eq(self.clears),
            pages.zero_row.eq(count),
        ]
        self.comb += self.cleared_tree.eq(count[len(renumbering.scan_id) :])
        self.fsm = fsm = FSM(reset_state="CLEAR")
        fsm.act(
            "CLEAR",
            self.clears.eq(1),
            NextValue(may_take, 0),  # the last rows are written some cycles later
            NextValue(count, count + 1),
            If(
                count == words_to_clear - 1,
                NextValue(clearing, 0),
                NextState("RUN"),
            ),
        )
        fsm.act(
            "RUN",
            self.idle.eq(self.under_way == 0),
            NextValue(
                may_take,
                (self.under_way < ANSWERS - 4)
                & (~renumbering.waits | (~may_take & (ahead < renumbering.last))),
            ),
            If(
                drained & clearing,
                renumbering.restart.eq(1),
                NextState("CLEAR"),
            ).Elif(
                drained & renumbering.waits & (renumbering.last == 0) & pages.swept,
                renumbering.start.eq(1),
                NextState("RENUMBER"),
            ),
        )
        fsm.act("RENUMBER", If(renumbering.done, NextState("RUN")))
