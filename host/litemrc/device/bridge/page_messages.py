# SPDX-License-Identifier: BSD-2-Clause
"""Messages about single pages: the frames accessed in an epoch, and hot pages."""

from collections.abc import Iterator
from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Sent, layout
from litemrc.device.link.protocol import device_messages
from litemrc.device.link.schema import schema


class PageMessages:
    """The messages of firmware/baremetal/page_messages.c.

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
        self._sent = dict.fromkeys(("accessed", "hot", "queued"), 0)

    def snapshot(self) -> list[Sent]:
        """Return the messages of the epoch in the window that were selected; without epoch and index."""
        accessed = self._read_accessed() if self._service.accessed_messages else []
        counted = self._service.hot_messages and self._mrc.fields("hot_control")["enable"]
        hot = self._read_hot() if counted else []
        return [("accessed", each) for each in accessed] + [("hot", each) for each in hot]

    def numbered(self, messages: list[Sent], epoch: int) -> Iterator[Sent]:
        """Yield messages of `snapshot` as those of an epoch."""
        total = {kind: sum(name == kind for name, _ in messages) for kind in self._sent}
        piece = dict.fromkeys(self._sent, 0)
        for kind, fields in messages:
            place = {"piece": piece[kind], "remaining": total[kind] - piece[kind] - 1}
            yield kind, {"index": self._next(kind), "epoch": epoch, **place, **fields}
            piece[kind] += 1

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
            yield "queued", {"index": self._next("queued"), "overflow": bool(overflow), "frames": frames}

    def _next(self, kind: str) -> int:
        self._sent[kind] += 1
        return (self._sent[kind] - 1) % 2**32

    def _read_accessed(self) -> list[dict[str, Any]]:
        bits, words = layout().bitmap_frames, self._bitmap_words
        of_a_message = schema().constants["accessed_frames"] // bits
        found = self._mrc.window(self._behind_counters, 2 * words)
        messages: list[dict[str, Any]] = []
        for first in range(0, words, of_a_message):
            last = min(first + of_a_message, words)
            accessed, written = _bytes(found[first:last]), _bytes(found[words + first : words + last])
            if accessed or (last == words and not messages):
                place = first if accessed else 0
                messages.append({"first": place * bits, "accessed": accessed, "written": written})
        return messages

    def _read_hot(self) -> list[dict[str, Any]]:
        status, accesses = self._mrc.fields("hot_status"), self._mrc.read("hot_accesses")
        first, each = self._behind_counters + 2 * self._bitmap_words, layout().hot_page_words
        words = self._mrc.window(first, each * status["listed"]) if status["listed"] else []
        frames, counts = words[::each], words[1::each]
        flags = {name: bool(status[name]) for name in ("more", "saturated")}
        (most,) = (field.high for field in device_messages().types["hot"].body if field.name == "frames")
        return [
            {"accesses": accesses, **flags, "frames": frames[n : n + most], "counts": counts[n : n + most]}
            for n in range(0, max(len(frames), 1), most)
        ]


def _bytes(words: list[int]) -> bytes:
    """Return the words in little endian, without zeros at the end."""
    return b"".join(word.to_bytes(4, "little") for word in words).rstrip(b"\0")
