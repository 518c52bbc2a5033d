"""The timeline of a memory chip as one complete list of steps; slow and simple."""

from dataclasses import dataclass, field

STATES = 4  # 0: awake; higher numbers are deeper
Step = int | str | tuple[str, int]  # state of an idle chip, "access", or ("wake", state that is left)


@dataclass(frozen=True)
class ChipPower:
    """Times of a chip in femtoseconds, powers in microwatts.

    Attributes:
        access_fs: duration of an access.
        exit_fs, exit_uw: time and power of the exit from each state; 0 for the first.
        waiting_uw: power in each state.
    """

    access_fs: int
    exit_fs: tuple[int, ...]
    waiting_uw: tuple[int, ...]
    exit_uw: tuple[int, ...]


@dataclass
class ChipTimeline:
    """The past of a chip and its future as decided so far.

    Attributes:
        steps: (begin in femtoseconds, step), in order.
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
