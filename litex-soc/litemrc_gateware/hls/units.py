# SPDX-License-Identifier: BSD-2-Clause
"""The HLS units in place of the Migen ones: streams, handshakes, and a wrapper for each unit."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import ClockSignal, If, Instance, ResetSignal, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import OpKind, check_sizes, counted_layout, op_layout, position_layout, width_of
from litemrc_gateware.stacks.engines import ENGINES

HLS_UNITS = (*ENGINES, "hit_counters", "working_set")
AXIS_BITS = 8  # TDATA is padded to bytes
IN_FLIGHT_BITS = 10  # more operations than a pipeline has stages
COUNTER_BITS = 32
CALL_CYCLES = 64  # more than a position takes


def streams_of(unit: str, frames: int, groups: int, contexts: int) -> tuple[dict, dict]:
    """Return the layouts of a unit's streams, into it and out of it, by the names of its arguments.

    Parameters
    ----------
    unit
        a name of ``HLS_UNITS``.
    """
    ops, positions = op_layout(frames, contexts), position_layout(groups, contexts)
    if unit in ENGINES:
        return {"ops": ops}, {"positions": positions}
    if unit == "working_set":
        return {"ops": ops}, {"first_touches": [("first_touch", 1)]}
    if unit == "hit_counters":
        return {"positions": counted_layout(groups, contexts)}, {"epochs": [("epoch", 32), ("overflow", 1)]}
    raise ValueError(f"no HLS unit {unit!r}; there are: {', '.join(HLS_UNITS)}")


def word_bits(layout: list[tuple[str, int]]) -> int:
    """The bits of a record on an AXI4 stream: whole bytes."""
    return -(-sum(width for _, width in layout) // AXIS_BITS) * AXIS_BITS


def port_widths(unit: str, frames: int, groups: int, contexts: int) -> dict[str, int]:
    """The widths in bits of a unit's data ports by their names, for ``exported_files``."""
    sinks, sources = streams_of(unit, frames, groups, contexts)
    return {f"{name}_TDATA": word_bits(layout) for name, layout in (sinks | sources).items()}


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


class HLSStackEngine(LiteXModule):
    """A stack engine of ``hls/``, with the ports of those in Migen.

    The Verilog must have been made for the same sizes. Only the widths of its ports show its sizes:
    ``exported_files`` compares them with ``port_widths``.

    Parameters
    ----------
    top : str
        a name of ``ENGINES``.
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


class HLSHitCounters(LiteXModule):
    """The hit counters of ``hls/``, with the ports of :class:`HitCounters`.

    The function counts one position after the other. At the end of an epoch it copies the counters into a
    block RAM outside, here one half of `window`, while software reads the other half; the halves change roles
    with the record that the function puts out behind the copy. As in :class:`HitCounters` the whole window
    therefore changes in the cycle in which `epoch` does. Positions wait while the counters are copied.

    Parameters
    ----------
    groups, contexts : int

    Attributes
    ----------
    sink, window_adr, window_dat_r, finished, epoch, idle, overflow
        those of :class:`HitCounters`.
    """

    def __init__(self, groups, contexts):
        words = contexts * 2 * groups
        word_bits = width_of(words)
        address, data, write = Signal(32), Signal(COUNTER_BITS), Signal(COUNTER_BITS // 8)
        self.unit = unit = HLSUnit(
            "hit_counters",
            *streams_of("hit_counters", words, groups, contexts),
            # A started function; and the write port of a RAM that it addresses by bytes.
            i_ap_start=1,
            o_window_Addr_A=address,
            o_window_Din_A=data,
            o_window_WEN_A=write,
            i_window_Dout_A=0,
        )
        self.sink = unit.positions
        self.window_adr = Signal(word_bits)
        self.window_dat_r = Signal(COUNTER_BITS)
        self.finished = Signal()
        self.epoch = Signal(32)
        self.overflow = Signal()
        self.idle = Signal()

        # # #

        self.window = window = SimpleDualPort(COUNTER_BITS, 2 * words)
        shown = Signal()  # the half that software reads
        epochs = unit.epochs
        self.comb += [
            epochs.ready.eq(1),
            window.write.adr[:word_bits].eq(address[2:]),
            window.write.adr[word_bits].eq(~shown),
            window.write.dat_w.eq(data),
            window.write.we.eq(write != 0),
            window.read.adr[:word_bits].eq(self.window_adr),
            window.read.adr[word_bits].eq(shown),
        ]
        self.sync += [
            self.window_dat_r.eq(window.read.dat_r),
            self.finished.eq(epochs.valid),
            If(
                epochs.valid,
                shown.eq(~shown),
                self.epoch.eq(epochs.epoch),
                self.overflow.eq(epochs.overflow),
            ),
        ]
        # The function tells neither that it has counted a position nor that it waits for one.
        taken, left, ending = Signal(), Signal(max=CALL_CYCLES + 1), Signal()
        self.comb += [
            taken.eq(self.sink.valid & self.sink.ready),
            self.idle.eq((left == 0) & ~ending),
        ]
        self.sync += [
            If(taken, left.eq(CALL_CYCLES)).Elif(left != 0, left.eq(left - 1)),
            If(epochs.valid, ending.eq(0)),
            If(taken & self.sink.epoch_end, ending.eq(1)),
        ]


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
