# SPDX-License-Identifier: BSD-2-Clause
"""Hardware of the tray machine: ranks, address mapping, sleep thresholds, and accesses of others."""

from dataclasses import dataclass

from litemrc.energy.model import Operation
from litemrc.energy.parts.part import SdramPart
from litemrc.errors import UserError

NEVER = 1 << 62
PAGE_BYTES = 4096
LINE_BYTES = 64
LINES = PAGE_BYTES // LINE_BYTES
PAGES_OF_MIB = (1 << 20) // PAGE_BYTES
BLOCK_PAGES = 1024  # of the allocators' largest block
MOST_TRAYS = 64
MAPPINGS = ("sequential", "interleaved")
POWER_DOWNS = ("off", "fast", "slow")
SLOWEST_HZ, FASTEST_HZ = 1.0, 1e7  # of background accesses
LINE_NS = 5.0  # default transfer time of a line
# JESD79-3F, "Power Down Timing": tXP of DDR3-800 and -1066, the longest; the DLL stays on.
FAST_EXIT_NS, FAST_EXIT_CLOCKS = 7.5, 3


@dataclass(frozen=True)
class RankTiming:
    """Idle thresholds and exit latencies of a rank, in memory clock cycles.

    Attributes
    ----------
    power_down_after, self_refresh_after
        idle cycles until the state is entered; `NEVER` disables it.
    power_down_exit, self_refresh_exit
        exit latency.
    sample
        cycles of a sample.
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

    Attributes
    ----------
    gap
        mean time from one access to the next in cycles; each is uniform from 1 to 2 gap - 1.
    busy
        cycles in which the rank serves an access.
    seed
        of ranks and times, which come from splitmix64 (Steele et al., Fast Splittable Pseudorandom
        Number Generators, 2014).

    Raises
    ------
    ValueError
        a gap below 1 or of 2^31 cycles or more.
    """

    gap: int
    busy: int
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.gap < 1 << 31:
            raise ValueError(f"the mean gap must be 1 to 2^31 - 1 cycles (got {self.gap})")


@dataclass(frozen=True)
class Controller:
    """Sleep thresholds of the memory controller.

    Attributes
    ----------
    power_down
        off; fast, with the DLL on (IDD2P1); slow, with the DLL off (IDD2P0).
    power_down_after_ns, self_refresh_after_ns
        idle time until the state is entered.
    """

    power_down: str = "off"
    power_down_after_ns: float = 100.0
    self_refresh_after_ns: float = 100_000.0


@dataclass(frozen=True)
class Hardware:
    """Equal ranks; each rank is a tray.

    Attributes
    ----------
    part
        the chips.
    chips
        chips per rank.
    trays
        number of ranks.
    nodes
        NUMA nodes, each with an equal share of the ranks.
    tray_pages
        pages per rank.
    mapping
        sequential: ranks are contiguous; interleaved: consecutive lines lie in consecutive ranks.
    sample_ns
        time between two power samples.
    background_hz
        lines that others than the programs (kernel, daemons) access per second, in any rank.

    Raises
    ------
    UserError
        a number out of range; a part with unknown times or currents.
    """

    part: SdramPart
    chips: int = 8
    trays: int = 8
    nodes: int = 1
    tray_pages: int = 2048 * PAGES_OF_MIB
    mapping: str = "sequential"
    controller: Controller = Controller()
    sample_ns: float = 1e8
    background_hz: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.trays <= MOST_TRAYS or self.trays % self.nodes:
            raise UserError(
                f"{self.trays} trays on {self.nodes} nodes",
                remedy=f"give 1 to {MOST_TRAYS} trays, equally divided among the nodes",
            )
        if self.tray_pages < BLOCK_PAGES or self.tray_pages % BLOCK_PAGES:
            raise UserError(
                f"trays of {self.tray_pages} pages", remedy=f"give a multiple of {BLOCK_PAGES} pages"
            )
        if self.background_hz and not SLOWEST_HZ <= self.background_hz <= FASTEST_HZ:
            raise UserError(
                f"background_hz is {self.background_hz:g}",
                remedy=f"give 0, or {SLOWEST_HZ:g} to {FASTEST_HZ:,.0f} accesses per second",
            )

    @property
    def pages(self) -> int:
        return self.trays * self.tray_pages

    @property
    def clock_hz(self) -> float:
        """Return the memory clock: that at which the part's currents were measured."""
        return self.part.clock_mhz * 1e6

    @property
    def operation(self) -> Operation:
        """Return the operating conditions for energies."""
        return Operation(
            clock_hz=self.clock_hz,
            dram_clock_hz=self.clock_hz,
            chips=self.chips,
            fast_exit=self.controller.power_down == "fast",
        )

    @property
    def timing(self) -> RankTiming:
        """Return thresholds and exit latencies in memory clock cycles."""
        controller, part = self.controller, self.part
        if controller.power_down == "fast":
            down_exit = max(self.clocks(FAST_EXIT_NS), FAST_EXIT_CLOCKS)
        else:
            down_exit = self.clocks(_known(part.power_down_exit_ns, part, "power_down"))
        return RankTiming(
            power_down_after=NEVER
            if controller.power_down == "off"
            else self.clocks(controller.power_down_after_ns),
            self_refresh_after=self.clocks(controller.self_refresh_after_ns),
            power_down_exit=down_exit,
            self_refresh_exit=self.clocks(_known(part.self_refresh_exit_ns, part, "self_refresh")),
            sample=max(1, self.clocks(self.sample_ns)),
        )

    @property
    def background(self) -> Background | None:
        """Return the accesses of others, in memory clock cycles; each transfers a line."""
        if not self.background_hz:
            return None
        return Background(self.clocks(1e9 / self.background_hz), max(1, self.clocks(LINE_NS)))

    def clocks(self, ns: float) -> int:
        return round(ns * 1e-9 * self.clock_hz)

    def seconds(self, clocks: int) -> float:
        return clocks / self.clock_hz

    def node(self, tray: int) -> int:
        return tray * self.nodes // self.trays


def _known(exit_ns: float | None, part: SdramPart, name: str) -> float:
    if exit_ns is None:
        raise UserError(
            f"{part.name}: the exit latency of {name} is unknown",
            remedy="write a part file with [exits], and give its path",
        )
    return exit_ns
