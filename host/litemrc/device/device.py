# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.Device` and `litemrc.collect`: requests to a device at the other end of a link, and its curves."""

from __future__ import annotations  # help() shows the names of types

import random
import statistics
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from litemrc.curves.sizes import size_text
from litemrc.device import TIMEOUT_S
from litemrc.device.errors import (
    DeviceFaultError,
    DeviceGoneError,
    NonsenseError,
    RequestRefusedError,
    SilentDeviceError,
    WrongDeviceError,
    refusal_remedy,
)
from litemrc.device.link.link import Link, LinkCounts, MessagePort
from litemrc.device.link.protocol import Message, ProtocolError, host_requests
from litemrc.device.link.sharing import check_can_take
from litemrc.device.message_checks import changed_parameters, check_hello, check_message
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.curves.curve import Curves  # numpy takes long to load

_TRIES = 4
_MOST_WAITING = 1 << 27  # bytes of messages before an answer: 10^5 of them, or more
_MESSAGE_BYTES = 1 << 10  # of a message that is not an epoch, at most
_BRIDGE = "litex://"
_SERVED = ("http://", "https://")


@dataclass(frozen=True)
class EchoTest:
    """Result of a link's self-test: echoes sent, echoes that failed, and the median round trip."""

    echoes: int
    failed: int
    round_trip_ms: float | None


class Device:
    """A device that runs LiteMRC's firmware; a context manager that closes the link.

    Parameters
    ----------
    url
        device file or pyserial URL, such as "/dev/ttyUSB1" or "socket://localhost:1234";
        `unix:///PATH` of a socket of `litemrcd`, `litex://HOST:PORT?csr=FILE` of a `litex_server`, or
        `http[s]://[TOKEN@]HOST:PORT[/NAME]` of `litemrc serve`. Or an open port, which the device closes.
    timeout_s
        time a request may take, with all its repetitions, in seconds; a simulated device may need 60.
    baud
        bit/s of a device file.
    take
        replace another program at a `socket://` port, which is notified.
    identifier
        what the gateware must call itself, as `bundle.json` has it; None: anything.

    Attributes
    ----------
    hello
        its parameters, from the last hello.
    timeout_s
        as given.

    Raises
    ------
    UserError
        the port cannot be opened, no device answers, or it speaks another protocol version; it has
        parameters that no device has, or another identifier.
    """

    def __init__(
        self,
        url: str | MessagePort,
        *,
        timeout_s: float = TIMEOUT_S,
        baud: int = 115200,
        take: bool = False,
        identifier: str | None = None,
    ) -> None:
        self.timeout_s = timeout_s
        self._link = _open_port(url, timeout_s, baud, take=take) if isinstance(url, str) else url
        self._inbox: deque[Message] = deque()
        try:
            self.hello = self._ask_hello()
            self._check_identifier(identifier)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open_booting(cls, url: str, *, boot_timeout_s: float, timeout_s: float = TIMEOUT_S) -> Self:
        """Open the port of a booting device: wait for its unsolicited hello.

        Raises
        ------
        LinkError
            as the constructor; nothing was said in time.
        """
        with ExitStack() as opened:
            link = opened.enter_context(Link.open(url))
            deadline = time.monotonic() + boot_timeout_s
            while (message := link.receive(max(deadline - time.monotonic(), 0))) is not None:
                if message.name == "hello":
                    opened.pop_all()
                    return cls(link, timeout_s=timeout_s)
            raise SilentDeviceError(
                f"the device said no hello within {boot_timeout_s:g} s",
                where=url,
                remedy="read its console, or give it more time",
            )

    def close(self) -> None:
        """Close the link."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        memory = f"{size_text(self.memory_bytes, 1)} in pages of {self.page_bytes:,} bytes"
        return f"<Device {self.url}: {memory}, programs: {', '.join(self.programs) or 'none'}>"

    @property
    def url(self) -> str:
        """The port."""
        return self._link.url

    @property
    def programs(self) -> tuple[str, ...]:
        """Names of the programs that it can run."""
        return tuple(self.hello.workloads)

    @property
    def page_bytes(self) -> int:
        """Bytes of a page."""
        return 1 << int(self.hello.page_shift)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the memory that is monitored."""
        return int(self.hello.frames) * self.page_bytes

    def collect(
        self,
        epochs: int | None = None,
        runs: Sequence[str | Run] = (),
        *,
        together: bool = False,
        epoch_length: int | None = None,
        epoch_unit: str = "accesses",
    ) -> Curves:
        """Turn the monitor on, collect epochs and return the curve of each process or context with data.

        Parameters
        ----------
        epochs
            epochs to collect; None: until the last program has ended.
        runs
            programs to run meanwhile, each "WORKLOAD[:CONTEXT[:SCALE]]", one after the other; the
            collection ends with the last one.
        together
            start all programs at once, on a device with an operating system.
        epoch_length, epoch_unit
            the length of an epoch to set; None: as it is.

        Raises
        ------
        UserError
            no end to the collection, a program that the device does not have, no access counted,
            or the device is gone.
        """
        from litemrc.curves.curve import Curves  # numpy takes long to load
        from litemrc.device.collecting.collector import Collector
        from litemrc.epochs.curve_files import curves_of

        if epochs is None and not runs:
            raise UserError(
                "the collection has no end", where=self.url, remedy="give epochs, or runs, or both"
            )
        if epochs is not None and epochs < 1:
            raise UserError(f"cannot collect {epochs} epochs", where=self.url, remedy="give at least 1")
        parsed = [Run.parse(run) if isinstance(run, str) else run for run in runs]
        if epoch_length is not None:
            self.request("set_epoch", unit=epoch_unit, length=epoch_length)
        elif not parsed and not self.numbers(self.request("get_epoch"), 2)[1]:
            raise UserError(
                "the device has no epoch length: no epoch would ever end",
                where=self.url,
                remedy="give epoch_length, or a program to run",
            )
        self.start_counting()
        collector = Collector(self)
        for _ in collector.collect(epochs, parsed, together=together):
            pass
        return Curves(curves_of(collector.table(), self.url))

    @property
    def link_counts(self) -> LinkCounts:
        """Counts of received and lost frames."""
        return self._link.counts

    def say_hello(self) -> Message:
        """Ask for the parameters again; messages not yet received stay queued, in order.

        Raises
        ------
        DeviceGoneError
            they are others than before.
        LinkError
            as in the constructor.
        """
        hello = self._ask_hello()
        if changed := changed_parameters(self.hello, hello):
            raise DeviceGoneError(
                f"the device was restarted as another: {changed}", where=self.url, remedy="connect again"
            )
        self.hello = hello
        return hello

    def request(self, name: str, **values: Any) -> Message:
        """Send a request and return its ack; repeats it while there is no answer.

        Parameters
        ----------
        name, values
            a request of the schema and its fields.

        Raises
        ------
        RequestRefusedError
            the device cannot or will not, or a value is none the schema allows.
        SilentDeviceError, DeviceGoneError
            no answer, or no device any more.
        DeviceFaultError
            the answer is another one's.
        """
        answer = self._ask(name, **values)
        if answer.name == "nak":
            why = f"{answer.error}: {printable(answer.reason)}" if answer.reason else answer.error
            raise self._refused(name, answer.error, f"the device refused {name}: {why}")
        if answer.name != "ack":
            raise self.fault(f"{answer.name} in answer to {name}")
        return answer

    def start_counting(self) -> None:
        """Switch the monitor on. A connection that only reads leaves it as it is.

        Raises
        ------
        LinkError
            as `request`.
        """
        if not self.hello.read_only:
            self.request("monitor", on=True)

    def request_of(self, part: str, target: str, name: str, **values: Any) -> Message:
        """As `request`, of a part that not every device has; `make target` builds a SoC with it.

        Raises
        ------
        RequestRefusedError
            as `request`; the device has no such part.
        """
        try:
            return self.request(name, **values)
        except RequestRefusedError as refused:
            if refused.code != "unsupported":
                raise
            remedy = f"use a SoC that has them, such as that of: make {target}"
            raise RequestRefusedError(
                f"the device has no {part}", refused.code, where=self.url, remedy=remedy
            ) from refused

    def numbers(self, answer: Message, count: int) -> Sequence[int]:
        """Return the values of an ack.

        Raises
        ------
        DeviceFaultError
            there are not `count` of them.
        """
        values: Sequence[int] = answer.values
        if len(values) != count:
            raise self.fault(f"{len(values)} values for {count}: {values}")
        return values

    def choice(self, request: str, field: str, value: int) -> str:
        """Return the name of a value that an ack carries, an enumerated field of a request.

        Raises
        ------
        DeviceFaultError
            no choice has this value.
        """
        names = host_requests().field(request, field).names
        if value not in names:
            raise self.fault(f"{field} of {request} is {value}")
        return names[value]

    def fault(self, what: str) -> DeviceFaultError:
        """Return the error for what a device sent, unharmed, and cannot mean."""
        return DeviceFaultError(
            f"the device sent nonsense: {what}", where=self.url, remedy="report this as a bug"
        )

    def waiting(self) -> list[Message]:
        """Remove and return the messages that arrived before the last answer and were not received yet.

        Raises
        ------
        DeviceFaultError
            as `receive`.
        """
        waiting = list(self._inbox)
        self._inbox.clear()
        return list(map(self._checked, waiting))

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message that is no answer (epoch, event ...); None after the timeout.

        Raises
        ------
        DeviceFaultError
            it contradicts the device's hello.
        """
        message = self._inbox.popleft() if self._inbox else self._link.receive(timeout_s)
        return message and self._checked(message)

    def _check_identifier(self, identifier: str | None) -> None:
        if identifier is None or self.hello.identifier == identifier:
            return
        found = f"calls itself {self.hello.identifier!r}" if self.hello.identifier else "has no identifier"
        raise WrongDeviceError(
            f"the bundle is of {identifier!r}, and the device {found}",
            where=self.url,
            remedy="load the bundle's bitstream and boot files, or name the bundle of what is loaded",
        )

    def _checked(self, message: Message) -> Message:
        try:
            if message.name == "hello":
                check_hello(message)
            else:
                check_message(message, self.hello)
        except NonsenseError as error:
            raise self.fault(str(error)) from error
        return _with_printable_texts(message)

    def _ask_hello(self) -> Message:
        hello = self._ask("ask_hello")
        if hello.name != "hello":
            raise self.fault(f"{hello.name} in answer to hello")
        return self._checked(hello)

    def echo_test(self, echoes: int = 32, seed: int = 1) -> EchoTest:
        """Send `echoes` different random strings, of all lengths, and compare the replies."""
        dice = random.Random(seed)
        payload = host_requests().field("echo", "payload")
        failed, round_trips = 0, []
        for number in range(echoes):
            length = payload.most * number // max(echoes - 1, 1)
            sent = dice.randbytes(length)
            start = time.perf_counter()
            try:
                answer = self._ask("echo", tries=1, payload=sent)
            except SilentDeviceError:
                failed += 1
                continue
            round_trips.append(time.perf_counter() - start)
            failed += answer.name != "ack" or answer.payload != sent
        median = statistics.median(round_trips) * 1000 if round_trips else None
        return EchoTest(echoes, failed, median)

    def _ask(self, name: str, *, tries: int = _TRIES, **values: Any) -> Message:
        """Send a request until it is answered; everything else that arrives meanwhile waits in the inbox."""
        called = name.removeprefix("ask_")
        request = host_requests().new(name, sequence=self._link.next_sequence(), **values)
        waiting = 0
        for _ in range(tries):
            deadline = time.monotonic() + self.timeout_s / _TRIES
            try:
                self._link.send(request)
            except ProtocolError as error:
                what = f"the device would refuse {name}: {error}"
                raise self._refused(name, "bad_argument", what) from error
            while (remaining := deadline - time.monotonic()) > 0:
                message = self._link.receive(remaining)
                if message is None:
                    break
                if getattr(message, "request", None) == request.sequence:
                    return message
                self._inbox.append(message)
                waiting += _MESSAGE_BYTES + (len(message.record.payload) if message.name == "epoch" else 0)
                if waiting > _MOST_WAITING:
                    raise self.fault(f"{len(self._inbox)} messages, and no answer to {called}")
        raise SilentDeviceError(
            f"no answer to {called} within {self.timeout_s:g} s",
            where=self.url,
            remedy="check that the device runs LiteMRC's firmware and that no other program uses the port",
        )

    def _refused(self, name: str, code: str, what: str) -> RequestRefusedError:
        remedy = refusal_remedy(name, code)
        if code == "read_only" and self.url.startswith(_SERVED):
            remedy = "start litemrc serve with --control, and name http://TOKEN@HOST:PORT as the port"
        return RequestRefusedError(what, code, where=self.url, remedy=remedy)


def collect(
    url: str,
    epochs: int | None = None,
    runs: Sequence[str | Run] = (),
    *,
    together: bool = False,
    epoch_length: int | None = None,
    epoch_unit: str = "accesses",
    timeout_s: float = TIMEOUT_S,
    baud: int = 115200,
) -> Curves:
    """Collect curves from the device at `url`; the parameters are those of `Device` and `Device.collect`."""
    with Device(url, timeout_s=timeout_s, baud=baud) as device:
        return device.collect(
            epochs, runs, together=together, epoch_length=epoch_length, epoch_unit=epoch_unit
        )


def _open_port(url: str, timeout_s: float, baud: int, *, take: bool) -> MessagePort:
    if take:
        check_can_take(url)
    if url.startswith(_BRIDGE):
        from litemrc.device.bridge.bridge_link import BridgeLink

        return BridgeLink.open(url, timeout_s)
    if url.startswith(_SERVED):
        from litemrc.device.link.http_link import HTTPLink

        return HTTPLink.open(url, timeout_s)
    return Link.open(url, baud, take=take)


def _with_printable_texts(message: Message) -> Message:
    """Return a message with texts that control no terminal, wherever they are shown, logged or saved."""
    shown: dict[str, Any] = {}
    for f in message.body:
        value = getattr(message, f.name)
        if f.kind == "text" and not value.isprintable():
            shown[f.name] = printable(value)
        elif f.kind == "texts" and not all(map(str.isprintable, value)):
            shown[f.name] = list(map(printable, value))
    return replace(message, **shown) if shown else message  # type: ignore[type-var]


def system_text(system: str, driver: str, abi: int) -> str:
    """Return the operating system and driver that a device reported in hello, for people."""
    if not system and driver:
        return f"not visible: {printable(driver)}"
    if not system:
        return "none: bare metal"
    return f"{printable(system)}, driver {printable(driver) or 'of unknown version'}, ABI {abi}"
