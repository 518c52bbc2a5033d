# SPDX-License-Identifier: BSD-2-Clause
"""CKE of one rank, low and high for the minimum times of DDR3."""

from litex.gen import LiteXModule
from migen import If, Mux, Signal

from litemrc_gateware.ranks.registers import AWAKE, PowerState

# Cycles from a request's arrival at a bank machine whose row is closed to its ACTIVATE on the DFI: through
# the command buffer (2), the bank machine's state (1), the DFI's register (1). LiteDRAM needs no less.
GATE_TO_ACTIVATE = 4


class RankClockEnable(LiteXModule):
    """Drives the clock enable of one rank and reports what is allowed with the rank in each cycle.

    `fall` lowers CKE; the rank sleeps. `wake` ends the sleep: CKE rises when its minimum low time is over,
    and the gate opens in the earliest cycle in which the first ACTIVATE and the column command after it keep
    the exit times. `nap` raises CKE of a rank in power-down for a refresh; the rank then sleeps on. After
    self-refresh the gate opens only when no refresh is `due`.

    Parameters
    ----------
    timings : PowerTimings

    Attributes
    ----------
    fall : Signal, in
        with it `fall_state`, the state entered; only while `cke`.
    wake : Signal, in
        only while `asleep`, and not together with `fall`.
    nap : Signal, in
        has no effect in self-refresh.
    due, refresh : Signal, in
        the rank owes a refresh; strobe, only while `refreshable`: one is sent, on the DFI a cycle later.
    cke, odt : Signal, out
        of the DFI. ODT is low from the fall until the DLL has locked.
    selectable : Signal, out
        commands may reach the rank in this cycle of the DFI; also in the cycle in which CKE falls, because
        REFRESH with falling CKE enters self-refresh.
    asleep : Signal, out
        from the fall to the wake.
    open : Signal, out
        the gate may let requests pass.
    refreshable : Signal, out
        awake from self-refresh, the gate still shut, and ready for a refresh.
    settled : Signal, out
        awake, and all exit times are over: the rank may sleep again.
    deep : Signal, out
        the last sleep was self-refresh.
    kind : Signal, out
        state of the last sleep.
    """

    def __init__(self, timings):
        t = timings
        self.fall = Signal()
        self.fall_state = Signal(max=max(PowerState) + 1)
        self.wake = Signal()
        self.nap = Signal()
        self.due = Signal()
        self.refresh = Signal()
        self.refreshable = Signal()
        self.cke = Signal(reset=1)
        self.odt = Signal(reset=1)
        self.selectable = Signal(reset=1)
        self.asleep = Signal()
        self.open = Signal(reset=1)
        self.settled = Signal(reset=1)
        self.deep = Signal()
        self.kind = Signal(max=max(PowerState) + 1, reset=AWAKE)

        # # #

        def by_depth(shallow, deep):
            return Mux(self.deep, deep, shallow)

        # Cycles since CKE changed on the DFI, up to the longest time that is compared.
        longest = max(t.tXSDLL, t.tXS, t.tXPDLL)
        since = Signal(max=longest + 1, reset=longest)
        served = Signal(reset=1)
        gate_opens = by_depth(
            max(0, max(t.tXP, t.tXPDLL - t.tRCD) - GATE_TO_ACTIVATE),
            max(0, max(t.tXS, t.tXSDLL - t.tRCD) - GATE_TO_ACTIVATE),
        )
        up, rise = Signal(), Signal()
        recovery = Signal(max=t.tRFC)  # of a refresh that we sent
        self.comb += [
            up.eq(~self.asleep | self.wake | (self.nap & ~self.deep)),
            rise.eq(~self.cke & up & (since >= by_depth(t.tCKE, t.tCKESR) - 1)),
            self.open.eq(served & self.cke & ~self.asleep),
            self.settled.eq(self.odt & self.open),
            self.refreshable.eq(self.cke & self.deep & ~served & self.selectable & ~self.asleep),
        ]
        self.sync += [
            If(since != longest, since.eq(since + 1)),
            # For the next cycle of the DFI.
            self.selectable.eq(self.cke & (since + 1 >= by_depth(t.tXP, t.tXS)) & (recovery == 0)),
            If(
                (since + 1 >= gate_opens) & (~self.deep | ~(self.due | self.refresh | (recovery != 0))),
                served.eq(self.cke),
            ),
            If(self.refresh, recovery.eq(t.tRFC - 1)).Elif(recovery != 0, recovery.eq(recovery - 1)),
            self.odt.eq(self.cke & (since + 1 >= by_depth(t.tXPDLL, t.tXSDLL))),
            If(self.wake, self.asleep.eq(0)),
            If(rise, self.cke.eq(1), since.eq(0), served.eq(~self.deep & (gate_opens == 0))),
            If(
                self.fall,
                self.cke.eq(0),
                self.asleep.eq(1),
                self.kind.eq(self.fall_state),
                self.deep.eq(self.fall_state != PowerState.POWER_DOWN),
                since.eq(0),
                served.eq(0),
                self.odt.eq(0),
            ),
        ]
