"""Timing of ranks that sleep by idle thresholds; the native core and the golden model share this record."""

from dataclasses import dataclass

NEVER = 1 << 62


@dataclass(frozen=True)
class RankTiming:
    """Idle thresholds and exit latencies of a rank, in memory clock cycles.

    Attributes:
        power_down_after, self_refresh_after: idle cycles until the state is entered; `NEVER` disables it.
        power_down_exit, self_refresh_exit: exit latency.
        sample: cycles of a sample.
    """

    power_down_after: int
    self_refresh_after: int
    power_down_exit: int
    self_refresh_exit: int
    sample: int
