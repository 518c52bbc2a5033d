"""What became of programs on a machine with trays."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.machines.trays.events import LOAD
from litemrc.policies.trays.trays import Tray


@dataclass(frozen=True, eq=False)
class TrayRun:
    """A workload under one configuration.

    Attributes:
        configuration: its name.
        seconds: how long it took.
        sample_s: float64[samples], how long each was.
        rank_mw: float64[samples, ranks], mean power of each rank.
        self_refresh: float64[samples, ranks], part of the sample in self-refresh.
        phases: of each sample, the name of the phase that had most of it.
        free_pages: int64[samples], at the end of each.
        trays: as they were at the end.
        backing: by process and color at the end, int64[trays], pages; by None and None those without a color.
        zero_fills, reloads: page faults by new pages, and by pages that had been recycled.
        recycled, migrated: pages.
        outside: pages found on trays that memnice forbids.
        waking_s: of all ranks together, on the way back.
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
        """float64[samples], of all ranks together."""
        return self.rank_mw.sum(axis=1)

    def mean_mw(self, phase: str | None = None) -> float:
        """Mean power over the samples of a phase, or over all but loading; nan of none."""
        chosen = self._of(phase)
        seconds = self.sample_s[chosen].sum()
        return float(self.samples_mw[chosen] @ self.sample_s[chosen] / seconds) if seconds else float("nan")

    def phase_seconds(self, phase: str | None = None) -> float:
        """How long a phase was, in whole samples."""
        return float(self.sample_s[self._of(phase)].sum())

    def awake(self, phase: str | None = None) -> float:
        """Mean number of ranks that are not in self-refresh."""
        chosen = self._of(phase)
        seconds = self.sample_s[chosen].sum()
        awake = (1 - self.self_refresh[chosen]).sum(axis=1)
        return float(awake @ self.sample_s[chosen] / seconds) if seconds else float("nan")

    @property
    def phase_names(self) -> tuple[str, ...]:
        """In the order in which they begin; what is before the first one has none."""
        return tuple(dict.fromkeys(phase for phase in self.phases if phase))

    def _of(self, phase: str | None) -> NDArray[np.bool_]:
        if phase is None:
            return np.array([name not in ("", LOAD) for name in self.phases], bool)
        return np.array([name == phase for name in self.phases], bool)
