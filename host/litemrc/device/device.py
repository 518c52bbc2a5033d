# SPDX-License-Identifier: BSD-2-Clause
"""A LiteMRC device at the other end of a link: its parameters, and requests with their answers."""

import random
import statistics
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from litemrc.device import TIMEOUT_S
from litemrc.device.errors import (
    DeviceFaultError,
    DeviceGoneError,
    RequestRefusedError,
    SilentDeviceError,
    WrongDeviceError,
)
from litemrc.device.link.link import Link, LinkCounts, MessagePort
from litemrc.device.link.protocol import Message, ProtocolError, host_requests
from litemrc.device.link.sharing import check_can_take
from litemrc.device.message_checks import NonsenseError, changed_parameters, check_hello, check_message
from litemrc.texts import printable

_TRIES = 4
_MOST_WAITING = 1 << 22  # integers, about 150 MB, in messages before an answer: 10^5 of them, or more
_MESSAGE_ITEMS = 32  # integers that take the memory of a message without a list
_BRIDGE = "litex://"
_SERVED = ("http://", "https://")
_REMEDIES = {
    "unknown": "update the older of firmware and host package",
    "bad_argument": "choose a value this device has; `litemrc device` shows its parameters",
    "busy": "wait for the running program to end",
    "unsupported": "use a device that supports it; `litemrc device` shows its parameters",
    "read_only": "send settings and runs over the device's serial port; a socket of litemrcd is for reading",
}
_FREE_FIRST = (
    "`litemrc process` shows which process each context tracks; free the context first, or choose another"
)
_STARTED_HERE = (
    "budgets are of programs that the device started (`litemrc collect --run`), and, under a lease, of"
    " cgroups that its administrator listed (`litemrc govern --cgroup`)"
)
_LIST_IT = (
    "have the device's administrator add a line `[govern] = PATH` to litemrcd.conf and start litemrcd again"
)
_REMEDIES_OF = {
    ("follow", "busy"): _FREE_FIRST,
    ("follow", "bad_argument"): "name a process that runs, and a context from 1 on",
    ("get_budget", "busy"): _STARTED_HERE,
    ("set_budget", "busy"): _STARTED_HERE,
    ("reclaim", "busy"): _STARTED_HERE,
    ("set_budget", "bad_argument"): "give less: `litemrc process` shows budgets, `litemrc device` the memory",
    ("follow_cgroup", "bad_argument"): _LIST_IT,
    ("follow_cgroup", "busy"): _FREE_FIRST,
}


@dataclass(frozen=True)
class EchoTest:
    """Result of a link's self-test: echoes sent, echoes that failed, and the median round trip."""

    echoes: int
    failed: int
    round_trip_ms: float | None


class Device:
    """A device that has said hello.

    Attributes
    ----------
    hello
        its parameters, from the last hello.
    timeout_s
        limit of a request with all its repetitions, in seconds.
    """

    def __init__(
        self, link: MessagePort, timeout_s: float = TIMEOUT_S, identifier: str | None = None
    ) -> None:
        """Say hello over an open port.

        Raises
        ------
        SilentDeviceError
            no answer.
        VersionMismatchError
            the device speaks another major version of the protocol.
        DeviceFaultError
            no device has such parameters.
        WrongDeviceError
            its gateware has another identifier than `identifier`.
        """
        self.timeout_s = timeout_s
        self._link = link
        self._inbox: deque[Message] = deque()
        self.hello = self._checked_hello(self._ask("hello"))
        if identifier is not None and self.hello.identifier != identifier:
            found = (
                f"calls itself {self.hello.identifier!r}" if self.hello.identifier else "has no identifier"
            )
            raise WrongDeviceError(
                f"the bundle is of {identifier!r}, and the device {found}",
                where=link.url,
                remedy="load the bundle's bitstream and boot files, or name the bundle of what is loaded",
            )

    @classmethod
    @contextmanager
    def open(
        cls,
        url: str,
        *,
        timeout_s: float = TIMEOUT_S,
        baud: int = 115200,
        identifier: str | None = None,
        take: bool = False,
    ) -> Iterator["Device"]:
        """Open a port and say hello; the port is closed at the end of the `with` block.

        Parameters
        ----------
        url
            a device file, a pyserial URL, `unix:///PATH` of a socket of `litemrcd`,
            `litex://HOST:PORT?csr=FILE` of a `litex_server`, or `http[s]://[TOKEN@]HOST:PORT[/NAME]` of
            `litemrc serve`.
        timeout_s
            limit of a request, in seconds.
        baud
            bit rate of a device file.
        identifier
            what the gateware must call itself, as `bundle.json` has it; None: anything.
        take
            replace another host at a `socket://` port, instead of being refused.

        Raises
        ------
        PortTakenError
            another host has the port.
        WrongDeviceError
            it calls itself otherwise.
        UserError
            the URL of a bridge is wrong, or the csr file that it names.
        LinkError
            the port cannot be opened, or as in the constructor.
        """
        if take:
            check_can_take(url)
        if url.startswith(_BRIDGE):
            from litemrc.device.bridge.bridge_link import BridgeLink

            with BridgeLink.open(url, timeout_s) as bridge:
                yield cls(bridge, timeout_s, identifier)
            return
        if url.startswith(_SERVED):
            from litemrc.device.link.http_link import HTTPLink

            with HTTPLink.open(url, timeout_s) as served:
                yield cls(served, timeout_s, identifier)
            return
        with Link.open(url, baud, take=take) as link:
            yield cls(link, timeout_s, identifier)

    @classmethod
    @contextmanager
    def open_booting(
        cls, url: str, *, boot_timeout_s: float, timeout_s: float = TIMEOUT_S
    ) -> Iterator["Device"]:
        """Open the port of a booting device: wait for its unsolicited hello.

        Raises
        ------
        LinkError
            as `open`; nothing was said in time.
        """
        with Link.open(url) as link:
            deadline = time.monotonic() + boot_timeout_s
            while (message := link.receive(max(deadline - time.monotonic(), 0))) is not None:
                if message.name == "hello":
                    break
            else:
                raise SilentDeviceError(
                    f"the device said no hello within {boot_timeout_s:g} s",
                    where=url,
                    remedy="read its console, or give it more time",
                )
            yield cls(link, timeout_s)

    @property
    def url(self) -> str:
        """The port."""
        return self._link.url

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
        hello = self._checked_hello(self._ask("hello"))
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
        if len(answer.values) != count:
            raise self.fault(f"{len(answer.values)} values for {count}: {answer.values}")
        return answer.values

    @staticmethod
    def choice(request: str, field: str, value: int) -> str:
        """Return the name of a value that an ack carries, an enumerated field of a request.

        Raises
        ------
        DeviceFaultError
            no choice has this value.
        """
        (choices,) = (f.choices for f in host_requests().types[request].body if f.name == field)
        names = [name for name, number in choices if number == value]
        if not names:
            raise _fault(f"{field} of {request} is {value}")
        return names[0]

    def fault(self, what: str) -> DeviceFaultError:
        """Return the error for what a device sent, unharmed, and cannot mean."""
        return _fault(what, self.url)

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

    def _checked(self, message: Message) -> Message:
        if message.name == "hello":
            return self._checked_hello(message)
        try:
            check_message(message, self.hello)
        except NonsenseError as error:
            raise self.fault(str(error)) from error
        return _with_printable_texts(message)

    def _checked_hello(self, hello: Message) -> Message:
        if hello.name != "hello":
            raise self.fault(f"{hello.name} in answer to hello")
        try:
            check_hello(hello)
        except NonsenseError as error:
            raise self.fault(str(error)) from error
        return _with_printable_texts(hello)

    def echo_test(self, echoes: int = 32, seed: int = 1) -> EchoTest:
        """Send `echoes` different random strings, of all lengths, and compare the replies."""
        dice = random.Random(seed)
        (payload,) = host_requests().types["echo"].body[1:]
        failed, round_trips = 0, []
        for number in range(echoes):
            length = payload.high * number // max(echoes - 1, 1)
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
                lists = (len(getattr(message, f.name)) for f in message.body if f.kind == "LIST")
                waiting += _MESSAGE_ITEMS + sum(lists)
                if waiting > _MOST_WAITING:
                    raise self.fault(f"{len(self._inbox)} messages, and no answer to {name}")
        raise SilentDeviceError(
            f"no answer to {name} within {self.timeout_s:g} s",
            where=self.url,
            remedy="check that the device runs LiteMRC's firmware and that no other program uses the port",
        )

    def _refused(self, name: str, code: str, what: str) -> RequestRefusedError:
        remedy = _REMEDIES_OF.get((name, code), _REMEDIES[code])
        if code == "read_only" and self.url.startswith(_SERVED):
            remedy = "start litemrc serve with --control, and name http://TOKEN@HOST:PORT as the port"
        return RequestRefusedError(what, code, where=self.url, remedy=remedy)


def _with_printable_texts(message: Message) -> Message:
    """Return a message with texts that control no terminal, wherever they are shown, logged or saved."""
    shown: dict[str, Any] = {}
    for f in message.body:
        value = getattr(message, f.name)
        if f.kind == "TSTR" and not value.isprintable():
            shown[f.name] = printable(value)
        elif f.item and f.item.kind == "TSTR" and not all(map(str.isprintable, value)):
            shown[f.name] = list(map(printable, value))
    return replace(message, **shown) if shown else message  # type: ignore[type-var]


def _fault(what: str, url: str = "") -> DeviceFaultError:
    return DeviceFaultError(f"the device sent nonsense: {what}", where=url, remedy="report this as a bug")


def system_text(system: str, driver: str, abi: int) -> str:
    """Return the operating system and driver that a device reported in hello, for people."""
    if not system and driver:
        return f"not visible: {printable(driver)}"
    if not system:
        return "none: bare metal"
    return f"{printable(system)}, driver {printable(driver) or 'of unknown version'}, ABI {abi}"
