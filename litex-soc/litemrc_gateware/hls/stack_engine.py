"""A stack engine as an HLS compiler made it."""

from litex.gen import LiteXModule
from migen import Signal

from litemrc_gateware.hls.streams import streams_of
from litemrc_gateware.hls.unit import HLSUnit, InFlight
from litemrc_gateware.records import check_sizes


class HLSStackEngine(LiteXModule):
    """A stack engine of ``hls/``, with the ports of :class:`GroupStack` and :class:`BucketStack`.

    The Verilog must have been made for the same sizes. Only the widths of its ports show its sizes:
    ``exported_files`` compares them with ``port_widths``.

    Parameters
    ----------
    top : str
        ``group_stack`` or ``bucket_stack``.
    frames, groups, contexts : int

    Attributes
    ----------
    sink, source : stream.Endpoint
        operations in, one position for each out, in order.
    idle : Signal
        every operation taken has been answered. The unit takes none while it finishes work after an answer.
    """

    def __init__(self, top, frames, groups, contexts):
        check_sizes(frames, groups, contexts)
        self.unit = unit = HLSUnit(top, *streams_of(top, frames, groups, contexts))
        self.sink, self.source = unit.ops, unit.positions
        self.idle = Signal()

        # # #

        leaves = self.source.valid & self.source.ready
        self.in_flight = in_flight = InFlight(self.sink, leaves)
        self.comb += self.idle.eq(in_flight.none & ~self.source.valid)
