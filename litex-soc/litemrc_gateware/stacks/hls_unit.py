"""Verilog exported by Vitis HLS in place of a unit written in Migen, behind the same ports."""

import re
from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import ClockSignal, Instance, ResetSignal, Signal

from litemrc_gateware.records import check_sizes, op_layout, position_layout

AXIS_BITS = 8  # TDATA is padded to bytes
IN_FLIGHT_BITS = 10  # more operations than a pipeline has stages


class HLSUnit(LiteXModule):
    """An HLS top function whose only ports are AXI4 streams of words (``interface mode = axis``).

    A word is a record, its first field in the lowest bits, padded with zeros to bytes (hls/common/words.hpp).
    The function has no control port (``ap_ctrl_none``); its reset is ``ap_rst_n``.

    Parameters
    ----------
    top : str
        the top function's name, which is the Verilog module's.
    sinks, sources : dict of str to list of (str, int)
        the record of each stream into it and out of it, by the name of the function's argument.

    Attributes
    ----------
    one for each stream : stream.Endpoint
        called as the argument.
    """

    def __init__(self, top, sinks, sources):
        ports = {"i_ap_clk": ClockSignal(), "i_ap_rst_n": ~ResetSignal()}
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


def word_bits(layout):
    """The bits of a record on an AXI4 stream: whole bytes."""
    return -(-sum(width for _, width in layout) // AXIS_BITS) * AXIS_BITS


class HLSStackEngine(LiteXModule):
    """A stack engine of ``hls/``, with the ports of :class:`GroupStack` and :class:`BucketStack`.

    The Verilog must have been exported for the same sizes (``DEFINES`` of ``hls/run_hls.tcl``). Only the
    widths of its ports show its sizes: ``exported_files`` compares them with ``engine_ports``.

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
        ops, positions = op_layout(frames, contexts), position_layout(groups, contexts)
        self.unit = unit = HLSUnit(top, {"ops": ops}, {"positions": positions})
        self.sink, self.source = unit.ops, unit.positions
        self.idle = Signal()

        # # #

        self.in_flight = in_flight = InFlight(self.sink, self.source)
        self.comb += self.idle.eq(in_flight.none & ~self.source.valid)


class InFlight(LiteXModule):
    """Counts the records in a unit that puts out one record for each one it takes.

    Parameters
    ----------
    sink, source : stream.Endpoint
        of the unit.

    Attributes
    ----------
    none : Signal
    """

    def __init__(self, sink, source):
        self.none = Signal()

        # # #

        count = Signal(IN_FLIGHT_BITS)
        self.sync += count.eq(count + (sink.valid & sink.ready) - (source.valid & source.ready))
        self.comb += self.none.eq(count == 0)


def engine_ports(frames, groups, contexts):
    """The widths in bits of a stack engine's data ports by their names, for ``exported_files``."""
    return {
        "ops_TDATA": word_bits(op_layout(frames, contexts)),
        "positions_TDATA": word_bits(position_layout(groups, contexts)),
    }


def exported_files(folder, top, ports):
    """The files that Vitis exported for a unit: its Verilog, and the contents of its memories.

    Parameters
    ----------
    folder : Path
        of the exported Verilog: ``build/vitis/<unit>/solution/impl/verilog`` of ``vitis_hls``,
        ``build/vitis/<unit>/hls/impl/verilog`` of ``v++``.
    top : str
        the top function's name.
    ports : dict of str to int
        the widths in bits that ports of this module must have.

    Returns
    -------
    list of Path
        Verilog files, then ``.dat`` files, which must be in the folder where the tool that reads them runs.

    Raises
    ------
    ValueError
        if the folder holds no Verilog, or none with this module, or a port has another width.
    """
    folder = Path(folder)
    verilog = sorted([*folder.glob("*.v"), *folder.glob("*.sv")])
    if not verilog:
        raise ValueError(f"{folder} holds no Verilog: export {top} with hls/run_hls.tcl first")
    for path in verilog:
        if module := re.search(
            rf"^\s*module\s+{top}\b.*?^\s*endmodule", path.read_text(), re.MULTILINE | re.DOTALL
        ):
            _check_widths(path, top, module.group(), ports)
            break
    else:
        raise ValueError(f"no Verilog file of {folder} has the module {top}")
    return [*verilog, *sorted(folder.glob("*.dat"))]


def _check_widths(path, top, module, ports):
    for port, expected in ports.items():
        # "input [23:0] ops_TDATA" in the header of the module, or, as Vitis writes it, behind the header.
        found = re.search(
            rf"\b(?:input|output)\s+(?:wire\s+|reg\s+)?(?:\[\s*(\d+)\s*:\s*0\s*\]\s*)?{port}\b", module
        )
        if not found:
            raise ValueError(f"{path}: the module {top} has no port {port}; was it exported from hls/{top}?")
        width = int(found[1] or 0) + 1
        if width != expected:
            raise ValueError(
                f"{path}: the port {port} of {top} has {width} bits, but this monitor needs {expected}; "
                f"export {top} for its frames, groups and contexts (DEFINES in hls/README.md)"
            )
