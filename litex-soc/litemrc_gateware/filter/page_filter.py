# SPDX-License-Identifier: BSD-2-Clause
"""The page filter between queue and stack engine: recent pages, address range, sampling, working set."""

from itertools import pairwise
from types import SimpleNamespace

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal

from litemrc_gateware.counters.working_set import WorkingSet
from litemrc_gateware.filter.answer_merge import AnswerKind, AnswerMerge, answer_layout
from litemrc_gateware.filter.page_numbers import SAMPLING_BITS, PageNumbers
from litemrc_gateware.filter.recent_pages import RecentPages, any_of, index_of
from litemrc_gateware.records import (
    OpKind,
    check_sizes,
    memory_op_layout,
    op_layout,
    position_layout,
    width_of,
)


class PageFilter(LiteXModule):
    """Answers accesses whose position is known without the stack engine; bit-identical to hls/page_filter.

    Sources: zhou2004, section 3.1 ("Not every access to memory needs to update the structures"); for sampling
    Waldspurger et al., SHARDS, FAST 2015.

    The filter surrounds the engine::

        sink -> numbers -> recent pages -> engine_ops -> (engine) -> engine_positions -> merge -> source
                                      '--> working set -> answers due, a FIFO, in order ---^

    - An access to one of the `recent_pages` pages accessed last is absorbed: it is a hit in group 0 of the
      page's owner. That is exact: the recent pages of an owner are the first ones of its stack, here and in
      the engine, and no more than a group holds. The two stacks differ at most in the order of these pages.
    - Before any other access goes to the engine, the engine's order is restored: recent pages that were
      absorbed out of order since are accessed again, least recent first (*touches*), and the answers are
      discarded. Every position is therefore exact. The engine gets no more accesses than the filter, because
      each page touched was absorbed since the last access that went to the engine.
    - Accesses outside `lower`..`upper`, and operations on pages that are not sampled (see PageNumbers), are
      answered "none" and counted in `outside` and `unsampled`. Invalidations pass in any range.
    - `epoch_end` comes out with the position of its operation, absorbed or not. The engine gets no marks.
    - `first_touch` comes out with the first position of a page in an epoch (see WorkingSet).
    - With `split`, reads and writes count apart: contexts 0 .. contexts / 2 - 1 own pages, and the writes to
      the pages of context c count in context c + contexts / 2. Both move pages in the same stack.
    - `frozen` accesses move pages like others, here and in the engine, and are not counted: they are answered
      "none", are not in the working set, and count neither in `outside` nor in `unsampled`.

    Cycles from one operation to the next: 1, and 1 for each touch before it. Touches are at most
    recent_pages - 1, and no more than the accesses absorbed before, so the worst average is
    2 - 1 / recent_pages an access; with one recent page it is always 1. An access to the engine waits while
    the engine is not ready; absorbed ones before it go on until `answers_depth` answers are due. WorkingSet
    may stall, see there.
    From sink to engine_ops: 5 cycles.

    Parameters
    ----------
    memory_frames, frames, groups, contexts : int
        frames of the memory, at the sink; and of the engine, with its groups and contexts; powers of two.
    recent_pages : int
        1 .. frames / groups.
    answers_depth : int
        answers due; more than 8.
    working_set : class
        of the working set: WorkingSet, or one whose answers take as long as they take (`latency` is None).

    Attributes
    ----------
    sink : stream.Endpoint(memory_op_layout(memory_frames, contexts)), in
    engine_ops : stream.Endpoint(op_layout(frames, contexts)), out
        to the engine's sink.
    engine_positions : stream.Endpoint(position_layout(groups, contexts)), in
        from the engine's source.
    source : stream.Endpoint(counted_layout(groups, contexts)), out
        one position for every operation, in order.
    lower, upper : Signal(width_of(memory_frames)), in
        first and last frame whose accesses are counted; may change while `idle`. Reset: all frames.
    sampling : Signal(4), in
        sampling rate 1/2^sampling; may change while `idle`, followed by a clear.
    split : Signal, in
        may change while `idle`, followed by a clear; no effect with one context.
    scale_log2 : Signal(5), out
        log2 of the memory's pages for each page of the engine: `sampling`, but at least
        log2(memory_frames / frames).
    outside, unsampled : Signal(counter_bits), out
        accesses out of range, and accesses not sampled, in the last epoch whose end was taken; saturate.
    full : Signal, out
        one of them is at its limit.
    idle : Signal, out
        every operation taken is answered.
    """

    def __init__(
        self,
        memory_frames: int,
        frames: int,
        groups: int,
        contexts: int,
        recent_pages: int = 4,
        answers_depth: int = 64,
        counter_bits: int = 32,
        working_set: type[LiteXModule] = WorkingSet,
    ) -> None:
        check_sizes(frames, groups, contexts)
        if memory_frames < frames or memory_frames & (memory_frames - 1):
            raise ValueError(
                f"PageFilter: memory_frames must be a power of two, at least the engine's {frames} "
                f"(got {memory_frames})"
            )
        if not 1 <= recent_pages <= frames // groups:
            raise ValueError(
                f"PageFilter: recent_pages must be 1 to {frames // groups}, the pages of group 0 "
                f"(got {recent_pages})"
            )
        self.sink = sink = stream.Endpoint(memory_op_layout(memory_frames, contexts))
        self.engine_ops = engine_ops = stream.Endpoint(op_layout(frames, contexts))
        self.engine_positions = engine_positions = stream.Endpoint(position_layout(groups, contexts))
        self.lower = Signal(width_of(memory_frames))
        self.upper = Signal(width_of(memory_frames), reset=memory_frames - 1)
        self.sampling = Signal(SAMPLING_BITS)
        self.split = Signal()
        self.outside, self.unsampled, self.full = Signal(counter_bits), Signal(counter_bits), Signal()
        self.idle = Signal()

        # # #

        # Numbers of the pages.
        self.numbers = numbers = PageNumbers(memory_frames, frames, contexts)
        self.scale_log2 = numbers.scale_log2
        self.comb += [
            sink.connect(numbers.sink),
            numbers.lower.eq(self.lower),
            numbers.upper.eq(self.upper),
            numbers.sampling.eq(self.sampling),
        ]

        # The current operation does at most one of five things. `found` is late in the cycle; all else is
        # known before.
        self.recent = recent = RecentPages(recent_pages, width_of(frames))
        self.at_hand = at_hand = stream.Buffer(numbers.source.description.payload_layout)
        op = at_hand.source
        may_answer, may_ask, found, room = Signal(), Signal(), Signal(), Signal()
        self.working_set = working_set = working_set(frames)
        absorb, touch, fill, ask, skip = (Signal() for _ in range(5))
        self.comb += [
            numbers.source.connect(at_hand.sink),
            recent.next_page.eq(at_hand.sink.frame),
            recent.take_next.eq(at_hand.sink.ready),
            recent.page.eq(op.frame),
            found.eq(recent.match != 0),
            may_answer.eq(op.valid & room & working_set.ready),
            may_ask.eq(may_answer & (~engine_ops.valid | engine_ops.ready)),
            absorb.eq((may_answer & op.moves) & found),
            touch.eq((may_ask & op.moves & recent.misplaced) & ~found),
            fill.eq((may_ask & op.moves & ~recent.misplaced) & ~found),
            ask.eq(may_ask & ~op.moves & ~op.nothing),
            skip.eq(may_answer & op.nothing),
            op.ready.eq(absorb | fill | ask | skip),
            recent.hit.eq(absorb),
            recent.touched.eq(touch),
            recent.fill.eq(fill),
            recent.invalidate.eq(ask & (op.kind == OpKind.INVALIDATE)),
            recent.clear.eq(ask & (op.kind == OpKind.CLEAR)),
        ]

        split = self.split if contexts > 1 else 0  # the upper half of the contexts are those of writes

        # An answer due accompanies its page through the working set and then enters the FIFO.
        self.answers = answers = stream.SyncFIFO(answer_layout(recent_pages), answers_depth)
        before = [("valid", 1), *answer_layout(recent_pages)[:-1]]  # all but `first_touch`
        latency = working_set.latency or 1
        stages = [Record(before) for _ in range(latency + 1)]
        answer = stages[0]
        self.comb += [
            answer.valid.eq(absorb | touch | fill | ask | skip),
            answer.epoch_end.eq(op.epoch_end),
            answer.frozen.eq(op.frozen & (op.kind == OpKind.ACCESS)),
            answer.apart.eq(op.write & split),
            answer.slot.eq(index_of(recent.vacant, recent_pages)),
            answer.kind.eq(AnswerKind.ENGINE),
            If(touch, answer.kind.eq(AnswerKind.TOUCH)),
            If(skip, answer.kind.eq(AnswerKind.NOTHING)),
            If(
                absorb,
                answer.kind.eq(AnswerKind.ABSORBED),
                answer.slot.eq(index_of(recent.match, recent_pages)),
            ),
            working_set.page.eq(op.frame),
            working_set.touch.eq((absorb | fill) & ~op.frozen),
            working_set.leave.eq(recent.invalidate),
            working_set.advance.eq(op.ready & (op.epoch_end | (op.kind == OpKind.CLEAR))),
            *(getattr(answers.sink, name).eq(getattr(stages[-1], name)) for name, _ in stages[-1].layout),
            answers.sink.first_touch.eq(working_set.first_touch),
        ]
        self.sync += [
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
            # Entries still in the pipeline have room: `level` counts only those already in the FIFO.
            room.eq(answers.level < answers_depth - latency - 1),
        ]
        self.internal = SimpleNamespace(stages=stages, room=room)  # for the lemmas of tests/formal
        if working_set.latency is None:
            self._hold_until_answered(stages[-1], answers.sink)

        # An operation goes into the register before the engine.
        self.sync += [
            If(engine_ops.ready, engine_ops.valid.eq(0)),
            If(touch | fill | ask, engine_ops.valid.eq(1)),
            If(
                may_ask,  # its payload is ignored while it is not valid
                engine_ops.kind.eq(op.kind),
                engine_ops.frame.eq(Mux(recent.misplaced & op.moves, recent.touch_page, op.frame)),
                engine_ops.context.eq(op.context),
                engine_ops.write.eq(op.write),
                engine_ops.epoch_end.eq(op.epoch_end),
                If(split, engine_ops.context[-1].eq(0)),
                If(
                    recent.misplaced & op.moves,
                    engine_ops.context.eq(0),
                    engine_ops.write.eq(0),
                    engine_ops.epoch_end.eq(0),
                ),
            ),
        ]

        # Merge.
        self.merge = merge = AnswerMerge(groups, contexts, recent_pages)
        self.source = merge.source
        self.comb += [
            answers.source.connect(merge.answers),
            engine_positions.connect(merge.engine_positions),
            self.idle.eq(
                ~numbers.busy & ~op.valid & ~any_of(stage.valid for stage in stages[1:]) & merge.idle
            ),
        ]

        # Accesses left out are counted one cycle later; the end of an epoch another cycle later, after the
        # accesses before it.
        ends, ended, clears = Signal(), Signal(), Signal()
        self.sync += [
            ends.eq(op.ready & op.epoch_end),
            ended.eq(ends),
            clears.eq(recent.clear),
        ]
        full = Signal(2)
        self.comb += self.full.eq(full != 0)
        reasons = ((self.outside, op.outside), (self.unsampled, ~op.outside & ~op.sampled))
        for number, (finished, reason) in enumerate(reasons):
            counts, running, more = Signal(), Signal(counter_bits), Signal(counter_bits + 1)
            self.comb += more.eq(running + 1)  # the carry: the counter is at its limit
            self.sync += [
                counts.eq(skip & (op.kind == OpKind.ACCESS) & ~op.frozen & reason),
                If(
                    clears | ended,
                    running.eq(counts),
                ).Elif(
                    counts & ~more[-1],
                    running.eq(more),
                ),
                If(ended, finished.eq(running), full[number].eq(more[-1])),
            ]

    def _hold_until_answered(self, held, sink):
        """Keep an answer due until the working set has answered; it takes no other question meanwhile."""
        working_set, waits = self.working_set, Signal()
        self.comb += [
            sink.valid.eq(held.valid & (~waits | working_set.answered)),
            sink.first_touch.eq(waits & working_set.first_touch),
        ]
        self.sync += [
            If(working_set.asks, waits.eq(1)),
            If(waits & ~working_set.answered, held.eq(held)),
            If(working_set.answered, waits.eq(0)),
        ]
