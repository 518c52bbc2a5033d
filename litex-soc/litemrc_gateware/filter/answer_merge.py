# SPDX-License-Identifier: BSD-2-Clause
"""The page filter's output: merges its own answers and the engine's into one position for each operation."""

from enum import IntEnum

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Array, If, Signal

from litemrc_gateware.records import PositionKind, counted_layout, position_layout, width_of


class AnswerKind(IntEnum):
    """Where the answer to an operation comes from."""

    ENGINE = 0  # the engine's next position
    TOUCH = 1  # no answer: the engine's next position is discarded
    ABSORBED = 2  # a hit in group 0 of the owner of the page in the slot
    NOTHING = 3  # position "none"


def answer_layout(recent_pages: int) -> list[tuple[str, int]]:
    """Payload of the stream of answers due."""
    return [
        ("kind", 2),  # AnswerKind
        ("slot", width_of(1 << (recent_pages - 1).bit_length())),
        ("epoch_end", 1),
        ("frozen", 1),  # an access whose position is discarded: the answer is "none"
        ("apart", 1),  # it counts in the owner's context of writes
        ("first_touch", 1),
    ]


class AnswerMerge(LiteXModule):
    """Merges answers due with the engine's positions; bit-identical to page_filter_merge of the C++.

    The engine's answer to an access carries the owner of the page that goes into the slot.

    Parameters
    ----------
    groups, contexts, recent_pages : int

    Attributes
    ----------
    answers : stream.Endpoint(answer_layout(recent_pages)), in
    engine_positions : stream.Endpoint(position_layout(groups, contexts)), in
    source : stream.Endpoint(counted_layout(groups, contexts)), out
    idle : Signal, out
        no answer is due.
    """

    def __init__(self, groups: int, contexts: int, recent_pages: int) -> None:
        self.answers = due = stream.Endpoint(answer_layout(recent_pages))
        self.engine_positions = engine = stream.Endpoint(position_layout(groups, contexts))
        self.idle = Signal()

        # # #

        self.merged = merged = stream.Buffer(counted_layout(groups, contexts))
        self.source = merged.source
        owners = Array(Signal(width_of(contexts), name=f"owner{slot}") for slot in range(recent_pages))
        from_engine, absorbed, thrown_away = Signal(), Signal(), Signal()
        self.comb += [
            from_engine.eq(due.kind == AnswerKind.ENGINE),
            absorbed.eq(due.kind == AnswerKind.ABSORBED),
            thrown_away.eq(due.kind == AnswerKind.TOUCH),
            merged.sink.valid.eq(due.valid & ~thrown_away & (~from_engine | engine.valid)),
            due.ready.eq((thrown_away | merged.sink.ready) & (due.kind[1] | engine.valid)),
            engine.ready.eq(due.valid & (thrown_away | (from_engine & merged.sink.ready))),
            merged.sink.kind.eq(PositionKind.NONE),
            merged.sink.epoch_end.eq(due.epoch_end),
            merged.sink.first_touch.eq(due.first_touch),
            If(
                from_engine & ~due.frozen,
                *(
                    getattr(merged.sink, name).eq(getattr(engine, name))
                    for name in ("kind", "group", "context")
                ),
            ),
            If(
                absorbed & ~due.frozen,
                merged.sink.kind.eq(PositionKind.HIT),
                merged.sink.context.eq(owners[due.slot]),
            ),
            If(
                due.apart & (merged.sink.kind[1] == 0),  # a hit or a miss
                merged.sink.context[-1].eq(1),
            ),
            self.idle.eq(~due.valid & ~merged.source.valid),
        ]
        learns = (engine.kind == PositionKind.HIT) | (engine.kind == PositionKind.MISS)
        self.sync += If(
            engine.valid & engine.ready & from_engine & learns,
            owners[due.slot].eq(engine.context),
        )
