"""The LRU stack of the MRC monitor in hardware, exact at the resolution of page groups."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import READ_FIRST, Case, Cat, If, Memory, Mux, Record, Signal, log2_int
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.records import OpKind, PositionKind, check_sizes, op_layout, position_layout, width_of


class GroupStack(LiteXModule):
    """LRUArray and GrpHdrs of zhou2004, section 3.1, figure 3 and table 1, equal to hls/group_stack.

    LRUArray has an entry for each page frame: valid bit, owner and GroupID in `pages`, the neighbours in LRU order in
    `nexts` and `prevs`. The pages of one context form a circle: before its most recently used page lies its least
    recently used one. GrpHdrs (`headers`) points to the first page of each group 1..groups-1 of each context; the
    first page of group 0, the top of the stack, lies in `stacks` beside the number of pages in the stack.

    An access to group I passes the last page of each group 0..I-1 on to the next one, an invalidation in group I
    the first page of each later group up to the one before, both a group a clock. Clocks until the next operation is
    taken: 1 for the page accessed last and for marks, 3 for a page on top of another stack and for an invalid page
    invalidated, I + 5 (at least 6) for an access to group I, the same with I = groups in the stack for a miss,
    `frames` + 1 for a clear. After reset the unit sweeps its array for `frames` clocks before it takes anything.

    The memories need one read and one write port each; no read meets a write to the same address in the same clock.

    Parameters
    ----------
    frames, groups, contexts : int
        Powers of two, groups from 2 to `frames`; a group holds frames / groups pages.

    Attributes
    ----------
    sink : stream.Endpoint(op_layout), in
        Operations. `context` must be below `contexts`.
    source : stream.Endpoint(position_layout), out
        One position for every operation, in order.
    idle : Signal, out
        1 when every operation taken has been answered, and the answer taken, and nothing is left to do.
    """

    def __init__(self, frames: int, groups: int, contexts: int) -> None:
        check_sizes(frames, groups, contexts)
        self.sink = sink = stream.Endpoint(op_layout(frames, contexts))
        self.source = source = stream.Endpoint(position_layout(groups, contexts))
        self.idle = Signal()

        # # #

        frame_bits, group_bits, context_bits = width_of(frames), width_of(groups), width_of(contexts)
        group_shift = log2_int(frames // groups)

        # Memories -----------------------------------------------------------------------------------------------------
        page_layout = [("valid", 1), ("owner", context_bits), ("group", group_bits)]
        stack_layout = [("top", frame_bits), ("size", frame_bits + 1)]
        pages_r, pages_w = self._add_memory("pages", 1 + context_bits + group_bits, frames)
        nexts_r, nexts_w = self._add_memory("nexts", frame_bits, frames)
        prevs_r, prevs_w = self._add_memory("prevs", frame_bits, frames)
        headers_r, headers_w = self._add_memory("headers", frame_bits, groups << context_bits)
        # A few words, read without a clock: the fast path and the start of every walk hang on them.
        stacks_r, stacks_w = self._add_memory("stacks", 2 * frame_bits + 1, 1 << context_bits, async_read=True)

        # Answer: a register, so that the unit goes on while a position waits to be taken --------------------------------
        answer = Record(position_layout(groups, contexts))
        respond, may_respond = Signal(), Signal()
        self.comb += may_respond.eq(~source.valid | source.ready)
        self.sync += [
            If(source.ready, source.valid.eq(0)),
            If(respond, source.valid.eq(1), source.payload.eq(answer)),
        ]

        # The operation at work and what the memories know of its page ---------------------------------------------------
        op = Record(op_layout(frames, contexts))
        is_access = Signal()
        page, stored_page = Record(page_layout), Record(page_layout)
        owner = Signal(context_bits)
        page_next, page_prev = Signal(frame_bits), Signal(frame_bits)
        stack = Record(stack_layout)
        self.comb += [
            is_access.eq(op.kind == OpKind.ACCESS),
            stored_page.raw_bits().eq(pages_r.dat_r),
            pages_r.adr.eq(sink.frame),
            stacks_r.adr.eq(owner),
            stack.raw_bits().eq(stacks_r.dat_r),
        ]

        # The page accessed last lies on top of its stack: no memory needs to be asked -------------------------------------
        last_valid, last_frame, last_owner = Signal(), Signal(frame_bits), Signal(context_bits)
        repeated = Signal()
        self.comb += repeated.eq(last_valid & (sink.frame == last_frame))

        # Operations -----------------------------------------------------------------------------------------------------
        taken = Signal()
        sweep = Signal(frame_bits)
        on_top, last_group = Signal(), Signal(group_bits)
        new_page, new_stack = Record(page_layout), Record(stack_layout)
        top, tail = Signal(frame_bits), Signal(frame_bits)
        group, stop = Signal(group_bits), Signal(group_bits)  # walk from `group` down to `stop`, none if it is lower
        opens_group = Signal()
        link = Signal(3)  # one-hot clock of the relinking: unlink, link the neighbours, link the page
        walking = Signal()
        self.comb += [
            taken.eq(sink.valid & may_respond),
            on_top.eq(page.valid & (stack.top == op.frame)),
            last_group.eq((stack.size - 1) >> group_shift),
        ]

        self.fsm = fsm = FSM(reset_state="SWEEP")
        fsm.act(
            "SWEEP",
            pages_w.adr.eq(sweep),
            pages_w.we.eq(1),
            stacks_w.adr.eq(sweep),
            stacks_w.we.eq(1),
            NextValue(sweep, sweep + 1),
            If(
                sweep == frames - 1,
                answer.kind.eq(PositionKind.CLEAR),
                answer.epoch_end.eq(op.epoch_end),
                respond.eq(op.kind == OpKind.CLEAR),  # not at reset: `op` resets to an access
                NextState("IDLE"),
            ),
        )
        fsm.act(
            "IDLE",
            sink.ready.eq(may_respond),
            answer.epoch_end.eq(sink.epoch_end),
            If(
                taken,
                NextValue(op.raw_bits(), sink.payload.raw_bits()),
                Case(
                    sink.kind,
                    {
                        OpKind.ACCESS: If(
                            repeated,
                            respond.eq(1),
                            answer.kind.eq(PositionKind.HIT),
                            answer.context.eq(last_owner),
                        ).Else(NextState("READ")),
                        OpKind.INVALIDATE: NextState("READ"),
                        OpKind.CLEAR: [NextValue(last_valid, 0), NextState("SWEEP")],
                        OpKind.MARK: [respond.eq(1), answer.kind.eq(PositionKind.NONE)],
                    },
                ),
            ),
        )
        fsm.act(
            "READ",
            NextValue(page.raw_bits(), pages_r.dat_r),
            NextValue(owner, Mux(stored_page.valid, stored_page.owner, op.context)),
            NextValue(page_next, nexts_r.dat_r),
            NextValue(page_prev, prevs_r.dat_r),
            NextState("DECIDE"),
        )
        fsm.act(
            "DECIDE",
            respond.eq(1),
            answer.kind.eq(PositionKind.NONE),
            answer.epoch_end.eq(op.epoch_end),
            pages_w.adr.eq(op.frame),
            pages_w.dat_w.eq(new_page.raw_bits()),
            stacks_w.adr.eq(owner),
            stacks_w.dat_w.eq(new_stack.raw_bits()),
            new_stack.top.eq(op.frame),
            new_stack.size.eq(stack.size),
            NextValue(top, Mux(stack.size == 0, op.frame, stack.top)),
            NextValue(link, 0b001),
            NextState("WALK"),
            If(
                is_access,
                answer.kind.eq(Mux(page.valid, PositionKind.HIT, PositionKind.MISS)),
                answer.group.eq(page.group),
                answer.context.eq(owner),
                pages_w.we.eq(1),
                new_page.valid.eq(1),
                new_page.owner.eq(owner),
                stacks_w.we.eq(1),
                NextValue(last_valid, 1),
                NextValue(last_frame, op.frame),
                NextValue(last_owner, owner),
                NextValue(stop, 1),
                NextValue(group, page.group),
                If(
                    ~page.valid,
                    # The stack grows by one: every group passes a page on, a full last group opens the next.
                    new_stack.size.eq(stack.size + 1),
                    NextValue(group, stack.size >> group_shift),
                    NextValue(opens_group, stack.size[:group_shift] == 0 if group_shift else 1),
                ).Else(
                    NextValue(opens_group, 0),
                ),
            ),
        )
