"""The answers of bucket_stack: the estimated position of a page, put together while the tree is asked."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Record, Signal, log2_int

from litemrc_gateware.loop_front import LoopFront
from litemrc_gateware.records import position_layout, width_of

ANSWERS = 32  # that can wait to be taken


class BucketAnswers(LiteXModule):
    """A hit in a closed bucket lies behind the open bucket, the newer closed ones, and part of its own.

    Parameters
    ----------
    frames, groups, contexts, ids : int
        powers of two.
    latency : int
        of the tree, from an operation to `newer`; `count` comes after 2 clocks.

    Attributes
    ----------
    asked : Record, in
        what is known in the clock before the tree gets the operation: `valid`; `kind` (PositionKind),
        `owner` and `epoch_end`; for a hit in a closed bucket `hits_closed`, its `id`, and the pages in the
        open bucket of its owner.
    count, newer : Signal, in
        answers of the tree.
    source : stream.Endpoint(position_layout), out
        at most `ANSWERS` must be on their way or waiting.
    front : LoopFront
        its `forget` and `clear` are to be driven.
    """

    def __init__(self, frames: int, groups: int, contexts: int, ids: int, latency: int) -> None:
        pages_bits = width_of(frames) + 1
        layout = [
            ("valid", 1),
            ("kind", 2),
            ("owner", width_of(contexts)),
            ("epoch_end", 1),
            ("hits_closed", 1),
            ("id", width_of(ids)),
            ("open_pages", pages_bits),
        ]
        self.asked = Record(layout)
        self.count, self.newer = Signal(pages_bits), Signal(pages_bits)

        # # #

        self.front = front = LoopFront(frames // groups, contexts, ids, pages_bits)
        counted = 2  # clocks in the tree
        placed = counted - 1 + front.latency
        end = max(latency, placed + 1)
        parts = [Record(layout) for _ in range(end + 1)]  # by clocks in the tree
        newer = [self.newer, *(Signal(pages_bits) for _ in range(end - latency))]
        last, position = Record(layout), Signal(pages_bits)
        self.comb += [
            front.hit.eq(parts[counted - 1].valid & parts[counted - 1].hits_closed),
            front.owner.eq(parts[counted - 1].owner),
            front.id.eq(parts[counted - 1].id),
            front.pages.eq(self.count),
        ]
        self.sync += [
            parts[0].eq(self.asked),
            *(parts[n + 1].eq(parts[n]) for n in range(end)),
            *(newer[n + 1].eq(newer[n]) for n in range(end - latency)),
            parts[placed + 1].open_pages.eq(parts[placed].open_pages + front.inside),
            last.eq(parts[end]),
            position.eq(newer[-1] + parts[end].open_pages),
        ]
        self.answers = answers = stream.SyncFIFO(position_layout(groups, contexts), ANSWERS)
        self.source = answers.source
        self.comb += [
            answers.sink.valid.eq(last.valid),
            answers.sink.kind.eq(last.kind),
            answers.sink.context.eq(last.owner),
            answers.sink.epoch_end.eq(last.epoch_end),
            If(last.hits_closed, answers.sink.group.eq(position >> log2_int(frames // groups))),
        ]
