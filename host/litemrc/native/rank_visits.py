"""Ranks that sleep by idle thresholds under visits to pages; equal to `litemrc.golden.ranks.visits`."""

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.golden.ranks.visits import NEVER, RankTiming
from litemrc.native._core import RankVisits as _RankVisits

__all__ = ["COUNTERS", "NEVER", "RankTiming", "RankVisits"]

# Of a rank in a sample; names as of RankActivity.
COUNTERS = (
    *("reads", "writes", "activates", "active_standby", "precharge_standby", "power_down", "self_refresh"),
    *("entered_power_down", "entered_self_refresh", "wake_ups", "waking"),
)
MOST_RANKS = 255


class RankVisits:
    """Ranks and a program; parameters as of the model."""

    def __init__(self, ranks: int, timing: RankTiming, interleaved: bool = False) -> None:
        if not 1 <= ranks <= MOST_RANKS:
            raise ValueError(f"{ranks} ranks: 1 to {MOST_RANKS}")
        self.ranks, self.timing = ranks, timing
        self._core = _RankVisits(
            ranks,
            timing.power_down_after,
            timing.self_refresh_after,
            timing.power_down_exit,
            timing.self_refresh_exit,
            timing.sample,
            interleaved,
        )

    @property
    def now(self) -> int:
        """Clocks since the beginning."""
        return self._core.now

    def visit(self, gap, busy, rank, reads, writes) -> None:
        """Visits one after the other; arrays of equal length, or numbers that are the same for all.

        Parameters:
            gap, busy: clocks, below 2^32.
            rank: of the page, or of its first line.
            reads, writes: lines, together 1 to 255.

        Raises:
            UserError: a gap or visit of 2^32 clocks or more.
            ValueError: a rank that is not there, or a visit without lines.
        """
        longest = max(np.max(gap, initial=0), np.max(busy, initial=0))
        if longest >= 1 << 32:
            raise UserError(
                f"something takes {longest:,.0f} clocks of the memory between two visits, or in one",
                remedy="make it shorter than 2^32 clocks: gap_ns, line_ns, zero_fill_us and reload_us",
            )
        length = np.broadcast_shapes(*(np.shape(each) for each in (gap, busy, rank, reads, writes)))
        clocks = [np.ascontiguousarray(np.broadcast_to(each, length), np.uint32) for each in (gap, busy)]
        lines = [
            np.ascontiguousarray(np.broadcast_to(each, length), np.uint8) for each in (rank, reads, writes)
        ]
        self._core.visit_all(*clocks, *lines)

    def pause(self, clocks: int) -> None:
        """Nobody visits anything."""
        self._core.pause(clocks)

    def finish(self) -> None:
        """Count what has passed up to now."""
        self._core.finish()

    def asleep(self, rank: int) -> bool:
        """Is the rank in self-refresh?"""
        return self._core.idle(rank) >= self.timing.self_refresh_after

    def counters(self) -> NDArray[np.uint64]:
        """uint64[samples, ranks, counters], of what has been counted, in the order of `COUNTERS`."""
        return self._core.counters().reshape(-1, self.ranks, len(COUNTERS))
