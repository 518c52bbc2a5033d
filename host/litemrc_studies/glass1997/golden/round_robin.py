# SPDX-License-Identifier: BSD-2-Clause
"""Several programs in one memory (Glass and Cao 1997, section 5): round robin, switching at page faults.

Decisions where the paper is silent:
- A program starts at the time of its first reference; between two references it computes for the difference
  of their times.
- A fault on a page that was resident before suspends the program for `service`. Other programs may fault
  meanwhile; the disk serves all faults concurrently. A cold fault is zero-filled and takes `cold_service`, 0
  by default.
- A program whose fault is served is queued behind the ready programs, in the order of completion, and before
  a program whose quantum ends at the same time. Every turn gets a whole quantum; a reference at its exact end
  waits.
- A program that ends frees its pages.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Program:
    """A program and its progress.

    Attributes
    ----------
    references
        (time, page), oldest first; at least one.
    clock
        its own time reached so far.
    done
        completed references.
    faults, cold_faults
        so far; faults include cold faults.
    end
        time of its end.
    """

    references: list[tuple[int, int]]
    clock: int = 0
    done: int = 0
    faults: int = 0
    cold_faults: int = 0
    end: int | None = None


def run_together(
    programs: list[Program],
    reference: Callable[[int, int], bool],
    release: Callable[[int], None],
    *,
    quantum: int,
    service: int,
    cold_service: int = 0,
) -> None:
    """Run all programs to their end.

    Parameters
    ----------
    reference
        called with a program's number and a page; returns whether it is a page fault.
    release
        called with the number of a program that ended.
    quantum, service, cold_service
        in the time unit of the programs.
    """
    ready = deque(range(len(programs)))
    waiting: list[tuple[int, int, int]] = []  # until when, order of the faults, program
    seen: set[tuple[int, int]] = set()
    now = turns = 0
    for program in programs:
        program.clock = program.references[0][0]
    while ready or waiting:
        if not ready:
            now = max(now, min(waiting)[0])
            ready.append(waiting.pop(waiting.index(min(waiting)))[2])
        number = ready.popleft()
        program = programs[number]
        end = program.clock + quantum
        turns += 1
        blocked = preempted = False
        while program.done < len(program.references) and not (blocked or preempted):
            time, page = program.references[program.done]
            preempted = time >= end
            stop = min(time, end)
            now += stop - program.clock
            program.clock = stop
            if preempted:
                continue
            program.done += 1
            if reference(number, page):
                cold = (number, page) not in seen
                seen.add((number, page))
                program.faults += 1
                program.cold_faults += cold
                delay = cold_service if cold else service
                if delay:
                    blocked = True
                    waiting.append((now + delay, turns, number))
        for entry in sorted(waiting):
            if entry[0] <= now:
                waiting.remove(entry)
                ready.append(entry[2])
        if preempted:
            ready.append(number)
        elif not blocked:
            program.end = now
            release(number)
