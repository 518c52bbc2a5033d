# SPDX-License-Identifier: BSD-2-Clause
"""The files of single pages that a collection writes, epoch by epoch."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from litemrc.cli.device.hot_options import change_hot, hot_text
from litemrc.cli.shared.messages import note, warning
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.hot import PageMessages, page_messages
from litemrc.pages.files import PageBitmapWriter
from litemrc.pages.hot_file import HotListWriter
from litemrc.pages.page_bitmaps import PagesShown

_CONTENTS = {"pages": "the pages accessed", "hot": "hot pages"}


class PageFiles:
    """Page bitmaps and hot pages of a collection; files appear when they are saved.

    Parameters
    ----------
    pages, hot
        where they are written; None: not requested.
    """

    def __init__(self, pages: Path | None, hot: Path | None) -> None:
        self._paths: dict[str, Path | None] = {"pages": pages, "hot": hot}
        self._pages: PageBitmapWriter | None = None
        self._hot: HotListWriter | None = None

    @contextmanager
    def selected(self, device: Device) -> Iterator[PageMessages | None]:
        """Have the device send what the files need, until the end of the block.

        Raises
        ------
        UserError
            a file cannot be written.
        LinkError
            the device has no page bitmap, or no hot pages.
        """
        pages, hot = self._paths["pages"], self._paths["hot"]
        if not pages and not hot:
            yield None
            return
        settings, changed = change_hot(device, enable=True) if hot else (None, False)
        if changed:
            note(f"hot pages: {hot_text(settings)}; every page is invalid, and the epoch restarted")
        with page_messages(device, accessed=bool(pages), hot=bool(hot)) as messages:
            base, page_bytes = messages.base_address, device.page_bytes
            if pages:
                shown = PagesShown(
                    page_bytes=page_bytes, base_address=base, ranges=(range(device.hello.frames),)
                )
                clock = device.hello.clock_hz
                self._pages = PageBitmapWriter(pages, shown, clock_hz=clock, source=device.url)
            if hot and settings:
                self._hot = HotListWriter(
                    hot,
                    page_bytes=page_bytes,
                    base_address=base,
                    settings=asdict(settings),
                    source=device.url,
                )
            yield PageMessages(bool(pages), bool(hot), base)

    def take(self, collector: Collector) -> None:
        """Write the epochs that are whole.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        while self._pages and collector.accessed:
            epoch = collector.accessed.popleft()
            accesses = _accesses(collector, epoch.epoch)
            self._pages.append(epoch.epoch, epoch.accessed, epoch.written, accesses=accesses)
        while self._hot and collector.hot:
            self._hot.append(collector.hot.popleft())

    def save(self, *, interrupted: bool) -> dict[str, Any]:
        """Complete the files that have an epoch; return where each was written, None: nowhere.

        An interrupted collection does not replace a file.
        """
        saved: dict[str, Any] = {}
        for name, writer in (("pages", self._pages), ("hot", self._hot)):
            path = self._paths[name]
            if writer is None or path is None or not writer.epochs:
                if writer:
                    writer.discard()
                    warning(f"no epoch came with {_CONTENTS[name]}: {path} is not written")
                saved[name] = None
                continue
            if interrupted and path.exists():
                kept, path = path, path.with_name(f"{path.stem}.partial{path.suffix}")
                warning(f"{kept} is kept")
            writer.close(interrupted=interrupted, path=path)
            saved[name] = str(path)
        return saved


def _accesses(collector: Collector, epoch: int) -> int:
    """Return the accesses of an epoch by all contexts; 0: its counters were lost."""
    return next(
        (int(rows["accesses"].sum()) for rows in reversed(collector.counts) if rows["epoch"][0] == epoch), 0
    )
