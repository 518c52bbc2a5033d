"""The working set as an HLS compiler made it."""

from litex.gen import LiteXModule
from migen import If, Signal

from litemrc_gateware.hls.streams import streams_of
from litemrc_gateware.hls.unit import HLSUnit
from litemrc_gateware.records import OpKind, width_of


class HLSWorkingSet(LiteXModule):
    """The working set of ``hls/``, with the ports of :class:`WorkingSet` but for its fixed latency.

    Parameters
    ----------
    pages : int
    contexts : int
        for which the function was made: its operations carry a context, which it ignores.

    Attributes
    ----------
    touch, leave, page, advance, ready
        those of :class:`WorkingSet`. `ready` is 0 from a strobe until its answer.
    first_touch : Signal, out
        with `answered`: the page touched was not in the set.
    answered : Signal, out
        strobe: the answer to the last strobe.
    latency : None
        the answer comes with `answered`.
    """

    latency = None

    def __init__(self, pages, contexts):
        self.touch, self.leave, self.advance = Signal(), Signal(), Signal()
        self.page = Signal(width_of(pages))
        self.ready, self.first_touch, self.answered = Signal(), Signal(), Signal()

        # # #

        self.unit = unit = HLSUnit("working_set", *streams_of("working_set", pages, 2, contexts))
        ops, answers, busy = unit.ops, unit.first_touches, Signal()
        self.comb += [
            self.ready.eq(~busy),
            answers.ready.eq(1),
            self.answered.eq(answers.valid),
            self.first_touch.eq(answers.first_touch),
        ]
        self.sync += [
            If(ops.ready, ops.valid.eq(0)),
            If(answers.valid, busy.eq(0)),
            If(
                self.touch | self.leave | self.advance,
                busy.eq(1),
                ops.valid.eq(1),
                ops.kind.eq(OpKind.MARK),
                If(self.touch, ops.kind.eq(OpKind.ACCESS)),
                If(self.leave, ops.kind.eq(OpKind.INVALIDATE)),
                ops.frame.eq(self.page),
                ops.epoch_end.eq(self.advance),
            ),
        ]
