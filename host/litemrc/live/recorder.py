# SPDX-License-Identifier: BSD-2-Clause
"""A recording: what arrives from its start on, in a folder for each session."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from litemrc.errors import OutputError, UserError
from litemrc.feed.feed import Event
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost
from litemrc.live.session_files import SessionFiles


class Recorder:
    """A listener of a feed that records while it is on; any thread may start and stop it.

    A lost link completes the files of the session, marked as interrupted; the next session gets a folder of
    its own. A write that fails ends the recording: the feed goes on.

    Parameters
    ----------
    out
        where the folders are made, named by the time.
    recent
        a listener that is called before this one.
    url
        of the device.
    report
        called with what is to be told: a text, and whether something is wrong.

    Attributes
    ----------
    on
        it records, or will as soon as there is a session.
    epochs, lost
        since it was started, in all sessions.
    folders
        with files of this recording.
    """

    def __init__(
        self, out: Path, recent: Recent, url: str, report: Callable[[str, bool], None] | None = None
    ) -> None:
        self.on = False
        self.folders: list[Path] = []
        self._epochs = self._lost = 0
        self._out, self._recent, self._url = out, recent, url
        self._report = report or (lambda text, wrong: None)
        self._files: SessionFiles | None = None
        self._folder = out
        self._lock = threading.RLock()

    @property
    def epochs(self) -> int:
        """Epochs recorded."""
        return self._epochs + (self._files.epochs if self._files else 0)

    @property
    def lost(self) -> int:
        """Epochs that are missing between those recorded."""
        return self._lost + (self._files.lost if self._files else 0)

    def start(self) -> None:
        """Record from the next epoch on.

        Raises
        ------
        UserError
            no folder or file can be made.
        """
        with self._lock:
            self.on, self._epochs, self._lost, self.folders = True, 0, 0, []
            if self._recent.parameters and not self._recent.lost:
                self._begin(self._recent.parameters, next(iter(self._recent.last(1)), None))

    def stop(self, *, interrupted: bool = False) -> str:
        """Complete the files; return what was recorded, for people.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        with self._lock:
            self.on = False
            self._end(interrupted=interrupted)
            return self.summary

    @property
    def summary(self) -> str:
        """What was recorded, for people."""
        if not self.folders:
            return "nothing was recorded"
        where = ", ".join(map(str, self.folders))
        return f"recorded {self.epochs:,} epochs, {self.lost:,} lost, in {where}"

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        with self._lock:
            if not self.on:
                return
            try:
                self._note(event)
            except UserError as error:
                self.on = False
                self._abandon()
                self._report(f"the recording has ended: {error}\n{self.summary}", True)

    def _note(self, event: Event) -> None:
        if isinstance(event, DeviceParameters):
            self._end(interrupted=True)
            self._begin(event)
        elif isinstance(event, FeedLost):
            if self._files and self._files.epochs:
                self._end(interrupted=True)
                self._report(
                    f"the link was lost: {self.summary}; recording goes on with the next session", True
                )
        elif isinstance(event, FeedEpoch) and self._files:
            self._files.append(event)

    def _begin(self, parameters: DeviceParameters, before: FeedEpoch | None = None) -> None:
        try:
            self._folder = _new_folder(self._out)
            self._files = SessionFiles(self._folder, parameters, self._url, before)
        except UserError:
            self.on = False
            with suppress(OSError):
                self._folder.rmdir()
            raise

    def _end(self, *, interrupted: bool) -> None:
        files, self._files = self._files, None
        if files is None:
            return
        self._epochs += files.epochs
        self._lost += files.lost
        if files.close(interrupted=interrupted):
            self.folders.append(self._folder)
        else:
            self._folder.rmdir()

    def _abandon(self) -> None:
        """Keep what can be kept after a write failed."""
        files = self._files
        with suppress(OutputError):
            self._end(interrupted=True)
            return
        if files:
            with suppress(OSError, ValueError):
                files.discard()
            with suppress(OSError):
                self._folder.rmdir()


def _new_folder(out: Path) -> Path:
    """Make a folder named by the time."""
    name = f"live-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        for number in range(1, 1000):
            folder = out / (name if number == 1 else f"{name}-{number}")
            with suppress(FileExistsError):
                folder.mkdir(parents=True)
                return folder
    except OSError as error:
        raise OutputError(
            f"cannot make a folder: {error.strerror or error}",
            where=str(out),
            remedy="choose another one: --out",
        ) from error
    raise OutputError("there are 1,000 recordings of this second", where=str(out), remedy="wait a second")
