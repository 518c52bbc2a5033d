# SPDX-License-Identifier: BSD-2-Clause
"""Ranks that sleep by idle thresholds, equal to `litemrc_studies.jantz2013.golden`, and their power."""

import numpy as np
from litemrc.energy.model import energy
from litemrc.errors import UserError
from litemrc.ranks.activity import RankActivity
from numpy.typing import ArrayLike, NDArray

from litemrc_studies._core import RankVisits as _RankVisits
from litemrc_studies.jantz2013.machine.hardware import Background, Hardware, RankTiming

# Counters of a rank in a sample; the names are those of RankActivity.
COUNTERS = (
    *("reads", "writes", "activates", "active_standby", "precharge_standby", "power_down", "self_refresh"),
    *("entered_power_down", "entered_self_refresh", "wake_ups", "waking"),
)
MOST_RANKS = 255
_STATES = ("active_standby", "precharge_standby", "power_down", "self_refresh")


class RankVisits:
    """Ranks and the program that visits their pages; the parameters are those of the golden model."""

    def __init__(
        self,
        ranks: int,
        timing: RankTiming,
        interleaved: bool = False,
        background: Background | None = None,
    ) -> None:
        if not 1 <= ranks <= MOST_RANKS:
            raise ValueError(f"ranks must be 1 to {MOST_RANKS} (got {ranks})")
        self.ranks, self.timing = ranks, timing
        self._core = _RankVisits(
            ranks,
            timing.power_down_after,
            timing.self_refresh_after,
            timing.power_down_exit,
            timing.self_refresh_exit,
            timing.sample,
            interleaved,
            *((background.gap, background.busy, background.seed) if background else (0, 0, 0)),
        )

    @property
    def now(self) -> int:
        """Cycles since the beginning."""
        return self._core.now

    def visit(
        self, gap: ArrayLike, busy: ArrayLike, rank: ArrayLike, reads: ArrayLike, writes: ArrayLike
    ) -> None:
        """Serve visits in order; each argument is an array of equal length or one number for all visits.

        Parameters
        ----------
        gap, busy
            cycles, below 2^32.
        rank
            of the page, or of its first line.
        reads, writes
            lines, together 1 to 255.

        Raises
        ------
        UserError
            a gap or visit of 2^32 cycles or more.
        ValueError
            a rank that does not exist, or a visit without lines.
        """
        longest = max(np.max(gap, initial=0), np.max(busy, initial=0))
        if longest >= 1 << 32:
            raise UserError(
                f"a visit, or the time between two visits, takes {longest:,.0f} memory clock cycles; "
                "the limit is 2^32",
                remedy="reduce gap_ns, line_ns, zero_fill_us or reload_us",
            )
        length = np.broadcast_shapes(*(np.shape(each) for each in (gap, busy, rank, reads, writes)))
        cycles = [np.ascontiguousarray(np.broadcast_to(each, length), np.uint32) for each in (gap, busy)]
        lines = [
            np.ascontiguousarray(np.broadcast_to(each, length), np.uint8) for each in (rank, reads, writes)
        ]
        self._core.visit_all(*cycles, *lines)

    def pause(self, cycles: int) -> None:
        """Advance the time without a visit."""
        self._core.pause(cycles)

    def finish(self) -> None:
        """Count the residencies up to now."""
        self._core.finish()

    def asleep(self, rank: int) -> bool:
        """Return whether the rank is in self-refresh."""
        return self._core.idle(rank) >= self.timing.self_refresh_after

    def all_asleep(self) -> list[bool]:
        """Return for each rank whether it is in self-refresh."""
        return [self.asleep(rank) for rank in range(self.ranks)]

    def counters(self) -> NDArray[np.uint64]:
        """Return uint64[samples, ranks, counters], counters in the order of `COUNTERS`."""
        return self._core.counters().reshape(-1, self.ranks, len(COUNTERS))


def rank_samples_mw(counters: NDArray[np.uint64], hardware: Hardware) -> NDArray[np.float64]:
    """Return the mean power of each rank in each sample.

    Parameters
    ----------
    counters
        uint64[samples, ranks, counters], as in `RankVisits.counters`.

    Returns
    -------
    float64[samples, ranks], mW; the last sample may be shorter.
    """
    use = hardware.operation
    mw = np.zeros(counters.shape[:2])
    known: dict[tuple[int, ...], float] = {}  # sleeping ranks have equal counters
    for sample, ranks in enumerate(counters.tolist()):
        for rank, row in enumerate(ranks):
            key = tuple(row)
            if key not in known:
                activity = rank_activity(key, hardware)
                seconds = activity.clocks / use.clock_hz
                known[key] = energy(hardware.part, activity, use).total / seconds if seconds else 0.0
            mw[sample, rank] = known[key]
    return mw


def rank_activity(row: tuple[int, ...], hardware: Hardware) -> RankActivity:
    """Return the activity of a rank; outside self-refresh it has one refresh per tREFI."""
    counted = dict(zip(COUNTERS, row, strict=True))
    awake = sum(counted[state] for state in _STATES if state != "self_refresh")
    refreshes = awake / hardware.clock_hz / (hardware.part.refi_ns * 1e-9)
    return RankActivity(**counted, refreshes=refreshes)


def sample_seconds(counters: NDArray[np.uint64], hardware: Hardware) -> NDArray[np.float64]:
    """Return float64[samples], the length of each sample in seconds."""
    states = [COUNTERS.index(state) for state in _STATES]
    return counters[:, 0, states].sum(axis=1) / hardware.clock_hz
