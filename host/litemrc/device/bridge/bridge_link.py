# SPDX-License-Identifier: BSD-2-Clause
"""The port of a monitor behind a bridge: it takes requests and yields messages as a serial link does."""

import time
from dataclasses import replace
from typing import Self

from litemrc.device.bridge.csr_file import SoCMap, read_csr_file
from litemrc.device.bridge.layout import BridgeURL, RegisterBus
from litemrc.device.bridge.soc import BridgedSoC
from litemrc.device.errors import DeviceFaultError, DeviceGoneError
from litemrc.device.link.link import LinkCounts, MessagePort
from litemrc.device.link.protocol import Message, ProtocolError, device_messages, host_requests
from litemrc.extras import require
from litemrc.native._core import DeviceService

# The driver of a device without an operating system in sight.
BRIDGE_DRIVER = "litex bridge"

_POLL_S = 0.005
_WAIT_S = 0.001


class BridgeLink(MessagePort):
    """A session with a monitor behind a `litex_server`. Use `open`, and close it.

    firmware/service performs requests when they are sent, and reads epochs and events in `receive`.

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
        self._client, self._frames = client, 0
        found = BridgedSoC(url, where, client, soc)
        self._bus = _ServiceBus(self, found, timeout_s)
        features = device_messages().field("hello", "features").choices
        memory, bytes_of_memory = soc.region("main_ram")
        parts = {"rank_power": found.ranks, "ref_counters": found.refs, "traffic": found.traffic}
        self._service = DeviceService(
            self._bus,
            features=sum(1 << bit for name, bit in features.items() if parts.get(name)),
            clock_hz=found.clock_hz,
            identifier=found.identifier,
            driver=driver,
            memory=memory,
            memory_bytes=bytes_of_memory,
            dram_chips=soc.number("config_dram_chips") if found.ranks else 0,
            dram_phases=soc.number("config_dram_phases") if found.ranks else 0,
            dram_part=str(soc.constants.get("config_dram_part") or "").strip('"'),
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
        return self._service.epoch

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
            self.append(device_messages().decode(answer))

    def _fill_inbox(self, timeout_s: float) -> None:
        self.poll()
        if not self._inbox:
            time.sleep(min(timeout_s, _POLL_S))

    def poll(self) -> None:
        """Read what the hardware has, and queue its messages."""
        self._service.poll(self._bus)

    def append(self, message: Message) -> None:
        """Queue a message."""
        self._frames += 1
        self._inbox.append(replace(message, sequence=self._frames))  # type: ignore[type-var]


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

    def send(self, payload: bytes) -> None:
        """Take a message of the device."""
        try:
            self._link.append(device_messages().decode(payload))
        except ProtocolError as error:
            raise DeviceFaultError(
                f"the registers hold what cannot be true: {error}",
                where=self._link.url,
                remedy="name the csr file of the bitstream that runs; else report this as a bug",
            ) from error

    def overwritten(self, epoch: int) -> None:
        """Note that an epoch could not be read."""
        line = f"epoch {epoch} was overwritten while it was read"
        self._link.append(device_messages().new("log", level="warning", line=line))

    def restarted(self, epoch: int, expected: int) -> None:
        """End the session: the monitor restarted its count of epochs."""
        what = f"the monitor was reset: its epoch {epoch} follows {expected - 1}"
        raise DeviceGoneError(what, where=self._link.url, remedy="collect again")
