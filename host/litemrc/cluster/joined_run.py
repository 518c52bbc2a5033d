# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a trace on the workers of a Dask cluster, joined in a tree while later parts are measured."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from litemrc.cluster.build import submit_call
from litemrc.cluster.part_task import PartResult
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError
from litemrc.native.part_engines import make_first_reading
from litemrc.native.shards_size_part import SmallestPages
from litemrc.traces.sections import Part

if TYPE_CHECKING:
    from distributed import Client, Future

    from litemrc.cluster.part_task import Task


PAUSED_FOR_S = 60.0
"""Dask pauses a worker at 80 % of its memory; results that are fetched or joined may free some."""
_LOOK_EVERY_S = 2.0
_POLL_S = 0.05


class PausedWorkers:
    """Watches whether all workers are paused while nothing progresses."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._progress: object = None
        self._since = self._look_at = time.monotonic()

    def check(self, progress: object) -> None:
        """Call again and again with what differs after any progress.

        Raises
        ------
        UserError
            all workers have been paused for `PAUSED_FOR_S`, without progress.
        """
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + min(_LOOK_EVERY_S, PAUSED_FOR_S)
        workers = {}
        with suppress(OSError, TimeoutError):  # a scheduler that has gone ends the tasks
            workers = self._client.scheduler_info(-1)["workers"]
        if progress != self._progress or any(worker["status"] != "paused" for worker in workers.values()):
            self._progress, self._since = progress, now
        elif workers and now - self._since >= PAUSED_FOR_S:
            address, worker = next(iter(workers.items()))
            raise UserError(
                f"Dask has paused all {len(workers)} workers, as their memory is full",
                where=f"{address}, of {size_text(worker['memory_limit'], 1, 2)}",
                remedy="give workers more memory, or more --parts; or choose engine shards",
            )


@dataclass(eq=False)
class _Node:
    """A part (no children), or two neighbours that are joined.

    Attributes
    ----------
    first
        number of the first of its parts.
    stop
        number after the last of them.
    future
        its result on the cluster.
    children
        None once they are needed no more: what nobody holds, Dask forgets.
    """

    first: int
    stop: int
    future: "Future[PartResult]"
    children: "tuple[_Node, _Node] | None" = None


class JoinedRun:
    """Measures parts on a cluster and joins their results; a context manager that leaves nothing behind.

    Results that are lost with a worker are computed again by Dask, from the parts on if need be.

    Parameters
    ----------
    client
        of the cluster.
    task
        how parts are measured.
    parts
        in order.

    Attributes
    ----------
    repeated
        parts that were begun more than once, as a worker was lost.
    """

    def __init__(self, client: "Client", task: "Task", parts: Sequence[Part]) -> None:
        self._client, self._task, self._parts = client, task, parts
        self._reads_twice = make_first_reading(task.engine, **task.parameters) is not None
        self._before: list[Future[SmallestPages]] = []  # by part, of it and all earlier ones
        self._reports: dict[tuple[int, int], tuple[int, float]] = {}
        self.repeated = 0

    def __enter__(self) -> Self:
        from litemrc.cluster.part_task import StopSwitch

        run = self._task.run
        self._client.register_plugin(StopSwitch(run))
        self._client.subscribe_topic(run, self._report)
        self._submit_first_readings()
        level = [_Node(number, number + 1, self._submit_part(number)) for number in range(len(self._parts))]
        self._nodes = set(level)
        height = 0
        while len(level) > 1:
            height += 1
            pairs = [self._joined(a, b, height) for a, b in zip(level[::2], level[1::2], strict=False)]
            self._nodes |= set(pairs)
            level = pairs + level[2 * len(pairs) :]
        (self._root,) = level
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, TimeoutError):  # the scheduler may have gone
            self._client.cancel([*self._before, *(node.future for node in self._nodes)], force=True)
            self._client.unsubscribe_topic(self._task.run)
            self._client.unregister_worker_plugin(self._task.run)
        self._nodes.clear()
        self._before.clear()

    def _submit_first_readings(self) -> None:
        """Let the parts be read once before, if the engine needs it, and join what earlier parts have."""
        if not self._reads_twice:
            return
        from litemrc.cluster.part_task import read_first

        run = self._task.run
        for number, part in enumerate(self._parts[:-1]):
            found = submit_call(self._client, f"first-{run}-{number}", read_first, self._task, part, number)
            if self._before:
                key = f"before-{run}-{number}"
                found = self._client.submit(
                    SmallestPages.join, self._before[-1], found, key=key, pure=False, priority=2
                )
            self._before.append(found)

    def _submit_part(self, number: int) -> "Future[PartResult]":
        from litemrc.cluster.part_task import measure_part

        key = f"part-{self._task.run}-{number}"
        arguments = self._task, self._parts[number], number
        if not self._before or number == 0:
            return submit_call(self._client, key, measure_part, *arguments)
        before = self._before[number - 1]
        return self._client.submit(measure_part, *arguments, before, key=key, pure=False, priority=1)

    def _joined(self, one: _Node, other: _Node, height: int) -> _Node:
        key = f"join-{self._task.run}-{one.first}-{other.stop}"
        # Before parts that have not begun, so that few results wait; the higher the earlier.
        future = self._client.submit(
            PartResult.join, one.future, other.future, key=key, pure=False, priority=height + 1
        )
        return _Node(one.first, other.stop, future, (one, other))

    def _report(self, event: tuple[float, Any]) -> None:
        reading, number, references, share = event[1]
        part = reading, number
        if references < self._reports.get(part, (0, 0.0))[0]:
            self.repeated += 1
        self._reports[part] = references, share

    @property
    def references(self) -> int:
        """Return the number of references read so far; some engines read each twice."""
        return sum(references for references, _ in list(self._reports.values()))

    @property
    def fraction(self) -> float:
        """Return the share of the work done so far, by the sizes of parts where they are known."""
        sizes = [sum(section.size or 1 for section in part) for part in self._parts]
        done = [share * sizes[number] for (_, number), (_, share) in list(self._reports.items())]
        total = sum(sizes) + (sum(sizes[:-1]) if self._reads_twice else 0)
        return min(sum(done) / total, 1.0)

    def wait(self) -> Iterator[None]:
        """Yield again and again until the result is there.

        Raises
        ------
        UserError
            of a task; workers die with a part, or all are paused; or the scheduler has gone.
        """
        paused = PausedWorkers(self._client)
        while True:
            for node in self._nodes:
                self._check(node.future)
            done = [node for node in self._nodes if node.children and node.future.done()]
            for node in done:
                self._forget(node)
            if self._root.future.done():
                return
            paused.check((len(self._nodes), self.references))
            yield
            time.sleep(_POLL_S)

    def result(self) -> PartResult:
        """Return the counts of all parts, once `wait` has ended."""
        return self._counts(self._root.future)

    def stop(self) -> PartResult | None:
        """Stop all parts where they are; return the counts of the references up to the first one missing.

        Returns
        -------
        None
            not even the first part has begun.
        """
        from litemrc.cluster.part_task import SECOND, stop

        begun = {number for reading, number in self._reports if reading == SECOND}
        pending = [node for node in self._nodes if not node.future.done()]
        useless = [node for node in pending if node.stop - node.first > 1 or node.first not in begun]
        self._client.cancel([*self._before, *(node.future for node in useless)], force=True)
        self._client.run(stop, self._task.run)
        kept = self._nodes - set(useless)
        found: Future[PartResult] | None = None
        reached = 0
        while best := max((n for n in kept if n.first == reached), key=lambda n: n.stop, default=None):
            later = best.future
            complete = self._client.submit(_is_complete, later, pure=False, priority=100)
            found = (
                later
                if found is None
                else self._client.submit(PartResult.join, found, later, pure=False, priority=100)
            )
            reached = best.stop
            if not complete.result():
                break
        return None if found is None else self._counts(found)

    def _counts(self, future: "Future[PartResult]") -> PartResult:
        counts = self._client.submit(PartResult.only_counts, future, pure=False, priority=100)
        try:
            return counts.result()
        except CancelledError as error:
            raise self._gone() from error

    def _gone(self) -> UserError:
        return UserError(
            "the scheduler has gone, and with it the results",
            where=str(self._client.scheduler.address) if self._client.scheduler else "",
            remedy="look at its log, and measure again",
        )

    def _forget(self, node: _Node) -> None:
        """Release the results of a node's children: its own contains them."""
        for child in node.children or ():
            self._forget(child)
            self._nodes.discard(child)
        node.children = None

    def _check(self, future: "Future[PartResult]") -> None:
        if future.status in ("pending", "finished", "lost"):  # lost with a worker, and computed again
            return
        if future.status != "error":
            raise self._gone()
        error = future.exception()
        assert error is not None  # the status is error
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            raise UserError(
                f"{error.allowed_failures + 1} workers died with the same task",
                where=self._place(str(error.task)),
                remedy="give workers more memory, or more --parts; or choose engine shards",
            ) from error
        if isinstance(error, ModuleNotFoundError):
            raise UserError(
                f"a worker cannot measure: {error}",
                remedy="install the same LiteMRC on each worker, and start the workers again",
            ) from error
        raise error

    def _place(self, key: str) -> str:
        kind, _, rest = key.partition(f"-{self._task.run}-")
        numbers = [int(number) for number in rest.split("-")]
        first = str(self._parts[numbers[0]][0])
        return first if kind in ("part", "first") else f"the parts from {first} on, joined"


def _is_complete(result: PartResult) -> bool:
    return result.facts.complete


def new_run() -> str:
    """Return a name for a run that no other has."""
    return f"litemrc-{uuid4().hex[:12]}"
