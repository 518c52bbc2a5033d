# SPDX-License-Identifier: BSD-2-Clause
"""A device without a port: a link that answers each request by a function, and a clock that only it moves."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

from litemrc.device.device import Device
from litemrc.device.link.link import Link, LinkCounts
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.device.link.schema import schema

from tests.records import make_record

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
    "epoch": 0,
    "workloads": ["zipf", "loop"],
    "system": "",
    "driver": "",
    "abi": 0,
    "page_bitmap": False,
    "hot_pages": 0,
    "banks": 0,
    "access_bytes": 0,
}


def told(name: str, **values: object) -> Message:
    """A message of a device; fields that are not given are 0, empty, false or the first choice."""
    first = {f.name: next(iter(f.choices)) for f in device_messages().types[name].body if f.kind == "choice"}
    return device_messages().new(name, **first | values)


def ended(
    number: int,
    *rows: dict,
    groups: int = 4,
    tail_groups: int = 0,
    flags: tuple[str, ...] = (),
    **others: object,
) -> Message:
    """The epoch of that number: rows of contexts, members of its head, and further parts."""
    numbers = schema().constants
    parts = {name: others.pop(name) for name in tuple(others) if name in schema().enums["part_kind"]}
    return told(
        "epoch",
        record=make_record(
            rows,
            groups=groups,
            tail_groups=tail_groups,
            parts=parts,
            epoch=number,
            flags=sum(numbers[f"epoch_{name}"] for name in flags),
            **others,
        ),
    )


def counted(context: int, *hits: int, misses: int = 0, **others: object) -> dict:
    """The row of a context."""
    return {"context": context, "hits": hits, "misses": misses, "accesses": sum(hits) + misses} | others


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
    ports
        what was opened at `opened_at`, and "closed".
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
        self.ports: list[tuple | str] = []
        self._sequence = 1000

    def close(self) -> None:
        self.ports.append("closed")

    def __enter__(self) -> "ScriptedLink":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def send(self, message: Message) -> None:
        host_requests().encode(message)  # refuses what the schema forbids
        fields = {f.name: getattr(message, f.name) for f in message.body}
        self.times.append(self.now)
        name = message.name.removeprefix("ask_")
        if name not in ("hello", "get_split"):
            self.sent.append((name, fields))
        answer = self.answers.get(name, lambda **_: ack())(**fields)
        if answer is not None:
            self.inbox.append(replace(answer, request=message.sequence))
        self.inbox.extend(self.behind.pop(name, ()))

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
    _set_clock(link, monkeypatch)
    return Device(link, **options)


def opened_at(link: ScriptedLink, monkeypatch) -> None:
    """Let this link be the port that is opened from now on, under its clock."""

    def open_port(*port: object, **options: object) -> ScriptedLink:
        link.ports.append((*port, options) if options else port)
        return link

    _set_clock(link, monkeypatch)
    monkeypatch.setattr(Link, "open", open_port)


def _set_clock(link: ScriptedLink, monkeypatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: link.now, perf_counter=lambda: link.now)
    monkeypatch.setattr("litemrc.device.device.time", clock)
