# SPDX-License-Identifier: BSD-2-Clause
"""Programs of the device that run while it is watched, one after the other."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from litemrc.device.device import Device
from litemrc.device.running import Run, RunningPrograms
from litemrc.feed.feed import Event, Feed
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost


class Programs:
    """A listener that starts the next program when one has ended, also one that ended between two sessions.

    Parameters
    ----------
    feed
        returns the current feed.
    report
        called with what is to be reported: a text, and whether something is wrong.
    repeat
        start the first program again when the last one has ended.
    """

    def __init__(
        self, feed: Callable[[], Feed], report: Callable[[str, bool], None], *, repeat: bool = False
    ) -> None:
        self._feed, self._report, self._repeat = feed, report, repeat
        self._runs: Sequence[Run] = ()
        self._pending: deque[Run] = deque()
        self._running = self._unsure = False

    def start(self, runs: Sequence[Run]) -> "Future[None]":
        """Start the first one; the future raises what the device refuses, or that it has no such program."""

        return self._feed().call(lambda device: self.begin(device, runs))

    def begin(self, device: Device, runs: Sequence[Run]) -> None:
        """Start the first one, in the feed's thread.

        Raises
        ------
        UserError
            the device has no such program, or refuses.
        """
        RunningPrograms(device).queue(runs, together=False)  # checks them all
        self._runs, self._pending = runs, deque(runs)
        self._next(device)

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if not self._running or isinstance(event, FeedLost):
            return
        if isinstance(event, DeviceParameters):
            self._unsure = True
        elif self._unsure:
            self._unsure = False
            self._ask(lambda device: None if device.hello.running else self._next(device))
        elif not isinstance(event, FeedEpoch) and event.name == "event" and event.kind == "workload_done":
            self._ask(self._next)

    def _next(self, device: Device) -> None:
        if self._repeat and not self._pending:
            self._pending = deque(self._runs)
        self._running = bool(self._pending)
        if self._pending:
            programs = RunningPrograms(device)
            programs.queue([self._pending.popleft()], together=False)
            programs.go_on()
        else:
            self._report("the programs have ended", False)

    def _ask(self, action: Callable[[Device], None]) -> None:
        def answered(future: "Future[None]") -> None:
            if error := future.exception():
                self._report(f"the next program is not started: {error}", True)

        self._feed().call(action).add_done_callback(answered)
