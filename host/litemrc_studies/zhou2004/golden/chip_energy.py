# SPDX-License-Identifier: BSD-2-Clause
"""Memory chips that sleep (zhou2004, section 5): thresholds, working chips, and a lower bound of the energy.

Decisions where the paper is silent:
- One blocking CPU. Between two references it computes for a given time; then the reference begins and waits
  for its chip to wake. Delay is the whole run, to the end of the last access.
- A chip is idle from the end of an access, or from time 0. Entering a low-power state takes no time and no
  energy. Leaving it takes the exit time and exit power of that state; then the access follows.
- An epoch is a given run time, including memory accesses. It ends at its boundary, or at the end of the
  access in service then. An access belongs to the epoch in which it was issued.
- N_mrc is a multiple of the pages of a chip, at least one chip. It is the whole memory until the first epoch
  with an access has ended. First references to a page count as misses at every size.
- A chip without a page among the top N_mrc is powered down immediately. A chip that gains such a page because
  N_mrc has grown stays asleep until its next access.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from litemrc.golden.monitor.lru_stack import LruStack

STATES = 4  # 0: awake; higher numbers are deeper
Step = int | str | tuple[str, int]  # state of an idle chip, "access", or ("wake", state that is left)
DEEPEST = STATES - 1
Counts = list[tuple[list[int], list[int], int]]


@dataclass(frozen=True)
class ChipPower:
    """Times of a chip in femtoseconds, powers in microwatts.

    Attributes
    ----------
    access_fs
        duration of an access.
    exit_fs, exit_uw
        time and power of the exit from each state; 0 for the first.
    waiting_uw
        power in each state.
    """

    access_fs: int
    exit_fs: tuple[int, ...]
    waiting_uw: tuple[int, ...]
    exit_uw: tuple[int, ...]


@dataclass
class ChipTimeline:
    """The past of a chip and its future as decided so far.

    Attributes
    ----------
    steps
        (begin in femtoseconds, step), in order.
    """

    power: ChipPower
    steps: list[tuple[int, Step]] = field(default_factory=lambda: [(0, 0)])

    def at(self, time: int) -> tuple[int, Step]:
        """Return the step at `time`; of several that begin then, the last."""
        return [step for step in self.steps if step[0] <= time][-1]

    def change(self, time: int, *later: tuple[int, Step]) -> None:
        """Replace the steps from `time` on by `later`."""
        self.steps = [step for step in self.steps if step[0] < time] + list(later)

    def access(self, issued: int) -> int:
        """Serve an access; return the time of its end. The caller adds the next steps by `change`."""
        began, what = self.at(issued)
        if isinstance(what, tuple):  # already waking
            awake = began + self.power.exit_fs[what[1]]
            self.steps = [step for step in self.steps if step[0] <= issued]
            self.steps.append((awake, "access"))
        else:
            assert isinstance(what, int), "an access is in service"
            awake = issued + self.power.exit_fs[what]
            self.change(issued, *([(issued, ("wake", what))] if what else []), (awake, "access"))
        return awake + self.power.access_fs

    def counts(self, end: int) -> tuple[list[int], list[int], int]:
        """Return the time in each state, the wake-ups from each state, and the accesses, until `end`."""
        waited, wakes, accesses = [0] * STATES, [0] * STATES, 0
        for index, (began, what) in enumerate(self.steps):
            if began > end:
                break
            following = self.steps[index + 1 :]
            stop = min(following[0][0] if following else end, end)
            if what == "access":
                accesses += 1
            elif isinstance(what, tuple):
                wakes[what[1]] += 1
            elif isinstance(what, int):
                waited[what] += stop - began
        return waited, wakes, accesses


def run_chips(
    pages: Sequence[int],
    gaps_fs: Sequence[int],
    chip_of: Sequence[int],
    chips: int,
    power: ChipPower,
    after_fs: Sequence[int | None],
    *,
    epoch_fs: int = 0,
    chip_pages: int = 1,
    epsilon_ppm: int = 0,
) -> tuple[Counts, int]:
    """Run the references of a program.

    Parameters
    ----------
    after_fs
        idle time until each state is entered; None: the state is not used.
    epoch_fs
        0: thresholds only; otherwise non-working chips are powered down.

    Returns
    -------
    the counts of each chip as in `ChipTimeline.counts`, and the length of the run in femtoseconds.
    """
    memory = [ChipTimeline(power) for _ in range(chips)]
    for chip in memory:
        chip.change(0, *_descent(0, after_fs))
    stack, top = LruStack[int](), chips * chip_pages
    epoch: list[int | None] = []
    now, epoch_end = 0, epoch_fs

    def working() -> set[int]:
        return {chip_of[page] for page in stack.pages[:top]}

    def power_down(idle: set[int], time: int) -> None:
        for chip in idle:
            if memory[chip].at(time)[1] != DEEPEST:
                memory[chip].change(time, (time, DEEPEST))

    if epoch_fs:
        power_down(set(range(chips)), 0)
    for page, gap in zip(pages, gaps_fs, strict=True):
        issued = now + gap
        while epoch_fs and issued >= epoch_end:
            if epoch:
                before = working()
                top = working_pages(epoch, chips, chip_pages, epsilon_ppm)
                power_down(before - working(), max(now, epoch_end))
                epoch = []
            epoch_end += epoch_fs
        if epoch_fs:
            before = working()
            epoch.append(stack.access(page))
            power_down(before - working(), issued)
        now = memory[chip_of[page]].access(issued)
        memory[chip_of[page]].change(now, *_descent(now, after_fs))
    return [chip.counts(now) for chip in memory], now


def working_pages(positions: Sequence[int | None], chips: int, chip_pages: int, epsilon_ppm: int) -> int:
    """Return N_mrc of an epoch: the smallest whole-chip size with a miss ratio within epsilon of the best.

    Parameters
    ----------
    positions
        LRU positions of the epoch's accesses, from 0; None: a miss at every size.
    """

    def misses(size: int) -> int:
        return sum(position is None or position >= size for position in positions)

    best = misses(chips * chip_pages)
    sizes = [count * chip_pages for count in range(1, chips + 1)]
    return next(size for size in sizes if (misses(size) - best) * 10**6 <= epsilon_ppm * len(positions))


def run_oracle(
    pages: Sequence[int],
    gaps_fs: Sequence[int],
    chip_of: Sequence[int],
    chips: int,
    power: ChipPower,
) -> tuple[Counts, int]:
    """Return a lower bound of energy and time: no access waits for a chip, and every idle time costs least.

    Each idle time is spent in its cheapest state, which is left just in time. The exit may overlap the
    previous access, so this is a bound and not a schedule; zhou2004/chip_energy.md proves the bound.
    """
    counts = [([0] * STATES, [0] * STATES, 0) for _ in range(chips)]
    since, now = [0] * chips, 0

    def wait(chip: int, until: int, used_again: bool) -> None:
        gap = until - since[chip]
        options = []
        for state in range(STATES):
            back = power.exit_fs[state] if used_again else 0
            waited = max(0, gap - back)
            cost = waited * power.waiting_uw[state] + back * power.exit_uw[state]
            options.append((cost, state, waited))
        _, state, waited = min(options)
        counts[chip][0][state] += waited
        counts[chip][1][state] += used_again and state > 0

    for page, gap in zip(pages, gaps_fs, strict=True):
        chip = chip_of[page]
        now += gap
        wait(chip, now, used_again=True)
        now += power.access_fs
        waited, wakes, accesses = counts[chip]
        counts[chip] = (waited, wakes, accesses + 1)
        since[chip] = now
    for chip in range(chips):
        wait(chip, now, used_again=False)
    return counts, now


def _descent(start: int, after_fs: Sequence[int | None]) -> list[tuple[int, int]]:
    return [(start + after, state) for state, after in enumerate(after_fs) if after is not None]
