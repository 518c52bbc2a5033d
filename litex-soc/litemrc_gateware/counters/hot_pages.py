# SPDX-License-Identifier: BSD-2-Clause
"""The pages with the most accesses in an epoch, with counts."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.counters.hot_list import HotList
from litemrc_gateware.counters.hot_table import ADMISSION_BITS, HotTable
from litemrc_gateware.records import width_of

QUEUE = 16
SEED = 2463534242  # Marsaglia, Xorshift RNGs, 2003


class HotPages(LiteXModule):
    """Lists the pages with the most accesses of each epoch; bit-identical to hls/hot_pages, with its rules.

    An access per cycle is counted. At the end of an epoch `ready` is 0 for 11 cycles, while the pipeline
    runs empty; then the next epoch counts in the other bank of the table, while the list is made. If an epoch
    ends before the list of the last one is complete, `ready` is 0 until it is: an epoch of 22 cycles per set
    is always long enough for a list of no pages, one of 150,000 cycles for any list of 64.

    After reset the table is emptied: `ready` is 0 for 4 cycles per set.

    Parameters
    ----------
    frames : int
        of the memory, a power of two.
    pages : int
        length of the list, a power of two.
    sets, count_bits, error_bits : int
        as in hls/hot_pages.

    Attributes
    ----------
    access, frame, write : Signal, in
        an access; at most one of `access` and `discard`, while `ready`.
    epoch_end : Signal, in
        strobe while `ready`: the epoch ends after this cycle's access.
    discard : Signal, in
        strobe while `ready`: the epoch begins anew.
    ready : Signal, out
    lower, upper, kinds, sampling_log2, threshold, wanted, always_on, watermark : Signal, in
        settings; those of the list must hold until it is published.
    published, listed, more, window_adr, window_dat_r
        as in HotList.
    accesses, saturated : Signal, out
        of the epoch whose list was published.
    queue : stream.Endpoint
        frames whose guaranteed count has reached `threshold`, if `always_on`.
    queue_overflow : Signal, out
        sticky; `clear_overflow` clears it.
    queued : Signal, out
        whether the queue holds `watermark` frames or more.
    """

    def __init__(
        self,
        frames: int,
        pages: int = 64,
        sets: int | None = None,
        count_bits: int = 20,
        error_bits: int = 9,
    ) -> None:
        sets = sets or (512 if frames >= 2048 else frames // 4)
        frame_bits = width_of(frames)
        self.access, self.frame, self.write = Signal(), Signal(frame_bits), Signal()
        self.epoch_end, self.discard, self.ready = Signal(), Signal(), Signal()
        self.lower, self.upper = Signal(frame_bits), Signal(frame_bits, reset=frames - 1)
        self.kinds, self.sampling_log2 = Signal(2, reset=3), Signal(4)
        self.threshold, self.always_on = Signal(count_bits, reset=2), Signal()
        self.watermark = Signal(max=QUEUE + 1, reset=1)
        self.accesses, self.saturated = Signal(32), Signal()
        self.queue_overflow, self.clear_overflow, self.queued = Signal(), Signal(), Signal()

        # # #

        self.table = table = HotTable(frames, sets, count_bits, error_bits)
        self.list = hot_list = HotList(table, frames, sets, count_bits, error_bits, pages)
        self.wanted, self.published, self.more = hot_list.wanted, hot_list.published, hot_list.more
        self.listed, self.window_adr, self.window_dat_r = (
            hot_list.listed,
            hot_list.window_adr,
            hot_list.window_dat_r,
        )

        # Accesses that the settings select, then those that are sampled.
        access, frame, write = Signal(), Signal(frame_bits), Signal()
        selected, selected_frame = Signal(), Signal(frame_bits)
        random, shifted, mixed, following = (Signal(32) for _ in range(4))
        unsampled, renew = Signal(32 - ADMISSION_BITS), Signal()
        self.comb += [
            shifted.eq(random ^ (random << 13)),
            mixed.eq(shifted ^ (shifted >> 17)),
            following.eq(mixed ^ (mixed << 5)),
        ]
        self.sync += [
            access.eq(self.access & self.ready),
            frame.eq(self.frame),
            write.eq(self.write),
            selected.eq(
                access
                & (frame >= self.lower)
                & (frame <= self.upper)
                & ((write & self.kinds[1]) | (~write & self.kinds[0]))
            ),
            selected_frame.eq(frame),
            unsampled.eq((1 << self.sampling_log2) - 1),
            If(selected, random.eq(following)),
            If(renew, random.eq(SEED)),
            table.valid.eq(selected & ((random[ADMISSION_BITS:] & unsampled) == 0)),
            table.frame.eq(selected_frame),
            table.random.eq(random),
        ]

        # Epochs.
        accesses, more_accesses, saturated, publish = Signal(32), Signal(33), Signal(), Signal()
        first, wait = Signal(reset=1), Signal(max=16)
        self.sync += [
            If(~more_accesses[-1], accesses.eq(more_accesses)),  # they stay at their limit
            If(table.saturated, saturated.eq(1)),
        ]
        self.comb += [
            more_accesses.eq(accesses + table.counted),
            hot_list.accesses.eq(accesses),
            hot_list.threshold.eq(self.threshold),
            hot_list.publish.eq(publish),
        ]
        finished_accesses, finished_saturated = Signal(32), Signal()
        self.sync += If(
            hot_list.published, self.accesses.eq(finished_accesses), self.saturated.eq(finished_saturated)
        )
        self.fsm = fsm = FSM(reset_state="SWITCH")
        fsm.act(
            "COUNT",
            self.ready.eq(1),
            NextValue(wait, 0),
            If(
                self.epoch_end | self.discard,
                NextValue(publish, self.epoch_end & ~self.discard),
                NextState("DRAIN"),
            ),
        )
        fsm.act("DRAIN", NextValue(wait, wait + 1), If(wait == 8, NextState("SWITCH")))
        fsm.act(  # HotList compares `accesses` with `threshold` in the cycle before its start
            "SWITCH",
            If(hot_list.idle, NextState("START")),
        )
        fsm.act(
            "START",
            hot_list.start.eq(1),
            renew.eq(1),
            table.forget.eq(1),
            NextValue(table.bank, ~table.bank),
            NextValue(finished_accesses, accesses),
            NextValue(finished_saturated, saturated),
            NextValue(accesses, 0),
            NextValue(saturated, 0),
            NextValue(first, 0),
            NextState("COUNT"),
            If(first, NextState("SWITCH")),
        )

        # The queue.
        self.fifo = fifo = stream.SyncFIFO([("frame", frame_bits)], QUEUE)
        self.queue = fifo.source
        reached, guaranteed, updated = Signal(), Signal(count_bits), Signal()
        updated_frame = Signal(frame_bits)
        self.sync += [
            updated.eq(table.updated & self.always_on),
            guaranteed.eq(table.updated_count - table.updated_error),
            updated_frame.eq(table.updated_frame),
            reached.eq(updated & (guaranteed == self.threshold)),
            fifo.sink.frame.eq(updated_frame),
            If(self.clear_overflow, self.queue_overflow.eq(0)),
            If(reached & ~fifo.sink.ready, self.queue_overflow.eq(1)),
            self.queued.eq(fifo.level >= self.watermark),
        ]
        self.comb += fifo.sink.valid.eq(reached)
