"""Who a context followed and when: processes, side by side and one after the other in one context."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

KERNEL = "kernel"  # what a context that follows nobody counts, under an operating system


@dataclass(frozen=True, slots=True)
class Process:
    """A process that a context followed, and the epochs whose counts in that context are its own.

    Attributes:
        context: number of the context.
        pid: number of the process; 0: the context followed a cgroup.
        comm: its name, or the last name of the cgroup's path.
        first_epoch, last_epoch: of the epochs collected, both included. Those behind the end of the process
            belong to it until the context is freed or follows another: the pages it left are its own.
        ended_after: the last epoch before it ended or was followed no more, or one before the first; None
            if it was followed to the end.

    Raises:
        ValueError: a negative number, or epochs that are not in order.
    """

    context: int
    pid: int
    comm: str
    first_epoch: int
    last_epoch: int
    ended_after: int | None = None

    def __post_init__(self) -> None:
        ended_after = self.last_epoch if self.ended_after is None else self.ended_after
        in_order = 0 <= self.first_epoch <= self.last_epoch and self.first_epoch <= ended_after + 1
        if not in_order or ended_after > self.last_epoch or self.pid < 0 or self.context < 0:
            raise ValueError(f"no such process can have been followed: {self}")

    @property
    def label(self) -> str:
        """How people are told of it: "sort (pid 57)"."""
        return f"{self.comm or 'unnamed'} ({f'pid {self.pid}' if self.pid else 'cgroup'})"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it than its label: the name of the program, the pid if it has one."""
        return (self.comm, str(self.pid)) if self.pid else (self.comm,)

    def is_called(self, wanted: str) -> bool:
        """Return whether this is the label, the name or the pid of the process."""
        return wanted in (self.label, *self.aliases)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose pages a curve is of: a process, or without one what else was counted in a context."""

    context: int
    process: Process | None = None


def check_processes(processes: Iterable[Process], contexts: int) -> None:
    """Refuse processes that no device can have followed.

    Raises:
        ValueError: a context the monitor does not have, or two processes in one context in the same epoch.
    """
    ordered = sorted(processes, key=lambda process: (process.context, process.first_epoch))
    for process in ordered:
        if process.context >= contexts:
            raise ValueError(f"{process.label}: the monitor has only {contexts} contexts")
    for one, next_one in pairwise(ordered):
        if one.context == next_one.context and one.last_epoch >= next_one.first_epoch:
            both = f"{one.label} and {next_one.label}"
            raise ValueError(f"context {one.context} cannot follow {both} in epoch {one.last_epoch}")


@dataclass
class _Followed:
    """What a context follows now, and the first and last epoch that came since."""

    pid: int
    comm: str
    told: bool  # by the device at the time, and not found so when the log began
    ended: bool = False
    ended_after: int | None = None  # if an epoch came before
    epochs: tuple[int, int] | None = None

    def end(self) -> None:
        """From the next epoch on it is not followed."""
        if not self.ended:
            self.ended, self.ended_after = True, self.epochs[1] if self.epochs else None

    def process(self, context: int) -> Process | None:
        """None while no epoch came."""
        if not self.epochs:
            return None
        ended_after = self.epochs[0] - 1 if self.ended and self.ended_after is None else self.ended_after
        return Process(context, self.pid, self.comm, *self.epochs, ended_after)


class ProcessLog:
    """Makes processes and their epochs of what a device tells, in the order it is told.

    A process of which no epoch came has no counts, and leaves no trace.
    """

    def __init__(self) -> None:
        self._over: list[Process] = []
        self._followed: dict[int, _Followed] = {}

    def find(self, context: int, pid: int, comm: str) -> None:
        """The context was found to follow that process, nobody knows since when."""
        self._followed[context] = _Followed(pid, comm, told=False)

    def follow(self, context: int, pid: int, comm: str) -> None:
        """From the next epoch on the context follows that process, or the one it follows is now called so."""
        now = self._followed.get(context)
        if now and not now.ended and now.pid == pid and (pid or now.comm == comm):
            if not now.told and now.comm == comm:  # this is its beginning: what came before was another's
                now.epochs = None
            now.comm, now.told = comm, True
            return
        self.free(context)
        self._followed[context] = _Followed(pid, comm, told=True)

    def end(self, context: int, pid: int, comm: str) -> None:
        """The process ended; what is counted in the context is still of its pages."""
        now = self._followed.get(context)
        if now and now.pid == pid and not now.ended:
            now.comm, now.told = comm, True
            now.end()

    def free(self, context: int) -> None:
        """From the next epoch on the context follows nobody."""
        if (followed := self._followed.pop(context, None)) is None:
            return
        followed.end()
        if process := followed.process(context):
            self._over.append(process)

    def note_epoch(self, epoch: int) -> None:
        """An epoch came whose counts belong to those followed now."""
        for followed in self._followed.values():
            first, _ = followed.epochs or (epoch, epoch)
            followed.epochs = first, epoch

    @property
    def processes(self) -> tuple[Process, ...]:
        """All so far that had an epoch, in the order in which they came."""
        open_now = [process for c, each in self._followed.items() if (process := each.process(c))]
        return tuple(sorted([*self._over, *open_now], key=lambda each: (each.first_epoch, each.context)))
