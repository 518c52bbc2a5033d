# SPDX-License-Identifier: BSD-2-Clause
"""The serial link: messages out of and into any port that pyserial opens, with every loss counted."""

import os
import random
import select
import socket
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import serial

from litemrc.device.errors import DeviceGoneError, PortError, PortTakenError, VersionMismatchError
from litemrc.device.link.frames import FrameSplitter, frame, old_frame
from litemrc.device.link.protocol import (
    LaterVersionError,
    Message,
    OldHelloError,
    OtherVersionError,
    ProtocolError,
    device_messages,
    host_requests,
    old_hello_request,
)
from litemrc.device.link.schema import schema, version_text
from litemrc.device.link.sharing import SHARED, introduction, last_reason

UNIX = "unix://"
_WRITE_TIMEOUT_S = 5
_READ_BYTES = 65536
_POLL_S = 0.002
_HALF = 1 << 31  # numbers are 32 bits and wrap: a step of more than half the range is a step back


class UnixPort:
    """A connected stream socket with what a `Link` uses of a pyserial port."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.settimeout(_WRITE_TIMEOUT_S)

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to the socket of `unix:///path`.

        Raises
        ------
        PortError
            the URL names no path, or there is no server that lets this user connect.
        """
        path = url.removeprefix(UNIX)
        remedy = "start litemrcd with --socket, in whose group you are"
        if not path.startswith("/"):
            raise PortError("the URL names no path", where=url, remedy="write unix:///run/litemrcd.sock")
        if not hasattr(socket, "AF_UNIX"):
            raise PortError("this system has no Unix sockets", where=url, remedy="name a socket:// URL")
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(path)
        except OSError as error:
            connected.close()
            raise PortError(f"cannot open the port: {reason_of(error)}", where=url, remedy=remedy) from error
        return cls(connected)

    @property
    def in_waiting(self) -> int:
        """How many bytes a `read` may ask for: 0 if none have arrived."""
        ready, _, _ = select.select([self._socket], [], [], 0)
        return _READ_BYTES if ready else 0

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._socket.fileno()

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes that have arrived."""
        return self._socket.recv(size) if size else b""

    def write(self, data: bytes) -> None:
        """Send all bytes."""
        self._socket.sendall(data)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def reason_of(error: BaseException) -> str:
    """Return the cause in few words; pyserial wraps the system's message, often twice."""
    while isinstance(cause := error.__context__, Exception):
        error = cause
    if isinstance(error, TypeError):  # pyserial compares the port number that is not there
        return "the URL lacks a host or a port number"
    if isinstance(error, BlockingIOError):  # the lock of a port opened for us alone
        return "another program has it open"
    if len(error.args) == 2 and isinstance(error.args[1], str):  # (errno, text): OSError, termios.error
        return error.args[1]
    return str(error)


@dataclass
class LinkCounts:
    """Counts of a device's frames: `frames` and `unknown` arrived, the others did not."""

    frames: int = 0  # good frames that hold a message of the schema
    unknown: int = 0  # good frames with a message of a later minor version of the protocol, skipped
    skipped: int = 0  # parts and feature bits of one, skipped
    damaged: int = 0  # cut short, wrong CRC, or no message
    oversized: int = 0  # longer than any message
    lost: int = 0  # missing sequence numbers (a damaged frame is missing too)
    restarts: int = 0  # times the numbers restarted: the device was reset


class MessageReceiver:
    """Turns received bytes into messages of the device; other bytes are counted and skipped."""

    def __init__(self) -> None:
        self._codec = device_messages()
        self._splitter = FrameSplitter(self._codec.max_bytes)
        self._counts = LinkCounts()
        self._expected: int | None = None

    @property
    def counts(self) -> LinkCounts:
        """The counts so far."""
        splitter, counts = self._splitter, self._counts
        return replace(counts, damaged=counts.damaged + splitter.damaged, oversized=splitter.oversized)

    def feed(self, received: bytes) -> Iterator[Message]:
        """Yield the messages that end in `received`.

        Raises
        ------
        OtherVersionError
            the device said hello in another major version of the protocol.
        """
        for payload in self._splitter.feed(received):
            try:
                message = self._codec.decode(payload)
            except OtherVersionError:
                raise
            except LaterVersionError as later:
                self._counts.unknown += 1
                self._count(later.sequence)
            except OldHelloError:  # to our hello in its words
                continue
            except ProtocolError:
                self._counts.damaged += 1
            else:
                self._counts.frames += 1
                self._counts.skipped += message.skipped
                if last_reason(message) is None:  # else it is of the port, not of the device
                    self._count(message.sequence)
                yield message

    def _count(self, sequence: int) -> None:
        if self._expected is not None:
            missing = (sequence - self._expected) % 2**32
            if missing < _HALF:
                self._counts.lost += missing
            else:
                self._counts.restarts += 1
        self._expected = sequence + 1


class MessagePort(ABC):
    """One session with a device: requests go in; answers, epochs and events come out.

    Use as a context manager, or close it.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._inbox: deque[Message] = deque()
        self._sequence = random.randrange(1, _HALF)  # an earlier session's answers must not match

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close the port; to receive from it then is an error."""

    @property
    @abstractmethod
    def counts(self) -> LinkCounts:
        """Counts of received and lost frames since the port was opened."""

    @abstractmethod
    def send(self, message: Message) -> None:
        """Send a request under the sequence number it has.

        Raises
        ------
        ProtocolError
            a value does not fit into its member.
        LinkError
            the device is gone.
        """

    def next_sequence(self) -> int:
        """The number for a new request."""
        self._sequence += 1
        return self._sequence

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout.

        Raises
        ------
        LinkError
            the device is gone, or speaks another version of the protocol.
        """
        deadline = time.monotonic() + timeout_s
        while not self._inbox:
            remaining = deadline - time.monotonic()
            self._fill_inbox(max(remaining, 0))
            if not self._inbox and remaining <= 0:  # also while damage never ceases
                return None
        return self._inbox.popleft()

    @abstractmethod
    def _fill_inbox(self, timeout_s: float) -> None:
        """Queue what is there, or comes first within the timeout; it may be nothing."""


class FramePort(MessagePort):
    """A session on a stream of frames.

    A device that does not answer hello may be of a version before 2.0: with the repetition it is asked in
    that version's words, and its answer names its version.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._receiver = MessageReceiver()
        self._last = 0  # number of the request sent last

    @property
    def counts(self) -> LinkCounts:
        """Counts of received and lost frames since the port was opened."""
        return self._receiver.counts

    def send(self, message: Message) -> None:
        """Send a request under the sequence number it has."""
        repeated, self._last = message.sequence == self._last, message.sequence
        framed = frame(host_requests().encode(message))
        if repeated and message.name == "ask_hello":
            framed += old_frame(old_hello_request())
        self._write(framed)

    def _fill_inbox(self, timeout_s: float) -> None:
        received = self._read(timeout_s)
        try:
            self._inbox.extend(self._receiver.feed(received))
        except OtherVersionError as other:
            raise self._mismatch(other.version) from None

    @abstractmethod
    def _read(self, timeout_s: float) -> bytes:
        """Return bytes as soon as there are any; none after the timeout."""

    @abstractmethod
    def _write(self, encoded: bytes) -> None:
        """Send all bytes."""

    def _mismatch(self, version: int) -> VersionMismatchError:
        ours = schema().constants["protocol_version"]
        older = (
            "update the device: load the bare-metal firmware or the litemrcd of this host package's release"
        )
        return VersionMismatchError(
            f"the device speaks version {version_text(version)} of the protocol,"
            f" this host version {version_text(ours)}",
            where=self.url,
            remedy=older if version < ours else "update the host package to the release of the device",
        )


class Link(FramePort):
    """A session on a serial port, or on a socket that stands for one.

    Raises, from every method:
        DeviceGoneError: the port went away.
    """

    def __init__(self, port: serial.SerialBase | UnixPort, url: str, first: bytes = b"\0") -> None:
        """Send the bytes `first`, whose zero ends a partial frame of an earlier session in the device."""
        super().__init__(url)
        self._port = port
        self._closed = False
        try:
            self._fileno = port.fileno() if os.name == "posix" else None
        except (OSError, AttributeError):  # loop:// and others without a file
            self._fileno = None
        self._write(first)

    @classmethod
    def open(cls, url: str, baud: int = 115200, *, take: bool = False) -> "Link":
        """Open a device file, any pyserial URL (`socket://host:port`, `loop://` ...) or `unix:///path`.

        Parameters
        ----------
        baud
            of a device file, in bit/s.
        take
            replace another host at the port; only where several can open it, `socket://`.

        Raises
        ------
        PortError
            it cannot be opened; the text says why.
        """
        if url.startswith(UNIX):
            return cls(UnixPort.open(url), url)
        try:
            port = serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=5, exclusive=True)
        except (serial.SerialException, OSError, ValueError, TypeError) as error:
            raise PortError(
                f"cannot open the port: {reason_of(error)}",
                where=url,
                remedy="name the device file of a board, or socket://HOST:PORT of a running simulation",
            ) from error
        return cls(port, url, introduction(take=take) if url.startswith(SHARED) else b"\0")

    def close(self) -> None:
        """Close the port; to receive from it then is an error."""
        self._closed = True  # the number of its file can soon be that of another
        self._port.close()

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout.

        Raises
        ------
        PortTakenError
            another host has the port.
        VersionMismatchError
            the device speaks another major version of the protocol.
        """
        message = super().receive(timeout_s)
        if message and (reason := last_reason(message)) is not None:
            raise PortTakenError(
                f"another program has the port: {reason}",
                where=self.url,
                remedy="end that program, read from it if it is litemrc serve, or take over with --take",
            )
        return message

    def _read(self, timeout_s: float) -> bytes:
        """Return available bytes as soon as there are any; pyserial's read waits for the full count."""
        if self._closed:
            raise self._gone("the port was closed")
        try:
            if self._fileno is None:
                if not self._port.in_waiting:
                    time.sleep(min(timeout_s, _POLL_S))
                return self._port.read(self._port.in_waiting)
            ready, _, _ = select.select([self._fileno], [], [], timeout_s)
            received = os.read(self._fileno, _READ_BYTES) if ready else b""
        except BlockingIOError:
            return b""
        except (OSError, serial.SerialException) as error:
            raise self._gone(reason_of(error)) from error
        if ready and not received:
            raise self._gone("the connection was closed")
        return received

    def _write(self, encoded: bytes) -> None:
        try:
            self._port.write(encoded)
        except (OSError, serial.SerialException) as error:
            raise self._gone(reason_of(error)) from error

    def _gone(self, reason: str) -> DeviceGoneError:
        remedy = "check the cable, or that the simulation still runs"
        if self.url.startswith(UNIX):
            remedy = "check that litemrcd runs, and that it has fewer than 8 clients"
        return DeviceGoneError(f"the device is gone: {reason}", where=self.url, remedy=remedy)
