# SPDX-License-Identifier: BSD-2-Clause
"""A device on a TCP port that ends epochs at a given rate; its counters follow from epoch and context."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from litemrc.device.link.frames import FrameSplitter, frame
from litemrc.device.link.protocol import Message, ProtocolError, device_messages, host_requests
from litemrc.device.link.schema import schema
from litemrc.ranks.activity import COUNTERS

from tests.host.scripted_device import counted, ended, hello, told

GROUPS, PAGES, FRAMES, CLOCKS = 64, 8192, 8192, 1_000_000
ACCESS_BYTES, REFRESHES = 16, 128
NO_BUDGET = schema().constants["no_budget"]


def hits_of(epoch: int, context: int) -> list[int]:
    """Hit counters of a context: all groups up to a size that moves from epoch to epoch."""
    reach = 1 + (epoch + 7 * context) % GROUPS
    return [1000 // (group + 1) + context if group < reach else 0 for group in range(GROUPS)]


def misses_of(epoch: int, context: int) -> int:
    return 10 + epoch % 5 + context


def bank_of(epoch: int, bank: int) -> dict[str, int]:
    """The DRAM commands of a bank in an epoch of 1 s."""
    reads = 1000 * (bank + 1) + 100 * (epoch % 10)
    counts = {"reads": reads, "writes": 200 * (bank + 1), "row_hits": 900 * (bank + 1)}
    return counts | {"activates": 300 * (bank + 1), "row_conflicts": 100 * (bank + 1)}


@dataclass
class PacedDevice:
    """A device for one client at a time; a client that leaves does not stop the epochs.

    Attributes
    ----------
    epochs
        ended so far; requests: names of those received, hello left out.
    rate
        epochs in a second; 0: none until it is set.
    settings
        what requests set, by their names.
    refused
        requests that are refused as busy, each with the reason.
    closing
        set: it is gone.
    also
        messages that follow the next epoch.
    banks
        of the DRAM, whose commands it counts; 0: it does not. rows_observed: not only reads and writes.
    """

    contexts: int = 8
    ranks: int = 4
    meter: bool = True
    hot: int = 16
    bitmap: bool = True
    system: str = "Linux 6.1"
    identifier: str = ""
    rate: float = 0
    epochs: int = 0
    requests: list[str] = field(default_factory=list)
    settings: dict[str, dict] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    accessed_on: bool = False
    hot_on: bool = False
    hot_sent: bool = False
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)
    also: list[Message] = field(default_factory=list)
    banks: int = 0
    rows_observed: bool = True

    def hello(self, request: int) -> Message:
        said = hello(
            request=request,
            gateware=3,
            frames=FRAMES,
            groups=GROUPS,
            contexts=self.contexts,
            engine="bucket_stack",
            pages=PAGES,
            ranks=self.ranks,
            epoch=self.epochs,
            system=self.system,
            driver="1.0" if self.system else "",
            page_bitmap=self.bitmap,
            hot_pages=self.hot,
            identifier=self.identifier,
            access_bytes=ACCESS_BYTES if self.banks and self.rows_observed else 0,
        )
        return replace(said, banks=self.banks)  # a feature has this name, too

    def epoch(self) -> Iterator[Message]:
        """The next epoch, and what follows it."""
        number = self.epochs
        self.epochs += 1
        parts: dict[str, object] = {}
        if self.meter:
            parts["ranks"] = [self._rank(number, domain) for domain in range(self.ranks)]
        if self.accessed_on:
            parts["accessed"], parts["written"] = self.bits(number)
        if self.hot_sent and self.hot_on:
            counts = [1000 - 10 * place for place in range(self.hot)]
            frames = [(number + 3 * place) % FRAMES for place in range(self.hot)]
            parts["hot"] = [{"frame": f, "count": c} for f, c in zip(frames, counts, strict=True)]
            parts["hot_accesses"] = sum(counts) + 5
        if self.banks:
            parts |= self._traffic(number)
        yield ended(number, *self.rows(number), groups=GROUPS, dropped=number % 3, **parts)
        while self.also:
            message = self.also.pop(0)
            yield replace(message, epoch=self.epochs) if message.name == "event" else message

    def _traffic(self, number: int) -> dict[str, object]:
        banks = [bank_of(number, bank) for bank in range(self.banks)]
        if self.rows_observed:
            observed = {"cycles": CLOCKS, "refreshes": REFRESHES, "refresh_cycles": 20}
            observed |= {"queue_peak": 1 + number % 5, "flags": ("dram_rows",)}
            return {"banks": banks, "access_bytes": ACCESS_BYTES, **observed}
        sums = {name: sum(bank[name] for bank in banks) for name in ("reads", "writes")}
        return {"banks": [sums], "access_bytes": ACCESS_BYTES, "begin_ns": 10**9, "end_ns": 3 * 10**9}

    def rows(self, number: int) -> list[dict]:
        """The rows of an epoch."""
        return [
            counted(
                context,
                *hits_of(number, context),
                misses=misses_of(number, context),
                touched=100 * (context + 1) + number % 50,
                **self.followed(context),
            )
            for context in range(self.contexts)
        ]

    @staticmethod
    def bits(number: int) -> tuple[bytes, bytes]:
        """The frames accessed and written in an epoch."""
        bits = bytes(255 if (number + place) % 8 < 4 else 0 for place in range(128))
        return bits * (FRAMES // 1024), bits[:16].ljust(128, b"\0") * (FRAMES // 1024)

    def followed(self, context: int) -> dict:
        """What the context follows."""
        states = schema().enums["context_state"]
        pid = self.settings.get("follow", {}).get("pid", 0) if context == self._follower else 0
        state = "unknown" if not self.system or not context else "following" if pid else "free"
        return {"state": states[state], "pid": pid, "comm": b"followed" if pid else b""}

    @property
    def _follower(self) -> int | None:
        return self.settings.get("follow", {}).get("context")

    def _rank(self, number: int, domain: int) -> dict:
        asleep = (number // 10 + domain) % self.ranks
        counters = dict.fromkeys(COUNTERS, 0)
        counters["self_refresh"] = CLOCKS * asleep // self.ranks
        counters["precharge_standby"] = CLOCKS - counters["self_refresh"]
        counters["reads"] = 100 * (self.ranks - asleep)
        state = schema().enums["power_state"]["self_refresh" if asleep else "awake"]
        return {
            **{"state": state, "working": not asleep, "live_pages": 10 * domain, "cycles": CLOCKS},
            "counters": list(counters.values()),
        }

    def answer(self, request: Message) -> Message:
        if request.name == "ask_hello":
            return self.hello(request.sequence)
        self.requests.append(request.name)
        if reason := self.refused.get(request.name):
            return told("nak", request=request.sequence, error="busy", reason=reason)
        values: list[int] = []
        payload = b""
        fields = {f.name: getattr(request, f.name) for f in request.body}
        if request.name.startswith("get_") or request.name in ("follow", "set_budget", "set_hot"):
            if not request.name.startswith("get_"):
                self.settings[request.name] = fields
            if request.name == "set_hot":
                self.hot_on = request.enable
            known = {
                "get_epoch": [1, 10_000],
                "get_freeze": [0, 0, 0],
                "get_split": [0],
                "get_process": [1, 0],
                "get_budget": [NO_BUDGET, 100, NO_BUDGET, NO_BUDGET, NO_BUDGET],
                "get_dram": [self.ranks, 0, 0b11101, 2, 4, 0],
                "get_hot": [int(self.hot_on), 1, 1, 0, 0, 1, self.hot, 0, FRAMES - 1, 1],
                "set_hot": [int(self.hot_on), 1, 1, 0, 0, 1, self.hot, 0, FRAMES - 1, 1],
                "get_rank_policy": [0, 3, 3, 0, 0, 0],
                "get_working_set": [1, 0, 655],
                "get_page_messages": [int(self.accessed_on), int(self.hot_sent), 0x40000, 0],
            }
            if request.name == "follow":
                values, payload = [2 if request.pid else 1, request.pid], b"followed"
            elif request.name == "set_budget":
                values = [request.pages, 100, request.pages, NO_BUDGET, NO_BUDGET]
            elif request.name in known and (self.meter or request.name != "get_dram"):
                values = known[request.name]
                payload = b"MT41K128M16" if request.name == "get_dram" else b""
            else:
                return told("nak", request=request.sequence, error="unsupported")
        elif request.name == "set_page_messages":
            self.accessed_on, self.hot_sent = request.accessed, request.hot
            values = [int(self.accessed_on), int(self.hot_sent), 0x40000, 0]
        elif request.name == "set_epoch":
            self.settings[request.name] = fields
            values = [1, request.length]
        elif request.name == "freeze":
            self.settings[request.name] = fields
            values = [int(request.on), 0, 0]
        elif request.name == "echo":
            payload = request.payload
        else:
            self.settings[request.name] = fields
        return told("ack", request=request.sequence, values=values, payload=payload)


@contextmanager
def paced(port: int = 0, **parameters: object) -> Iterator[PacedDevice]:
    """Serve a device on a TCP port until the end of the block."""
    device = PacedDevice(**parameters)
    listener = socket.create_server(("127.0.0.1", port))
    listener.settimeout(0.05)
    device.url = f"socket://127.0.0.1:{listener.getsockname()[1]}"
    closing = device.closing
    thread = threading.Thread(target=_serve, args=(device, listener, closing), daemon=True)
    thread.start()
    try:
        yield device
    finally:
        closing.set()
        thread.join()
        listener.close()


def _serve(device: PacedDevice, listener: socket.socket, closing: threading.Event) -> None:
    while not closing.is_set():
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        with client, suppress(OSError):
            _talk(device, client, closing)
    listener.close()


def _talk(device: PacedDevice, client: socket.socket, closing: threading.Event) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    splitter, sequence = FrameSplitter(host_requests().max_bytes), 0
    due = time.monotonic()

    def send(message: Message) -> bytes:
        nonlocal sequence
        sequence += 1
        return frame(device_messages().encode(replace(message, sequence=sequence)))

    while not closing.is_set():
        if rate := device.rate:
            wait = due - time.monotonic()
            if wait <= 0:
                client.settimeout(5)
                client.sendall(b"".join(map(send, device.epoch())))
                due = max(due + 1 / rate, time.monotonic() - 1)
                continue
        else:
            wait, due = 0.02, time.monotonic()
        client.settimeout(max(min(wait, 0.02), 0.001))
        try:
            received = client.recv(65536)
        except TimeoutError:
            continue
        if not received:
            return
        for payload in splitter.feed(received):
            try:
                request = host_requests().decode(payload)
            except ProtocolError:
                continue
            client.settimeout(5)
            client.sendall(send(device.answer(request)))
