# SPDX-License-Identifier: BSD-2-Clause
"""The port of a monitor behind a bridge: it takes requests and yields messages as a serial link does."""

import time
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
from litemrc.device.link.link import LinkCounts, MessagePort
from litemrc.device.link.protocol import Message, ProtocolError, device_messages, host_requests
from litemrc.extras import require
from litemrc.native._core import DeviceService

# The driver of a device without an operating system in sight.
BRIDGE_DRIVER = "litex bridge"

_POLL_S = 0.005
_WAIT_S = 0.001
_EVENTS_AT_ONCE = 64


class BridgeLink(MessagePort):
    """A session with a monitor behind a `litex_server`. Use `open`, and close it.

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
        super().__init__(url)
        self._client, self._frames, self._events_sent = client, 0, 0
        self._soc = found = BridgedSoC(url, where, client, soc)
        self._bus = _ServiceBus(self, found, timeout_s)
        features = device_messages().field("hello", "features").choices
        memory, bytes_of_memory = soc.region("main_ram")
        parts = {"rank_power": found.ranks, "ref_counters": found.refs, "traffic": found.traffic}
        self._service = service = DeviceService(
            self._bus,
            features=sum(1 << bit for name, bit in features.items() if parts.get(name)),
            clock_hz=found.clock_hz,
            identifier=found.identifier,
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

    def close(self) -> None:
        """Close the connection to the server."""
        self._client.close()

    @property
    def counts(self) -> LinkCounts:
        """Counts of messages since the port was opened; none is damaged or lost on a bridge."""
        return LinkCounts(frames=self._frames)

    @property
    def epoch(self) -> int:
        """Number of the running epoch."""
        return self._epochs.running

    def send(self, message: Message) -> None:
        """Perform a request; its answer is received behind what is already queued.

        A request with the number of the last one is answered again, as by the firmware, and not performed:
        performing it may have taken longer than the caller waits before it repeats.
        """
        self.take(host_requests().encode(message))

    def take(self, payload: bytes) -> None:
        """Perform a request; what is none is ignored."""
        answer = self._service.request(self._bus, payload)
        if answer is not None:
            self._append(device_messages().decode(answer))

    def _fill_inbox(self, timeout_s: float) -> None:
        self.poll()
        if not self._inbox:
            time.sleep(min(timeout_s, _POLL_S))

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

    def epoch(self) -> int:
        """Return what hello reports."""
        return self._link.epoch
