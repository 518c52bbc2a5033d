"""LRU positions estimated in hardware: one operation a clock, 9 bits a page."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.bucket_answers import ANSWERS, BucketAnswers
from litemrc_gateware.bucket_pages import STAGES, BucketPages
from litemrc_gateware.bucket_renumbering import RENUMBER_DELAY, BucketRenumbering
from litemrc_gateware.bucket_tree import BucketTree
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import OpKind, PositionKind, check_sizes, op_layout, position_layout, width_of


class BucketStack(LiteXModule):
    """Pages stamped with the bucket they were last touched in; held bit-equal to hls/bucket_stack.

    An operation goes through these stages, one a clock:

    0. taken; its page is read (`pages`)
    1. the page's word is registered
    2. the word is mapped to an id of this generation
    3. the bucket's owner is looked up
    4. the owner's open bucket and its count are read and brought up to date, the page is written
    5. the bucket's path in `tree` is read and changed; some clocks later the position is known

    Pages of operations that are in stages 1 to 4 are forwarded. The closing of a bucket costs a clock, in
    which the stages up to 4 stand still and the tree takes the bucket in.

    Clocks from one operation to the next: 1; 2 behind one that closes a bucket; max(frames / 2, nodes of a
    level) + about 8 for a clear, and as many after reset; ids used + new ids + about 10, at most 2 * ids,
    for the operation that renumbering follows. Before it renumbers, the unit waits until the sweep of the
    last renumbering has met every page.

    Measured with 65,536 frames in 64 groups and a queue of 512: nothing is lost at 0.995 random accesses a
    clock, 0.4 % at 1. Worst are accesses to one bank only, which leave the sweep the clocks without an
    access: nothing is lost at 0.8 a clock, 4 % at 0.85. A bucket of few pages closes more often: the rate
    stays below 1 - 1 / its pages.

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
        self.source = source = stream.Endpoint(position_layout(groups, contexts))
        self.idle = Signal()

        # # #

        ids = 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY - 1).bit_length()
        id_bits, context_bits, pages_bits = width_of(ids), width_of(contexts), width_of(frames) + 1
        group_pages = frames // groups
        bucket_pages = (3 * group_pages + 3) // 4  # at which an open bucket closes
        self.pages = pages = BucketPages(frames, ids)
        self.tree = tree = BucketTree(frames, contexts, ids)
        self.renumbering = renumbering = BucketRenumbering(frames, contexts, ids, group_pages)
        self.owners = owners = SimpleDualPort(context_bits, ids, async_read=True)
        context_layout = [
            ("open_id", id_bits),
            ("open_pages", pages_bits),
        ]
        new_context, context = Record(context_layout), Record(context_layout)
        self.contexts = table = SimpleDualPort(len(context.raw_bits()), 1 << context_bits, async_read=True)
        self.comb += [context.raw_bits().eq(table.read.dat_r), table.write.dat_w.eq(new_context.raw_bits())]

        # Stage 0. `inserting`: the clock in which a bucket that closed goes into the tree.
        inserting, takes, may_take, clearing = Signal(), Signal(), Signal(), Signal()
        under_way, ahead = Signal(max=ANSWERS + 1), Signal(max=STAGES + 2)  # taken; in stages 1 to 4
        self.comb += [
            pages.go.eq(~inserting),
            sink.ready.eq(
                may_take
                & ~inserting
                & ~clearing
                & (under_way != ANSWERS)
                & (~renumbering.waits | (ahead < renumbering.last))
            ),
            takes.eq(sink.valid & sink.ready),
            pages.frame.eq(sink.frame),
            pages.touch.eq(takes & ((sink.kind == OpKind.ACCESS) | (sink.kind == OpKind.INVALIDATE))),
        ]
        stage_layout = [("valid", 1), ("kind", 2), ("context", context_bits), ("epoch_end", 1)]
        ops = [Record(stage_layout) for _ in range(STAGES + 1)]  # by stage
        self.comb += [
            ops[0].valid.eq(takes),
            *(getattr(ops[0], name).eq(getattr(sink, name)) for name in ("kind", "context", "epoch_end")),
        ]
        self.sync += If(~inserting, *(ops[n + 1].eq(ops[n]) for n in range(STAGES)))

        # Stage 3: valid and owner, of the youngest operation before that touched the page if there is one.
        valid, is_access, owner, matches = Signal(), Signal(), Signal(context_bits), Signal(STAGES)  # stage 4
        touched_layout = [("is_access", 1), ("owner", context_bits), ("id", id_bits)]
        touched = [
            Record(touched_layout) for _ in range(STAGES)
        ]  # by those that left stage 4, youngest first
        found_valid, found_owner = Signal(), Signal(context_bits)
        before = [(is_access, owner), *((past.is_access, past.owner) for past in touched[:-1])]
        self.comb += [found_valid.eq(pages.id != 0), found_owner.eq(owners.read.dat_r)]
        for match, (was_access, its_owner) in reversed(list(zip(pages.matches, before, strict=True))):
            self.comb += If(match, found_valid.eq(was_access), found_owner.eq(its_owner))
        page_id, read_id = Signal(id_bits), Signal(id_bits)
        self.sync += If(
            ~inserting,
            valid.eq(found_valid),
            owner.eq(Mux(found_valid, found_owner, ops[3].context)),
            matches.eq(pages.matches),
            read_id.eq(pages.id),
        )

        # Stage 4: the page's bucket, and its owner's open one.
        acts, is_open, joins, leaves, closes, hits_closed = (Signal() for _ in range(6))
        op = ops[STAGES]
        self.comb += page_id.eq(read_id)
        for match, past in reversed(list(zip(matches, touched, strict=True))):
            self.comb += If(match, page_id.eq(past.id))
        self.comb += [
            acts.eq(op.valid & ~inserting),
            is_access.eq(op.kind == OpKind.ACCESS),
            is_open.eq(valid & (page_id == context.open_id)),
            joins.eq(is_access & ~is_open),
            leaves.eq((op.kind == OpKind.INVALIDATE) & is_open),
            closes.eq(joins & (context.open_pages == bucket_pages - 1)),
            pages.new_id.eq(Mux(is_access, context.open_id, 0)),
        ]
        self.comb += [
            hits_closed.eq(is_access & valid & ~is_open),
        ]
        self.sync += If(
            ~inserting,
            touched[0].is_access.eq(is_access),
            touched[0].owner.eq(owner),
            touched[0].id.eq(context.open_id),
            *(touched[n + 1].eq(touched[n]) for n in range(STAGES - 1)),
        )

        # Into the tree: a page that leaves, a bucket that closed, or what renumbering asks for.
        closed_id, closed_owner = Signal(id_bits), Signal(context_bits)
        self.sync += [
            inserting.eq(acts & closes),
            closed_id.eq(context.open_id),
            closed_owner.eq(owner),
            tree.remove.eq(acts & valid & ~is_open & (is_access | (op.kind == OpKind.INVALIDATE))),
            tree.insert.eq(inserting | renumbering.insert),
            tree.zero.eq(renumbering.zero),
            tree.id.eq(Mux(inserting, closed_id, Mux(renumbering.busy, renumbering.id, page_id))),
            tree.owner.eq(Mux(inserting, closed_owner, Mux(renumbering.busy, owners.read.dat_r, owner))),
            tree.pages.eq(Mux(inserting, bucket_pages, renumbering.pages)),
        ]

        # The answer, while the tree is at work.
        self.answers = answers = BucketAnswers(frames, groups, contexts, ids, tree.latency)
        self.comb += [
            answers.asked.valid.eq(acts),
            answers.asked.kind.eq(PositionKind.NONE),
            answers.asked.epoch_end.eq(op.epoch_end),
            answers.asked.hits_closed.eq(hits_closed),
            answers.asked.id.eq(page_id),
            answers.asked.open_pages.eq(context.open_pages),
            If(
                is_access,
                answers.asked.kind.eq(Mux(valid, PositionKind.HIT, PositionKind.MISS)),
                answers.asked.owner.eq(owner),
            ).Elif(
                op.kind == OpKind.CLEAR,
                answers.asked.kind.eq(PositionKind.CLEAR),
            ),
            answers.count.eq(tree.count),
            answers.newer.eq(tree.newer),
            answers.front.forget.eq(renumbering.done),
            answers.front.clear.eq(tree.clear),
            answers.source.connect(source),
        ]

        # Tables and control.
        words_to_clear = max(frames // 2, tree.nodes)
        count, drained = Signal(max=words_to_clear), Signal()
        self.comb += [
            drained.eq((ahead == 0) & ~inserting),
            owners.read.adr.eq(Mux(renumbering.busy, renumbering.id, pages.id)),
            renumbering.owner.eq(owners.read.dat_r),
            renumbering.restart.eq(tree.clear),
            renumbering.ends.eq(acts),
            renumbering.takes_id.eq(closes),
            renumbering.count.eq(tree.count),
            renumbering.is_open.eq(context.open_id == renumbering.merge_id),
            table.read.adr.eq(Mux(renumbering.busy, renumbering.merge_owner, owner)),
            pages.flip.eq(renumbering.done),
            pages.zero_adr.eq(count),
            tree.clear_adr.eq(count),
            self.idle.eq((under_way == 0) & may_take),
        ]
        self.sync += [
            pages.map_adr.eq(renumbering.merge_id),
            pages.map_dat.eq(renumbering.new_id),
            pages.map_we.eq(renumbering.merge),
            under_way.eq(under_way + takes - (source.valid & source.ready)),
            ahead.eq(ahead + takes - acts),
            If(takes & (sink.kind == OpKind.CLEAR), clearing.eq(1)),
        ]
        self.fsm = fsm = FSM(reset_state="CLEAR")
        fsm.act(
            "CLEAR",
            pages.zero.eq(1),
            tree.clear.eq(1),
            table.write.adr.eq(count),
            table.write.we.eq(count < contexts),
            new_context.open_id.eq(count + 1),
            owners.write.adr.eq(count + 1),
            owners.write.dat_w.eq(count),
            owners.write.we.eq(count < contexts),
            NextValue(count, count + 1),
            If(
                count == words_to_clear - 1,
                NextValue(count, 0),
                NextValue(clearing, 0),
                NextState("RUN"),
            ),
        )
        fsm.act(
            "RUN",
            may_take.eq(1),
            new_context.open_id.eq(Mux(closes, renumbering.next_id, context.open_id)),
            new_context.open_pages.eq(Mux(closes, 0, context.open_pages + joins - leaves)),
            table.write.adr.eq(owner),
            table.write.we.eq(acts & (is_access | leaves)),
            owners.write.adr.eq(renumbering.next_id),
            owners.write.dat_w.eq(owner),
            owners.write.we.eq(acts & closes),
            If(
                drained & clearing,
                NextState("CLEAR"),
            ).Elif(
                drained & renumbering.waits & (renumbering.last == 0) & pages.swept,
                renumbering.start.eq(1),
                NextState("RENUMBER"),
            ),
        )
        fsm.act(
            "RENUMBER",
            new_context.open_id.eq(renumbering.new_id),
            new_context.open_pages.eq(context.open_pages),
            table.write.adr.eq(renumbering.merge_owner),
            table.write.we.eq(renumbering.merge & renumbering.is_open),
            owners.write.adr.eq(renumbering.new_id),
            owners.write.dat_w.eq(renumbering.merge_owner),
            owners.write.we.eq(renumbering.merge & renumbering.opens),
            If(renumbering.done, NextState("RUN")),
        )
