# SPDX-License-Identifier: BSD-2-Clause
"""The wanted state of a rank: the deeper one of software's command and the policy."""

from litex.gen import LiteXModule
from migen import Case, If, Mux, Record, Signal

from litemrc_gateware.ranks.registers import AWAKE, Policy, PowerState

STATE_BITS = 3
THRESHOLD_BITS = 32


class PolicySettings(LiteXModule):
    """Settings that all ranks share: the registers' values, and the limits derived from them.

    Parameters
    ----------
    lead : int
        cycles from the decision to enter power-down to CKE low, when nothing delays it.

    Attributes
    ----------
    kind, static_state, mrc_state, mrc_base, partial : Signal, in
    threshold_power_down, threshold_self_refresh : Signal, in
        as the registers of these names (ranks/registers.py).
    limits : dict, of each threshold: (enabled, at_once, limit)
        limit is the threshold less the lead; at_once, if that is below 0.
    """

    def __init__(self, lead):
        self.kind = Signal(2)
        self.static_state = Signal(STATE_BITS)
        self.mrc_state = Signal(STATE_BITS)
        self.mrc_base = Signal(2)
        self.partial = Signal(3)
        self.threshold_power_down = Signal(THRESHOLD_BITS)
        self.threshold_self_refresh = Signal(THRESHOLD_BITS)
        self.limits = {}

        # # #

        for name in ("power_down", "self_refresh"):
            threshold = getattr(self, f"threshold_{name}")
            enabled, at_once, limit = Signal(), Signal(), Signal(THRESHOLD_BITS)
            self.sync += [
                enabled.eq(threshold != 0),
                at_once.eq(threshold < lead),
                limit.eq(threshold - lead),
            ]
            self.limits[name] = (enabled, at_once, limit)


class RankPolicy(LiteXModule):
    """Counts the idle cycles of one rank and selects the state that it may enter.

    `want` is AWAKE (0) while the rank is busy. Otherwise it is the deeper one of software's command and the
    policy's state. A policy never wakes a rank. An entry uses `want` of its cycle.

    Parameters
    ----------
    settings : PolicySettings
    rest : int
        idle cycles after which the last read's data have left the bus when CKE falls.

    Attributes
    ----------
    busy, active : Signal, in
        a request is in progress; the idle cycles restart (software woke the rank).
    working, partial_allowed : Signal, in
        some of the rank's domains are working; all of them may lose data.
    all_working : Signal, in
        all of them are. The same as `working` for a real rank.
    command, command_state : Signal, in
        strobe: software commands this state.
    woken : Signal, in
        strobe: an access wakes the rank, and ends the command.
    want : Signal(3), out
        with SELF_REFRESH_PARTIAL only where it loses something and may.
    rested : Signal, out
        idle for at least `rest` cycles.
    """

    def __init__(self, settings, rest):
        self.busy = Signal()
        self.active = Signal()
        self.working = Signal()
        self.all_working = Signal()
        self.partial_allowed = Signal()
        self.command = Signal()
        self.command_state = Signal(STATE_BITS)
        self.woken = Signal()
        self.want = Signal(STATE_BITS)
        self.rested = Signal()

        # # #

        idle_clocks = Signal(THRESHOLD_BITS)
        full = Signal()
        self.sync += [
            full.eq(idle_clocks >= 2**THRESHOLD_BITS - 2),
            If(self.busy | self.active, idle_clocks.eq(0)).Elif(~full, idle_clocks.eq(idle_clocks + 1)),
            self.rested.eq(~self.busy & ~self.active & (idle_clocks >= rest - 1)),
        ]

        due = {}
        for name, (enabled, at_once, limit) in settings.limits.items():
            reached, due[name] = Signal(), Signal()
            self.sync += reached.eq(~self.busy & ~self.active & (idle_clocks >= limit))
            self.comb += due[name].eq(enabled & (at_once | reached))

        dynamic = Mux(
            due["self_refresh"], PowerState.SELF_REFRESH, Mux(due["power_down"], PowerState.POWER_DOWN, AWAKE)
        )
        base = Record([("by_kind", STATE_BITS), ("by_mrc_base", STATE_BITS), ("mrc", STATE_BITS)])

        def choose(target, kind, others):
            return Case(
                kind,
                {
                    int(Policy.STATIC): target.eq(settings.static_state),
                    int(Policy.DYNAMIC): target.eq(dynamic),
                    "default": target.eq(AWAKE),
                }
                | others,
            )

        # Working domains follow the base policy. If domains share the device, the shallowest state wins.
        shallower = Mux(settings.mrc_state < base.by_mrc_base, settings.mrc_state, base.by_mrc_base)
        self.comb += [
            choose(base.by_mrc_base, settings.mrc_base, {}),
            If(~self.working, base.mrc.eq(settings.mrc_state))
            .Elif(self.all_working, base.mrc.eq(base.by_mrc_base))
            .Else(base.mrc.eq(shallower)),
            choose(base.by_kind, settings.kind, {int(Policy.MRC): base.by_kind.eq(base.mrc)}),
        ]

        commanded = Signal(STATE_BITS)
        self.sync += If(self.command, commanded.eq(self.command_state)).Elif(self.woken, commanded.eq(AWAKE))

        deeper = Signal(STATE_BITS)
        loses = self.partial_allowed & (settings.partial != 0)
        self.comb += [
            deeper.eq(Mux(commanded > base.by_kind, commanded, base.by_kind)),
            If(
                ~self.busy,
                Case(
                    deeper,
                    {
                        int(PowerState.POWER_DOWN): self.want.eq(PowerState.POWER_DOWN),
                        int(PowerState.SELF_REFRESH): self.want.eq(PowerState.SELF_REFRESH),
                        int(PowerState.SELF_REFRESH_PARTIAL): self.want.eq(
                            Mux(loses, PowerState.SELF_REFRESH_PARTIAL, PowerState.SELF_REFRESH)
                        ),
                        "default": self.want.eq(AWAKE),
                    },
                ),
            ),
        ]
