"""The answers of bucket_stack: the estimated position of a page, put together while the tree is asked."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Mux, Record, Signal, bits_for, log2_int

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import position_layout, width_of

ANSWERS = 32  # that can wait to be taken


class LoopRule(LiteXModule):
    """Whether the last two hits of a context in closed buckets were in the bucket that is hit now.

    Parameters
    ----------
    ids, contexts : int
        powers of two.

    Attributes
    ----------
    hits, id, owner : Signal, in
        strobe: a hit in the closed bucket `id` of `owner`.
    in_loop : Signal, out
        in the same clock.
    forget, forget_owner : Signal, in
        strobe: no hit yet in this context; not with `hits`.
    """

    def __init__(self, ids: int, contexts: int) -> None:
        id_bits, context_bits = width_of(ids), width_of(contexts)
        self.hits, self.id, self.owner = Signal(), Signal(id_bits), Signal(context_bits)
        self.in_loop = Signal()
        self.forget, self.forget_owner = Signal(), Signal(context_bits)

        # # #

        self.last = last = SimpleDualPort(id_bits + 1, 1 << context_bits, async_read=True)
        last_id, last_twice, again = Signal(id_bits), Signal(), Signal()  # id 0: none
        self.comb += [
            last.read.adr.eq(self.owner),
            Cat(last_id, last_twice).eq(last.read.dat_r),
            again.eq(last_id == self.id),
            self.in_loop.eq(again & last_twice),
            last.write.adr.eq(Mux(self.forget, self.forget_owner, self.owner)),
            last.write.dat_w.eq(Mux(self.forget, 0, Cat(self.id, again))),
            last.write.we.eq(self.forget | self.hits),
        ]


class BucketAnswers(LiteXModule):
    """A hit in a closed bucket lies behind the open bucket, the newer closed ones, and part of its own.

    In its middle, or, in a loop, at its end.

    Parameters
    ----------
    frames, groups, contexts, ids : int
        powers of two.
    bucket_pages : int
        an open bucket's at most.
    latency : int
        of the tree, from an operation to `newer`.

    Attributes
    ----------
    asked : Record, in
        what is known in the clock before the tree gets the operation: `valid`; `kind` (PositionKind),
        `owner` and `epoch_end`; for a hit in a closed bucket `hits_closed` and the pages in the open bucket
        of its owner.
    id : Signal, in
        the closed bucket, a clock later.
    count, newer : Signal, in
        answers of the tree.
    forget, forget_owner : Signal, in
        strobe: as in `LoopRule`, while no operation is on its way.
    source : stream.Endpoint(position_layout), out
        at most `ANSWERS` must be on their way or waiting.
    """

    def __init__(
        self, frames: int, groups: int, contexts: int, ids: int, bucket_pages: int, latency: int
    ) -> None:
        pages_bits, count_bits = bits_for(frames), bits_for(frames // groups)
        layout = [
            ("valid", 1),
            ("kind", 2),
            ("owner", width_of(contexts)),
            ("epoch_end", 1),
            ("hits_closed", 1),
            ("in_loop", 1),
            ("nearer", count_bits + 1),
        ]
        self.asked = Record([*layout[:-2], ("open_pages", bits_for(bucket_pages))])
        self.id, self.count, self.newer = Signal(width_of(ids)), Signal(count_bits), Signal(pages_bits)

        # # #

        parts = [Record(layout) for _ in range(latency + 1)]  # by clocks in the tree
        last = Record(layout)
        inside, position = Signal(count_bits), Signal(pages_bits)
        self.rule = rule = LoopRule(ids, contexts)
        self.forget, self.forget_owner = rule.forget, rule.forget_owner
        self.comb += [
            rule.hits.eq(parts[0].hits_closed),
            rule.id.eq(self.id),
            rule.owner.eq(parts[0].owner),
            inside.eq(Mux(parts[3].in_loop, self.count - 1, self.count >> 1)),
        ]
        self.sync += [
            *(getattr(parts[0], name).eq(getattr(self.asked, name)) for name, _ in layout[:-2]),
            parts[0].nearer.eq(self.asked.open_pages),
            *(parts[n + 1].eq(parts[n]) for n in range(latency)),
            parts[1].in_loop.eq(rule.in_loop),
            parts[4].nearer.eq(parts[3].nearer + inside),
            last.eq(parts[latency]),
            position.eq(self.newer + parts[latency].nearer),
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
