# SPDX-License-Identifier: BSD-2-Clause
"""Parts of records, and messages, about single pages: the frames accessed in an epoch, and hot pages."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Sent, layout
from litemrc.device.link.schema import schema


class PageMessages:
    """What firmware/baremetal/epochs.c sends of single pages.

    A page that the hardware queued is removed by a command. If Etherbone loses the command, the page is
    reported twice.

    Parameters
    ----------
    service
        `_core.DeviceService`: the monitor's parameters, and what the host selected.
    """

    def __init__(self, mrc: RegisterBlock, service: Any) -> None:
        self._mrc, self._service, found = mrc, service, service.parameters
        self._bitmap_words = found["frames"] // layout().bitmap_frames if found["page_bitmap"] else 0
        self._behind_counters = found["contexts"] * 2 * found["groups"]
        self._queued = 0  # messages sent

    def snapshot(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the selected parts of the epoch in the window, and what its head has of hot pages."""
        parts: dict[str, Any] = {}
        head = {"flags": 0, "hot_accesses": 0}
        if self._service.accessed_messages:
            parts["accessed"], parts["written"] = self._read_accessed()
        if self._service.hot_messages and self._mrc.fields("hot_control")["enable"]:
            parts["hot"], head = self._read_hot()
        return parts, head

    def queued(self) -> Iterator[Sent]:
        """Yield what the hardware queued."""
        if not self._service.always_on:
            return
        overflow = self._mrc.fields("hot_status")["queue_overflow"]
        frames: list[int] = []
        while len(frames) < layout().hot_queued_max and (oldest := self._mrc.fields("hot_queue"))["valid"]:
            frames.append(oldest["frame"])
            self._mrc.command("take", "hot_command")
        if frames:
            if overflow:
                self._mrc.command("acknowledge", "hot_command")
            yield "queued", {"index": self._queued, "overflow": int(overflow), "frames": frames}
            self._queued = (self._queued + 1) % 2**32

    def _read_accessed(self) -> tuple[bytes, bytes]:
        found = np.array(self._mrc.window(self._behind_counters, 2 * self._bitmap_words), "<u4")
        return found[: self._bitmap_words].tobytes(), found[self._bitmap_words :].tobytes()

    def _read_hot(self) -> tuple[list[dict[str, int]], dict[str, int]]:
        status, accesses = self._mrc.fields("hot_status"), self._mrc.read("hot_accesses")
        first, each = self._behind_counters + 2 * self._bitmap_words, layout().hot_page_words
        words = self._mrc.window(first, each * status["listed"]) if status["listed"] else []
        pages = [
            {"frame": frame, "count": count}
            for frame, count in zip(words[::each], words[1::each], strict=True)
        ]
        flags = sum(schema().constants[f"epoch_hot_{name}"] for name in ("more", "saturated") if status[name])
        return pages, {"flags": flags, "hot_accesses": accesses}
