# SPDX-License-Identifier: BSD-2-Clause
"""The blocks of a SoC that a bridge reaches, found by its csr file and checked against this host."""

import struct

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import BridgeURL, RegisterBus
from litemrc.device.errors import WrongDeviceError
from litemrc.errors import UserError

_IDENTIFIER_BYTES = 256  # LiteX allows no more, with the final 0


class BridgedSoC:
    """A SoC behind a bridge.

    Attributes
    ----------
    mrc
        the monitor.
    ranks, refs, traffic
        None if the SoC has no such block.
    clock_hz
        of the system.
    identifier
        LiteX's, of the gateware; "" if the SoC has none.

    Raises
    ------
    UserError
        the SoC has no monitor, or several and the URL names none, or no block that the URL names.
    VersionMismatchError
        the registers have another layout than this host knows.
    WrongDeviceError
        the csr file is of another SoC than runs.
    BridgeDownError
        the server does not answer.
    """

    def __init__(self, url: str, where: BridgeURL, client: RegisterBus, soc: SoCMap) -> None:
        self._url, self._where, self._client, self._soc = url, where, client, soc
        self.clock_hz = soc.number("config_clock_frequency")
        self.identifier = self._read_identifier()
        self.mrc = RegisterBlock(client, soc, "mrc", choose_monitor(url, where, soc))
        self.mrc.check_version(url)
        # A rank meter takes its snapshots with the epochs of one monitor, which the csr file does not name.
        self.ranks = self._block("ranks", by_default=len(soc.monitors()) == 1)
        self.refs, self.traffic = self._block("refs"), self._block("traffic")

    def read(self, block: str, offset: int, words: int) -> list[int]:
        """Return words of a block of firmware/service/registers.h."""
        first, last = self._address(block, offset), self._address(block, offset + 4 * (words - 1))
        if last == first + 4 * (words - 1):
            return self._client.read(first, words)
        return [self._client.read(self._address(block, offset + 4 * n), 1)[0] for n in range(words)]

    def write(self, block: str, offset: int, word: int) -> None:
        """Write a word of a block."""
        self._client.write(self._address(block, offset), word)

    def _address(self, block: str, offset: int) -> int:
        if block == "taps":  # the accesses lost before the reference counters
            assert self.refs is not None
            register = f"{self.refs.name}_taps_lost"
            if register not in self._soc.registers:
                raise self._soc.error(f"the SoC has no register {register}")
            return self._soc.registers[register][0]
        found: RegisterBlock = getattr(self, block.removesuffix("_window"))
        return found.window_address(offset) if block.endswith("_window") else found.address(offset)

    def echo(self, payload: bytes) -> bytes:
        """Write the bytes to LiteX's scratch register, word by word, read them back, and restore it."""
        address, _ = self._soc.registers.get("ctrl_scratch", (None, 0))
        if address is None:  # then at least the path to the monitor is tested
            self.mrc.check_version(self._url)
            return payload
        (before,) = self._client.read(address, 1)
        echoed = b""
        for (word,) in struct.iter_unpack("<I", payload + bytes(-len(payload) % 4)):
            self._client.write(address, word)
            echoed += struct.pack("<I", *self._client.read(address, 1))
        self._client.write(address, before)
        return echoed[: len(payload)]

    def _read_identifier(self) -> str:
        known, base = self._soc.constants.get("config_identifier"), self._soc.bases.get("identifier_mem")
        if not isinstance(known, str) or base is None:
            return ""
        words = self._client.read(base, min(len(known.encode()) + 1, _IDENTIFIER_BYTES))
        found = bytes(word & 0xFF for word in words).partition(b"\0")[0].decode(errors="replace")
        if found.lower() != known.lower():  # LiteX writes the file in small letters
            what = f"the SoC calls itself {found!r}, its csr file {known!r}"
            raise WrongDeviceError(
                what, where=self._url, remedy="name the csr file of the bitstream that runs"
            )
        return found

    def _block(self, kind: str, *, by_default: bool = True) -> RegisterBlock | None:
        named = getattr(self._where, kind)  # else it has the integration's name, which is its kind
        if not named and not (by_default and self._soc.has_block(kind)):
            return None
        block = RegisterBlock(self._client, self._soc, kind, named or kind)
        if kind != "traffic":
            block.check_version(self._url)
        return block


def choose_monitor(url: str, where: BridgeURL, soc: SoCMap) -> str:
    """Return the name of the monitor that a URL means.

    Raises
    ------
    UserError
        there is none of that name, or more than one and the URL names none.
    """
    found = soc.monitors()
    if not found:
        raise soc.error("the SoC has no monitor")
    if where.monitor is None and len(found) > 1:
        what, remedy = f"the SoC has the monitors {', '.join(found)}", f"choose one: add &monitor={found[0]}"
        raise UserError(what, where=url, remedy=remedy)
    if where.monitor is not None and where.monitor not in found:
        raise UserError(
            f"the SoC has no monitor {where.monitor}", where=url, remedy=f"it has: {', '.join(found)}"
        )
    return where.monitor or found[0]
