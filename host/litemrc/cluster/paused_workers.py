"""Workers that Dask has paused as their memory is full: where all are, no task begins."""

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

if TYPE_CHECKING:
    from distributed import Client

PAUSED_FOR_S = 60.0
"""Dask pauses a worker at 80 % of its memory; results that are fetched or joined may free some."""
_LOOK_EVERY_S = 2.0


class PausedWorkers:
    """Watches whether all workers are paused while nothing progresses."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._progress: object = None
        self._since = self._look_at = time.monotonic()

    def check(self, progress: object) -> None:
        """Call again and again with what differs after any progress.

        Raises:
            UserError: all workers have been paused for `PAUSED_FOR_S`, without progress.
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
