# SPDX-License-Identifier: BSD-2-Clause
"""Reference model of ranks that sleep by idle thresholds while a program visits pages.

The model is slow and simple; `machine.rank_visits` is equal to it. Times are memory clock cycles.

A visit is the work on one page. The program computes for `gap` cycles, waits until the ranks that hold the
page are awake, and then reads and writes lines of the page for `busy` cycles. Without interleaving, a page
lies in one rank; with interleaving, consecutive lines lie in consecutive ranks. Each of these ranks is
activated once and is in active standby while the visit is served. Afterwards it is idle: in precharge
standby, from `power_down_after` on in power-down, from `self_refresh_after` on in self-refresh. If both
thresholds have passed, self-refresh wins. The exit latency counts as precharge standby; the visit waits for
the longest one.

Others than the program may access single lines (`Background`). Such an access wakes its rank, too. A rank
that serves several accesses at a time is in active standby until the last one is served.

A residency that crosses the end of a sample is split. Commands and wake-ups count in the sample in which
service of the visit begins, entries into low-power states in the sample in which they occur.
"""

from litemrc.ranks.activity import RankActivity

from litemrc_studies.jantz2013.machine.hardware import NEVER, Background, RankTiming


class RankVisitsModel:
    """Ranks and the program that visits their pages.

    Parameters
    ----------
    ranks
        number of ranks.
    interleaved
        consecutive lines lie in consecutive ranks.
    background
        accesses of others; None: there are none.
    """

    def __init__(
        self,
        ranks: int,
        timing: RankTiming,
        interleaved: bool = False,
        background: Background | None = None,
    ) -> None:
        self.ranks, self.timing, self.interleaved = ranks, timing, interleaved
        self.now = 0
        self._idle_since = [0] * ranks
        self._settled = [0] * ranks  # cycle up to which residencies are counted
        self._counts: list[list[dict[str, int]]] = []
        self._background = background
        self._state = background.seed if background else 0
        self._next, self._next_rank = self._draw(0)

    def visit(self, gap: int, busy: int, rank: int, reads: int, writes: int) -> None:
        """Serve one visit; with interleaving, `rank` holds its first line."""
        self.now += gap
        self._serve_others()
        concerned = self._lines(rank, reads, writes)
        begun = self.now + max([self._wake(each, self.now) for each in concerned])
        for each, lines in concerned.items():
            self._serve(each, begun, busy, *lines)
        self.now = begun + busy

    def pause(self, cycles: int) -> None:
        """Advance the time without a visit."""
        self.now += cycles
        self._serve_others()

    def finish(self) -> None:
        """Serve what others have begun, and count the residencies up to then."""
        self._serve_others()
        self.now = max(self.now, *self._idle_since)
        for rank in range(self.ranks):
            self._settle(rank, self.now)

    def samples(self) -> list[list[RankActivity]]:
        """Return the activity of each rank in each sample; refreshes are not counted."""
        return [[RankActivity(**counts) for counts in ranks] for ranks in self._counts]

    def _lines(self, rank: int, reads: int, writes: int) -> dict[int, tuple[int, int]]:
        """Return the reads and writes of every rank of a visit; the reads come first."""
        if not self.interleaved:
            return {rank: (reads, writes)}
        lines: dict[int, list[int]] = {}
        for line in range(reads + writes):
            lines.setdefault((rank + line) % self.ranks, [0, 0])[line >= reads] += 1
        return {each: (read, written) for each, (read, written) in lines.items()}

    def _draw(self, now: int) -> tuple[int, int]:
        """Return the cycle and the rank of the background's access after `now`."""
        if not self._background:
            return NEVER, 0
        mask = (1 << 64) - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & mask
        mixed = (self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
        mixed ^= mixed >> 31
        gap = 1 + (mixed & 0xFFFF_FFFF) % (2 * self._background.gap - 1)
        return now + gap, (mixed >> 32) % self.ranks

    def _serve_others(self) -> None:
        """Serve the background's accesses up to now."""
        while self._background and self._next <= self.now:
            begun = self._next + self._wake(self._next_rank, self._next)
            self._serve(self._next_rank, begun, self._background.busy, 1, 0)
            self._next, self._next_rank = self._draw(self._next)

    def _serve(self, rank: int, begun: int, busy: int, reads: int, writes: int) -> None:
        """Serve an access to an awake rank; up to `begun` the rank waits."""
        self._spread(rank, "precharge_standby", self._settled[rank], begun)
        self._spread(rank, "active_standby", max(self._settled[rank], begun), begun + busy)
        counts = self._sample(begun)[rank]
        counts["reads"] += reads
        counts["writes"] += writes
        counts["activates"] += 1
        self._idle_since[rank] = self._settled[rank] = max(self._settled[rank], begun + busy)

    def _wake(self, rank: int, at: int) -> int:
        """Count the rank's idle time up to a cycle, and return the exit latency in cycles."""
        timing, idle = self.timing, at - self._idle_since[rank]
        self._settle(rank, at)
        for after, exit_clocks in (
            (timing.self_refresh_after, timing.self_refresh_exit),
            (timing.power_down_after, timing.power_down_exit),
        ):
            if idle >= after:
                counts = self._sample(at)[rank]
                counts["wake_ups"] += 1
                counts["waking"] += exit_clocks
                return exit_clocks
        return 0

    def _settle(self, rank: int, now: int) -> None:
        """Count the idle time up to `now`; nothing if the rank serves an access then."""
        timing, since = self.timing, self._idle_since[rank]
        down = since + timing.power_down_after
        deep = since + timing.self_refresh_after
        for state, begin, end in (
            ("precharge_standby", since, min(down, deep)),
            ("power_down", down, deep),
            ("self_refresh", deep, NEVER << 1),
        ):
            begin, end = max(begin, self._settled[rank]), min(end, now)
            if begin < end:
                self._spread(rank, state, begin, end)
        for name, entered, passed in (
            ("entered_power_down", down, deep <= down),
            ("entered_self_refresh", deep, False),
        ):
            if not passed and self._settled[rank] <= entered < now:
                self._sample(entered)[rank][name] += 1
        self._settled[rank] = max(self._settled[rank], now)

    def _spread(self, rank: int, state: str, begin: int, end: int) -> None:
        for clock in range(begin, end):
            self._sample(clock)[rank][state] += 1

    def _sample(self, clock: int) -> list[dict[str, int]]:
        names = RankActivity.__dataclass_fields__
        while len(self._counts) <= clock // self.timing.sample:
            self._counts.append([dict.fromkeys(names, 0) for _ in range(self.ranks)])
        return self._counts[clock // self.timing.sample]
