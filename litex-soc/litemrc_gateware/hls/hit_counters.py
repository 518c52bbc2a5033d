"""The hit counters as an HLS compiler made them."""

from litex.gen import LiteXModule
from migen import If, Signal

from litemrc_gateware.hls.streams import streams_of
from litemrc_gateware.hls.unit import HLSUnit
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

COUNTER_BITS = 32
CALL_CYCLES = 64  # more than a position takes


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
