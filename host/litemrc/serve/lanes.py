# SPDX-License-Identifier: BSD-2-Clause
"""Threads for requests that compute, a lane for each kind of work: metrics never wait for a history.

A job runs in steps. Between two steps it ends if its reader has left or its time is over; so does a job that
still waits for a thread.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from litemrc.serve.answers import ReaderLeftError, Refusal

BUSY_S = 2  # after which a refused request may come again

T = TypeVar("T")


@dataclass
class Job:
    """A request that computes, as its steps see it.

    Attributes
    ----------
    seconds
        that it may compute; the time of a reader that takes the answer slowly is not counted.
    rows
        of tables that it may read.
    narrow
        what to ask for instead if it needs more.
    """

    seconds: float
    rows: int
    narrow: str
    _left: threading.Event = field(default_factory=threading.Event)
    _computed: float = 0.0
    _begun: float | None = None
    _read: int = 0

    def check(self, rows: int = 0) -> None:
        """Count rows of a step, and end the job if it must end.

        Raises
        ------
        ReaderLeftError
            its reader has left.
        Refusal
            it took too long (503), or its tables have too many rows (413).
        """
        if self._left.is_set():
            raise ReaderLeftError
        self._read += rows
        if self._read > self.rows:
            raise Refusal(413, f"the answer needs more than {self.rows:,} rows of counters", self.narrow)
        now = self._computed + (time.monotonic() - self._begun if self._begun is not None else 0)
        if now > self.seconds:
            raise Refusal(503, f"the answer takes more than {self.seconds:g} s to compute", self.narrow)

    def leave(self) -> None:
        """Have the next check end the job."""
        self._left.set()

    def step(self, work: Callable[[], T]) -> T:
        """Run a part of the work; in a thread."""
        self._begun = time.monotonic()
        try:
            self.check()
            return work()
        finally:
            self._computed += time.monotonic() - self._begun
            self._begun = None

    def each(self, items: Iterable[T], rows: Callable[[T], int]) -> Iterator[T]:
        """Yield items of which each may be the last one."""
        self.check()
        for item in items:
            self.check(rows(item))
            yield item


class Lane:
    """Threads for one kind of work.

    Parameters
    ----------
    threads
        that compute at once.
    most
        jobs admitted, those that wait for a thread included.
    seconds, rows
        limits of a job.
    narrow
        what to ask for instead of a job that exceeds them.

    Attributes
    ----------
    jobs
        admitted now.
    """

    def __init__(self, threads: int, most: int, *, seconds: float, rows: int, narrow: str) -> None:
        self.jobs = 0
        self.threads, self.most, self.seconds, self.rows = threads, most, seconds, rows
        self._narrow = narrow
        self._steps: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        # Daemons, other than those of an executor: the server ends without waiting for a step.
        self._started = [
            threading.Thread(target=self._work, name="lane", daemon=True) for _ in range(threads)
        ]
        for thread in self._started:
            thread.start()

    async def run(self, request: Request, work: Callable[[Job], T]) -> T:
        """Compute an answer in a thread; the work ends if the reader leaves.

        Raises
        ------
        ReaderLeftError, Refusal
            as `Job.check`; 503: there are too many jobs.
        """
        job = self._admit()
        try:
            return await self._watched(request, job, lambda: work(job))
        finally:
            self._end(job)

    async def stream(
        self, request: Request, pieces: Callable[[Job], Generator[bytes, None, None]], **options: Any
    ) -> StreamingResponse:
        """Return an answer of pieces; each is computed in a thread when the reader has taken the one before.

        `options` are those of the answer. The first piece is computed before it begins.

        Raises
        ------
        ReaderLeftError, Refusal
            as `run`.
        """
        job = self._admit()
        iterator = pieces(job)
        try:
            first = await self._watched(request, job, lambda: next(iterator, b""))
        except BaseException:
            self._end(job, iterator)
            raise
        return _Streamed(self._pieces(job, first, iterator), lambda: self._end(job, iterator), **options)

    async def _pieces(self, job: Job, first: bytes, iterator: Iterator[bytes]) -> AsyncIterator[bytes]:
        yield first
        while (piece := await self._step(job, lambda: next(iterator, None))) is not None:
            yield piece

    def _admit(self) -> Job:
        if self.jobs >= self.most:
            raise Refusal(
                503,
                f"{self.jobs} requests of this kind are being answered, which is the limit",
                f"ask again in {BUSY_S} s, or ask for less at once",
                {"Retry-After": str(BUSY_S)},
            )
        self.jobs += 1
        return Job(self.seconds, self.rows, self._narrow)

    def _end(self, job: Job, iterator: Generator[bytes, None, None] | None = None) -> None:
        job.leave()
        self.jobs -= 1
        if iterator is not None:  # in a thread, where a step of it may still run
            self._steps.put((Future(), iterator.close))

    def close(self) -> None:
        """End the threads, each with its step."""
        for _ in self._started:
            self._steps.put(None)

    def _work(self) -> None:
        while (taken := self._steps.get()) is not None:
            future, step = taken
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(step())
            except BaseException as error:
                future.set_exception(error)
            del future, step, taken

    async def _watched(self, request: Request, job: Job, work: Callable[[], T]) -> T:
        """Compute, unless the reader leaves before."""
        computing = asyncio.ensure_future(self._step(job, work))
        leaving = asyncio.ensure_future(_left(request))
        try:
            await asyncio.wait((computing, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not computing.done():
                raise ReaderLeftError
            return computing.result()
        finally:
            computing.cancel()
            leaving.cancel()

    async def _step(self, job: Job, work: Callable[[], T]) -> T:
        """Run a step in a thread. If it is cancelled it never begins, or its next check ends it."""
        future: Future[T] = Future()
        self._steps.put((future, lambda: job.step(work)))
        return await asyncio.wrap_future(future)


class _Streamed(StreamingResponse):
    """An answer whose job ends with it, also if it never began.

    If a later piece is refused, the connection is closed before the end: no reader takes a part for the
    whole.
    """

    def __init__(self, content: AsyncIterator[bytes], end: Callable[[], None], **options: Any) -> None:
        super().__init__(content, **options)
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except (Refusal, ReaderLeftError) as error:
            logging.getLogger("litemrc.serve").warning("%s is cut off: %s", scope["path"], error)
        finally:
            self._end()


async def _left(request: Request) -> None:
    """Wait until the reader leaves."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


_SHORTER = "ask for a shorter time: give start and end"


@dataclass(frozen=True)
class Lanes:
    """The lanes of a server. They share one interpreter with the feeds: few threads each."""

    recent: Lane = field(
        default_factory=lambda: Lane(2, 64, seconds=30, rows=5_000_000, narrow="ask for fewer epochs")
    )
    history: Lane = field(default_factory=lambda: Lane(2, 8, seconds=30, rows=5_000_000, narrow=_SHORTER))
    exports: Lane = field(default_factory=lambda: Lane(1, 4, seconds=600, rows=100_000_000, narrow=_SHORTER))
    metrics: Lane = field(
        default_factory=lambda: Lane(1, 64, seconds=30, rows=0, narrow="serve fewer devices by one server")
    )

    def of(self, *, history: bool) -> Lane:
        """Return the lane for an answer from the history, or from the last epochs in memory."""
        return self.history if history else self.recent

    def close(self) -> None:
        """Begin nothing more."""
        for lane in (self.recent, self.history, self.exports, self.metrics):
            lane.close()
