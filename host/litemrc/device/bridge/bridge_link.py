# SPDX-License-Identifier: BSD-2-Clause
"""The port of a monitor behind a bridge: it takes requests and yields messages as a serial link does."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Self

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.csr_file import SoCMap, read_csr_file
from litemrc.device.bridge.epochs import EpochReader
from litemrc.device.bridge.layout import BridgeURL, RegisterBus, Sent, layout
from litemrc.device.bridge.page_messages import PageMessages
from litemrc.device.bridge.soc import BridgedSoC
from litemrc.device.errors import DeviceFaultError
from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message, ProtocolError, device_messages, host_requests
from litemrc.device.link.values import from_cbor
from litemrc.extras import require
from litemrc.native._core import DeviceService

# The driver of a device without an operating system in sight.
BRIDGE_DRIVER = "litex bridge"

_POLL_S = 0.005
_WAIT_S = 0.001
_EVENTS_AT_ONCE = 64


class BridgeLink:
    """One session with a monitor behind a `litex_server`. Use `open`, and close it.

    Requests are performed by firmware/service when they are sent. Epochs and events are read in `receive`.

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
        self.url = url
        self._client, self._sequence, self._frames, self._events_sent = client, 0, 0, 0
        self._inbox: deque[Message] = deque()
        self._soc = found = BridgedSoC(url, where, client, soc)
        self._bus = _ServiceBus(self, found, timeout_s)
        hello = {field.name: field for field in device_messages().types["hello"].body}
        memory, bytes_of_memory = soc.region("main_ram")
        parts = {"rank_power": found.ranks, "ref_counters": found.refs, "traffic": found.traffic}
        self._service = service = DeviceService(
            self._bus,
            features=sum(1 << bit for name, bit in hello["features"].choices if parts.get(name)),
            clock_hz=found.clock_hz,
            identifier=found.identifier.encode()[: hello["identifier"].high].decode(errors="ignore"),
            driver=driver,
            memory=memory,
            dram_chips=soc.number("config_dram_chips") if found.ranks else 0,
            dram_phases=soc.number("config_dram_phases") if found.ranks else 0,
            dram_part=str(soc.constants.get("config_dram_part") or "").strip('"'),
        )
        sizes = service.parameters
        self._pages = PageMessages(found.mrc, service)
        domain_pages = (bytes_of_memory >> sizes["page_shift"]) // max(sizes["ranks"], 1)
        self._epochs = EpochReader(
            found.mrc, sizes["groups"], sizes["contexts"], found.ranks, domain_pages, self._pages, url
        )

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

    @property
    def epochs_sent(self) -> int:
        """Epoch messages so far, and at least one for each epoch that was missed."""
        return self._epochs.sent % 2**32

    def next_sequence(self) -> int:
        """The number for a new request."""
        self._sequence += 1
        return self._sequence

    def send(self, message: Message) -> None:
        """Perform a request; its answer is received behind what is already queued.

        A request with the number of the last one is answered again, as by the firmware, and not performed:
        performing it may have taken longer than the caller waits before it repeats.
        """
        self.take(host_requests().encode(message))

    def take(self, payload: bytes) -> None:
        """Perform a request in CBOR; what is none is ignored."""
        answer = self._service.request(self._bus, payload)
        if answer == b"":
            raise self._impossible(self._wrong_parameter())
        if answer is not None:
            self._append(device_messages().decode(answer))

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout."""
        deadline = time.monotonic() + timeout_s
        while not self._inbox:
            self.poll()
            remaining = deadline - time.monotonic()
            if not self._inbox:
                if remaining <= 0:
                    return None
                time.sleep(min(remaining, _POLL_S))
        return self._inbox.popleft()

    def poll(self) -> None:
        """Read what the hardware has, and queue its messages."""
        for messages in (self._epochs.poll(), self._pages.queued(), self._events()):
            for name, values in messages:
                message = device_messages().new(name, **values)
                try:
                    device_messages().encode(message)
                except ProtocolError as error:
                    raise self._impossible(f"{name}: {error}") from error
                self._append(message)

    def _append(self, message: Message) -> None:
        self._frames += 1
        self._inbox.append(replace(message, sequence=self._frames))  # type: ignore[type-var]

    def _events(self) -> Iterator[Sent]:
        """Yield the events of reference counters, once this session asked for the unit or armed a counter.

        Sessions that do neither leave the events to software of the SoC.
        """
        refs: RegisterBlock | None = self._soc.refs
        for _ in range(_EVENTS_AT_ONCE if refs and self._service.counters_asked else 0):
            assert refs is not None
            event = refs.fields("event")
            if not event["valid"]:
                return
            refs.command("next")
            index, self._events_sent = self._events_sent, (self._events_sent + 1) % 2**32
            counter = layout().counters[event["counter"]]
            yield (
                "count",
                {"index": index, "counter": counter, "page": event["page"], "lost": refs.read("lost")},
            )

    def _wrong_parameter(self) -> str:
        """Return which parameter hello cannot have."""
        values = self._service.parameters
        for field in device_messages().types["hello"].body:
            try:
                from_cbor(field, values.get(field.name, 0))
            except ProtocolError as error:
                if field.name in values:
                    return f"hello: {error}"
        return "an answer"

    def _impossible(self, what: str) -> DeviceFaultError:
        return DeviceFaultError(
            f"the registers hold what cannot be true: {what}",
            where=self.url,
            remedy="name the csr file of the bitstream that runs; else report this as a bug",
        )


class _ServiceBus:
    """The methods that `DeviceService` calls."""

    def __init__(self, link: BridgeLink, soc: BridgedSoC, timeout_s: float) -> None:
        self.read, self.write, self.echo = soc.read, soc.write, soc.echo
        self._link, self._timeout_s, self._deadline = link, timeout_s, 0.0

    def wait(self, n: int) -> bool:
        """Wait before the n-th repetition of a read; False after the timeout."""
        if n == 1:
            self._deadline = time.monotonic() + self._timeout_s
        time.sleep(_WAIT_S)
        return time.monotonic() <= self._deadline

    def settle(self) -> None:
        """Read the epoch in the window before settings change."""
        self._link.poll()

    def epochs_sent(self) -> int:
        """Return what hello reports."""
        return self._link.epochs_sent
