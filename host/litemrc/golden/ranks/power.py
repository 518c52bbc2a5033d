# SPDX-License-Identifier: BSD-2-Clause
"""Power states of ranks under commands and policies, cycle by cycle, as a functional simulator models them.

The rules are those of litex-soc/litemrc_gateware/ranks (policy.py, clock_enable.py), whose policies are those
of zhou2004, section 5. Here an entry takes no cycle, nothing is refreshed, and an access that wakes a rank is
counted at once; the rank is busy until it serves it.
"""

from dataclasses import dataclass

from litemrc.golden.ranks.meter import RankMeterModel
from litemrc.ranks.activity import PowerState

AWAKE = 0
_LOW = (PowerState.POWER_DOWN, PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL)


@dataclass
class PowerSettings:
    """The registers of these names; policies are none, static, dynamic and mrc."""

    policy: str = "none"
    static_state: int = PowerState.POWER_DOWN
    mrc_state: int = PowerState.SELF_REFRESH
    mrc_base: str = "none"
    threshold_power_down: int = 0
    threshold_self_refresh: int = 0
    partial: int = 0


@dataclass
class _Rank:
    domains: range
    state: int = AWAKE
    commanded: int = AWAKE
    idle: int = 0  # whole cycles
    busy: int = 0  # further cycles for which a request is waiting
    waking: int = 0  # further cycles


class RankPowerModel:
    """Ranks that sleep; its events go to a rank meter.

    In each cycle come accesses and commands, then `tick`.

    Parameters
    ----------
    meter
        its domains are the ranks, or slices of one rank.
    rest
        idle cycles before a rank sleeps at once.
    exits
        cycles from a wake-up until the rank serves requests, by the state that it leaves.
    slices
        the domains are slices of one rank, which sleeps only if all of them may.
    :ivar settings: may be changed before `tick`.
    :ivar may_lose: of each domain, whether it may lose data.
    """

    def __init__(
        self, meter: RankMeterModel, rest: int, exits: dict[int, int], *, slices: bool = False
    ) -> None:
        domains = range(meter.domains)
        self.settings, self.may_lose = PowerSettings(), [False] * meter.domains
        self._meter, self._rest, self._exits = meter, rest, exits
        self._ranks = [_Rank(domains)] if slices else [_Rank(range(at, at + 1)) for at in domains]
        for rank in self._ranks:
            rank.idle = rest
        self.clock = 0

    def access(self, domain: int, write: bool) -> None:
        """A read or write, which wakes a rank and ends a command."""
        rank = self._rank_of(domain)
        self._meter.access(self.clock, domain, write)
        if rank.state != AWAKE:
            self._meter.wake(self.clock, domain)
            self._wake(rank)
            rank.commanded = AWAKE
        rank.busy = rank.waking + 1

    def command(self, domain: int, state: int) -> None:
        """Software sends a rank to a state as soon as it is idle, or wakes it."""
        rank = self._rank_of(domain)
        rank.commanded = state
        if state == AWAKE:
            rank.busy = max(rank.busy, 1)
        deep = rank.state in (PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL)
        if rank.state != AWAKE and (state < rank.state or (deep and state != rank.state)):
            self._wake(rank)

    def tick(self, working: list[bool]) -> None:
        """End the cycle.

        Parameters
        ----------
        working
            of each domain, whether it holds a page of the working set.
        """
        for rank in self._ranks:
            if rank.busy:
                rank.busy -= 1
                rank.idle = 0
            else:
                want = self._wanted(rank, working)
                rested = rank.idle >= self._rest and not rank.waking
                deepens = rank.state == PowerState.POWER_DOWN and want > rank.state
                if (rank.state == AWAKE and want and rested) or deepens:
                    self._enter(rank, want)
                rank.idle += 1
        self.clock += 1
        for rank in self._ranks:
            rank.waking -= bool(rank.waking)
            self._show_waking(rank, bool(rank.waking))

    def state(self, domain: int) -> int:
        """Return the state of a domain in this cycle, 0 for awake."""
        return self._rank_of(domain).state

    def _rank_of(self, domain: int) -> _Rank:
        return self._ranks[domain if len(self._ranks) > 1 else 0]

    def _wake(self, rank: _Rank) -> None:
        rank.waking = self._exits[rank.state]
        rank.state = AWAKE
        for domain in rank.domains:
            self._meter.enter(self.clock, domain, PowerState.PRECHARGE_STANDBY)
        self._show_waking(rank, bool(rank.waking))

    def _show_waking(self, rank: _Rank, waking: bool) -> None:
        for domain in rank.domains:
            self._meter.waking(self.clock, domain, waking)

    def _enter(self, rank: _Rank, state: int) -> None:
        rank.state = state
        for domain in rank.domains:
            self._meter.enter(self.clock, domain, PowerState(state))

    def _wanted(self, rank: _Rank, working: list[bool]) -> int:
        deeper = max(rank.commanded, self._of_policy(rank, [working[domain] for domain in rank.domains]))
        loses = self.settings.partial and all(self.may_lose[domain] for domain in rank.domains)
        if deeper == PowerState.SELF_REFRESH_PARTIAL and not loses:
            return PowerState.SELF_REFRESH
        return deeper if deeper in _LOW else AWAKE

    def _of_policy(self, rank: _Rank, working: list[bool]) -> int:
        settings = self.settings
        if settings.policy != "mrc":
            return self._of_base(rank, settings.policy)
        base = self._of_base(rank, settings.mrc_base)
        states = {base if works else settings.mrc_state for works in working}
        return min(states)

    def _of_base(self, rank: _Rank, policy: str) -> int:
        settings = self.settings
        if policy == "static":
            return settings.static_state
        if policy == "dynamic":
            for threshold, state in (
                (settings.threshold_self_refresh, PowerState.SELF_REFRESH),
                (settings.threshold_power_down, PowerState.POWER_DOWN),
            ):
                if threshold and rank.idle >= threshold:
                    return state
        return AWAKE
