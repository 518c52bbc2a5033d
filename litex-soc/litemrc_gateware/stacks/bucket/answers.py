# SPDX-License-Identifier: BSD-2-Clause
"""The answers of bucket_stack: a page's estimated position, completed while the tree is read."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal, bits_for, log2_int

from litemrc_gateware.records import position_layout, width_of
from litemrc_gateware.stacks.bucket.loop_front import LoopFront

ANSWERS = 32  # room for answers that wait to be taken


class BucketAnswers(LiteXModule):
    """Adds the pages before a hit in a closed bucket: the open id, newer closed ones, part of its own.

    Parameters
    ----------
    frames, groups, contexts, ids : int
        powers of two.
    bucket_pages, closing_pages : int
        a bucket's pages at most; the pages at which it closes.
    latency : int
        cycles of the tree from an operation to `newer`.

    Attributes
    ----------
    asked : Record, in
        the operation in the cycle before the tree gets it: `valid`; `kind` (PositionKind), `owner` and
        `epoch_end`; for a hit in a closed bucket `hits_closed` and the pages in its owner's open id.
    bucket : Signal, in
        the closed bucket, a cycle later.
    older_count, newer_count, newer : Signal, in
        outputs of the tree.
    front : LoopFront
        its `forget` and `clear` are driven by the caller.
    source : stream.Endpoint(position_layout), out
        the caller lets at most `ANSWERS` be in flight or waiting.
    """

    def __init__(
        self,
        frames: int,
        groups: int,
        contexts: int,
        ids: int,
        bucket_pages: int,
        closing_pages: int,
        latency: int,
    ) -> None:
        pages_bits, count_bits = width_of(frames), bits_for(bucket_pages)
        layout = [
            ("valid", 1),
            ("kind", 2),
            ("owner", width_of(contexts)),
            ("epoch_end", 1),
            ("hits_closed", 1),
            ("nearer", bits_for(2 * closing_pages + 2 * bucket_pages)),
        ]
        self.asked = Record([*layout[:-1], ("open_pages", bits_for(2 * closing_pages))])
        self.bucket, self.newer = Signal(width_of(ids) + 1), Signal(pages_bits)
        self.older_count, self.newer_count = Signal(count_bits), Signal(count_bits)

        # # #

        self.front = front = LoopFront(bucket_pages, contexts, 2 * ids, count_bits)
        hit_at = 2  # cycles in the tree; its count comes one later
        placed_at = hit_at + front.latency
        end = max(latency, placed_at + 1)
        parts = [Record(layout) for _ in range(end + 1)]  # by cycles in the tree
        buckets = [self.bucket, *(Signal.like(self.bucket) for _ in range(hit_at + 1))]
        is_newer = buckets[hit_at + 1][0]
        newer = [self.newer, *(Signal(pages_bits) for _ in range(end - latency))]
        last, position, in_front = Record(layout), Signal(pages_bits), Signal(count_bits, reset_less=True)
        self.comb += [
            front.hit.eq(parts[hit_at].hits_closed),
            front.owner.eq(parts[hit_at].owner),
            front.id.eq(buckets[hit_at]),
            front.pages.eq(Mux(is_newer, self.newer_count, self.older_count)),
        ]
        self.sync += [
            *(getattr(parts[0], name).eq(getattr(self.asked, name)) for name, _ in layout[:-1]),
            parts[0].nearer.eq(self.asked.open_pages),
            *(later[n + 1].eq(later[n]) for later in (parts, buckets, newer) for n in range(len(later) - 1)),
            in_front.eq(self.newer_count),
            If(is_newer, in_front.eq(0)),  # the register's reset
            parts[hit_at + 3].nearer.eq(parts[hit_at + 2].nearer + in_front),
            parts[placed_at + 1].nearer.eq(parts[placed_at].nearer + front.inside),
            last.eq(parts[end]),
            position.eq(newer[-1] + parts[end].nearer),
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
