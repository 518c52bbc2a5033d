# SPDX-License-Identifier: BSD-2-Clause
"""The next and prev pointers of all LRU stacks, and the four cycles that relink a page."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal

from litemrc_gateware.memory import DEEPEST_WORDS, DeepMemory


class LruLinks(LiteXModule):
    """A circular list of pages in LRU order for each stack: the least recent page precedes the most recent.

    Both neighbours of frame `adr` are on `next` and `prev` `latency` cycles later. `start`, in a cycle in
    which `adr` is the top of the stack, relinks the page `frame` in four cycles, the first of which is that
    in which the top's neighbours are read. The inputs must stay until then; reads may continue:

    1. if `linked`, the page is removed: its neighbours are linked to each other;
    2. if `insert`, the least recent page and the top are linked to the page;
    3. nothing: a walk whose first header is this page must have read its neighbours by now;
    4. if `insert`, the page is linked to them.

    Parameters
    ----------
    frame_bits : int
        width of a frame number.
    part_frames : int
        frames in a block RAM at most.

    Attributes
    ----------
    adr : Signal(frame_bits), in
    next, prev : Signal(frame_bits), out
    start, linked, insert : Signal, in
    frame, frame_next, frame_prev, top : Signal(frame_bits), in
        the page, its neighbours before, and the top of its stack: `frame` itself if the stack is empty.
    tail : Signal(frame_bits), out
        the least recent page before the move, from the second of the four cycles on.
    busy : Signal, out
        1 until the fourth cycle, in which the last pointers are written.
    latency : int
    """

    def __init__(self, frame_bits: int, part_frames: int = DEEPEST_WORDS) -> None:
        self.adr = Signal(frame_bits)
        self.next = Signal(frame_bits)
        self.prev = Signal(frame_bits)
        self.start = Signal()
        self.linked = Signal()
        self.insert = Signal()
        self.frame = Signal(frame_bits)
        self.frame_next = Signal(frame_bits)
        self.frame_prev = Signal(frame_bits)
        self.top = Signal(frame_bits)
        self.tail = Signal(frame_bits)
        self.busy = Signal()

        # # #

        self.nexts = nexts = DeepMemory(frame_bits, 1 << frame_bits, part_frames)
        self.prevs = prevs = DeepMemory(frame_bits, 1 << frame_bits, part_frames)
        self.latency = nexts.latency
        self.comb += [
            nexts.read.adr.eq(self.adr),
            prevs.read.adr.eq(self.adr),
            self.next.eq(nexts.read.dat_r),
            self.prev.eq(prevs.read.dat_r),
        ]

        steps = [self.start, *(Signal() for _ in range(self.latency + 3))]
        take_out, hang_in, _, close = steps[-4:]
        self.sync += [
            *(behind.eq(before) for before, behind in pairwise(steps)),
            If(take_out, self.tail.eq(Mux(self.top == self.frame, self.frame, self.prev))),
        ]
        self.comb += [
            self.busy.eq(Cat(*steps[1:-1]) != 0),
            If(
                take_out,
                nexts.write.adr.eq(self.frame_prev),
                nexts.write.dat_w.eq(self.frame_next),
                prevs.write.adr.eq(self.frame_next),
                prevs.write.dat_w.eq(self.frame_prev),
            )
            .Elif(
                hang_in,
                nexts.write.adr.eq(self.tail),
                nexts.write.dat_w.eq(self.frame),
                prevs.write.adr.eq(self.top),
                prevs.write.dat_w.eq(self.frame),
            )
            .Else(
                nexts.write.adr.eq(self.frame),
                nexts.write.dat_w.eq(self.top),
                prevs.write.adr.eq(self.frame),
                prevs.write.dat_w.eq(self.tail),
            ),
            nexts.write.we.eq(Mux(take_out, self.linked, (hang_in | close) & self.insert)),
            prevs.write.we.eq(nexts.write.we),
        ]
