"""What a memory chip does from one moment to the next: a list, kept whole; slow and obvious."""

from dataclasses import dataclass, field

STATES = 4  # 0: awake; each further one is deeper


@dataclass(frozen=True)
class ChipPower:
    """Times of a chip in femtoseconds, powers in microwatts.

    Attributes:
        access_fs: that an access keeps it busy.
        exit_fs, exit_uw: time and power of the way back from each state; 0 of the first.
        waiting_uw: power in each state.
    """

    access_fs: int
    exit_fs: tuple[int, ...]
    waiting_uw: tuple[int, ...]
    exit_uw: tuple[int, ...]


@dataclass
class ChipTimeline:
    """A chip's past and, as far as it is decided, its future.

    Attributes:
        power: of the chip.
        steps: (when it begins, what), in order: a state to wait in, "access", or ("wake", state it leaves).
    """

    power: ChipPower
    steps: list[tuple[int, object]] = field(default_factory=lambda: [(0, 0)])

    def at(self, time: int) -> tuple[int, object]:
        """The step of a moment; of several that begin then, the last."""
        return [step for step in self.steps if step[0] <= time][-1]

    def change(self, time: int, *later: tuple[int, object]) -> None:
        """Let go of what was decided for `time` and later, and decide this."""
        self.steps = [step for step in self.steps if step[0] < time] + list(later)

    def access(self, issued: int) -> int:
        """Serve an access; returns when it is done. What comes then must be decided by `change`."""
        began, what = self.at(issued)
        if isinstance(what, tuple):  # on its way already
            awake = began + self.power.exit_fs[what[1]]
            self.steps = [step for step in self.steps if step[0] <= issued]
            self.steps.append((awake, "access"))
        else:
            awake = issued + self.power.exit_fs[what]
            self.change(issued, *([(issued, ("wake", what))] if what else []), (awake, "access"))
        return awake + self.power.access_fs

    def counts(self, end: int) -> tuple[list[int], list[int], int]:
        """Until `end`: femtoseconds waited in each state, wake-ups from each state, accesses."""
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
            else:
                waited[what] += stop - began
        return waited, wakes, accesses
