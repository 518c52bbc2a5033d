# SPDX-License-Identifier: BSD-2-Clause
"""Parks the controller to send ranks to sleep, or to refresh a rank that wakes."""

from functools import reduce
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Replicate, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

PRECHARGE_ALL = 1 << 10  # address
MR2 = 2  # bank address
PASR_BITS = 3  # the lowest of MR2


class RankEntry(LiteXModule):
    """The sequence that sends any number of ranks to sleep at once, and refreshes to ranks that wake.

    parked -> precharge all (every rank, because each bank machine assumes its rows closed) -> for
    self-refresh: tRP, then MR2 of the ranks whose PASR changes, then tMOD -> CKE low, for self-refresh
    together with REFRESH. Power-down follows the precharge at once (tPRPDEN). The ranks that sleep are chosen
    in the cycle in which CKE falls: a rank with a request by then stays awake. After power-down the
    controller is released as soon as tRP is kept. If LiteDRAM's refresher waits by then, it finds the
    controller parked.

    Ranks that wake from self-refresh get the refreshes they owe in the cycle of ENTER as well. Nothing waits
    for their end, because the gates of these ranks are shut until then.

    Parameters
    ----------
    refresher : RankRefresher
    nranks : int
    timings : PowerTimings
    mr2 : int
        mode register 2 as the memory was initialised.

    Attributes
    ----------
    begin : Signal, in
        there is a rank to send to sleep.
    lift : Signal(nranks), in
        ranks in power-down that `begin` raises first, because they are to enter a deeper state.
    row_open_enough : Signal, in
        a command in this cycle keeps tRAS since the last ACTIVATE.
    power_down, self_refresh : Signal(nranks), in
        ranks that may enter the state in this cycle.
    refresh : Signal(nranks), in
        ranks to be sent a refresh.
    pasr : Signal(nranks * PASR_BITS), in
        the part that self-refresh keeps, in MR2's encoding.
    selectable : Signal(nranks), in
    nap : Signal(nranks), out
        hold CKE high of these sleeping ranks.
    select : Signal(nranks), out
        ranks that the unit's command of the cycle before is for.
    fall : Signal(nranks), out
        CKE falls.
    fall_deep : Signal(nranks), out
        those of them that enter self-refresh.
    refreshes : Signal(nranks), out
        strobe: the ranks that are sent a refresh.
    """

    def __init__(self, refresher, nranks, timings, mr2):
        self.begin = Signal()
        self.lift = Signal(nranks)
        self.row_open_enough = Signal()
        self.power_down = Signal(nranks)
        self.self_refresh = Signal(nranks)
        self.refresh = Signal(nranks)
        self.refreshes = Signal(nranks)
        self.pasr = Signal(nranks * PASR_BITS)
        self.selectable = Signal(nranks)
        self.nap = Signal(nranks)
        self.select = Signal(nranks, reset=2**nranks - 1)
        self.fall = Signal(nranks)
        self.fall_deep = Signal(nranks)

        # # #

        every = 2**nranks - 1
        select = Signal(nranks)
        to_select = Signal()
        self.comb += If(~to_select, select.eq(every))
        self.sync += self.select.eq(select)

        programmed = [Signal(PASR_BITS) for _ in range(nranks)]
        wanted = [self.pasr[rank * PASR_BITS : (rank + 1) * PASR_BITS] for rank in range(nranks)]
        stale = Signal(nranks)  # their MR2 selects another part
        whole = Signal(nranks)
        self.comb += [
            stale.eq(Cat(*(was != to for was, to in zip(programmed, wanted, strict=True)))),
            whole.eq(Cat(*(to == 0 for to in wanted))),
        ]
        # One value of MR2 at a time: that of the ranks that keep all, then that of the others.
        to_set, partial = Signal(nranks), Signal(PASR_BITS)
        any_whole = (self.self_refresh & stale & whole) != 0
        self.comb += [
            to_set.eq(self.self_refresh & stale & Mux(any_whole, whole, every)),
            partial.eq(reduce(or_, [Mux(to_set[rank], wanted[rank], 0) for rank in range(nranks)])),
        ]

        lifted, fresh = Signal(nranks), Signal(nranks)
        deep = Signal()
        wait = Signal(max=max(timings.tMOD, timings.tRP, 2) + 1)
        # After power-down the precharge is 2 cycles old when the controller may be released; the first
        # ACTIVATE is on the DFI 2 cycles after that.
        settling = max(0, timings.tRP - 4)

        self.fsm = fsm = FSM()
        self.comb += [self.nap.eq(lifted), refresher.own.eq(~fsm.ongoing("IDLE"))]
        fsm.act(
            "IDLE",
            NextValue(deep, 0),
            If(
                self.begin & ~refresher.refreshing,
                NextValue(lifted, self.lift),
                NextState("PRECHARGE"),
            ),
        )
        fsm.act(
            "PRECHARGE",
            If(
                refresher.parked & self.row_open_enough & ((lifted & ~self.selectable) == 0),
                # Not the ranks that wake: they are precharged, and the refresh would have to wait tRP.
                to_select.eq(1),
                select.eq(~self.refresh),
                refresher.own_a.eq(PRECHARGE_ALL),
                refresher.own_ras.eq(1),
                refresher.own_we.eq(1),
                NextValue(deep, self.self_refresh != 0),
                # Ranks that may be refreshed only from now on have received the precharge.
                NextValue(fresh, ~self.refresh),
                NextValue(wait, max(0, timings.tRP - 2)),
                If(self.self_refresh != 0, NextState("RECOVER")).Else(NextState("ENTER")),
            ),
        )
        # From any command to the next: tRP, tMOD.
        fsm.act("RECOVER", NextValue(wait, wait - 1), If(wait == 0, NextState("MODE")))
        fsm.act(
            "MODE",
            If(
                to_set != 0,
                to_select.eq(1),
                select.eq(to_set),
                refresher.own_a.eq((mr2 & ~(2**PASR_BITS - 1)) | partial),
                refresher.own_ba.eq(MR2),
                refresher.own_ras.eq(1),
                refresher.own_cas.eq(1),
                refresher.own_we.eq(1),
                *(If(to_set[rank], NextValue(programmed[rank], wanted[rank])) for rank in range(nranks)),
                NextValue(wait, max(0, timings.tMOD - 2)),
                NextState("RECOVER"),
            ).Else(NextState("ENTER")),
        )
        fsm.act(
            "ENTER",
            self.fall_deep.eq(self.self_refresh & ~stale & Replicate(deep, nranks)),
            # Ranks that were raised for a deeper state and may not enter it return to their state.
            self.fall.eq(self.fall_deep | self.power_down),
            self.refreshes.eq(self.refresh & ~fresh),
            to_select.eq(1),
            select.eq(self.fall_deep | self.refreshes),
            refresher.own_ras.eq(select != 0),
            refresher.own_cas.eq(select != 0),
            NextValue(lifted, 0),
            NextValue(wait, max(0, settling - 1)),
            NextState("SETTLE" if settling else "LEAVE"),
        )
        if settling:
            fsm.act("SETTLE", NextValue(wait, wait - 1), If(deep | (wait == 0), NextState("LEAVE")))
        fsm.act("LEAVE", refresher.own_last.eq(~refresher.refreshing), NextState("IDLE"))
