"""Programs of the device that run while it is watched, one after the other."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from litemrc.device.device import Device
from litemrc.device.running import Run, RunningPrograms
from litemrc.feed.feed import Event, Feed
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost


class Programs:
    """A listener that starts the next program when one has ended.

    Parameters:
        feed: returns the current feed.
        report: called with what is to be told: a text, and whether something is wrong.
    """

    def __init__(self, feed: Callable[[], Feed], report: Callable[[str, bool], None]) -> None:
        self._feed, self._report = feed, report
        self._running: RunningPrograms | None = None

    def start(self, runs: Sequence[Run]) -> "Future[None]":
        """Start the first one; the future raises what the device refuses, or that it has no such program."""

        def begin(device: Device) -> None:
            running = RunningPrograms(device)
            running.queue(runs, together=False)
            running.go_on()
            self._running = running

        return self._feed().call(begin)

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        if self._running is None or isinstance(event, DeviceParameters | FeedEpoch):
            return
        if isinstance(event, FeedLost):
            self._running = None
            self._report("the link was lost: the programs that --run names are left out", True)
        elif event.name == "event" and event.kind == "workload_done":
            self._running.note_done(event)
            self._feed().call(self._go_on).add_done_callback(self._answered)

    def _go_on(self, _: Device) -> None:
        if self._running and not self._running.go_on():
            self._running = None
            self._report("the programs that --run names have ended", False)

    def _answered(self, future: "Future[None]") -> None:
        if error := future.exception():
            self._running = None
            self._report(f"no further program is started: {error}", True)
