# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `filter.page_filter.PageFilter` around any engine: one answer an operation, in order."""

from functools import reduce
from operator import add

from litemrc_gateware.filter.answer_merge import AnswerKind
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.records import OpKind, PositionKind
from migen import Cat, If, Mux, Record, Signal

from tests.formal.proof import Proof, memory_of
from tests.formal.queues import FollowedRecord


def constants(unit) -> list[Signal]:
    """The settings, which stay as after reset: every page takes part; and what LiteX leaves at 0."""
    return [unit.lower, unit.upper, unit.sampling, unit.split, unit.answers.fifo.replace]


IN_FLIGHT_BITS = 5  # more operations than the filter holds


class PageFilterProof(Proof):
    """The engine is part of the environment: it answers each of its operations, with any position."""

    def __init__(
        self,
        unit_class=PageFilter,
        memory_frames=4,
        frames=4,
        groups=2,
        contexts=2,
        recent_pages=2,
        answers_depth=9,
    ) -> None:
        super().__init__()
        self.parameters = (
            f"{memory_frames} frames, {frames} pages, {groups} groups, {contexts} contexts, "
            f"{recent_pages} recent pages, {answers_depth} answers"
        )
        sizes = (memory_frames, frames, groups, contexts, recent_pages, answers_depth)
        self.unit = unit = unit_class(*sizes, counter_bits=2)
        self.constants = constants(unit)
        sink, source, ops, positions = unit.sink, unit.source, unit.engine_ops, unit.engine_positions

        asked, given = ops.valid & ops.ready, positions.valid & positions.ready
        with_engine = Signal(IN_FLIGHT_BITS)
        self.sync += with_engine.eq(with_engine + asked - given)
        self.assume("the engine answers an operation it took", ~positions.valid | (with_engine != 0))

        nothing = (sink.kind == OpKind.MARK) | ((sink.kind == OpKind.ACCESS) & sink.frozen)
        taken, answered = sink.valid & sink.ready, source.valid & source.ready
        self.op = op = FollowedRecord(self, IN_FLIGHT_BITS, taken, answered, Cat(sink.epoch_end, nothing))
        lemmas = self._lemmas(answers_depth)
        count = Signal(2)  # of answers, up to 3
        self.sync += If(answered & (count != 3), count.eq(count + 1))
        self.prove("no answer without an operation", op.entries != 0, when=source.valid, lemmas=lemmas)
        self.prove(
            "one answer for each operation, in order: its end of epoch; none of a mark or a frozen access",
            (source.epoch_end == op.record[0]) & (~op.record[1] | (source.kind == PositionKind.NONE)),
            when=source.valid & op.due,
            cases={
                "its epoch ends": op.record[0],
                "of a mark or a frozen access": op.record[1],
                "after three others": count == 3,
                "eight others are behind it": op.entries > 8,
            },
            lemmas=lemmas,
        )
        self.prove(
            "idle: every operation taken is answered",
            op.entries == 0,
            when=unit.idle,
            cases={"after an answer": count != 0},
            lemmas=lemmas,
        )
        self.prove(
            "the engine gets no marks",
            ops.kind != OpKind.MARK,
            when=ops.valid,
            cases={"after one": self.ever(taken & (sink.kind == OpKind.MARK))},
        )
        self.prove_stream("engine_ops", ops)
        self.prove_stream("source", source)

    def _lemmas(self, answers_depth: int) -> list:
        """The operations in the filter, oldest first: as many as entries; the followed one is what came."""
        unit, op = self.unit, self.op
        answers, stages, numbers = unit.answers.fifo, unit.internal.stages, unit.numbers
        level = answers.level
        write, read = memory_of(answers).ports[:2]

        def wrapped(adr):
            return self.named(Mux(adr >= answers_depth, adr - answers_depth, adr), len(read.adr))

        places = [(unit.source.valid, unit.source.epoch_end, unit.source.kind == PositionKind.NONE)]
        kept = []
        for number in range(answers_depth):
            answer = Record(unit.answers.sink.description.payload_layout)
            adr = wrapped(self.named(read.adr + number))
            self.comb += answer.raw_bits().eq(self.word_at(answers, adr)[: len(answer.raw_bits())])
            kept.append((level > number, answer))
        kept += [(stage.valid, stage) for stage in reversed(stages[1:])]
        for valid, answer in kept:
            nothing = answer.frozen | (answer.kind == AnswerKind.NOTHING)
            places.append((valid & (answer.kind != AnswerKind.TOUCH), answer.epoch_end, nothing))
        skid = unit.numbers.hashed.pipe_ready
        numbered, at_hand = numbers.numbered.source, unit.at_hand.source
        for valid, each in (
            (at_hand.valid, at_hand),
            (numbered.valid, numbered),
            (~skid.sink.ready, skid.source),
            (skid.sink.valid, skid.sink),
            (numbers.folded.source.valid, numbers.folded.source),
        ):
            nothing = (each.kind == OpKind.MARK) | ((each.kind == OpKind.ACCESS) & each.frozen)
            places.append((valid, each.epoch_end, nothing))

        ahead, lemmas = 0, []
        distance = self.named(op.number - op.gone, IN_FLIGHT_BITS)
        for holds, ends, nothing in places:
            is_followed = holds & (distance == ahead)
            lemmas.append(~is_followed | ((ends == op.record[0]) & (~op.record[1] | nothing)))
            ahead = self.named(ahead + self.named(holds, 1), IN_FLIGHT_BITS)
        before_merge = self.named(reduce(add, (stage.valid for stage in stages[1:]), level))
        return [
            *lemmas,
            op.entries == ahead,
            before_merge <= Mux(unit.internal.room, answers_depth - 1, answers_depth),
            (read.adr < answers_depth) & (write.adr == wrapped(self.named(read.adr + level))),
            skid.sink.ready | skid.source.valid,
            *(
                ~each.valid
                | (~(each.moves & each.nothing) & ((each.kind != OpKind.MARK) | (each.nothing & ~each.moves)))
                for each in (numbered, at_hand)
            ),
        ]


class FilterEndsProof(Proof):
    """What holds in all states: the ends of epochs, and the room for answers due."""

    def __init__(self, unit_class=PageFilter) -> None:
        super().__init__()
        self.parameters = "4 frames, 4 pages, 2 groups, 2 contexts, 2 recent pages, 9 answers"
        self.unit = unit = unit_class(4, 4, 2, 2, 2, 9, counter_bits=2)
        self.constants = constants(unit)
        sink, source, due = unit.sink, unit.source, unit.answers.sink
        before_fifo = Signal()
        enters = sink.valid & sink.ready & sink.epoch_end
        leaves = source.valid & source.ready & source.epoch_end
        pushed = due.valid & due.epoch_end & (due.kind != AnswerKind.TOUCH)
        self.sync += If(enters, before_fifo.eq(1)).Elif(pushed, before_fifo.eq(0))
        self.assume(
            "an end of epoch comes when none is between queue and window (proved of Intake)",
            ~(sink.valid & sink.epoch_end & before_fifo),
        )
        self.prove(
            "the FIFO has a place for every answer due",
            due.ready,
            when=due.valid,
            cases={"only one is left": unit.answers.level == 8},
        )
        self.prove(
            "an end of epoch enters the FIFO of answers once",
            before_fifo,
            when=pushed,
            cases={"a second one, after the first left": self.ever(leaves)},
        )
