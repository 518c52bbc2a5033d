# SPDX-License-Identifier: BSD-2-Clause
"""The LRU stack of the MRC monitor in hardware, exact at the resolution of page groups."""

from itertools import pairwise

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Case, Cat, If, Mux, Record, Signal, log2_int
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.memory import DEEPEST_WORDS, DeepMemory, SimpleDualPort
from litemrc_gateware.records import OpKind, PositionKind, check_sizes, op_layout, position_layout, width_of
from litemrc_gateware.stacks.group.links import LruLinks
from litemrc_gateware.stacks.group.moves import GroupMoves, page_layout


class GroupStack(LiteXModule):
    """LRUArray and GrpHdrs of zhou2004, section 3.1, figure 3 and table 1; bit-identical to hls/group_stack.

    LRUArray has one entry a page frame: valid bit, owner and GroupID in `pages`, next and prev in `links`. An
    invalid page has an owner only if one claimed it, and then GroupID 1.
    GrpHdrs (`headers`) points to the first page of each group 1..groups-1 of each context; the first page of
    group 0, the top of the stack, is in `stacks` beside the number of pages in the stack.

    An access to group I demotes the last page of each group 0..I-1 to the next group. An invalidation in
    group I promotes the first page of each later group to the group before. Both take one cycle a group.

    Cycles from one operation to the next:

    - 1 for the page accessed last, and for a mark;
    - 3 for a page on top of another stack, and for the invalidation of an invalid page;
    - I + 7 for a hit in group I (4 for the last page of a stack if I = 0), for a miss, with I the group of
      the stack's next position, and for an invalidation, with I the number of groups the walk visits;
    - frames + 1 for a clear.

    With more than 16,384 frames the arrays are deeper than a block RAM and a read takes three cycles longer:
    6 instead of 3, I + 13 instead of I + 7, 7 instead of 4.
    After reset the unit sweeps its array for `frames` cycles before it takes an operation.

    Parameters
    ----------
    frames, groups, contexts : int
        powers of two; groups from 2 to frames. A group holds frames / groups pages.
    with_moves : bool
        report the pages that change their groups.
    part_frames : int
        frames in a block RAM at most; fewer only to test the deep arrays with few frames.

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
        self.sink = stream.Endpoint(op_layout(frames, contexts))
        self.source = stream.Endpoint(position_layout(groups, contexts))
        self.idle = Signal()

        # # #

        frame_bits, group_bits, context_bits = width_of(frames), width_of(groups), width_of(contexts)
        self.frames, self.group_pages = frames, frames // groups

        # No read meets a write to the same address in the same cycle, except reads of words not used.
        self.pages = DeepMemory(1 + context_bits + group_bits, frames, part_frames)
        self.links = LruLinks(frame_bits, part_frames)
        self.headers = SimpleDualPort(frame_bits, groups << context_bits)
        self.stacks = SimpleDualPort(2 * frame_bits + 1, 1 << context_bits, async_read=True)

        # The answer to the operation, written into a register in the cycle of `respond`.
        self.answer = Record(position_layout(groups, contexts))
        self.respond, self.may_respond = Signal(), Signal()

        # The operation in progress, its page's entry in LRUArray, the page's owner and that owner's stack.
        self.op, self.is_access = Record(op_layout(frames, contexts)), Signal()
        self.page = Record(page_layout(groups, contexts))
        self.owner = Signal(context_bits)
        self.stack = Record([("top", frame_bits), ("size", frame_bits + 1)])
        # The page accessed last is on top of its stack.
        self.last_valid, self.last_frame = Signal(), Signal(frame_bits)
        self.last_owner = Signal(context_bits)

        # The walk goes from `group` down to `stop`; `opens_group`: its first group is new and has no header.
        self.group, self.stop = Signal(group_bits), Signal(group_bits)
        self.opens_group = Signal()

        self.fsm = FSM(reset_state="SWEEP")
        if with_moves:
            self.moves = GroupMoves(frames, groups, contexts)
        self._add_answer()
        self._add_sweep()
        self._add_take()
        self._add_fetch()
        self._add_decision()
        self._add_walk()

    def _add_answer(self):
        """Hold the position in a register, so that the walk goes on while the position waits to be taken."""
        source = self.source
        self.comb += [
            self.may_respond.eq(~source.valid | source.ready),
            self.idle.eq(self.fsm.ongoing("IDLE") & ~source.valid),
        ]
        self.sync += [
            If(source.ready, source.valid.eq(0)),
            If(self.respond, source.valid.eq(1), source.payload.eq(self.answer)),
        ]

    def _add_sweep(self):
        """Invalidate all pages and empty all stacks: after reset, and for a clear."""
        pages, stacks, answer, op = self.pages, self.stacks, self.answer, self.op
        sweep = Signal(len(op.frame))
        self.fsm.act(
            "SWEEP",
            pages.write.adr.eq(sweep),
            pages.write.we.eq(1),
            stacks.write.adr.eq(sweep),
            stacks.write.we.eq(1),
            NextValue(sweep, sweep + 1),
            answer.kind.eq(PositionKind.CLEAR),
            answer.epoch_end.eq(op.epoch_end),
            If(
                sweep == self.frames - 1,
                self.respond.eq(op.kind == OpKind.CLEAR),  # not after reset
                NextState("IDLE"),
            ),
        )

    def _add_take(self):
        """Take an operation; answer the page accessed last and a mark at once, without reading a memory."""
        sink, answer, respond, op = self.sink, self.answer, self.respond, self.op
        repeated = Signal()
        self.comb += repeated.eq(self.last_valid & (sink.frame == self.last_frame))
        may_take = self.may_respond
        if hasattr(self, "moves"):
            may_take = self.may_respond & ~self.moves.hold
        self.fsm.act(
            "IDLE",
            sink.ready.eq(may_take),
            self.links.adr.eq(sink.frame),
            answer.kind.eq(Mux(sink.kind == OpKind.MARK, PositionKind.NONE, PositionKind.HIT)),
            answer.context.eq(Mux(sink.kind == OpKind.MARK, 0, self.last_owner)),
            answer.epoch_end.eq(sink.epoch_end),
            If(
                sink.valid & may_take,
                NextValue(op.raw_bits(), sink.payload.raw_bits()),
                Case(
                    sink.kind,
                    {
                        OpKind.ACCESS: If(repeated, respond.eq(1)).Else(NextState("FETCH")),
                        OpKind.INVALIDATE: NextState("FETCH"),
                        OpKind.CLEAR: [NextValue(self.last_valid, 0), NextState("SWEEP")],
                        OpKind.MARK: respond.eq(1),
                    },
                ),
            ),
        )

    def _add_fetch(self):
        """Read the page's entry and links; then `owner` addresses the stack."""
        pages, links, stacks = self.pages, self.links, self.stacks
        op, page, owner = self.op, self.page, self.owner
        stored_page, owned = Record(page.layout), Signal()
        self.comb += [
            self.is_access.eq(op.kind == OpKind.ACCESS),
            pages.read.adr.eq(self.sink.frame),
            stored_page.raw_bits().eq(pages.read.dat_r),
            owned.eq(stored_page.valid | stored_page.group[0]),  # bit 0 of an invalid page: claimed
            stacks.read.adr.eq(owner),
            self.stack.raw_bits().eq(stacks.read.dat_r),
        ]
        self.fsm.delayed_enter("FETCH", "READ", links.latency - 1)
        self.fsm.act(
            "READ",
            NextValue(page.raw_bits(), pages.read.dat_r),
            NextValue(owner, Mux(owned, stored_page.owner, op.context)),
            NextValue(links.frame_next, links.next),
            NextValue(links.frame_prev, links.prev),
            NextState("DECIDE"),
        )

    def _add_decision(self):
        """Answer; write the new state of the page and of its stack; start relinking and the walk."""
        op, is_access, page, owner, stack = self.op, self.is_access, self.page, self.owner, self.stack
        pages, links, stacks, answer = self.pages, self.links, self.stacks, self.answer
        group, stop, opens_group = self.group, self.stop, self.opens_group
        group_pages, group_shift = self.group_pages, log2_int(self.group_pages)
        on_top, at_tail = Signal(), Signal()
        new_page, new_stack = Record(page.layout), Record(stack.layout)
        self.comb += [
            on_top.eq(page.valid & (stack.top == op.frame)),
            at_tail.eq(page.valid & (stack.top == links.frame_next)),
            links.frame.eq(op.frame),
            links.linked.eq(page.valid),
            links.insert.eq(is_access),
            new_stack.top.eq(stack.top),
            new_stack.size.eq(stack.size),
            If(
                is_access,
                new_page.valid.eq(1),
                new_page.owner.eq(owner),
                new_stack.top.eq(op.frame),
                If(~page.valid, new_stack.size.eq(stack.size + 1)),
            ).Else(
                new_page.owner.eq(op.context),
                new_page.group.eq(op.write),
                If(on_top, new_stack.top.eq(links.frame_next)),
                new_stack.size.eq(stack.size - 1),
            ),
        ]
        self.fsm.act(
            "DECIDE",
            self.respond.eq(1),
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
            NextValue(self.last_valid, is_access),
            NextValue(self.last_frame, op.frame),
            NextValue(self.last_owner, owner),
            NextValue(opens_group, 0),
            NextValue(stop, 1),
            NextState("WALK"),
            If(
                is_access,
                answer.kind.eq(Mux(page.valid, PositionKind.HIT, PositionKind.MISS)),
                answer.group.eq(Mux(page.valid, page.group, 0)),
                answer.context.eq(owner),
                links.start.eq(~on_top & ~at_tail),
                NextValue(group, page.group),
                If(on_top, NextState("IDLE")),
                If(
                    ~page.valid,
                    # The stack grows: each group demotes a page, and a full last group opens the next one.
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

    def _add_walk(self):
        """Move one page of each group from `group` down to `stop`, one group a cycle.

        Each step reads the header, registers it, reads the page beside it (`links.latency` cycles), registers
        that, and writes both: the read of a block RAM takes most of a cycle. Relinking runs at the same time.
        An access writes `prev` of the top and of the page's old successor, which are no headers of a walked
        group, and last `prev` of the page itself, whose group is walked first. An invalidation writes `next`
        of the page's predecessor; the walk reads that only for a header that stays or for a last group that
        ends.
        """
        op, is_access, page, owner = self.op, self.is_access, self.page, self.owner
        pages, links, headers = self.pages, self.links, self.headers
        group, opens_group = self.group, self.opens_group
        step, own_group, was_first = Signal(), Signal(), Signal()
        steps = [step, *(Signal() for _ in range(links.latency + 3))]
        walked = [group, *(Signal(len(group)) for _ in steps[1:])]
        headers_read = [Signal(len(op.frame)) for _ in range(links.latency + 2)]
        header, header_left = headers_read[0], headers_read[-1]
        beside = Signal(len(op.frame))
        moved_page = Record(page.layout)
        self.sync += [
            *(
                behind.eq(before)
                for stage in (steps, walked, headers_read)
                for before, behind in pairwise(stage)
            ),
            header.eq(headers.read.dat_r),
            was_first.eq(headers_read[-2] == op.frame),
            # A group that is just opened has no header yet: its first page is the end of the circle.
            beside.eq(Mux(is_access, Mux(opens_group, links.tail, links.prev), links.next)),
            If(steps[-2], opens_group.eq(0)),
        ]
        self.comb += [
            headers.read.adr.eq(Cat(group, owner)),
            # The invalidated page's own group gets a new header only if the page was its first.
            own_group.eq(~is_access & (walked[-1] == page.group)),
            headers.write.adr.eq(Cat(walked[-1], owner)),
            headers.write.dat_w.eq(beside),
            headers.write.we.eq(steps[-1] & (~own_group | was_first)),
            moved_page.valid.eq(1),
            moved_page.owner.eq(owner),
            moved_page.group.eq(Mux(is_access, walked[-1], walked[-1] - 1)),
        ]
        self.fsm.act(
            "WALK",
            links.adr.eq(header),
            step.eq(group >= self.stop),
            If(step, NextValue(group, group - 1)),
            pages.write.adr.eq(Mux(is_access, beside, header_left)),
            pages.write.dat_w.eq(moved_page.raw_bits()),
            pages.write.we.eq(steps[-1] & ~own_group),
            If((Cat(*steps[:-1]) == 0) & ~links.busy, NextState("IDLE")),
        )
        if hasattr(self, "moves"):
            self._connect_moves(steps[-1] & ~own_group, walked[-1])

    def _connect_moves(self, passes, group):
        """Show `moves` what this cycle does: decide an operation, move a page of the walk, or neither."""
        shown, fsm = self.moves.shown, self.fsm
        self.comb += [
            shown.idle.eq(fsm.ongoing("IDLE")),
            shown.sweeps.eq(fsm.ongoing("SWEEP")),
            shown.decides.eq(fsm.ongoing("DECIDE")),
            shown.passes.eq(passes),
            shown.is_access.eq(self.is_access),
            shown.frame.eq(self.pages.write.adr),
            shown.page.eq(self.page),
            shown.owner.eq(self.owner),
            shown.group.eq(group),
        ]
