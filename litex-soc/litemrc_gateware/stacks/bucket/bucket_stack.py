"""LRU positions estimated in hardware: one operation a clock, 9 bits a page."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Mux, Record, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.records import OpKind, PositionKind, check_sizes, op_layout, width_of
from litemrc_gateware.stacks.bucket.answers import ANSWERS, BucketAnswers
from litemrc_gateware.stacks.bucket.pages import BucketPages
from litemrc_gateware.stacks.bucket.renumbering import RENUMBER_DELAY, BucketRenumbering
from litemrc_gateware.stacks.bucket.sweep import LOOKUP, TOUCH
from litemrc_gateware.stacks.bucket.touch import BucketTouch
from litemrc_gateware.stacks.bucket.tree import BucketTree


class BucketStack(LiteXModule):
    """Pages stamped with the bucket they were last touched in; held bit-equal to hls/bucket_stack.

    An operation goes through these stages, one a clock:

    0 to 2. its page is read (`pages`)
    3 to 4. the word read is looked up: id of this generation and owner (`pages.ids`)
    5 (LOOKUP). validity, owner, and whether the bucket is the owner's open one (`touch`)
    6 (TOUCH). the owner's open bucket is brought up to date; it may close
    7 (WRITE). the page is written; the bucket's path in `tree` is read and changed

    Seven clocks later the position is known. Pages of operations in stages 1 to 7 are forwarded. The closing
    of a bucket costs a clock, in which the stages to TOUCH stand still and the tree takes the bucket in.

    Clocks from one operation to the next: 1; 2 behind one that closes a bucket; max(frames / 2, nodes of a
    level, 2 * ids) + about 10 for a clear, and as many after reset; ids used + new ids + about 40 for the
    operation that renumbering follows. Before it renumbers, the unit waits until the sweep of the last
    renumbering has met every page.

    Measured with 65,536 frames in 64 groups and a queue of 512: nothing is lost at 0.995 random accesses a
    clock (10 M of them, at most 365 wait), 0.4 % at 1. Worst are accesses to one bank only, which leave the
    sweep the clocks without an access: nothing is lost at 0.8 a clock, 4 % at 0.85. A bucket of few pages
    closes more often: the rate stays below 1 - 1 / its pages.

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
        self.sink = sink = stream.Endpoint(op_layout(frames, contexts))
        self.idle = Signal()

        # # #

        ids = 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY - 1).bit_length()
        id_bits, context_bits = width_of(ids), width_of(contexts)
        group_pages = frames // groups
        bucket_pages = (3 * group_pages + 3) // 4  # at which an open bucket closes
        self.pages = pages = BucketPages(frames, ids, contexts)
        self.tree = tree = BucketTree(frames, contexts, ids, group_pages)
        self.touch = touch = BucketTouch(ids, contexts, bucket_pages)
        self.renumbering = renumbering = BucketRenumbering(contexts, ids, group_pages)
        self.answers = answers = BucketAnswers(frames, groups, contexts, ids, bucket_pages, tree.latency)
        self.source = source = answers.source

        # Taking. `inserting`: the clock in which a bucket goes into the tree.
        inserting, takes, may_take, clears, clearing = (Signal() for _ in range(5))
        under_way, ahead = Signal(max=ANSWERS + 1), Signal(max=TOUCH + 2)  # taken; in stages 0 to TOUCH
        self.comb += [
            sink.ready.eq(may_take & ~inserting & ~clearing),
            takes.eq(sink.valid & sink.ready),
            pages.go.eq(~inserting),
            pages.frame.eq(sink.frame),
            pages.touch.eq(takes & ((sink.kind == OpKind.ACCESS) | (sink.kind == OpKind.INVALIDATE))),
        ]
        self.sync += [
            under_way.eq(under_way + takes - (source.valid & source.ready)),
            ahead.eq(ahead + takes - touch.acts),
            If(takes & (sink.kind == OpKind.CLEAR), clearing.eq(1)),
        ]
        stage_layout = [("valid", 1), ("kind", 2), ("context", context_bits), ("epoch_end", 1)]
        ops = [Record(stage_layout) for _ in range(TOUCH + 1)]  # by stage
        self.sync += If(
            ~inserting,
            ops[0].valid.eq(takes),
            *(getattr(ops[0], name).eq(getattr(sink, name)) for name in ("kind", "context", "epoch_end")),
            *(ops[n + 1].eq(ops[n]) for n in range(TOUCH)),
        )

        # Ids are given to a bucket that opens and to the new ones of a renumbering; a clear gives all. They
        # are in the tables a clock later.
        given, given_opens, given_anew = (Signal() for _ in range(3))
        given_word, given_owner = Signal(id_bits + 1), Signal(context_bits)
        self.sync += [
            given.eq(touch.closes | renumbering.inserts | clears),
            given_opens.eq(touch.closes | (renumbering.inserts & renumbering.is_open) | clears),
            given_anew.eq(touch.closes | clears),
            given_word[:-1].eq(renumbering.next_id),
            given_word[-1].eq(Mux(clears, renumbering.next_id[-1], pages.generation)),
            given_owner.eq(
                Mux(renumbering.inserts, renumbering.owner, Mux(clears, renumbering.next_id - 1, touch.owner))
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

        # Stages LOOKUP and TOUCH.
        op = ops[TOUCH]
        self.comb += [
            touch.go.eq(~inserting),
            touch.id.eq(pages.id),
            touch.page_owner.eq(pages.owner),
            touch.matches.eq(pages.matches),
            touch.context.eq(ops[LOOKUP].context),
            touch.valid.eq(op.valid),
            touch.kind.eq(op.kind),
            pages.new_id.eq(touch.new_id),
        ]

        # Into the tree: a page that leaves, a bucket that closed, or what renumbering asks for.
        inserted_id, inserted_pages = Signal(id_bits), Signal.like(tree.pages)
        self.sync += [
            inserting.eq(touch.closes | renumbering.inserts),
            inserted_id.eq(Mux(renumbering.inserts, renumbering.next_id, touch.open_id)),
            inserted_pages.eq(Mux(renumbering.inserts, renumbering.pages, bucket_pages)),
            tree.remove.eq(touch.removes),
            tree.insert.eq(inserting),
            tree.zero.eq(renumbering.zero),
            tree.id.eq(Mux(inserting, inserted_id, touch.page_id)),
            tree.owner.eq(Mux(inserting, given_owner, touch.owner)),
            tree.pages.eq(inserted_pages),
        ]

        # The answer, while the tree is at work.
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
            answers.id.eq(tree.id),
            answers.count.eq(tree.count),
            answers.newer.eq(tree.newer),
            answers.front.forget.eq(renumbering.done),
            answers.front.clear.eq(clears),
        ]

        # Renumbering.
        self.comb += [
            renumbering.ends.eq(touch.acts),
            renumbering.takes_id.eq(touch.closes),
            renumbering.clear.eq(clears),
            renumbering.asked_id.eq(tree.id),
            renumbering.asked_owner.eq(tree.owner),
            renumbering.count.eq(tree.count),
            pages.ask.eq(renumbering.scans),
            pages.asked_id.eq(renumbering.scan_id),
            pages.ids.map.eq(renumbering.maps),
            pages.ids.map_word.eq(Cat(renumbering.map_id, pages.generation)),
            pages.ids.map_id.eq(renumbering.new_id),
            pages.ids.map_owner.eq(renumbering.map_owner),
            pages.flip.eq(renumbering.flips),
        ]
        self.sync += renumbering.asked_open.eq(touch.is_open)

        # Control.
        words_to_clear = max(frames // 2, tree.nodes, 2 * ids)
        count, drained = Signal(max=words_to_clear), Signal()
        self.comb += [
            drained.eq((ahead == 0) & ~inserting),
        ]
        self.sync += [
            pages.zero.eq(clears),
            pages.zero_row.eq(count),
            tree.clear.eq(clears),
            tree.clear_adr.eq(count),
        ]
        self.fsm = fsm = FSM(reset_state="CLEAR")
        fsm.act(
            "CLEAR",
            clears.eq(1),
            NextValue(may_take, 0),  # the last rows are written some clocks later
            NextValue(count, count + 1),
            If(
                count == words_to_clear - 1,
                NextValue(clearing, 0),
                NextState("RUN"),
            ),
        )
        fsm.act(
            "RUN",
            self.idle.eq(under_way == 0),
            NextValue(
                may_take,
                (under_way < ANSWERS - 4) & (~renumbering.waits | (~may_take & (ahead < renumbering.last))),
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
