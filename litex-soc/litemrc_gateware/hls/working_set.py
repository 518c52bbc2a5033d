"""The working set as an HLS compiler made it."""

from litex.gen import LiteXModule
from migen import If, Signal

from litemrc_gateware.hls.streams import streams_of
from litemrc_gateware.hls.unit import HLSUnit
from litemrc_gateware.records import OpKind, width_of


class HLSWorkingSet(LiteXModule):
    """The working set of ``hls/``, with the ports of :class:`WorkingSet` but for its fixed latency.

    The function takes some ten cycles. It is not asked about the page of the last touch, which is in the set:
    most accesses behind a cache are to that page.

    Parameters
    ----------
    pages : int
    contexts : int
        for which the function was made: its operations carry a context, which it ignores.

    Attributes
    ----------
    touch, leave, page, advance, ready
        those of :class:`WorkingSet`. `ready` is 0 from a strobe with `asks` until its answer.
    asks : Signal, out
        the function is asked in this cycle; else the page touched is in the set.
    first_touch : Signal, out
        with `answered`: the page touched was not in the set.
    answered : Signal, out
        strobe: the answer to the last question.
    latency : None
        the answer comes with `answered`.
    """

    latency = None

    def __init__(self, pages, contexts):
        self.touch, self.leave, self.advance = Signal(), Signal(), Signal()
        self.page = Signal(width_of(pages))
        self.ready, self.asks, self.first_touch, self.answered = Signal(), Signal(), Signal(), Signal()

        # # #

        self.unit = unit = HLSUnit("working_set", *streams_of("working_set", pages, 2, contexts))
        ops, answers, busy = unit.ops, unit.first_touches, Signal()
        last, known = Signal(len(self.page)), Signal()  # the page of the last touch, while it is in the set
        self.comb += [
            self.asks.eq(self.leave | self.advance | (self.touch & ~(known & (self.page == last)))),
            self.ready.eq(~busy),
            answers.ready.eq(1),
            self.answered.eq(answers.valid),
            self.first_touch.eq(answers.first_touch),
        ]
        self.sync += [
            If(ops.ready, ops.valid.eq(0)),
            If(answers.valid, busy.eq(0)),
            If(
                self.asks,
                known.eq(self.touch & ~self.advance),
                last.eq(self.page),
                busy.eq(1),
                ops.valid.eq(1),
                ops.kind.eq(OpKind.MARK),
                If(self.touch, ops.kind.eq(OpKind.ACCESS)),
                If(self.leave, ops.kind.eq(OpKind.INVALIDATE)),
                ops.frame.eq(self.page),
                ops.epoch_end.eq(self.advance),
            ),
        ]
