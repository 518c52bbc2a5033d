# SPDX-License-Identifier: BSD-2-Clause
"""The rank meter: counts the events of each power domain since the last snapshot."""

from dataclasses import dataclass

from litemrc.golden.ranks.working_pages import WorkingPages
from litemrc.ranks.activity import MeterWord, PowerState


@dataclass(frozen=True)
class RankSnapshot:
    """Counters of all domains over the cycles of one snapshot.

    The five residencies of a domain sum to `clocks`, unless one saturated (`overflow`).
    """

    clocks: int
    counters: list[list[int]]  # [domain][MeterWord]
    n_mrc: list[int]  # [context], in page groups
    overflow: bool  # a counter other than IDLE saturated


class RankMeterModel:
    """Counts the events of each power domain; snapshots are contiguous and do not overlap.

    Events come in time order. A snapshot at a cycle is taken before the events of that cycle, which belong to
    the next snapshot. Every domain begins in PRECHARGE_STANDBY at cycle 0, as if accessed just before.

    Parameters
    ----------
    domains
        power domains, numbered from 0.
    pages
        the working set, for TOP_PAGES and N_mrc.
    counter_bits
        width of every counter; counters saturate.

    Raises
    ------
    ValueError
        in events, if the cycle precedes the last event or the domain does not exist.
    """

    def __init__(self, domains: int, pages: WorkingPages, counter_bits: int = 32) -> None:
        self.domains, self.pages = domains, pages
        self._limit = (1 << counter_bits) - 1
        self._now = self._begun = 0
        self._state = [PowerState.PRECHARGE_STANDBY] * domains
        self._state_since, self._idle_since = [0] * domains, [0] * domains
        self._waking_since: list[int | None] = [None] * domains
        self._counters = [[0] * len(MeterWord) for _ in range(domains)]

    def access(self, clock: int, domain: int, write: bool) -> None:
        """Count a read or write of one burst."""
        self._count(clock, domain, MeterWord.WRITES if write else MeterWord.READS)
        self._idle_since[domain] = clock + 1

    def activate(self, clock: int, domain: int) -> None:
        """Count the opening of a row."""
        self._count(clock, domain, MeterWord.ACTIVATES)

    def refresh(self, clock: int, domain: int) -> None:
        """Count a refresh command; self-refresh is not counted."""
        self._count(clock, domain, MeterWord.REFRESHES)

    def wake(self, clock: int, domain: int) -> None:
        """Count a wake-up begun by an access."""
        self._count(clock, domain, MeterWord.WAKE_UPS)

    def enter(self, clock: int, domain: int, state: PowerState) -> None:
        """Enter a state from this cycle on; ignored if the domain is already in it."""
        self._advance(clock, domain)
        if state == self._state[domain]:
            return
        self._end_residency(clock, domain)
        self._state[domain] = PowerState(state)
        if state >= PowerState.POWER_DOWN:
            entered = MeterWord.ENTERED_POWER_DOWN + state - PowerState.POWER_DOWN
            self._counters[domain][entered] += 1

    def waking(self, clock: int, domain: int, waking: bool) -> None:
        """Set whether the domain is waking from this cycle on."""
        self._advance(clock, domain)
        self._end_waking(clock, domain)
        self._waking_since[domain] = clock if waking else None

    def snapshot(self, clock: int) -> RankSnapshot:
        """Return the counters from the last snapshot up to this cycle, exclusive."""
        top_pages = self.pages.top_pages()
        overflow = False
        for domain, counters in enumerate(self._counters):
            self._advance(clock, domain)
            self._end_residency(clock, domain)
            self._end_waking(clock, domain)
            overflow |= max(counters) > self._limit
            counters[MeterWord.IDLE] = clock - self._idle_since[domain]
            counters[MeterWord.TOP_PAGES] = top_pages[domain]
        saturated = [[min(counter, self._limit) for counter in row] for row in self._counters]
        finished = RankSnapshot(clock - self._begun, saturated, list(self.pages.n_mrc), overflow)
        self._counters = [[0] * len(MeterWord) for _ in range(self.domains)]
        self._begun = clock
        return finished

    def _advance(self, clock: int, domain: int) -> None:
        if clock < self._now or not 0 <= domain < self.domains:
            raise ValueError(
                f"rank meter: event of domain {domain} at cycle {clock}; domains are 0..{self.domains - 1}, "
                f"and the last event was at cycle {self._now}"
            )
        self._now = clock

    def _count(self, clock: int, domain: int, word: MeterWord) -> None:
        self._advance(clock, domain)
        self._counters[domain][word] += 1

    def _end_residency(self, clock: int, domain: int) -> None:
        word = MeterWord.ACTIVE_STANDBY + self._state[domain]
        self._counters[domain][word] += clock - self._state_since[domain]
        self._state_since[domain] = clock

    def _end_waking(self, clock: int, domain: int) -> None:
        since = self._waking_since[domain]
        if since is not None:
            self._counters[domain][MeterWord.WAKING] += clock - since
            self._waking_since[domain] = clock
