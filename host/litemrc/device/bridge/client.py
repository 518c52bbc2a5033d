# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes words of a SoC's bus over a `litex_server`."""

import socket
import struct

from litex.tools.litex_client import RemoteClient
from litex.tools.remote.csr_builder import CSRElements, CSRMemoryRegion

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import BridgeDownError, BridgeURL

_BURST_WORDS = 128  # Etherbone allows 255
_RESTART = "check that litex_server still runs and that its device answers, and restart it"


class _NoAnswerError(Exception):
    """The server did not answer a read, or closed the connection."""


class _Client(RemoteClient):
    """LiteX's client, whose reads fail if there is no answer: LiteX's return zeros."""

    def __init__(self, where: BridgeURL, soc: SoCMap, timeout_s: float) -> None:
        # Not LiteX's constructor: it takes any csr.csv of the current folder, and its addresses from there.
        self.host, self.port, self.debug = where.host, where.port, False
        self.binded, self.base_address = False, 0
        self.csr_data_width, self.csr_bus_address_width = 32, soc.number("config_bus_address_width")
        # For PCIe, where addresses are relative to the registers.
        self.mems = CSRElements({"csr": CSRMemoryRegion(*soc.region("csr"), "io")})
        self._timeout_s = timeout_s

    def open(self) -> None:
        self.socket = socket.create_connection((self.host, self.port), self._timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.binded = True
        self._receive_server_info()

    def receive_packet(self, socket: socket.socket, addr_size: int) -> bytes:
        packet = super().receive_packet(socket, addr_size)
        if packet == 0:  # a timeout or the end of the connection
            raise _NoAnswerError
        return packet


class BridgeClient:
    """A connection to a `litex_server`; every access has a time limit.

    Raises, from every method:
        BridgeDownError: the server is not there, does not answer in time, or is no `litex_server`.
    """

    def __init__(self, url: str, where: BridgeURL, soc: SoCMap, timeout_s: float) -> None:
        self._url, self._timeout_s = url, timeout_s
        self._client = _Client(where, soc, timeout_s)
        try:
            self._client.open()
        except TimeoutError as error:
            why = f"no litex_server said hello within {timeout_s:g} s; {_RESTART}"
            raise BridgeDownError(url, why) from error
        except OSError as error:
            why = f"cannot connect: {error.strerror or error}; start litex_server, or correct host and port"
            raise BridgeDownError(url, why) from error

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def read(self, address: int, words: int) -> list[int]:
        """Return consecutive words of 32 bits."""
        found: list[int] = []
        while len(found) < words:
            count = min(words - len(found), _BURST_WORDS)
            found += self._read(address + 4 * len(found), count)
        return found

    def write(self, address: int, *words: int) -> None:
        """Write consecutive words of 32 bits."""
        self._check(address)
        try:
            self._client.write(address, list(words))
        except OSError as error:
            raise self._down(f"the connection was lost: {error.strerror or error}") from error

    def _read(self, address: int, words: int) -> list[int]:
        self._check(address)
        try:
            found = self._client.read(address, words)
        except _NoAnswerError as error:
            raise self._down(f"no answer within {self._timeout_s:g} s, or the server has ended") from error
        except OSError as error:
            raise self._down(f"the connection was lost: {error.strerror or error}") from error
        except (struct.error, AssertionError, ValueError, AttributeError, IndexError) as error:
            raise self._down("what listens there is no litex_server") from error
        if len(found) != words:
            raise self._down(f"the server sent {len(found)} words for {words}")
        return found

    def _check(self, address: int) -> None:
        if address + self._client.base_address < 0:
            raise self._down(f"PCIe reaches no address below its registers, such as 0x{address:08x}")

    def _down(self, why: str) -> BridgeDownError:
        return BridgeDownError(self._url, f"{why}; {_RESTART}")
