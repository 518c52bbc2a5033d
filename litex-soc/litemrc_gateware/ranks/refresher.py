# SPDX-License-Identifier: BSD-2-Clause
"""LiteDRAM's refresher with a second user of the parked controller."""

from litedram.core.refresher import Refresher
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Signal


class RankRefresher(LiteXModule):
    """``ControllerSettings(refresh_cls=RankRefresher)``; :class:`RankPower` finds it in the controller.

    To refresh, LiteDRAM's refresher asserts ``cmd.valid``; the bank machines become idle, the multiplexer
    asserts ``cmd.ready`` and issues the commands in ``cmd`` to all ranks, one a cycle, until ``cmd.last``.
    The same *parking* is used to send ranks to sleep: while `own` is 1, the commands of `own_*` are issued
    and LiteDRAM's refresher waits. If it waits when `own` falls, it gets the parked controller.

    With `own` and `hold` at 0, LiteDRAM's refresher is connected directly, with no added cycles.

    Attributes
    ----------
    own : Signal, in
        park for the second user, or stay parked. May rise only while `refreshing` is 0.
    own_last : Signal, in
        with `own`, in its last cycle: leave the parked state.
    parked : Signal, out
        with `own`: commands are taken.
    own_a, own_ba, own_ras, own_cas, own_we : Signal, in
        the second user's command in this cycle.
    hold : Signal, in
        LiteDRAM's refresher must not start yet; it waits parked.
    refreshing, refreshed : Signal, out
        LiteDRAM's refresher requests or has the parked state; it leaves it in this cycle.
    """

    def __init__(self, settings, clk_freq, zqcs_freq=1e0, postponing=1):
        self.stock = stock = Refresher(settings, clk_freq, zqcs_freq, postponing)
        self.cmd = cmd = stream.Endpoint(stock.cmd.description)
        self.own = Signal()
        self.own_last = Signal()
        self.parked = Signal()
        self.own_a = Signal(len(cmd.a))
        self.own_ba = Signal(len(cmd.ba))
        self.own_ras = Signal()
        self.own_cas = Signal()
        self.own_we = Signal()
        self.hold = Signal()
        self.refreshing = Signal()
        self.refreshed = Signal()

        # # #

        self.comb += [
            self.parked.eq(self.own & cmd.ready),
            self.refreshing.eq(stock.cmd.valid),
            self.refreshed.eq(stock.cmd.last),
            If(
                self.own,
                cmd.valid.eq(~self.own_last),
                cmd.last.eq(self.own_last),
                cmd.a.eq(self.own_a),
                cmd.ba.eq(self.own_ba),
                cmd.ras.eq(self.own_ras),
                cmd.cas.eq(self.own_cas),
                cmd.we.eq(self.own_we),
            ).Else(
                stock.cmd.connect(cmd, omit={"ready"}),
                stock.cmd.ready.eq(cmd.ready & ~self.hold),
            ),
        ]
