# SPDX-License-Identifier: BSD-2-Clause
"""Maps frames of the memory to pages of the stack engine: address range, hash, sampling."""

import math

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Case, Constant, If, Mux, Signal

from litemrc_gateware.records import OpKind, memory_op_layout, width_of

SAMPLING_BITS = 4


class PageNumbers(LiteXModule):
    """Numbers the sampled pages and marks operations that are not counted, one operation a cycle.

    The hash is a permutation of the frames: upper bits are folded onto lower ones, then the sum is multiplied
    by an odd number, whose multiples are evenly spread. A page is sampled if the upper k bits of its hash
    are 0.

    Parameters
    ----------
    memory_frames, frames, contexts : int
        of the memory, of the engine; powers of two.

    Attributes
    ----------
    lower, upper : Signal(width_of(memory_frames)), in
    sampling : Signal(4), in
        may change while no operation is in progress.
    scale_log2 : Signal(5), out
        k: `sampling`, but at least log2(memory_frames / frames).
    sink : stream.Endpoint(memory_op_layout(memory_frames, contexts)), in
    source : stream.Endpoint(memory_op_layout(frames, contexts) + outside, sampled, moves, nothing), out
        `moves`: an access to a page that takes part; `nothing`: a mark, or an operation on another page.
    outside : Signal, out
        the frame at `sink` is not in the range.
    busy : Signal, out
        an operation is in progress.
    """

    def __init__(self, memory_frames: int, frames: int, contexts: int) -> None:
        bits, page_bits = width_of(memory_frames), width_of(frames)
        least = bits - page_bits
        self.lower, self.upper = Signal(bits), Signal(bits, reset=memory_frames - 1)
        self.sampling = Signal(SAMPLING_BITS)
        self.scale_log2 = Signal(5)
        self.sink = sink = stream.Endpoint(memory_op_layout(memory_frames, contexts))
        self.outside, self.busy = Signal(), Signal()

        # # #

        self.comb += self.scale_log2.eq(Mux(self.sampling > least, self.sampling, least))
        above_sample, identity = Signal(bits), Signal()
        self.sync += [
            above_sample.eq(~(Constant(memory_frames - 1, bits) >> self.scale_log2)),
            identity.eq(self.scale_log2 == 0),
        ]

        work = [*memory_op_layout(memory_frames, contexts), ("outside", 1), ("hash", bits)]
        self.folded = folded = stream.Buffer(work)
        self.hashed = hashed = stream.Buffer(work, pipe_ready=True)  # cuts the long path of `ready`
        self.numbered = numbered = stream.Buffer(
            [
                *memory_op_layout(frames, contexts),
                *((name, 1) for name in ("outside", "sampled", "moves", "nothing")),
            ]
        )
        self.source = numbered.source
        multiplier = int(2**bits * (math.sqrt(5) - 1) / 2) | 1
        self.comb += [
            sink.connect(folded.sink),
            self.outside.eq((sink.frame < self.lower) | (sink.frame > self.upper)),
            folded.sink.outside.eq(self.outside),
            folded.sink.hash.eq(
                sink.frame ^ (sink.frame >> max(1, bits // 2)) ^ (sink.frame >> max(1, bits // 4))
            ),
            folded.source.connect(hashed.sink, omit={"hash"}),
            hashed.sink.hash.eq(folded.source.hash * Constant(multiplier, bits)),
            hashed.source.connect(numbered.sink, omit={"hash", "frame"}),
            numbered.sink.sampled.eq((hashed.source.hash & above_sample) == 0),
            numbered.sink.frame.eq(hashed.source.hash),
            If(identity, numbered.sink.sampled.eq(1), numbered.sink.frame.eq(hashed.source.frame)),
            Case(
                numbered.sink.kind,
                {
                    OpKind.ACCESS: [
                        numbered.sink.moves.eq(~numbered.sink.outside & numbered.sink.sampled),
                        numbered.sink.nothing.eq(~numbered.sink.moves),
                    ],
                    OpKind.INVALIDATE: numbered.sink.nothing.eq(~numbered.sink.sampled),
                    OpKind.MARK: numbered.sink.nothing.eq(1),
                },
            ),
            self.busy.eq(folded.source.valid | hashed.source.valid | numbered.source.valid),
        ]
