"""The answers of bucket_stack: the estimated position of a page, put together while the tree is asked."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal, log2_int

from litemrc_gateware.records import position_layout, width_of

ANSWERS = 32  # that can wait to be taken


class BucketAnswers(LiteXModule):
    """A hit in a closed bucket lies behind the open bucket, the newer closed ones, and part of its own.

    Parameters
    ----------
    frames, groups, contexts : int
        powers of two.
    latency : int
        of the tree, from an operation to `newer`.

    Attributes
    ----------
    asked : Record, in
        what is known in the clock before the tree gets the operation: `valid`; `kind` (PositionKind),
        `owner` and `epoch_end`; for a hit in a closed bucket `hits_closed`, whether it is `in_loop`, and
        the pages in the open bucket of its owner.
    count, newer : Signal, in
        answers of the tree.
    source : stream.Endpoint(position_layout), out
        at most `ANSWERS` must be on their way or waiting.
    """

    def __init__(self, frames: int, groups: int, contexts: int, latency: int) -> None:
        pages_bits = width_of(frames) + 1
        layout = [
            ("valid", 1),
            ("kind", 2),
            ("owner", width_of(contexts)),
            ("epoch_end", 1),
            ("hits_closed", 1),
            ("in_loop", 1),
            ("open_pages", pages_bits),
        ]
        self.asked = Record(layout)
        self.count, self.newer = Signal(pages_bits), Signal(pages_bits)

        # # #

        parts = [Record(layout) for _ in range(latency + 1)]  # by clocks in the tree
        nearer, inside, position = Signal(pages_bits), Signal(pages_bits), Signal(pages_bits)
        last = Record(layout)
        self.sync += [
            parts[0].eq(self.asked),
            *(parts[n + 1].eq(parts[n]) for n in range(latency)),
            parts[3].open_pages.eq(nearer),
            last.eq(parts[latency]),
            position.eq(self.newer + parts[latency].open_pages),
        ]
        self.comb += [
            inside.eq(Mux(parts[2].in_loop, self.count - 1, self.count >> 1)),
            nearer.eq(parts[2].open_pages + inside),
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
