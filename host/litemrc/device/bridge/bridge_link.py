# SPDX-License-Identifier: BSD-2-Clause
"""The port of a monitor behind a bridge: it takes requests and yields messages as a serial link does."""

import struct
import time
from collections import deque
from typing import Any, Self

from litemrc.device.bridge.csr_file import SoCMap, read_csr_file
from litemrc.device.bridge.epochs import EpochReader
from litemrc.device.bridge.layout import Answer, BridgeURL, Handlers, RefusedError, RegisterBus
from litemrc.device.bridge.monitor_requests import MonitorRequests
from litemrc.device.bridge.page_requests import PageRequests
from litemrc.device.bridge.rank_requests import RankRequests
from litemrc.device.bridge.ref_counter_requests import RefCounterRequests, TrafficRequests
from litemrc.device.bridge.soc import BridgedSoC
from litemrc.device.errors import DeviceFaultError
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message, ProtocolError, device_messages, host_requests
from litemrc.device.link.schema import schema
from litemrc.extras import require

# The driver of a device without an operating system in sight.
BRIDGE_DRIVER = "litex bridge"

_POLL_S = 0.005
_SYSTEM = "a bridge reaches registers only: no processes, budgets or programs"
_REFUSED = {
    **dict.fromkeys(("run", "get_process", "follow", "get_budget", "set_budget", "reclaim"), _SYSTEM),
    "set_lease": "without firmware nothing ends a lease when the host vanishes",
}
_MISSING = {"ranks": "the SoC has no rank power", "refs": "the SoC has no reference counters"}
_MISSING |= {"traffic": "the SoC has no traffic generator"}


class BridgeLink:
    """One session with a monitor behind a `litex_server`. Use `open`, and close it.

    Requests are performed when they are sent. Epochs and events are read in `receive`.

    Raises, from every method:
        BridgeDownError: the server went away, or does not answer.
    """

    def __init__(
        self,
        url: str,
        where: BridgeURL,
        client: RegisterBus,
        soc: SoCMap,
        timeout_s: float,
        driver: str = BRIDGE_DRIVER,
    ) -> None:
        self.url, self._driver = url, driver
        self._client, self._sequence, self._frames = client, 0, 0
        self._inbox: deque[Message] = deque()
        self._answer: Message | None = None  # to the last request
        self._soc = found = BridgedSoC(url, where, client, soc, timeout_s)
        self._monitor = monitor = MonitorRequests(found.mrc, self._poll)
        groups, contexts = monitor.size("groups"), monitor.size("contexts")
        self._pages = PageRequests(found.mrc, monitor, soc)
        self._handlers: Handlers = {"echo": self._echo} | monitor.handlers | self._pages.handlers
        self._ranks, self._refs = None, None
        if found.ranks:
            self._ranks = RankRequests(found.ranks, soc, monitor.parameters["page_shift"], groups)
            self._handlers |= self._ranks.handlers
        if found.refs:
            self._refs = RefCounterRequests(found.refs, found.taps_lost)
            self._handlers |= self._refs.handlers
        if found.traffic:
            self._handlers |= TrafficRequests(found.traffic).handlers
        self._epochs = EpochReader(found.mrc, groups, contexts, self._ranks, self._pages, url)

    @classmethod
    def open(cls, url: str, timeout_s: float) -> Self:
        """Connect to the server of `litex://HOST:PORT?csr=FILE` and identify the monitor.

        Raises
        ------
        UserError
            the URL, or the file that it names, cannot be used.
        VersionMismatchError
            the registers have another layout than this host knows.
        """
        require("litex")
        from litemrc.device.bridge.client import BridgeClient

        where = BridgeURL.parse(url)
        soc = read_csr_file(where.csr)
        client = BridgeClient(url, where, soc, timeout_s)
        try:
            return cls(url, where, client, soc, timeout_s)
        except BaseException:
            client.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the server."""
        self._client.close()

    @property
    def counts(self) -> LinkCounts:
        """Counts of messages since the port was opened; none is damaged or lost on a bridge."""
        return LinkCounts(frames=self._frames)

    def next_sequence(self) -> int:
        """The number for a new request."""
        self._sequence += 1
        return self._sequence

    def send(self, message: Message) -> None:
        """Perform a request; its answer is received behind what is already queued.

        A request with the number of the last one repeats its answer only, as the firmware does: performing
        it may have taken longer than the caller waits before it repeats.
        """
        host_requests().encode(message)  # checks the values
        if self._answer and self._answer.request == message.sequence:
            if self._answer not in self._inbox:
                self._inbox.append(self._answer)
            return
        self._answer = self._answer_to(message)
        self._inbox.append(self._answer)

    def refuse(self, sequence: int, error: str) -> None:
        """Answer the request of this number, which a later version of the protocol has, by a refusal."""
        self._inbox.append(self._new("nak", request=sequence, error=error))

    def _answer_to(self, message: Message) -> Message:
        if message.name == "hello":
            return self._new("hello", request=message.sequence, **self._hello())
        try:
            answer = self._perform(message)
        except RefusedError as refused:
            return self._new("nak", request=message.sequence, error=refused.code, reason=refused.reason)
        return self._new("ack", request=message.sequence, values=answer.values, payload=answer.payload)

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout."""
        deadline = time.monotonic() + timeout_s
        while not self._inbox:
            self._poll()
            remaining = deadline - time.monotonic()
            if not self._inbox:
                if remaining <= 0:
                    return None
                time.sleep(min(remaining, _POLL_S))
        return self._inbox.popleft()

    def _poll(self) -> None:
        for name, values in self._epochs.poll():
            self._inbox.append(self._new(name, **values))
        for name, values in self._pages.queued():
            self._inbox.append(self._new(name, **values))
        for name, values in self._refs.events() if self._refs else ():
            self._inbox.append(self._new(name, **values))

    def _perform(self, request: Message) -> Answer:
        if request.name in _REFUSED:
            raise RefusedError("unsupported", _REFUSED[request.name])
        handler = self._handlers.get(request.name)
        if handler is None:
            raise RefusedError("unsupported", _MISSING[_part_of(request.name)])
        return handler(request)

    def _hello(self) -> dict[str, Any]:
        monitor, parameters = self._monitor, self._monitor.parameters
        return {
            "protocol": schema().constants["protocol_version"],
            "gateware": self._soc.gateware,
            "clock_hz": self._soc.clock_hz,
            "page_shift": parameters["page_shift"],
            **{name: monitor.size(name) for name in ("frames", "groups", "contexts", "pages")},
            "engine": monitor.engine,
            "recent_pages": parameters["recent_pages"],
            "queue_depth": monitor.size("queue"),
            "ranks": self._ranks.domains if self._ranks else parameters["ranks"],
            "running": 0,
            "epoch_messages": self._epochs.sent % 2**32,
            "workloads": [],
            "system": "",
            "driver": self._driver,
            "abi": 0,
            "identifier": self._soc.identifier[: _identifier_letters()],
            "hot_pages": self._pages.hot_pages,
            "page_bitmap": bool(self._pages.bitmap),
            "rank_power": bool(self._ranks),
            "ref_counters": bool(self._refs),
            "traffic": bool(self._soc.traffic),
        }

    def _echo(self, request: Message) -> Answer:
        """Write the bytes to LiteX's scratch register, word by word, read them back, and restore it."""
        address = self._soc.scratch()
        if address is None:  # then at least the path to the monitor is tested
            self._soc.mrc.check_version(self.url)
            return Answer(payload=request.payload)
        (before,) = self._client.read(address, 1)
        echoed = b""
        for (word,) in struct.iter_unpack("<I", request.payload + bytes(-len(request.payload) % 4)):
            self._client.write(address, word)
            echoed += struct.pack("<I", *self._client.read(address, 1))
        self._client.write(address, before)
        return Answer(payload=echoed[: len(request.payload)])

    def _new(self, name: str, **values: Any) -> Message:
        self._frames += 1
        message = device_messages().new(name, sequence=self._frames, **values)
        try:
            device_messages().encode(message)
        except ProtocolError as error:
            what = f"the registers hold what cannot be true: {name}: {error}"
            remedy = "name the csr file of the bitstream that runs; else report this as a bug"
            raise DeviceFaultError(what, where=self.url, remedy=remedy) from error
        return message


def _part_of(request: str) -> str:
    """Return which block a request is about that not every SoC has."""
    if "traffic" in request:
        return "traffic"
    return "refs" if "count" in request else "ranks"


def _identifier_letters() -> int:
    """Return how much of a gateware's identifier hello has room for."""
    return next(each.high for each in device_messages().types["hello"].body if each.name == "identifier")
