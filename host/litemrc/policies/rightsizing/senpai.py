# SPDX-License-Identifier: BSD-2-Clause
"""Senpai's rule: shrink a limit until memory pressure appears, for comparison with `rightsize`.

Source: Weiner et al., TMO: Transparent Memory Offloading in Datacenters, ASPLOS 2022, equation of the amount
to reclaim (`TmoRule`); and Facebook's Senpai of 2019, whose limit moves by the square of the error
(`SenpaiRule`).
"""

from dataclasses import dataclass

from litemrc.errors import UserError


@dataclass(frozen=True)
class TmoRule:
    """Every interval reclaims memory x ratio x max(0, 1 - pressure / threshold). It never gives memory back.

    Attributes
    ----------
    reclaim_ratio
        of the memory in use.
    threshold
        share of the interval in which some task may wait for memory (PSI some).
    interval_s
        between two decisions, in seconds.
    """

    reclaim_ratio: float = 0.0005
    threshold: float = 0.001
    interval_s: float = 6.0

    def reclaim(self, used_pages: int, stalled_s: float) -> float:
        """Return the pages to reclaim after an interval in which tasks waited for `stalled_s` seconds."""
        pressure = stalled_s / self.interval_s
        return used_pages * self.reclaim_ratio * max(0.0, 1.0 - pressure / self.threshold)


@dataclass
class SenpaiRule:
    """The limit moves down while pressure stays below a target, and up when it exceeds it.

    Attributes
    ----------
    limit_pages
        the present limit.
    pressure_s
        target: time in which tasks wait for memory, in an interval.
    interval_ticks
        seconds between two probes.
    max_probe, max_backoff
        largest relative changes down and up.
    coeff_probe, coeff_backoff
        the largest change is reached at a pressure of 1 / coeff_probe of the
        target, or coeff_backoff times the target.
    """

    limit_pages: float
    pressure_s: float = 0.010
    interval_ticks: int = 6
    max_probe: float = 0.01
    max_backoff: float = 1.0
    coeff_probe: float = 10.0
    coeff_backoff: float = 20.0

    def __post_init__(self) -> None:
        """Check the limit.

        Raises
        ------
        UserError
            it is below one page.
        """
        if not self.limit_pages >= 1:
            raise UserError(f"a limit cannot be {self.limit_pages} pages", remedy="give at least 1")
        self._waited_s = 0.0
        self._grace = self.interval_ticks

    def tick(self, stalled_s: float) -> float:
        """Return the limit in pages after a second in which tasks waited for `stalled_s` seconds."""
        self._waited_s += stalled_s
        if self._waited_s > self.pressure_s:
            error = self._waited_s / self.pressure_s / self.coeff_backoff
            self._adjust(min(error**2 * self.max_backoff, self.max_backoff))
        elif self._grace:
            self._grace -= 1
        else:
            error = self.pressure_s / max(self._waited_s, 1e-6) / self.coeff_probe
            self._adjust(-min(error**2 * self.max_probe, self.max_probe))
        return self.limit_pages

    def _adjust(self, share: float) -> None:
        self.limit_pages = max(self.limit_pages * (1 + share), 1.0)
        self._waited_s = 0.0
        self._grace = self.interval_ticks - 1
