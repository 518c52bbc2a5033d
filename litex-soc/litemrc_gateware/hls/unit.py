"""Verilog that an HLS compiler exported, with streams of records for its ports."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import ClockSignal, Instance, ResetSignal, Signal

from litemrc_gateware.hls.streams import word_bits

IN_FLIGHT_BITS = 10  # more operations than a pipeline has stages


class HLSUnit(LiteXModule):
    """An HLS top function whose records pass through AXI4 streams of words (``interface mode = axis``).

    A word is a record, its first field in the lowest bits, padded with zeros to bytes (hls/common/words.hpp).
    The reset is ``ap_rst_n``.

    Parameters
    ----------
    top : str
        the top function's name, which is the Verilog module's.
    sinks, sources : dict of str to list of (str, int)
        the record of each stream into it and out of it, by the name of the function's argument.
    others : dict of str to Signal
        ports that are no stream, as ``Instance`` calls them.

    Attributes
    ----------
    one for each stream : stream.Endpoint
        called as the argument.
    """

    def __init__(self, top, sinks, sources, **others):
        ports = {"i_ap_clk": ClockSignal(), "i_ap_rst_n": ~ResetSignal(), **others}
        for layouts, into, out_of in ((sinks, "i", "o"), (sources, "o", "i")):
            for name, layout in layouts.items():
                endpoint = stream.Endpoint(layout)
                setattr(self, name, endpoint)
                word = Signal(word_bits(layout))
                ports |= {
                    f"{into}_{name}_TDATA": word,
                    f"{into}_{name}_TVALID": endpoint.valid,
                    f"{out_of}_{name}_TREADY": endpoint.ready,
                }
                payload = endpoint.payload.raw_bits()
                self.comb += word.eq(payload) if into == "i" else payload.eq(word)
        self.specials += Instance(top, **ports)


class InFlight(LiteXModule):
    """Counts the records in a unit.

    Parameters
    ----------
    sink : stream.Endpoint
        of the unit.
    leaves : Signal
        strobe: the unit has finished with one record.

    Attributes
    ----------
    none : Signal
    """

    def __init__(self, sink, leaves):
        self.none = Signal()

        # # #

        count = Signal(IN_FLIGHT_BITS)
        self.sync += count.eq(count + (sink.valid & sink.ready) - leaves)
        self.comb += self.none.eq(count == 0)
