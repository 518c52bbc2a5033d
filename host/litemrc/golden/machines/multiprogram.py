"""Several processes on one CPU, with one paging disk, in one memory (Zhou 2004, 4.2), slow and obvious.

What the paper leaves open is decided here:
- A process serves requests one at a time, in the order of their arrival; a request is so many touches of its
  reference stream. Batch work is a single request. The response time is from the arrival to the moment the
  process, on the CPU again behind its last touch, is done: queueing for CPU and disk is part of it.
- Requests come from `clients` that think before each request (closed loop; INTR is one client that sleeps),
  or, with no client, one after the other whatever becomes of them (open loop).
- Round robin: who becomes ready lines up; a turn ends with the first touch that reaches the time slice, and
  whoever became ready until then is before him.
- A touch takes its CPU time and then refers to the page. A page never touched before, or given back, is
  filled with zeros; a page that was evicted is read from disk: a page fault. Both cost CPU time.
- The disk does one thing after the other, in the order asked for. A page that was written to, or has no copy
  on disk, is written out when it is evicted; its frame is free only then, so whoever needs the frame waits.
- A page counts as in memory from the moment its reading is asked for. A process that waits does nothing else.
- A process that ends, or comes to a `RELEASE` in its references, gives all its pages back, at no cost.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

RELEASE = None  # stands between references: the process gives back all its pages
_END = object()  # stands behind the last one
Page = tuple[int, int]  # number of the process, page


class FramePolicy(Protocol):
    """Who gives up a page when memory is full, and how much memory a process may have."""

    def touch(self, page: Page) -> None:
        """A page in memory is referred to."""

    def admit(self, page: Page) -> Page | None:
        """A page comes in; the page that is evicted for it, or None."""

    def remove(self, page: Page) -> None:
        """A page in memory is given back."""

    def epoch(self, process: int, counts: Sequence[float], now: int) -> None:
        """A process has finished an epoch; counts as `aged_curve` takes them."""


@dataclass
class Process:
    """A process, and what became of it. Times in ticks.

    Attributes:
        references: (page, write), or RELEASE; if they end, so does the process.
        touch: CPU time of a touch, tracking included.
        request_touches: touches a request takes; None: all there are.
        clients: who think, ask, wait for the answer and think again; 0: requests come by themselves.
        pauses: thinking times, or times between arrivals: taken in turn, from the first again at the end.
        requests: after so many it ends; 0: never.
        start: when the clients begin to think.
        epochs: hit counts of its epochs, in order, and the touches in an epoch; None: nobody counts.
        responses: (arrival, end) of each request done.
        faults, zero_fills, write_outs: pages of this process that were read, filled with zeros, and written
            out, since `measure_from`.
        ended: when it ended.
    """

    references: Iterable[tuple[int, bool] | None]
    touch: int
    request_touches: int | None = None
    clients: int = 1
    pauses: Sequence[int] = (0,)
    requests: int = 1
    start: int = 0
    epochs: tuple[Iterator[Sequence[float]], int] | None = None

    responses: list[tuple[int, int]] = field(default_factory=list)
    touches: int = 0
    faults: int = 0
    zero_fills: int = 0
    write_outs: int = 0
    ended: int | None = None


@dataclass(frozen=True)
class Costs:
    """Times in ticks: `fault` and `zero_fill` are of the CPU, the page's reading and writing of the disk."""

    time_slice: int
    page_read: int
    write_out: int
    fault: int = 0
    zero_fill: int = 0


class Machine:
    """Runs processes until all that can end have ended, or until `duration` (0: no limit).

    Attributes:
        now: the time.
        disk_free: when the disk will have done all it was asked for.
        disk_busy: how long it works in all.
        samples: (time, pages in memory of each process), each `sample` ticks or as soon as a turn ends then.
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
        self.resident: list[dict[int, bool]] = [{} for _ in processes]  # by page: it must be written out
        self.on_disk: list[set[int]] = [set() for _ in processes]
        self.samples: list[tuple[int, list[int]]] = []
        self._first_touch: list[dict[int, int]] = [{} for _ in processes]
        self._streams = [iter(process.references) for process in processes]
        self._next = [next(stream, _END) for stream in self._streams]
        self._queues: list[deque[int]] = [deque() for _ in processes]  # arrivals
        self._serving: list[int | None] = [None] * len(processes)  # arrival of the request
        self._left: list[int | None] = [None] * len(processes)  # touches of it
        self._asked = [0] * len(processes)  # requests that arrived or will
        self._pause = [0] * len(processes)  # pauses taken
        self._ready: deque[int] = deque()
        self._events: list[tuple[int, int, str, int]] = []  # time, order, what, process
        self._order = 0
        self._idle = [True] * len(processes)
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
        """The next request arrives a pause behind `begin`."""
        process = self.processes[number]
        if process.requests and self._asked[number] == process.requests:
            return
        self._asked[number] += 1
        pause = process.pauses[self._pause[number] % len(process.pauses)]
        self._pause[number] += 1
        self._event(begin + pause, "arrival", number)

    def _deliver(self) -> None:
        """All that happened until now."""
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
        """Let a process run; true if it could go on."""
        process = self.processes[number]
        end = self.now + self.costs.time_slice
        while True:
            if self._serving[number] is None:
                if not self._queues[number]:
                    self._idle[number] = True
                    return False
                self._serving[number] = self._queues[number].popleft()
                self._left[number] = process.request_touches
            if self._left[number] == 0 or self._next[number] is _END:
                self._complete(number)
                if process.ended is not None:
                    return False
                continue
            if self.now >= end:
                return True
            reference, self._next[number] = self._next[number], next(self._streams[number], _END)
            if reference is RELEASE:
                self._release(number)
                continue
            if self._left[number] is not None:
                self._left[number] -= 1
            if self._touch(number, *reference):
                return False

    def _complete(self, number: int) -> None:
        process = self.processes[number]
        process.responses.append((self._serving[number], self.now))
        self._serving[number] = None
        if self._next[number] is _END or len(process.responses) == process.requests:
            process.ended = self.now
            self._release(number)
        elif process.clients:
            self._ask(number, self.now)

    def _touch(self, number: int, page: int, write: bool) -> bool:
        """True if the process must wait for the disk."""
        process, resident = self.processes[number], self.resident[number]
        self._first_touch[number].setdefault(page, process.touches)
        self.now += process.touch
        process.touches += 1
        if page in resident:
            self.policy.touch((number, page))
            resident[page] |= write
            self._count(number)
            return False
        fault = page in self.on_disk[number]
        self.now += self.costs.fault if fault else self.costs.zero_fill
        measured = self.now >= self.measure_from
        process.faults += fault and measured
        process.zero_fills += not fault and measured
        victim = self.policy.admit((number, page))
        waits = False
        if victim is not None:
            owner, victim_page = victim
            if self.resident[owner].pop(victim_page):
                self.on_disk[owner].add(victim_page)
                self.processes[owner].write_outs += measured
                self._disk(self.costs.write_out)
                waits = True
        if fault:
            self._disk(self.costs.page_read)
            waits = True
        resident[page] = write or not fault
        self._count(number)
        if waits:
            self._event(self.disk_free, "wake", number)
        return waits

    def _count(self, number: int) -> None:
        """The end of an epoch: as far as decisions go, the touch that ends it is over."""
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
