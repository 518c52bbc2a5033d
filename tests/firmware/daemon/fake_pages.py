# SPDX-License-Identifier: BSD-2-Clause
"""The driver's files of single pages: the bits of the frames, and hot/. A test sets what an epoch has."""

import fcntl
import os
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack

HOT = {
    "enable": 0,
    "reads": 1,
    "writes": 1,
    "always_on": 0,
    "sampling": 0,
    "threshold": 2,
    "lower": 0,
    "watermark": 1,
}
MORE, SATURATED = 1, 2


@dataclass
class FakePages:
    """What the running epoch has; `finish_epoch` publishes it if it is turned on, and begins the next one.

    Attributes
    ----------
    hot_pages
        places of the list of hot pages; 0: there is none.
    bitmap
        the gateware has bits of the frames.
    accessed, written
        frames.
    listed
        frame and count of each hot page; flags: MORE, SATURATED; accesses: counted.
    ahead
        the files have an epoch that is so much later; 1: the driver finished one more.
    """

    frames: int
    hot_pages: int = 128
    bitmap: bool = True
    accessed: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)
    listed: list[tuple[int, int]] = field(default_factory=list)
    flags: int = 0
    accesses: int = 0
    ahead: int = 0

    def make_files(self, monitor: Path) -> dict[str, int]:
        """Make the files; return the lines of `parameters`."""
        self._monitor = monitor
        (monitor / "hot").mkdir()
        (monitor / "keep_bitmap").write_text("0\n")
        settings = HOT | {"wanted": self.hot_pages, "upper": self.frames - 1}
        for name, value in settings.items():
            (monitor / "hot" / name).write_text(f"{value}\n")
        self.count_events(0, 0)
        for name in ("bitmap", "hot/list"):
            (monitor / name).touch()
        (monitor / "hot/queue").touch()
        (monitor / "hot/queue_first").write_text("0\n")
        return {"page_bitmap": int(self.bitmap), "hot_pages": self.hot_pages}

    def is_on(self, name: str) -> bool:
        """Return whether the daemon, or a test, turned this on."""
        return (self._monitor / name).read_text().strip() == "1"

    def finish_epoch(self, epoch: int) -> None:
        """Publish the running epoch; its record follows."""
        self.publish(epoch + self.ahead)
        self.accessed, self.written, self.listed = set(), set(), []

    def publish(self, epoch: int) -> None:
        """Replace the images by those of an epoch."""
        words = (epoch, self.frames)
        accessed, written = (self._bits(frames) for frames in (self.accessed, self.written))
        image = pack("2I", *words) + accessed + written + pack("I", epoch)
        self._put("bitmap", image if self.is_on("keep_bitmap") else b"")
        pages = [number for page in self.listed for number in page]
        pages += [0] * (2 * self.hot_pages - len(pages))
        numbers = (epoch, self.accesses, self.flags, len(self.listed), *pages, epoch)
        self._put("hot/list", pack(f"{len(numbers)}I", *numbers) if self.is_on("hot/enable") else b"")

    def _bits(self, frames: set[int]) -> bytes:
        return sum(1 << frame for frame in frames).to_bytes((self.frames + 31) // 32 * 4, "little")

    def _put(self, name: str, image: bytes) -> None:
        file = os.open(self._monitor / name, os.O_WRONLY)
        os.pwrite(file, image, 0)
        os.ftruncate(file, len(image))
        os.close(file)

    def queue(self, *frames: int) -> None:
        """These frames reached the threshold."""
        with (self._monitor / "hot/queue").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("".join(f"{frame}\n" for frame in frames))

    def take(self, *frames: int) -> None:
        """These frames are queued and, before the daemon reads them, taken by another process."""
        with (self._monitor / "hot/queue").open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            assert not file.read(), "the daemon has not read these"
            first = self._monitor / "hot/queue_first"
            first.write_text(f"{int(first.read_text()) + len(frames)}\n")

    def count_events(self, lost: int, overflows: int) -> None:
        """Pages lost by the driver's queue, and times that the gateware's was full, since load."""
        for name, count in (("lost", lost), ("overflows", overflows)):
            (self._monitor / "hot" / name).write_text(f"{count}\n")
