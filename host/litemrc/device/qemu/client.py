# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes registers of the plugin's device: `native/qemu/control.hpp`."""

import json
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import layout
from litemrc.device.errors import DeviceGoneError

_POLL_S = 0.01
_NAME = "the machine in QEMU"


class PluginBus:
    """The registers of a plugin's device.

    Attributes
    ----------
    remote
        the end for the emulator; `started` closes it here.
    most_words
        of a request.
    timeout_s
        limit of a request.

    Raises, from `read` and `write`:
        DeviceGoneError: the machine has ended.
    """

    def __init__(self, timeout_s: float = 10) -> None:
        self.timeout_s = timeout_s
        self._own, self.remote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._own.settimeout(timeout_s)
        self.most_words = 1

    def started(self) -> None:
        """Leave the other end to the emulator."""
        self.remote.close()

    def wait_for_map(self, path: Path, ended: Callable[[], bool]) -> SoCMap | None:
        """Return the addresses, which the plugin writes first; None if the emulator has ended before."""
        while not path.exists():
            if ended():
                return None
            time.sleep(_POLL_S)
        soc = read_map(path)
        self.most_words = soc.number("most_words")
        return soc

    def close(self) -> None:
        """Close both ends; the machine goes on."""
        self._own.close()
        self.remote.close()

    def read(self, address: int, words: int) -> list[int]:
        """Return consecutive words of 32 bits."""
        found: list[int] = []
        while len(found) < words:
            count = min(words - len(found), self.most_words)
            found += self._ask(count, address + 4 * len(found), count)
        return found

    def write(self, address: int, *words: int) -> None:
        """Write consecutive words of 32 bits."""
        for number, word in enumerate(words):
            self._ask(1, address + 4 * number, 0, word)

    def _ask(self, answers: int, *request: int) -> list[int]:
        try:
            self._own.send(np.array(request, np.uint32).tobytes())
            answer = self._own.recv(4 * answers)
        except OSError as error:
            raise self._gone(error.strerror or "no answer") from error
        if len(answer) != 4 * answers:
            raise self._gone("it ended")
        return [int(word) for word in np.frombuffer(answer, np.uint32)]

    @staticmethod
    def _gone(why: str) -> DeviceGoneError:
        return DeviceGoneError(f"the device is gone: {why}", where=_NAME, remedy="start the machine again")


def read_map(path: Path) -> SoCMap:
    """Return the addresses that the plugin wrote."""
    content = json.loads(path.read_text())
    device = content["device"]
    constants = device["constants"] | {"most_words": content["most_words"]}
    return soc_of(device["bus"], path, {"main_ram": device["main_ram"]}, constants)


def soc_of(
    bus: Mapping[str, Any], path: Path, regions: Mapping[str, Sequence[int]], constants: dict[str, Any]
) -> SoCMap:
    """Return the addresses on a bus of `models/registers/bus.hpp`.

    Parameters
    ----------
    bus
        its map.
    path
        where it was read.
    regions, constants
        further ones.
    """
    registers = {
        f"{block}_{name}": (base + offset, words)
        for block, base in bus["blocks"].items()
        for name, (offset, words) in layout().places[block].items()
    }
    registers |= {name: (address, 1) for name, address in bus["registers"].items()}
    found = {name: (base, size) for name, (base, size) in (bus["regions"] | regions).items()}
    return SoCMap(path, registers, found, constants)
