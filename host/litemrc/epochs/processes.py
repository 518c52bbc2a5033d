# SPDX-License-Identifier: BSD-2-Clause
"""The processes that contexts followed, and in which epochs; one context may follow several in turn."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from litemrc.texts import printable

KERNEL = "kernel"  # name of a context that follows no process, under an operating system


@dataclass(frozen=True)
class Process:
    """A process that a context followed, and the epochs whose counts in that context are its own.

    Attributes
    ----------
    context
        number of the context.
    pid
        number of the process; 0: the context followed a cgroup.
    comm
        its name, or the last name of the cgroup's path.
    first_epoch, last_epoch
        of the epochs collected, both included. Those behind the end of the process
        belong to it until the context is freed or follows another: the pages it left are its own.
    ended_after
        the last epoch before it ended or was followed no more, or one before the first; None
        if it was followed to the end.

    Raises
    ------
    ValueError
        a negative number, or epochs that are not in order.
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
        """Its name in tables: "sort (pid 57)"."""
        return f"{printable(self.comm) or 'unnamed'} ({f'pid {self.pid}' if self.pid else 'cgroup'})"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it than its label: the name of the program, the pid if it has one."""
        return (self.comm, str(self.pid)) if self.pid else (self.comm,)

    def is_called(self, wanted: str) -> bool:
        """Return whether this is the label, the name or the pid of the process."""
        return wanted in (self.label, *self.aliases)


@dataclass(frozen=True)
class Owner:
    """The owner of the pages of a curve: a process, or None for the rest of a context.

    Attributes
    ----------
    accesses
        "reads" or "writes" alone, where they were counted apart; empty: all.
    """

    context: int
    process: Process | None = None
    accesses: str = ""


def check_processes(processes: Iterable[Process], contexts: int) -> None:
    """Check that a device can have followed these processes.

    Raises
    ------
    ValueError
        a context the monitor does not have, or two processes in one context in the same epoch.
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
    """The process that a context follows now, and the first and last epoch since."""

    pid: int
    comm: str
    ended: bool = False
    ended_after: int | None = None  # if an epoch came before
    epochs: tuple[int, int] | None = None

    def is_of(self, pid: int, comm: str) -> bool:
        """Whether it is of this process, which may have changed its name, or of this cgroup."""
        return self.pid == pid and (bool(pid) or self.comm == comm)

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
    """Derives processes and their epochs from what a device reports, in the order of its messages.

    A process without an epoch has no counts and is left out.
    """

    def __init__(self) -> None:
        self._over: list[Process] = []
        self._followed: dict[int, _Followed] = {}

    def note(self, context: int, state: str, pid: int, comm: str) -> None:
        """A context is in a state of enum litemrc_context_state, with a process of this pid and name."""
        if state == "following":
            self.follow(context, pid, comm)
        elif state == "ended":
            self.end(context, pid, comm)
        else:
            self.free(context)

    def follow(self, context: int, pid: int, comm: str) -> None:
        """The context follows that process from the next epoch on, or still; it may have changed its name."""
        now = self._followed.get(context)
        if now and now.is_of(pid, comm) and not now.ended:
            now.comm = comm
            return
        self.free(context)
        self._followed[context] = _Followed(pid, comm)

    def end(self, context: int, pid: int, comm: str) -> None:
        """The process ended; the context still counts accesses to its pages."""
        now = self._followed.get(context)
        if not now or not now.is_of(pid, comm):
            self.free(context)
            now = self._followed[context] = _Followed(pid, comm)
        if not now.ended:
            now.comm = comm
            now.end()

    def free(self, context: int) -> None:
        """The context follows no process from the next epoch on."""
        if (followed := self._followed.pop(context, None)) is None:
            return
        followed.end()
        if process := followed.process(context):
            self._over.append(process)

    def note_epoch(self, epoch: int) -> None:
        """An epoch ended; its counts belong to the processes followed now."""
        for followed in self._followed.values():
            first, _ = followed.epochs or (epoch, epoch)
            followed.epochs = first, epoch

    @property
    def contexts(self) -> list[int]:
        """The contexts that follow a process, or followed one that ended."""
        return list(self._followed)

    @property
    def followed(self) -> dict[int, Process]:
        """The processes that had an epoch and that contexts follow now, by context."""
        return {
            context: process for context, each in self._followed.items() if (process := each.process(context))
        }

    def forget(self) -> None:
        """Drop the processes that no context follows any more."""
        self._over.clear()

    @property
    def processes(self) -> tuple[Process, ...]:
        """All processes so far that had an epoch, in order of their first one."""
        open_now = [process for c, each in self._followed.items() if (process := each.process(c))]
        return tuple(sorted([*self._over, *open_now], key=lambda each: (each.first_epoch, each.context)))
