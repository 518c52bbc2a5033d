# SPDX-License-Identifier: BSD-2-Clause
"""Several processes on one CPU with one memory and one paging disk (Zhou 2004, 4.2), slow and simple.

Decisions where the paper is silent:
- A process serves requests one at a time, in the order of their arrival. A request is a given number of
  touches of its reference stream; batch work is a single request. The response time is from the arrival to
  the moment at which the process runs again after its last touch; it includes queueing for CPU and disk.
- Requests come from `clients` that think before each request (closed loop; INTR is one client that sleeps).
  Without clients, requests arrive independently of their completion (open loop).
- The ready queue is round robin. A turn ends with the first touch that reaches the time slice; processes that
  became ready until then are queued before it.
- A touch takes its CPU time and then refers to the page. A page that was never touched or was freed is filled
  with zeros; an evicted page is read from disk (page fault), as is every page of a file. Both cost CPU time.
- The disk serves one transfer at a time, in the order of the requests. A page that is dirty or has no copy on
  disk is written out when it is evicted. Its frame is free only then, so the process that needs it waits.
- A page is resident from the moment its read is requested. A waiting process does nothing else.
- A policy may reclaim pages in the background, after a page has come in (4.1.3). Nobody waits for the
  write-out of such a page, but its frame is free only then; frames become free in the order of their
  write-outs. A page to be filled with zeros waits if no other frame is free.
- A process that ends, or reaches a `RELEASE` in its references, frees all its pages, at no cost.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from typing import Protocol

RELEASE = None  # among the references: the process frees all its pages
Page = tuple[int, int]  # number of the process, page


class FramePolicy(Protocol):
    """Chooses the victim page when memory is full."""

    def touch(self, page: Page) -> None:
        """Record a reference to a resident page."""

    def admit(self, page: Page) -> Page | None:
        """Admit a page; return the page that is evicted for it, or None: it takes a free frame."""
        ...

    def reclaim(self) -> Sequence[Page]:
        """Return the pages evicted in the background because few frames are free."""
        ...

    def free_frames(self) -> int:
        """Return the number of frames without a page."""
        ...

    def remove(self, page: Page) -> None:
        """Remove a resident page that was freed."""

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        """Record the end of a process's epoch; the counts are those of `AgedCurve.add`."""


@dataclass
class Process:
    """A process and its results. Times in ticks.

    Attributes
    ----------
    references
        (page, write), or RELEASE; the process ends after the last one.
    touch
        CPU time of a touch.
    tracking
        CPU time that tracking adds to each touch; None: none.
    request_touches
        touches of a request; None: all references are one request.
    clients
        number of closed-loop clients; 0: open loop.
    pauses
        think times, or times between arrivals, used cyclically.
    requests
        number of requests after which the process ends; 0: no limit.
    start
        time at which the clients begin to think.
    file
        its pages are those of a file, and none is filled with zeros.
    epochs
        hit counts of each epoch, and the touches of an epoch; None: no counting.
    responses
        (arrival, end) of each completed request.
    faults, zero_fills, write_outs
        pages read, zero-filled and written out since `measure_from`.
    ended
        time of the end.
    """

    references: Iterable[tuple[int, bool] | None]
    touch: int
    request_touches: int | None = None
    clients: int = 1
    pauses: Sequence[int] = (0,)
    requests: int = 1
    start: int = 0
    file: bool = False
    epochs: tuple[Iterator[Sequence[float]], int] | None = None
    tracking: Iterator[int] | None = None

    responses: list[tuple[int, int]] = field(default_factory=list)
    touches: int = 0
    faults: int = 0
    zero_fills: int = 0
    write_outs: int = 0
    ended: int | None = None


@dataclass(frozen=True)
class Costs:
    """Times in ticks: `fault` and `zero_fill` are CPU times, `page_read` and `write_out` disk times."""

    time_slice: int
    page_read: int
    write_out: int
    fault: int = 0
    zero_fill: int = 0


class Machine:
    """Runs processes until all with a request limit have ended, or until `duration` (0: no limit).

    Attributes
    ----------
    now
        current time.
    disk_free
        time at which the disk will have completed all requests.
    disk_busy
        total time of disk transfers.
    samples
        (time, resident pages of each process) every `sample` ticks, at the end of the turn then.
    """

    def __init__(
        self,
        processes: Sequence[Process],
        policy: FramePolicy,
        costs: Costs,
        *,
        duration: int = 0,
        measure_from: int = 0,
        sample: int = 0,
    ) -> None:
        self.processes, self.policy, self.costs = processes, policy, costs
        self.duration, self.measure_from, self.sample = duration, measure_from, sample
        self.now = self.disk_free = self.disk_busy = 0
        self.resident: list[dict[int, bool]] = [
            {} for _ in processes
        ]  # by page: whether it must be written out
        self.on_disk: list[set[int]] = [set() for _ in processes]
        self.samples: list[tuple[int, list[int]]] = []
        self._first_touch: list[dict[int, int]] = [{} for _ in processes]
        self._streams = [iter(process.references) for process in processes]
        # Next reference as a list of one; the empty list is the end.
        self._next = [list(islice(stream, 1)) for stream in self._streams]
        self._queues: list[deque[int]] = [deque() for _ in processes]  # arrivals
        self._serving: list[int | None] = [None] * len(processes)  # arrival of the request in service
        self._left: list[int | None] = [None] * len(processes)  # touches left of it
        self._asked = [0] * len(processes)  # requests that have arrived or are scheduled
        self._pause = [0] * len(processes)  # pauses taken
        self._ready: deque[int] = deque()
        self._events: list[tuple[int, int, str, int]] = []  # time, order, what, process
        self._order = 0
        self._idle = [True] * len(processes)
        self._written_at: deque[int] = deque()  # when frames of reclaimed pages are free
        self._next_sample = 0

    def run(self) -> None:
        """Run to the end."""
        for number, process in enumerate(self.processes):
            for _ in range(max(process.clients, 1)):
                self._ask(number, process.start)
        while not self._over():
            self._deliver()
            self._take_samples()
            if self._ready:
                number = self._ready.popleft()
                if self._turn(number):
                    self._deliver()
                    self._ready.append(number)
            elif self._events:
                self.now = self._events[0][0]
            else:
                return

    def _over(self) -> bool:
        if self.duration and self.now >= self.duration:
            return True
        return all(process.ended is not None for process in self.processes if process.requests)

    def _take_samples(self) -> None:
        if self.sample and self.now >= self._next_sample:
            self.samples.append((self.now, [len(pages) for pages in self.resident]))
            self._next_sample = (self.now // self.sample + 1) * self.sample

    def _event(self, time: int, what: str, number: int) -> None:
        heappush(self._events, (time, self._order, what, number))
        self._order += 1

    def _ask(self, number: int, begin: int) -> None:
        """Schedule the next request one pause after `begin`."""
        process = self.processes[number]
        if process.requests and self._asked[number] == process.requests:
            return
        self._asked[number] += 1
        pause = process.pauses[self._pause[number] % len(process.pauses)]
        self._pause[number] += 1
        self._event(begin + pause, "arrival", number)

    def _deliver(self) -> None:
        """Process all events up to now."""
        while self._events and self._events[0][0] <= self.now:
            time, _, what, number = heappop(self._events)
            if what == "wake":
                self._ready.append(number)
                continue
            if self.processes[number].ended is not None:
                continue
            self._queues[number].append(time)
            if not self.processes[number].clients:
                self._ask(number, time)
            if self._idle[number]:
                self._idle[number] = False
                self._ready.append(number)

    def _turn(self, number: int) -> bool:
        """Run a process; return whether it is still ready."""
        process = self.processes[number]
        end = self.now + self.costs.time_slice
        while True:
            if self._serving[number] is None:
                if not self._queues[number]:
                    self._idle[number] = True
                    return False
                self._serving[number] = self._queues[number].popleft()
                self._left[number] = process.request_touches
            if self._left[number] == 0 or not self._next[number]:
                self._complete(number)
                if process.ended is not None:
                    return False
                continue
            if self.now >= end:
                return True
            (reference,) = self._next[number]
            self._next[number] = list(islice(self._streams[number], 1))
            if reference is RELEASE:
                self._release(number)
                continue
            left = self._left[number]
            if left is not None:
                self._left[number] = left - 1
            if self._touch(number, *reference):
                return False

    def _complete(self, number: int) -> None:
        process = self.processes[number]
        arrival = self._serving[number]
        assert arrival is not None, "no request in service"
        process.responses.append((arrival, self.now))
        self._serving[number] = None
        if not self._next[number] or len(process.responses) == process.requests:
            process.ended = self.now
            self._release(number)
        elif process.clients:
            self._ask(number, self.now)

    def _touch(self, number: int, page: int, write: bool) -> bool:
        """Serve a touch; return whether the process must wait for the disk."""
        process, resident = self.processes[number], self.resident[number]
        self._first_touch[number].setdefault(page, process.touches)
        self.now += process.touch + (next(process.tracking) if process.tracking else 0)
        process.touches += 1
        if page in resident:
            self.policy.touch((number, page))
            resident[page] |= write
            self._count(number)
            return False
        fault = process.file or page in self.on_disk[number]
        self.now += self.costs.fault if fault else self.costs.zero_fill
        measured = self.now >= self.measure_from
        process.faults += fault and measured
        process.zero_fills += not fault and measured
        victim = self.policy.admit((number, page))
        ready = self._frame_ready() if victim is None else self._evict(victim, measured)
        if fault:
            self._disk(self.costs.page_read)
            ready = self.disk_free
        resident[page] = write or not fault
        for reclaimed in self.policy.reclaim():
            written = self._evict(reclaimed, measured)
            if written is not None:
                self._written_at.append(written)
        self._count(number)
        if ready is not None:
            self._event(ready, "wake", number)
        return ready is not None

    def _frame_ready(self) -> int | None:
        """Return when the free frame that was taken is written out; None if it is already."""
        while self._written_at and self._written_at[0] <= self.now:
            self._written_at.popleft()
        if len(self._written_at) > self.policy.free_frames():
            return self._written_at.popleft()
        return None

    def _evict(self, victim: Page, measured: bool) -> int | None:
        """Evict a page; return when it is written out, or None if it need not be."""
        owner, page = victim
        if not self.resident[owner].pop(page):
            return None
        self.on_disk[owner].add(page)
        self.processes[owner].write_outs += measured
        self._disk(self.costs.write_out)
        return self.disk_free

    def _count(self, number: int) -> None:
        """At the end of an epoch, report its counts; the touch that ends it is complete."""
        process = self.processes[number]
        if process.epochs and process.touches % process.epochs[1] == 0:
            self.policy.epoch(number, next(process.epochs[0]), self.now)

    def _disk(self, time: int) -> None:
        self.disk_free = max(self.disk_free, self.now) + time
        self.disk_busy += time

    def _release(self, number: int) -> None:
        for page in sorted(self.resident[number], key=self._first_touch[number].__getitem__):
            self.policy.remove((number, page))
        self.resident[number].clear()
        self.on_disk[number].clear()
