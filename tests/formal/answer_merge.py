# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `filter.answer_merge.AnswerMerge`: one answer for each operation, in order."""

from litemrc_gateware.filter.answer_merge import AnswerKind, AnswerMerge
from litemrc_gateware.records import PositionKind
from migen import Array, Cat, If, Mux, Signal

from tests.formal.proof import ALWAYS, Proof
from tests.formal.queues import FollowedRecord


class AnswerMergeProof(Proof):
    """The reference makes the answer from what is taken in a cycle and the owners learnt before."""

    def __init__(self, unit_class=AnswerMerge, groups=4, contexts=2, recent_pages=2) -> None:
        super().__init__()
        self.parameters = f"{groups} groups, {contexts} contexts, {recent_pages} recent pages"
        self.unit = unit = unit_class(groups, contexts, recent_pages)
        due, engine, source = unit.answers, unit.engine_positions, unit.source

        taken, of_engine, answer = Signal(), Signal(), Signal.like(source.payload.raw_bits())
        owners = Array(Signal.like(engine.context) for _ in range(recent_pages))
        asked = (due.kind == AnswerKind.ENGINE) | (due.kind == AnswerKind.TOUCH)
        learns = (engine.kind == PositionKind.HIT) | (engine.kind == PositionKind.MISS)
        position = [("kind", 2), ("group", len(engine.group)), ("context", len(engine.context))]
        kind, group, context = (Signal(bits, name=f"expected_{name}") for name, bits in position)
        self.comb += [
            taken.eq(due.valid & due.ready),
            of_engine.eq(due.kind == AnswerKind.ENGINE),
            kind.eq(PositionKind.NONE),
            If(
                ~due.frozen & of_engine,
                kind.eq(engine.kind),
                group.eq(engine.group),
                context.eq(engine.context),
            ),
            If(
                ~due.frozen & (due.kind == AnswerKind.ABSORBED),
                kind.eq(PositionKind.HIT),
                context.eq(owners[due.slot]),
            ),
            # Of a write with a context of its own.
            If(due.apart & ((kind == PositionKind.HIT) | (kind == PositionKind.MISS)), context[-1].eq(1)),
            answer.eq(Cat(kind, group, context, due.epoch_end, due.first_touch)),
        ]
        self.sync += If(taken & of_engine & learns, owners[due.slot].eq(engine.context))
        self.answer = followed = FollowedRecord(
            self, 2, taken & (due.kind != AnswerKind.TOUCH), source.valid & source.ready, answer
        )
        self.prove(
            "an answer takes one position of the engine if the engine was asked, else none",
            (engine.valid & engine.ready) == (taken & asked),
            when=ALWAYS,
            cases={"with the engine": taken & asked, "without": taken & ~asked},
        )
        self.prove("no answer that is not due", followed.entries != 0, when=source.valid)
        absorbed = (due.kind == AnswerKind.ABSORBED) & owners[due.slot] & Mux(due.slot, 1, 0)
        self.prove(
            "one answer for each operation, in order, with the owner of its page",
            source.payload.raw_bits() == followed.record,
            when=source.valid & followed.due,
            cases={
                "of an absorbed page whose owner is context 1": self.before(taken & absorbed)
                & (followed.entries == 1)
            },
        )
        self.prove(
            "idle: no answer is due",
            (followed.entries == 0) & ~due.valid,
            when=unit.idle,
            cases={"after an answer": self.ever(taken)},
        )
        ready = ~asked | engine.valid
        self.prove(
            "an answer that is due is taken as soon as its position and a place are there",
            due.ready,
            when=due.valid & ready & (~source.valid | source.ready),
        )
        self.prove_stream("source", source)
