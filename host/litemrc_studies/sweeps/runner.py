# SPDX-License-Identifier: BSD-2-Clause
"""Runs the points of a sweep on the workers of a Dask scheduler, whatever happens to the workers."""

import math
import time
import uuid
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from litemrc.cluster.build import submit_call
from litemrc.errors import UserError

from litemrc_studies.sweeps.batch import Run, build, run_batch
from litemrc_studies.sweeps.point import Outcome, Point

if TYPE_CHECKING:
    from distributed import Client, Future

Batch = list[tuple[str, Point]]

BATCH_S = 0.5
"""A task has as many points as take this time: Dask's own work for a task is about a millisecond."""
WAIT_S = 0.5
_FETCH_S = 10.0  # for a result; should its worker die meanwhile, other results are not held up for longer
_MOST_IN_BATCH = 500
_TASKS_PER_THREAD = 2  # one that runs, and one that waits beside it


class Runner:
    """Runs points; `outcomes` yields what came of them.

    A task whose worker dies is run again by Dask, on another worker. When it has cost several workers, Dask
    gives it up: its points are then run one by one, and a point that is given up again, alone on the cluster
    at the end, as another point may have killed the worker that they shared. Only a point that is given
    up there has failed.

    Parameters
    ----------
    client
        of the scheduler.
    name
        of the tasks on Dask's dashboard.
    run
        runs a point, on a worker; its module is imported there.
    points
        with their keys.

    Attributes
    ----------
    threads
        of all workers, as last counted.
    """

    def __init__(self, client: "Client", name: str, run: Run, points: Sequence[tuple[str, Point]]) -> None:
        self._client, self._name, self._run = client, name, run
        self._waiting = deque(points)
        self._singles: deque[Batch] = deque()
        self._suspects: deque[Batch] = deque()
        self._alone: Batch | None = None
        self._in_flight: dict[Future, Batch] = {}
        self._finished: SimpleQueue[Future] = SimpleQueue()
        self._mean_s = BATCH_S  # of a point; so the first batches have one each
        self._counted = -math.inf
        self.threads = 0

    def outcomes(self) -> Generator[list[Outcome], None, None]:
        """Yield the outcomes of points as they come, and from time to time none.

        Raises
        ------
        UserError
            a worker has another LiteMRC, or the scheduler is lost.
        """
        try:
            while self._waiting or self._singles or self._suspects or self._in_flight:
                self._submit()
                try:
                    future = self._finished.get(timeout=WAIT_S)
                except Empty:
                    yield []
                    continue
                yield self._outcomes(future, self._in_flight.pop(future))
        finally:
            if self._in_flight and self._client.status == "running":
                self._client.cancel(list(self._in_flight))

    def _submit(self) -> None:
        """Keep all workers busy, and no more than that in the scheduler's memory."""
        self._count_threads()
        while len(self._in_flight) < max(1, self.threads * _TASKS_PER_THREAD):
            if self._alone:
                return
            if self._singles:
                batch = self._singles.popleft()
            elif self._waiting:
                batch = [self._waiting.popleft() for _ in range(self._batch_size())]
            elif self._suspects and not self._in_flight:
                batch = self._alone = self._suspects.popleft()
            else:
                return
            key = f"{self._name}-{uuid.uuid4().hex}"
            future = submit_call(self._client, key, run_batch, self._run, batch, build())
            self._wait_for(future, batch)

    def _batch_size(self) -> int:
        fitting = int(BATCH_S / max(self._mean_s, BATCH_S / _MOST_IN_BATCH))
        # At the end no worker has many points while others have none.
        fair = math.ceil(len(self._waiting) / (max(1, self.threads) * _TASKS_PER_THREAD))
        return max(1, min(fitting, fair))

    def _count_threads(self) -> None:
        if self._client.status != "running":
            raise _lost()
        if time.monotonic() > self._counted + 2 * WAIT_S:
            try:
                self.threads = sum(self._client.nthreads().values())
            except (OSError, TimeoutError) as error:
                raise _lost() from error
            self._counted = time.monotonic()

    def _outcomes(self, future: "Future", batch: Batch) -> list[Outcome]:
        """Return the outcomes of a task; none if its worker died, and it runs again."""
        from distributed import KilledWorker

        try:
            if future.status in ("pending", "lost"):  # its worker died before the result was fetched
                raise TimeoutError
            outcomes: list[Outcome] = future.result(timeout=_FETCH_S)
        except TimeoutError:
            self._wait_for(future, batch)
            return []
        except UserError:
            raise
        except KilledWorker:
            return self._given_up(batch)
        except CancelledError as error:
            raise _lost() from error
        except Exception as error:  # whatever a worker's environment lacks
            raise UserError(
                f"a worker cannot run LiteMRC: {type(error).__name__}: {error}",
                remedy="install this version of LiteMRC in the environment of each worker",
            ) from error
        self._alone = None if batch is self._alone else self._alone
        done_s = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
        self._mean_s += (done_s - self._mean_s) / 4
        return outcomes

    def _given_up(self, batch: Batch) -> list[Outcome]:
        """Run the points of a task that cost several workers again, apart; a point that was alone failed."""
        if batch is not self._alone:
            (self._singles if len(batch) > 1 else self._suspects).extend([each] for each in batch)
            return []
        self._alone = None
        text = "its worker process died each time it ran, as when memory is short"
        return [Outcome(key, [], [], 0.0, text) for key, _ in batch]

    def _wait_for(self, future: "Future", batch: Batch) -> None:
        self._in_flight[future] = batch
        future.add_done_callback(self._finished.put)


def _lost() -> UserError:
    return UserError(
        "the connection to the scheduler is lost; finished points are saved",
        remedy="start the scheduler, and run the same command again: it continues",
    )
