# SPDX-License-Identifier: BSD-2-Clause
"""Requests and messages about single pages: the frames accessed in an epoch, and hot pages."""

from collections.abc import Iterator
from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import Answer, Handlers, RefusedError, Sent, layout
from litemrc.device.bridge.monitor_requests import MonitorRequests
from litemrc.device.link.protocol import Message, device_messages
from litemrc.device.link.schema import schema

_NO_HOT = "the gateware has no hot pages"
# In the order of the answer to get_hot.
_SETTINGS = (
    *("enable", "reads", "writes", "always_on", "sampling_log2"),
    *("threshold", "wanted", "lower", "upper", "watermark"),
)


class PageRequests:
    """The requests and messages of firmware/baremetal/hot.c and page_messages.c.

    A page that the hardware queued is removed by a command. If Etherbone loses the command, the page is
    reported twice.

    Attributes
    ----------
    bitmap
        there is a page bitmap; hot_pages: places of the list of hot pages, 0: there is none.
    handlers
        by request.

    Parameters
    ----------
    soc
        where the memory begins.
    """

    def __init__(self, mrc: RegisterBlock, monitor: MonitorRequests, soc: SoCMap) -> None:
        self._mrc, self._monitor, self._soc = mrc, monitor, soc
        self.bitmap = bool(monitor.parameters["page_bitmap"])
        log2 = monitor.parameters["hot_pages_log2"]
        self.hot_pages = 1 << log2 if log2 else 0
        self._accessed = self._hot = False  # selected
        self._always_on = bool(self.hot_pages and mrc.fields("hot_control")["always_on"])
        self._sent = dict.fromkeys(("accessed", "hot", "queued"), 0)
        self.handlers: Handlers = {
            "get_hot": lambda _: self._in_force(),
            "set_hot": self._set_hot,
            "get_page_messages": lambda _: self._selected(),
            "set_page_messages": self._select,
        }

    def snapshot(self) -> list[Sent]:
        """Return the messages of the epoch in the window that were selected; without epoch and index."""
        accessed = self._read_accessed() if self._accessed else []
        counted = self._hot and self._mrc.fields("hot_control")["enable"]
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
        if not self._always_on:
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
        bits = layout().bitmap_frames
        words, of_a_message = (
            self._monitor.size("frames") // bits,
            schema().constants["accessed_frames"] // bits,
        )
        found = self._mrc.window(self._behind_counters(), 2 * words)
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
        first = self._behind_counters() + self.bitmap * 2 * (
            self._monitor.size("frames") // layout().bitmap_frames
        )
        each = layout().hot_page_words
        words = self._mrc.window(first, each * status["listed"]) if status["listed"] else []
        frames, counts = words[::each], words[1::each]
        flags = {name: bool(status[name]) for name in ("more", "saturated")}
        (most,) = (field.high for field in device_messages().types["hot"].body if field.name == "frames")
        return [
            {"accesses": accesses, **flags, "frames": frames[n : n + most], "counts": counts[n : n + most]}
            for n in range(0, max(len(frames), 1), most)
        ]

    def _behind_counters(self) -> int:
        return self._monitor.size("contexts") * 2 * self._monitor.size("groups")

    def _in_force(self) -> Answer:
        if not self.hot_pages:
            raise RefusedError("unsupported", _NO_HOT)
        control = self._mrc.fields("hot_control")
        return Answer(
            [control[name] if name in control else self._mrc.read(f"hot_{name}") for name in _SETTINGS]
        )

    def _set_hot(self, request: Message) -> Answer:
        if not self.hot_pages:
            raise RefusedError("unsupported", _NO_HOT)
        if not request.reads and not request.writes:
            raise RefusedError("bad_argument", "neither reads nor writes would be counted")
        if request.lower > request.upper or request.upper >= self._monitor.size("frames"):
            raise RefusedError("bad_argument", "there is no such range of frames")
        if not 1 <= request.wanted <= self.hot_pages:
            raise RefusedError("bad_argument", "the list length must be 1 to the number of its places")
        places = layout().hot_queued_max
        if not 1 <= request.watermark <= places:
            raise RefusedError("bad_argument", f"the watermark is from 1 to {places}, the queue's places")
        fields = {name: int(getattr(request, name)) for name in _SETTINGS}
        control = {name: fields.pop(name) for name in self._mrc.fields("hot_control")}
        with self._monitor.changing(*(f"hot_{name}" for name in fields), "hot_control"):
            if (
                not request.threshold
                or self._mrc.try_write("hot_threshold", request.threshold) != request.threshold
            ):
                raise RefusedError("bad_argument", "no count reaches this threshold, or it is 0")
            for name, value in fields.items():
                self._mrc.write(f"hot_{name}", value)
            self._mrc.write("hot_control", self._mrc.word("hot_control", **control))
            while self._mrc.fields("hot_queue")["valid"]:  # counted with other settings
                self._mrc.command("take", "hot_command")
            self._mrc.command("acknowledge", "hot_command")
        self._always_on = request.always_on
        return self._in_force()

    def _selected(self) -> Answer:
        page = self._soc.region("main_ram")[0] >> self._monitor.parameters["page_shift"]
        return Answer([int(self._accessed), int(self._hot), page % 2**32, page >> 32])

    def _select(self, request: Message) -> Answer:
        if request.accessed and not self.bitmap:
            raise RefusedError("unsupported", "the gateware has no page bitmap")
        if request.hot and not self.hot_pages:
            raise RefusedError("unsupported", _NO_HOT)
        self._accessed, self._hot = request.accessed, request.hot
        return self._selected()


def _bytes(words: list[int]) -> bytes:
    """Return the words in little endian, without zeros at the end."""
    return b"".join(word.to_bytes(4, "little") for word in words).rstrip(b"\0")
