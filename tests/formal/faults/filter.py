# SPDX-License-Identifier: BSD-2-Clause
"""Faults of the page filter and its merge of answers."""

from tests.formal.answer_merge import AnswerMergeProof
from tests.formal.faults.mutant import Mutant, withdrawn
from tests.formal.page_filter import FilterEndsProof, PageFilterProof

FILTER = "filter.page_filter.PageFilter"
MERGE = "filter.answer_merge.AnswerMerge"
_STREAM = "source: a record and its payload stay until taken"
_END_LEFT = "one answer for each operation, in order: its end of epoch; none of a mark or a frozen access"

MUTANTS = (
    Mutant(
        FilterEndsProof,
        "the FIFO has a place for every answer due",
        FILTER,
        "answers_depth - latency - 1",
        "answers_depth - latency + 1",
    ),
    Mutant(
        FilterEndsProof,
        "an end of epoch enters the FIFO of answers once",
        FILTER,
        "op.ready.eq(absorb | fill | ask | skip),",
        "op.ready.eq(absorb | fill | ask),",
    ),
    Mutant(
        PageFilterProof,
        "no answer without an operation",
        FILTER,
        "If(touch, answer.kind.eq(AnswerKind.TOUCH)),",
        "",
    ),
    Mutant(PageFilterProof, _END_LEFT, FILTER, "answer.frozen.eq(op.frozen &", "answer.frozen.eq(0 &"),
    Mutant(
        PageFilterProof,
        "idle: every operation taken is answered",
        FILTER,
        "~numbers.busy & ~op.valid",
        "~numbers.busy",
    ),
    Mutant(
        PageFilterProof,
        "the engine gets no marks",
        FILTER,
        "ask.eq(may_ask & ~op.moves & ~op.nothing),",
        "ask.eq(may_ask & ~op.moves),",
    ),
    Mutant(
        PageFilterProof,
        "engine_ops: a record and its payload stay until taken",
        FILTER,
        "may_ask.eq(may_answer & (~engine_ops.valid | engine_ops.ready)),",
        "may_ask.eq(may_answer),",
    ),
    Mutant(
        AnswerMergeProof,
        "one answer for each operation, in order, with the owner of its page",
        MERGE,
        "merged.sink.context[-1].eq(1),",
        "merged.sink.context[-1].eq(0),",
    ),
    Mutant(
        PageFilterProof,
        _STREAM,
        MERGE,
        "self.source = merged.source",
        withdrawn("merged.source", "engine.valid"),
        "filter.page_filter",
    ),
    Mutant(
        AnswerMergeProof,
        "an answer takes one position of the engine if the engine was asked, else none",
        MERGE,
        "engine.ready.eq(due.valid & (thrown_away |",
        "engine.ready.eq(due.valid & (",
    ),
    Mutant(
        AnswerMergeProof,
        "no answer that is not due",
        MERGE,
        "merged.sink.valid.eq(due.valid & ~thrown_away &",
        "merged.sink.valid.eq(due.valid &",
    ),
    Mutant(
        AnswerMergeProof,
        "one answer for each operation, in order, with the owner of its page",
        MERGE,
        "engine.valid & engine.ready & from_engine & learns,",
        "engine.valid & engine.ready & learns,",
    ),
    Mutant(
        AnswerMergeProof,
        "idle: no answer is due",
        MERGE,
        "self.idle.eq(~due.valid & ~merged.source.valid),",
        "self.idle.eq(~due.valid),",
    ),
    Mutant(
        AnswerMergeProof,
        "an answer that is due is taken as soon as its position and a place are there",
        MERGE,
        "(thrown_away | merged.sink.ready) & (due.kind[1] | engine.valid)",
        "(thrown_away | merged.sink.ready) & engine.valid",
    ),
    Mutant(
        AnswerMergeProof,
        _STREAM,
        MERGE,
        "self.source = merged.source",
        withdrawn("merged.source", "engine.valid"),
    ),
)
