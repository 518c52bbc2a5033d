# SPDX-License-Identifier: BSD-2-Clause
"""A device without a port: a link that answers each request by a function, and a clock that only it moves."""

from collections import deque
from collections.abc import Callable
from types import SimpleNamespace

from litemrc.device.device import Device
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.device.link.schema import schema

Answer = Message | None  # None: the device is silent
HELLO = {
    "request": 0,
    "protocol": schema().constants["protocol_version"],
    "gateware": 2,
    "clock_hz": 1_000_000,
    "page_shift": 12,
    "frames": 64,
    "groups": 4,
    "contexts": 8,
    "engine": "group_stack",
    "pages": 64,
    "recent_pages": 4,
    "queue_depth": 512,
    "ranks": 0,
    "running": 0,
    "epoch_messages": 0,
    "workloads": ["zipf", "loop"],
    "system": "",
    "driver": "",
    "abi": 0,
    "page_bitmap": False,
    "hot_pages": 0,
}


def told(name: str, **values: object) -> Message:
    """A message of a device; fields that are not given are 0, empty or false."""
    zeros = {"UINT": 0, "BITS": (), "BOOL": False, "TSTR": "", "BSTR": b"", "LIST": []}
    empty = {
        f.name: f.choices[0][0] if f.choices and f.kind != "BITS" else zeros[f.kind]
        for f in device_messages().types[name].body
    }
    return device_messages().new(name, **empty | values)


def hello(**changes: object) -> Message:
    """The parameters of a small bare-metal device."""
    return told("hello", **HELLO | changes)


def ack(*values: int, payload: bytes = b"") -> Message:
    """The answer that a request was executed."""
    return told("ack", values=list(values), payload=payload)


def nak(error: str, reason: str = "") -> Message:
    """The answer that a request was refused."""
    return told("nak", error=error, reason=reason)


class ScriptedLink:
    """A link whose messages come at once, but for those queued with a delay.

    Attributes
    ----------
    sent
        (name, fields) of every request, in order; hello and get_split left out.
    answers
        what makes the answer to a request, by its name; called with its fields.
    inbox
        messages on their way; None: a second of silence.
    behind
        messages that follow the next answer to a request, by its name.
    now
        the clock, in seconds; `receive` moves it on.
    """

    url = "test:"
    counts = LinkCounts(frames=5, lost=2)

    def __init__(self, **answers: Callable[..., Answer]) -> None:
        self.sent: list[tuple[str, dict]] = []
        self.times: list[float] = []
        self.answers = {"hello": hello, "get_split": lambda: ack(0)} | answers
        self.inbox: deque[Message | None] = deque()
        self.behind: dict[str, list[Message]] = {}
        self.now = 0.0
        self._sequence = 1000

    def next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def send(self, message: Message) -> None:
        host_requests().encode(message)  # refuses what the schema forbids
        fields = {f.name: getattr(message, f.name) for f in message.body if f.name != "sequence"}
        self.times.append(self.now)
        if message.name not in ("hello", "get_split"):
            self.sent.append((message.name, fields))
        answer = self.answers.get(message.name, lambda **_: ack())(**fields)
        if answer is not None:
            values = {f.name: getattr(answer, f.name) for f in answer.body}
            self.inbox.append(device_messages().new(answer.name, **values | {"request": message.sequence}))
        self.inbox.extend(self.behind.pop(message.name, ()))

    def receive(self, timeout_s: float) -> Message | None:
        assert self.now < 1000, "waits without end"
        while self.inbox and timeout_s > 0:
            message = self.inbox.popleft()
            if message is not None:
                return message
            self.now, timeout_s = self.now + 1, timeout_s - 1
        self.now += max(timeout_s, 0)
        return None


def device_at(link: ScriptedLink, monkeypatch, **options: object) -> Device:
    """The device at this link, under its clock."""
    clock = SimpleNamespace(monotonic=lambda: link.now, perf_counter=lambda: link.now)
    monkeypatch.setattr("litemrc.device.device.time", clock)
    return Device(link, **options)
