# SPDX-License-Identifier: BSD-2-Clause
"""The position of a page within its bucket: the middle, unless a loop empties the bucket."""

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Record, Replicate, Signal, log2_int

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

FULL_CONFIDENCE, TRUSTED, VOTES, STEEPEST = 15, 8, 6, 4


class LoopFront(LiteXModule):
    """Learns for each context which bucket a loop empties, and its progress in it; one hit a cycle.

    Bit-identical to hls/bucket_stack/loop_front.hpp; golden/monitor/loop_front.py of the host has the rule.
    Stages: 0 compared with the front; 1 counted; 2 the place moves; 3 the place is clamped to the bucket.

    Parameters
    ----------
    bucket_pages, contexts, ids : int
        powers of two: the most pages of a bucket; contexts; numbers of buckets.
    pages_bits : int
        of a number of pages.

    Attributes
    ----------
    hit, owner, id : Signal, in
        strobe: a page of the closed bucket `id` of `owner` is hit.
    pages : Signal, in
        pages of that bucket, including this one; one cycle later.
    forget : Signal, in
        buckets get new ids; no hit may be in progress.
    clear : Signal, in
        all contexts start again; no hit may be in progress.
    inside : Signal, out
        pages of the bucket newer than the page hit, `latency` cycles later.
    """

    latency = 4

    def __init__(self, bucket_pages: int, contexts: int, ids: int, pages_bits: int) -> None:
        id_bits, context_bits = width_of(ids), width_of(contexts)
        self.hit, self.forget, self.clear = Signal(), Signal(), Signal()
        self.owner, self.id = Signal(context_bits), Signal(id_bits)
        self.pages, self.inside = Signal(pages_bits), Signal(pages_bits)

        # # #

        # Stage 0. `known`: the context has a front of these ids; `learnt`: it has a slope.
        layout = [("front", id_bits), ("candidate", id_bits), ("confidence", 4), ("votes", 3)]
        stored, now, new = Record(layout), Record(layout), Record(layout)
        self.fronts = fronts = SimpleDualPort(len(now.raw_bits()), 1 << context_bits, async_read=True)
        known, learnt = (Array(Signal() for _ in range(1 << context_bits)) for _ in range(2))
        hit, owner, this_id, same_owner = Signal(), Signal(context_bits), Signal(id_bits), Signal()
        in_front, in_candidate, moves, keeps_candidate = (Signal() for _ in range(4))
        self.comb += [
            same_owner.eq(hit & (owner == self.owner)),
            fronts.read.adr.eq(self.owner),
            stored.raw_bits().eq(fronts.read.dat_r),
        ]
        self.sync += [
            hit.eq(self.hit),
            owner.eq(self.owner),
            this_id.eq(self.id),
            now.raw_bits().eq(Mux(same_owner, new.raw_bits(), stored.raw_bits())),
            # Compared with each front that it may be: the hit before determines it only in this cycle.
            If(
                same_owner,
                in_front.eq(Mux(moves, self.id == this_id, self.id == now.front)),
                in_candidate.eq(Mux(keeps_candidate, self.id == now.candidate, self.id == this_id)),
            ).Else(
                in_front.eq(self.id == stored.front),
                in_candidate.eq(self.id == stored.candidate),
            ),
            If(
                ~(same_owner | known[self.owner]),  # the registers' reset
                now.raw_bits().eq(0),
                in_front.eq(0),
                in_candidate.eq(0),
            ),
            If(hit, known[owner].eq(1), learnt[owner].eq(1)),
            If(self.forget | self.clear, *(flag.eq(0) for flag in known)),
            If(self.clear, *(flag.eq(0) for flag in learnt)),
        ]

        # Stage 1: confidence and votes. Bucket 0 is none.
        self.comb += [
            fronts.write.adr.eq(owner),
            fronts.write.dat_w.eq(new.raw_bits()),
            fronts.write.we.eq(hit),
            keeps_candidate.eq(in_front | in_candidate | (now.votes != 0)),
            moves.eq(~in_front & in_candidate & (now.votes >= VOTES - 2)),
            new.front.eq(Mux(moves, this_id, now.front)),
            new.candidate.eq(Mux(keeps_candidate, now.candidate, this_id)),
            If(
                in_front,
                new.confidence.eq(
                    Mux(now.confidence < FULL_CONFIDENCE - 2, now.confidence + 2, FULL_CONFIDENCE)
                ),
            )
            .Elif(
                moves,
                new.confidence.eq(TRUSTED),
            )
            .Else(
                new.confidence.eq(now.confidence - (now.confidence != 0)),
                new.votes.eq(Mux(in_candidate, now.votes + 2, Mux(now.votes != 0, now.votes - 1, 1))),
            ),
        ]

        # Stage 2: the place advances by the slope; the slope is corrected by the remaining distance.
        self.progress = progress = LoopProgress(bucket_pages, contexts, pages_bits)
        trusted = Signal()
        self.comb += progress.owner.eq(owner)
        self.sync += [
            progress.is_learnt.eq(learnt[self.owner]),
            progress.follows.eq(same_owner),
            progress.act.eq(hit),
            progress.pages.eq(self.pages),
            progress.advances.eq(in_front),
            progress.moves.eq(moves),
            progress.learns.eq((now.front != 0) & (this_id > now.front) & (now.confidence >= 2)),
            trusted.eq(now.confidence >= TRUSTED - 2),
        ]

        # Stage 3.
        pages, last, at_place, at_end = Signal(pages_bits), Signal(pages_bits), Signal(), Signal()
        self.comb += last.eq(pages - 1)
        self.sync += [
            pages.eq(progress.pages),
            at_place.eq(progress.advances & trusted),
            at_end.eq(progress.moves),
            self.inside.eq(pages >> 1),
            If(at_place, self.inside.eq(Mux(progress.place < pages, progress.place, last))),
            If(at_end, self.inside.eq(last)),
        ]


class LoopProgress(LiteXModule):
    """How far loops have come in their fronts, and how many pages a hit takes them on.

    Parameters
    ----------
    bucket_pages, contexts, pages_bits : int
        as in LoopFront.

    Attributes
    ----------
    owner, is_learnt, follows : Signal, in
        context of a hit, whether it has a slope, whether the hit one cycle before was of the same context.
    act : Signal, in
        strobe, as the others from here on one cycle later: it is a hit.
    advances : Signal, in
        the hit is in the front.
    moves, pages, learns : Signal, in
        the hit makes its bucket of n pages the front; the old one corrects the slope.
    place : Signal, out
        pages to the beginning of the front, 0 below it; one cycle later.
    """

    def __init__(self, bucket_pages: int, contexts: int, pages_bits: int) -> None:
        bucket_bits = log2_int(bucket_pages)
        fraction = min(8, bucket_bits)  # fractional bits
        self.owner, self.is_learnt, self.follows = Signal(width_of(contexts)), Signal(), Signal()
        self.act = Signal()
        self.advances, self.moves, self.learns = Signal(), Signal(), Signal()
        self.pages = Signal(pages_bits)
        self.place = Signal(bucket_bits + 2)

        # # #

        layout = [
            ("place", (bucket_bits + 3 + fraction, True)),  # down to -(bucket_pages + STEEPEST) pages
            ("slope", 2 + fraction),
        ]
        stored, now, new = Record(layout), Record(layout), Record(layout)
        self.table = table = SimpleDualPort(len(now.raw_bits()), 1 << len(self.owner), async_read=True)
        one = 1 << fraction
        self.comb += [
            table.read.adr.eq(self.owner),
            stored.raw_bits().eq(table.read.dat_r),
            table.write.dat_w.eq(new.raw_bits()),
            table.write.we.eq(self.act),
        ]
        self.sync += [
            table.write.adr.eq(self.owner),
            now.place.eq(Mux(self.follows, new.place, stored.place)),
            now.slope.eq(Mux(self.follows, new.slope, Mux(self.is_learnt, stored.slope, one))),
        ]

        is_low, corrected = Signal(), Signal((4 + fraction, True))
        self.comb += [
            is_low.eq(now.place[-1] & (now.place[bucket_bits + fraction : -1] != 3)),
            new.place.eq(now.place),
            If(self.advances & ~is_low, new.place.eq(now.place - now.slope)),
            If(self.moves, new.place.eq(Cat(Replicate(0, fraction), self.pages[: bucket_bits + 1]))),
            corrected.eq(now.slope + (now.place >> (bucket_bits + 1))),
            new.slope.eq(now.slope),
            If(
                self.moves & self.learns,
                new.slope.eq(corrected),
                If(corrected[-2], new.slope.eq(STEEPEST * one - 1)),
                If(corrected[-1] | (corrected[fraction:-1] == 0), new.slope.eq(one)),
            ),
        ]
        self.sync += self.place.eq(Mux(new.place[-1], 0, new.place >> fraction))
