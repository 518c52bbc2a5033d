"""Records that the native core and the golden model of ranks share: timing, and accesses of others."""

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


@dataclass(frozen=True)
class Background:
    """Accesses of others than the program (kernel, daemons, devices), each to one line of any rank.

    They come one after the other, at a random time after the last one, and use another processor: the
    program does not wait for them, nor they for the program.

    Attributes:
        gap: mean time from one access to the next in cycles; each is uniform from 1 to 2 gap - 1.
        busy: cycles in which the rank serves an access.
        seed: of ranks and times, which come from splitmix64 (Steele et al., Fast Splittable Pseudorandom
            Number Generators, 2014).

    Raises:
        ValueError: a gap below 1 or of 2^31 cycles or more.
    """

    gap: int
    busy: int
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.gap < 1 << 31:
            raise ValueError(f"the mean gap must be 1 to 2^31 - 1 cycles (got {self.gap})")
