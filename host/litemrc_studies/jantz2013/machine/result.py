# SPDX-License-Identifier: BSD-2-Clause
"""Results of the tray machine."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc_studies.jantz2013.machine.events import LOAD
from litemrc_studies.jantz2013.policies.trays import Tray


@dataclass(frozen=True, eq=False)
class TrayRun:
    """Result of a workload under one configuration.

    Attributes
    ----------
    configuration
        its name.
    seconds
        duration.
    sample_s
        float64[samples], length of each sample.
    rank_mw
        float64[samples, ranks], mean power of each rank.
    self_refresh
        float64[samples, ranks], share of the sample in self-refresh.
    phases
        for each sample, the phase with the largest share.
    free_pages
        int64[samples], at the end of each sample.
    trays
        their state at the end.
    backing
        pages on each tray at the end, int64[trays], by (process, color); uncolored pages are under
        (None, None).
    zero_fills, reloads
        page faults of new pages and of reclaimed pages.
    recycled, migrated
        number of pages.
    outside
        pages on trays that memnice forbids.
    waking_s
        total exit latency of all ranks.
    """

    configuration: str
    seconds: float
    sample_s: NDArray[np.float64]
    rank_mw: NDArray[np.float64]
    self_refresh: NDArray[np.float64]
    phases: tuple[str, ...]
    free_pages: NDArray[np.int64]
    trays: tuple[Tray, ...]
    backing: Mapping[tuple[int | None, str | None], NDArray[np.int64]]
    zero_fills: int
    reloads: int
    recycled: int
    migrated: int
    outside: int
    waking_s: float

    @property
    def samples_mw(self) -> NDArray[np.float64]:
        """Return float64[samples], the power of all ranks together."""
        return self.rank_mw.sum(axis=1)

    def mean_mw(self, phase: str | None = None) -> float:
        """Return the mean power over a phase, or over all phases except loading; nan without samples."""
        chosen = self._of(phase)
        seconds = self.sample_s[chosen].sum()
        return float(self.samples_mw[chosen] @ self.sample_s[chosen] / seconds) if seconds else float("nan")

    def phase_seconds(self, phase: str | None = None) -> float:
        """Return the length of a phase, in whole samples."""
        return float(self.sample_s[self._of(phase)].sum())

    def awake(self, phase: str | None = None) -> float:
        """Return the mean number of ranks that are not in self-refresh."""
        chosen = self._of(phase)
        seconds = self.sample_s[chosen].sum()
        awake = (1 - self.self_refresh[chosen]).sum(axis=1)
        return float(awake @ self.sample_s[chosen] / seconds) if seconds else float("nan")

    @property
    def phase_names(self) -> tuple[str, ...]:
        """Return the phases in the order of their begin; samples before the first phase have none."""
        return tuple(dict.fromkeys(phase for phase in self.phases if phase))

    def _of(self, phase: str | None) -> NDArray[np.bool_]:
        if phase is None:
            return np.array([name not in ("", LOAD) for name in self.phases], bool)
        return np.array([name == phase for name in self.phases], bool)
