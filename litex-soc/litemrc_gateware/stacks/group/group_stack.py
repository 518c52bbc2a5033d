"""The LRU stack of the MRC monitor in hardware, exact at the resolution of page groups."""

from itertools import pairwise

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Case, Cat, If, Mux, Record, Signal, log2_int
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import DEEPEST_WORDS, DeepMemory, SimpleDualPort
from litemrc_gateware.records import (
    OpKind,
    PositionKind,
    check_sizes,
    op_layout,
    position_layout,
    width_of,
)
from litemrc_gateware.stacks.group.links import LruLinks
from litemrc_gateware.stacks.group.moves import GroupMoves


class GroupStack(LiteXModule):
    """LRUArray and GrpHdrs of zhou2004, section 3.1, figure 3 and table 1; held bit-equal to hls/group_stack.

    LRUArray has one entry a page frame: valid bit, owner and GroupID in `pages`, next and prev in `links`.
    GrpHdrs (`headers`) points to the first page of each group 1..groups-1 of each context; that of group 0,
    the top of the stack, lies in `stacks` beside the number of pages in the stack.

    An access to group I passes the last page of each group 0..I-1 on to the next group, an invalidation in
    group I the first page of each later group on to the one before: one group a clock.

    Clocks from one operation to the next: 1 for the page accessed last and for a mark; 3 for a page on top
    of another stack and for the invalidation of an invalid page; I + 7 for a hit in group I (4 for the last
    page of a stack if I = 0); the same for a miss, with I the group of the stack's next position, and for an
    invalidation, with I the number of groups the walk visits; frames + 1 for a clear. With more than 16,384
    frames 6 instead of 3, I + 13 instead of I + 7, 7 instead of 4: the arrays are deeper than a block RAM,
    and a word of them comes three clocks later.
    After reset the unit sweeps its array for `frames` clocks before it takes anything.

    Parameters
    ----------
    frames, groups, contexts : int
        powers of two; groups from 2 to frames. A group holds frames / groups pages.
    with_moves : bool
        tell who listens which pages change their groups.
    part_frames : int
        frames in a block RAM at most; fewer only to test what more frames take.

    Attributes
    ----------
    sink : stream.Endpoint(op_layout), in
        operations; `context` must be below `contexts`.
    source : stream.Endpoint(position_layout), out
        one position for every operation, in order.
    idle : Signal, out
        1 when every operation taken is done and its position has been taken.
    moves : GroupMoves
        if `with_moves`.
    """

    def __init__(
        self,
        frames: int,
        groups: int,
        contexts: int,
        with_moves: bool = False,
        part_frames: int = DEEPEST_WORDS,
    ) -> None:
        check_sizes(frames, groups, contexts)
        self.sink = sink = stream.Endpoint(op_layout(frames, contexts))
        self.source = source = stream.Endpoint(position_layout(groups, contexts))
        self.idle = Signal()

        # # #

        frame_bits, group_bits, context_bits = width_of(frames), width_of(groups), width_of(contexts)
        group_pages = frames // groups
        group_shift = log2_int(group_pages)
        page_layout = [("valid", 1), ("owner", context_bits), ("group", group_bits)]
        stack_layout = [("top", frame_bits), ("size", frame_bits + 1)]

        # Memories. No read below meets a write to the same address in the same clock, but for words not used.
        self.pages = pages = DeepMemory(1 + context_bits + group_bits, frames, part_frames)
        self.links = links = LruLinks(frame_bits, part_frames)
        self.headers = headers = SimpleDualPort(frame_bits, groups << context_bits)
        self.stacks = stacks = SimpleDualPort(2 * frame_bits + 1, 1 << context_bits, async_read=True)

        # Answer: a register, so that the walk goes on while the position waits to be taken.
        answer = Record(position_layout(groups, contexts))
        respond, may_respond = Signal(), Signal()
        self.comb += may_respond.eq(~source.valid | source.ready)
        self.sync += [
            If(source.ready, source.valid.eq(0)),
            If(respond, source.valid.eq(1), source.payload.eq(answer)),
        ]

        # Fast path: the page accessed last lies on top of its stack; no memory needs to be asked.
        last_valid, last_frame, last_owner = Signal(), Signal(frame_bits), Signal(context_bits)
        repeated = Signal()
        self.comb += repeated.eq(last_valid & (sink.frame == last_frame))

        # The operation at work, its page's entry in LRUArray, the stack it belongs to.
        op, is_access = Record(op_layout(frames, contexts)), Signal()
        stored_page, page = Record(page_layout), Record(page_layout)
        owner, stack = Signal(context_bits), Record(stack_layout)
        on_top, at_tail = Signal(), Signal()
        self.comb += [
            is_access.eq(op.kind == OpKind.ACCESS),
            pages.read.adr.eq(sink.frame),
            stored_page.raw_bits().eq(pages.read.dat_r),
            stacks.read.adr.eq(owner),
            stack.raw_bits().eq(stacks.read.dat_r),
            on_top.eq(page.valid & (stack.top == op.frame)),
            at_tail.eq(page.valid & (stack.top == links.frame_next)),
            links.frame.eq(op.frame),
            links.linked.eq(page.valid),
            links.insert.eq(is_access),
        ]

        # What becomes of the page and of its stack.
        new_page, new_stack = Record(page_layout), Record(stack_layout)
        self.comb += [
            new_stack.top.eq(stack.top),
            new_stack.size.eq(stack.size),
            If(
                is_access,
                new_page.valid.eq(1),
                new_page.owner.eq(owner),
                new_stack.top.eq(op.frame),
                If(~page.valid, new_stack.size.eq(stack.size + 1)),
            ).Else(
                If(on_top, new_stack.top.eq(links.frame_next)),
                new_stack.size.eq(stack.size - 1),
            ),
        ]

        # Walk over the groups `group` down to `stop`: read the header, register it, read the page beside it
        # (`latency` clocks), register that, write both: a block RAM takes most of a clock to show its word.
        # Relinking goes on beside it. An access writes `prev` of the top and of the page's old successor,
        # which head no group walked, and last of the page itself, whose group is walked first. An
        # invalidation writes `next` of the page's predecessor, which is read only for a header that stays
        # or for a last group that ends.
        group, stop, opens_group = Signal(group_bits), Signal(group_bits), Signal()
        step, own_group, was_first = Signal(), Signal(), Signal()
        steps = [step, *(Signal() for _ in range(links.latency + 3))]
        walked = [group, *(Signal(group_bits) for _ in steps[1:])]
        headers_read = [Signal(frame_bits) for _ in range(links.latency + 2)]
        header, header_left = headers_read[0], headers_read[-1]
        beside = Signal(frame_bits)
        moved_page = Record(page_layout)
        self.sync += [
            *(
                behind.eq(before)
                for stage in (steps, walked, headers_read)
                for before, behind in pairwise(stage)
            ),
            header.eq(headers.read.dat_r),
            was_first.eq(headers_read[-2] == op.frame),
            # A group that is just opened has no header yet: the end of the circle is passed on to it.
            beside.eq(Mux(is_access, Mux(opens_group, links.tail, links.prev), links.next)),
            If(steps[-2], opens_group.eq(0)),
        ]
        self.comb += [
            headers.read.adr.eq(Cat(group, owner)),
            # In its own group an invalidated page leaves a new header behind only if it was the first.
            own_group.eq(~is_access & (walked[-1] == page.group)),
            headers.write.adr.eq(Cat(walked[-1], owner)),
            headers.write.dat_w.eq(beside),
            headers.write.we.eq(steps[-1] & (~own_group | was_first)),
            moved_page.valid.eq(1),
            moved_page.owner.eq(owner),
            moved_page.group.eq(Mux(is_access, walked[-1], walked[-1] - 1)),
        ]

        # Control.
        sweep = Signal(frame_bits)
        self.fsm = fsm = FSM(reset_state="SWEEP")
        self.comb += self.idle.eq(fsm.ongoing("IDLE") & ~source.valid)
        may_take = may_respond
        if with_moves:
            passes = steps[-1] & ~own_group
            self.moves = GroupMoves(
                frames, groups, contexts, fsm, pages.write.adr, page, owner, is_access, passes, walked[-1]
            )
            may_take = may_respond & ~self.moves.hold
        fsm.act(
            "SWEEP",
            pages.write.adr.eq(sweep),
            pages.write.we.eq(1),
            stacks.write.adr.eq(sweep),
            stacks.write.we.eq(1),
            NextValue(sweep, sweep + 1),
            answer.kind.eq(PositionKind.CLEAR),
            answer.epoch_end.eq(op.epoch_end),
            If(
                sweep == frames - 1,
                respond.eq(op.kind == OpKind.CLEAR),  # not after reset
                NextState("IDLE"),
            ),
        )
        fsm.act(
            "IDLE",
            sink.ready.eq(may_take),
            links.adr.eq(sink.frame),
            answer.kind.eq(Mux(sink.kind == OpKind.MARK, PositionKind.NONE, PositionKind.HIT)),
            answer.context.eq(Mux(sink.kind == OpKind.MARK, 0, last_owner)),
            answer.epoch_end.eq(sink.epoch_end),
            If(
                sink.valid & may_take,
                NextValue(op.raw_bits(), sink.payload.raw_bits()),
                Case(
                    sink.kind,
                    {
                        OpKind.ACCESS: If(repeated, respond.eq(1)).Else(NextState("FETCH")),
                        OpKind.INVALIDATE: NextState("FETCH"),
                        OpKind.CLEAR: [NextValue(last_valid, 0), NextState("SWEEP")],
                        OpKind.MARK: respond.eq(1),
                    },
                ),
            ),
        )
        fsm.delayed_enter("FETCH", "READ", links.latency - 1)
        fsm.act(
            "READ",
            NextValue(page.raw_bits(), pages.read.dat_r),
            NextValue(owner, Mux(stored_page.valid, stored_page.owner, op.context)),
            NextValue(links.frame_next, links.next),
            NextValue(links.frame_prev, links.prev),
            NextState("DECIDE"),
        )
        fsm.act(
            "DECIDE",
            respond.eq(1),
            answer.kind.eq(PositionKind.NONE),
            answer.epoch_end.eq(op.epoch_end),
            pages.write.adr.eq(op.frame),
            pages.write.dat_w.eq(new_page.raw_bits()),
            pages.write.we.eq(1),
            stacks.write.adr.eq(owner),
            stacks.write.dat_w.eq(new_stack.raw_bits()),
            stacks.write.we.eq(is_access | page.valid),
            links.adr.eq(stack.top),
            NextValue(links.top, Mux(stack.size == 0, op.frame, stack.top)),
            NextValue(last_valid, is_access),
            NextValue(last_frame, op.frame),
            NextValue(last_owner, owner),
            NextValue(opens_group, 0),
            NextValue(stop, 1),
            NextState("WALK"),
            If(
                is_access,
                answer.kind.eq(Mux(page.valid, PositionKind.HIT, PositionKind.MISS)),
                answer.group.eq(page.group),
                answer.context.eq(owner),
                links.start.eq(~on_top & ~at_tail),
                NextValue(group, page.group),
                If(on_top, NextState("IDLE")),
                If(
                    ~page.valid,
                    # The stack grows: every group passes a page on, and a full last group opens the next one.
                    NextValue(group, stack.size >> group_shift),
                    NextValue(opens_group, (stack.size & (group_pages - 1)) == 0),
                ),
            ).Else(
                links.start.eq(page.valid),
                NextValue(group, (stack.size - 1) >> group_shift),
                If(page.group != 0, NextValue(stop, page.group)),
                If(~page.valid, NextState("IDLE")),
            ),
        )
        fsm.act(
            "WALK",
            links.adr.eq(header),
            step.eq(group >= stop),
            If(step, NextValue(group, group - 1)),
            pages.write.adr.eq(Mux(is_access, beside, header_left)),
            pages.write.dat_w.eq(moved_page.raw_bits()),
            pages.write.we.eq(steps[-1] & ~own_group),
            If((Cat(*steps[:-1]) == 0) & ~links.busy, NextState("IDLE")),
        )
