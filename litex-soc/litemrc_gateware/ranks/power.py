# SPDX-License-Identifier: BSD-2-Clause
"""Sends DRAM ranks to sleep and wakes them, next to LiteDRAM's controller."""

from functools import reduce
from operator import and_, or_

from litex.gen import LiteXModule
from migen import If, Mux, Replicate, Signal, log2_int

from litemrc_gateware.ranks.clock_enable import RankClockEnable
from litemrc_gateware.ranks.ddr3_timings import PowerTimings, mode_register_2
from litemrc_gateware.ranks.dfi import RankDFI
from litemrc_gateware.ranks.entry import PASR_BITS, RankEntry
from litemrc_gateware.ranks.gate import RankGate, requested_domains
from litemrc_gateware.ranks.policy import STATE_BITS, PolicySettings, RankPolicy
from litemrc_gateware.ranks.refresher import RankRefresher
from litemrc_gateware.ranks.registers import AWAKE, PowerState
from litemrc_gateware.records import MAX_DOMAINS
from litemrc_gateware.tap.dram_address import complete_bank_row_column

# JEDEC allows 8 postponed refreshes. A self-refresh adds less than 2: the time awake is not a whole number of
# refresh intervals, and a refresh of the controller within tXS after the exit does not reach the rank.
MOST_POSTPONED = 4
# JEDEC allows 16 refreshes within 2 tREFI, including the extra ones of self-refresh: at most 8 of these.
PAUSES_AN_INTERVAL = 4
# Cycles from the decision to CKE low on the DFI: state machine, bank machines, multiplexer, precharge, CKE;
# and one for the comparison of the idle cycles.
ENTRY_LEAD = 6


class RankAccount(LiteXModule):
    """Refreshes that one rank owes (JESD79-3F, 4.15 and 4.16).

    One is due each tREFI outside self-refresh, and after each self-refresh an extra one, which does not count
    for the others. The controller's refreshes count while the rank receives them; `due` requests more.

    Parameters
    ----------
    interval : int
        tREFI in cycles, rounded down.

    Attributes
    ----------
    self_refresh : Signal, in
        the rank is in self-refresh.
    refresh : Signal, in
        strobe: the rank is sent a REFRESH.
    due : Signal, out
        the extra refresh is owed, or too many others are.
    may_self_refresh : Signal, out
        a quarter of tREFI has passed since the last self-refresh; sooner, its extra refreshes are too many.
    """

    def __init__(self, interval):
        self.self_refresh = Signal()
        self.refresh = Signal()
        self.due = Signal()
        self.may_self_refresh = Signal()

        # # #

        clocks = Signal(max=interval)
        owed = Signal(max=MOST_POSTPONED + 4)
        extra = Signal()
        another = Signal()
        pause = Signal(max=interval // PAUSES_AN_INTERVAL + 1)
        self.comb += [
            self.may_self_refresh.eq(pause == 0),
            another.eq(~self.self_refresh & (clocks == interval - 1)),
            self.due.eq(extra | (owed > MOST_POSTPONED)),
        ]
        self.sync += [
            If(another, clocks.eq(0)).Elif(~self.self_refresh, clocks.eq(clocks + 1)),
            If(self.self_refresh, pause.eq(interval // PAUSES_AN_INTERVAL)).Elif(
                pause != 0, pause.eq(pause - 1)
            ),
            If(self.self_refresh, extra.eq(1)).Elif(self.refresh, extra.eq(0)),
            If(
                self.refresh & ~extra,
                If(~another & (owed != 0), owed.eq(owed - 1)),
            ).Elif(another & (owed != 2 ** len(owed) - 1), owed.eq(owed + 1)),
        ]


class RankPower(LiteXModule):
    """Power-down, self-refresh and partial self-refresh for the ranks of a DDR3 LiteDRAM controller.

    Use: give the controller its refresher, and add the unit before anything is finalised::

        round_refresh_interval_down(module, soc.sys_clk_freq)  # ddr3_timings.py
        soc.add_sdram(..., controller_settings=ControllerSettings(refresh_cls=RankRefresher))
        soc.rank_power = RankPower(soc.sdram, soc.sys_clk_freq)
        soc.comb += soc.rank_power.working.eq(meter.working)
        soc.rank_power.add_registers(registers)  # RankRegisters

    A rank without a pending request sleeps when software commands it or the policy wants it
    (ranks.records.Policy). A request for a sleeping rank waits in the crossbar, wakes the rank and is then
    served; requests for other ranks proceed. A rank in power-down is raised for each refresh and then lowered
    again. A rank in self-refresh gets no refreshes; while it wakes it gets the extra one that JEDEC requires,
    and may therefore enter self-refresh again a quarter of tREFI later.

    While no rank sleeps or is about to, the DFI is LiteDRAM's, cycle by cycle.

    Cost: an entry parks the controller like a refresh and closes all rows; ranks that sleep in the same cycle
    share it. Waking from power-down takes no cycles from other ranks; waking from self-refresh parks the
    controller again. A rank that streams reads loses about 10 cycles to another rank's entry into power-down
    and 22 to a whole self-refresh (tests/cosim). While ranks that stay awake are busy, entries are at least
    `spacing` cycles apart.

    While software drives the DFI (`sdram_dfii_control`, initialisation) ranks are woken and stay awake.

    Parameters
    ----------
    sdram : litedram.core.LiteDRAMCore
        not finalised yet, its controller built with ``refresh_cls=RankRefresher``.
    clk_freq : float
        Hz, of the controller.
    domains : int, optional
        power domains; default: one for each rank. A single rank may have 1, 2, 4, 8 or 16 virtual domains:
        the device sleeps when all of them may, in the shallowest state that one of them wants.
    partial : bool
        enable SELF_REFRESH_PARTIAL. Without it, or without `partial_allowed` of all domains of the rank,
        SELF_REFRESH is entered instead.
    spacing : int
        cycles.
    repair_tras : bool
        make LiteDRAM's refresher keep tRAS. It may precharge a row too soon after its ACTIVATE: at DDR3-1600
        (200 MHz) after 25 cycles of the DRAM instead of 28. Without this the DFI stays LiteDRAM's.

    Raises ValueError if the memory is not DDR3, if the refresher is not RankRefresher, if the crossbar is
    finalised, or if the number of domains is not supported.

    Attributes
    ----------
    domains : int
    settings : PolicySettings, in
    command, command_domain, command_state : Signal, in
        strobe: software sends a domain (the device, if virtual) to a PowerState or wakes it.
    working, partial_allowed : Signal(domains), in
    awake, waking, wakes : Signal(domains), out
        the domain takes commands; it is waking; strobe: an access started its wake-up.
    state : list of Signal(3), out
        of each domain: its PowerState, 0 while CKE is high (also for the refreshes during power-down).
    """

    def __init__(self, sdram, clk_freq, domains=None, partial=True, spacing=32, repair_tras=True):
        controller, crossbar = sdram.controller, sdram.crossbar
        settings = controller.settings
        timings = PowerTimings.of_controller(settings, clk_freq)
        nranks = settings.phy.nranks
        domains = nranks if domains is None else domains
        refresher = controller.refresher
        if not isinstance(refresher, RankRefresher):
            raise ValueError(
                "rank power: the controller has another refresher: pass "
                "controller_settings=ControllerSettings(refresh_cls=RankRefresher) to add_sdram"
            )
        if crossbar.finalized:
            raise ValueError("rank power: the crossbar is finalised already: add RankPower earlier")
        if settings.phy.is_clam_shell:
            raise ValueError(
                "rank power: clam shell boards are not supported, because their ranks share chip selects"
            )
        if domains & (domains - 1) or not 1 <= domains <= MAX_DOMAINS:
            raise ValueError(
                f"rank power: domains must be a power of two from 1 to {MAX_DOMAINS} (got {domains})"
            )
        if nranks > 1 and domains != nranks:
            raise ValueError(f"rank power: domains must equal the {nranks} ranks (got {domains})")

        self.domains = domains
        self.command = Signal()
        self.command_domain = Signal(log2_int(MAX_DOMAINS))
        self.command_state = Signal(STATE_BITS)
        self.working = Signal(domains)
        self.partial_allowed = Signal(domains)
        self.awake = Signal(domains, reset=2**domains - 1)
        self.waking = Signal(domains)
        self.wakes = Signal(domains)
        self.state = [Signal(STATE_BITS, name=f"state{domain}") for domain in range(domains)]

        # # #

        self.settings = PolicySettings(ENTRY_LEAD)
        self.dfi = dfi = RankDFI(controller.dfi, sdram.dfii)
        self.gate = gate = RankGate(controller.interface, dfi.rdata)
        complete_bank_row_column(crossbar)
        crossbar.controller = gate.interface
        self.entry = entry = RankEntry(refresher, nranks, timings, mode_register_2(settings))

        # The precharge of an entry is on the DFI one cycle after its decision, LiteDRAM's own two after.
        open_clocks = Signal(max=max(2, timings.tRAS))
        parked = Signal()
        self.sync += [
            If(dfi.activate, open_clocks.eq(max(0, timings.tRAS - 2))).Elif(
                open_clocks != 0, open_clocks.eq(open_clocks - 1)
            ),
            parked.eq(refresher.parked),
        ]
        self.comb += entry.row_open_enough.eq(~dfi.activate & (open_clocks == 0))

        self.ranks, held, may_begin, stays, urgent = [], [], [], [], []
        for rank in range(nranks):
            own = slice(rank, rank + 1) if nranks > 1 else slice(0, domains)
            policy = RankPolicy(self.settings, rest=max(1, timings.tRDPDEN - 1))
            account = RankAccount(timings.tREFI)
            cke = RankClockEnable(timings)
            self.add_module(f"account{rank}", account)
            self.add_module(f"policy{rank}", policy)
            self.add_module(f"cke{rank}", cke)
            self.ranks.append(cke)

            wanted, commanded = Signal(), Signal()
            another = (self.command_state < cke.kind) | (cke.deep & (self.command_state != cke.kind))
            deep_wanted = (policy.want >= PowerState.SELF_REFRESH) & account.may_self_refresh
            powered_down = cke.asleep & ~cke.deep
            deepen = powered_down & deep_wanted & ~cke.wake
            back = powered_down & cke.cke & ~cke.wake
            ready = cke.settled & dfi.hardware
            enters = ready & policy.rested
            self.comb += [
                commanded.eq(
                    self.command
                    & (self.command_state <= PowerState.SELF_REFRESH_PARTIAL)
                    & ((self.command_domain == rank) if nranks > 1 else 1)
                ),
                policy.busy.eq(gate.busy[rank]),
                policy.active.eq(commanded & (self.command_state == AWAKE)),
                policy.working.eq(self.working[own] != 0),
                policy.all_working.eq(reduce(and_, self.working[own])),
                policy.partial_allowed.eq(int(partial) & reduce(and_, self.partial_allowed[own])),
                policy.command.eq(commanded),
                policy.command_state.eq(self.command_state),
                policy.woken.eq(cke.asleep & gate.waiting[rank]),
                # Awake ranks that want to sleep, and ranks in power-down that want a deeper state.
                wanted.eq(ready & ((policy.want == PowerState.POWER_DOWN) | deep_wanted)),
                cke.wake.eq(cke.asleep & (gate.waiting[rank] | (commanded & another) | ~dfi.hardware)),
                cke.due.eq(account.due),
                cke.refresh.eq(entry.refreshes[rank]),
                account.self_refresh.eq(~cke.cke & cke.deep),
                account.refresh.eq(dfi.refresh[rank]),
                entry.refresh[rank].eq(cke.refreshable & account.due),
                # For LiteDRAM's refresh, or before a deeper state; in self-refresh it has no effect.
                cke.nap.eq((refresher.refreshing & ~refresher.own) | entry.nap[rank]),
                cke.fall.eq(entry.fall[rank] | (refresher.refreshed & back)),
                cke.fall_state.eq(
                    Mux(entry.fall_deep[rank], policy.want, PowerState.POWER_DOWN),
                ),
                entry.lift[rank].eq(deepen),
                entry.self_refresh[rank].eq(deep_wanted & (enters | (deepen & cke.selectable))),
                entry.power_down[rank].eq((enters & (policy.want == PowerState.POWER_DOWN)) | back),
                entry.pasr[rank * PASR_BITS : (rank + 1) * PASR_BITS].eq(
                    Mux(policy.want == PowerState.SELF_REFRESH_PARTIAL, self.settings.partial, 0)
                ),
                entry.selectable[rank].eq(cke.selectable),
                gate.open[rank].eq(cke.open),
                dfi.cke[rank].eq(cke.cke),
                dfi.odt[rank].eq(cke.odt & ~parked),
                dfi.selectable[rank].eq(cke.selectable & entry.select[rank]),
            ]
            held.append(~cke.deep & ~cke.selectable)
            may_begin.append(wanted | deepen)
            stays.append(gate.busy[rank])
            urgent.append(cke.refreshable & account.due)

            woken = requested_domains(gate.requests[rank], settings, 1 if nranks > 1 else domains)
            self.comb += [
                self.wakes[own].eq(Replicate(cke.asleep, len(woken)) & woken),
                self.awake[own].eq(Replicate(cke.open, len(woken))),
                self.waking[own].eq(Replicate((~cke.asleep | cke.wake) & ~cke.open, len(woken))),
                *(state.eq(Mux(cke.cke, AWAKE, cke.kind)) for state in self.state[own]),
            ]

        apart = Signal(max=spacing + 1)
        self.sync += If(refresher.own, apart.eq(spacing)).Elif(apart != 0, apart.eq(apart - 1))
        self.comb += [
            refresher.hold.eq(reduce(or_, held) | (int(repair_tras) & (dfi.activate | (open_clocks > 1)))),
            entry.begin.eq(
                reduce(or_, urgent) | (reduce(or_, may_begin) & ((apart == 0) | ~reduce(or_, stays)))
            ),
        ]

    def add_registers(self, registers):
        """Connects RankRegisters (all but what is the meter's)."""
        policy, command = registers._policy.fields, registers._command.fields
        self.comb += [
            self.settings.kind.eq(policy.kind),
            self.settings.static_state.eq(policy.static_state),
            self.settings.mrc_state.eq(policy.mrc_state),
            self.settings.mrc_base.eq(policy.mrc_base),
            self.settings.partial.eq(registers._partial.storage),
            self.settings.threshold_power_down.eq(registers._threshold_power_down.storage),
            self.settings.threshold_self_refresh.eq(registers._threshold_self_refresh.storage),
            self.partial_allowed.eq(registers._partial_allowed.storage),
            self.command.eq(registers._command.re),
            self.command_domain.eq(command.domain),
            self.command_state.eq(command.state),
            *(registers.state_of(domain).eq(state) for domain, state in enumerate(self.state)),
        ]
