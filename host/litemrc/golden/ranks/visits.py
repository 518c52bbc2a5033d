"""Ranks that sleep by idle thresholds under visits to pages: what each rank did, sample by sample.

Slow and obvious; `litemrc.native.rank_visits` does the same. Times are whole clocks of the memory.

A visit is a piece of work on one page: the program computes for `gap` clocks, waits until the ranks
concerned are awake, and then takes `busy` clocks to read and write lines of the page. Without interleaving a
page is in one rank; with it line after line lies in the next one. A rank concerned is in active standby while
the visit is served, and is activated once for it. From then on it is idle: in precharge standby, from
`power_down_after` in power-down, from `self_refresh_after` in self-refresh; the deeper state wins if both are
due. The way back is spent in precharge standby, and the visit waits for the longest of them.

What lasts over the end of a sample is split there; what happens at a moment counts in the sample in which its
visit began to be served, entries into low states in that in which they happen.
"""

from dataclasses import dataclass

from litemrc.ranks.activity import RankActivity

NEVER = 1 << 62


@dataclass(frozen=True)
class RankTiming:
    """How ranks sink and wake, in clocks.

    Attributes:
        power_down_after, self_refresh_after: idle clocks until then; `NEVER`: not at all.
        power_down_exit, self_refresh_exit: clocks of the way back.
        sample: clocks of a sample.
    """

    power_down_after: int
    self_refresh_after: int
    power_down_exit: int
    self_refresh_exit: int
    sample: int


class RankVisitsModel:
    """Ranks and a program.

    Parameters:
        ranks: how many.
        interleaved: line after line lies in the next rank.
    """

    def __init__(self, ranks: int, timing: RankTiming, interleaved: bool = False) -> None:
        self.ranks, self.timing, self.interleaved = ranks, timing, interleaved
        self.now = 0
        self._idle_since = [0] * ranks
        self._settled = [0] * ranks  # up to when residencies are counted
        self._counts: list[list[dict[str, int]]] = []

    def visit(self, gap: int, busy: int, rank: int, reads: int, writes: int) -> None:
        """One visit; with interleaving `rank` has its first line."""
        self.now += gap
        concerned = self._lines(rank, reads, writes)
        exits = [self._wake(each) for each in concerned]
        begun = self.now + max(exits)
        for each, (rank_reads, rank_writes) in concerned.items():
            self._spread(each, "precharge_standby", self.now, begun)
            self._spread(each, "active_standby", begun, begun + busy)
            counts = self._sample(begun)[each]
            counts["reads"] += rank_reads
            counts["writes"] += rank_writes
            counts["activates"] += 1
            self._idle_since[each] = self._settled[each] = begun + busy
        self.now = begun + busy

    def pause(self, clocks: int) -> None:
        """Nobody visits anything."""
        self.now += clocks

    def finish(self) -> None:
        """Count what has passed up to now."""
        for rank in range(self.ranks):
            self._settle(rank)

    def samples(self) -> list[list[RankActivity]]:
        """Of each sample, each rank; refreshes are not counted here."""
        return [[RankActivity(**counts) for counts in ranks] for ranks in self._counts]

    def _lines(self, rank: int, reads: int, writes: int) -> dict[int, tuple[int, int]]:
        """Reads and writes of every rank concerned; the reads come first."""
        if not self.interleaved:
            return {rank: (reads, writes)}
        lines: dict[int, list[int]] = {}
        for line in range(reads + writes):
            lines.setdefault((rank + line) % self.ranks, [0, 0])[line >= reads] += 1
        return {each: (read, written) for each, (read, written) in lines.items()}

    def _wake(self, rank: int) -> int:
        """Clocks of the way back."""
        timing, idle = self.timing, self.now - self._idle_since[rank]
        self._settle(rank)
        for after, exit_clocks in (
            (timing.self_refresh_after, timing.self_refresh_exit),
            (timing.power_down_after, timing.power_down_exit),
        ):
            if idle >= after:
                counts = self._sample(self.now)[rank]
                counts["wake_ups"] += 1
                counts["waking"] += exit_clocks
                return exit_clocks
        return 0

    def _settle(self, rank: int) -> None:
        """Count the idle time that has passed."""
        timing, since = self.timing, self._idle_since[rank]
        down = since + timing.power_down_after
        deep = since + timing.self_refresh_after
        for state, begin, end in (
            ("precharge_standby", since, min(down, deep)),
            ("power_down", down, deep),
            ("self_refresh", deep, NEVER << 1),
        ):
            begin, end = max(begin, self._settled[rank]), min(end, self.now)
            if begin < end:
                self._spread(rank, state, begin, end)
        for name, entered, passed in (
            ("entered_power_down", down, deep <= down),
            ("entered_self_refresh", deep, False),
        ):
            if not passed and self._settled[rank] <= entered < self.now:
                self._sample(entered)[rank][name] += 1
        self._settled[rank] = max(self._settled[rank], self.now)

    def _spread(self, rank: int, state: str, begin: int, end: int) -> None:
        for clock in range(begin, end):
            self._sample(clock)[rank][state] += 1

    def _sample(self, clock: int) -> list[dict[str, int]]:
        names = RankActivity.__dataclass_fields__
        while len(self._counts) <= clock // self.timing.sample:
            self._counts.append([dict.fromkeys(names, 0) for _ in range(self.ranks)])
        return self._counts[clock // self.timing.sample]
