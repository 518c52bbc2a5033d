# SPDX-License-Identifier: BSD-2-Clause
"""How hosts share a TCP port that carries one at a time: the second gives its name, is refused or takes over.

The first bytes on a connection are the host's introduction. A device drops them as a damaged frame, so they
may be sent to any port. A port that knows them ends a connection by the message nak with the request 0,
whose reason names the other host. The simulated SoC's port is such a port
(litex-soc/sim_modules/serial_link/sharing.h), and so is `MessageServer`.
"""

import os
import platform
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.errors import PortError
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import Message, device_messages
from litemrc.texts import printable

SHARED = "socket://"  # ports that more than one host can open
NAME_BYTES = 48
INTRODUCTION_BYTES = 68  # with both zeros
_INTRODUCTION = re.compile(rb"\0litemrc host (wait|take) ([^\0]*)\0")
_PREFIX = b"\0litemrc host "


def check_can_take(url: str) -> None:
    """Check that several hosts can open the port, so that one may replace another.

    Raises
    ------
    PortError
        it is of another kind.
    """
    if not url.startswith(SHARED):
        raise PortError(
            "--take is for socket:// ports, which several programs can open",
            where=url,
            remedy="end the program that has the port, and omit --take",
        )


def host_name() -> str:
    """Return what this program is called at a port: its command, process and machine."""
    started = sys.argv[0]
    program = Path("python" if started in ("", "-c", "-m", "-") else started)
    called = program.parent.name if program.stem == "__main__" else program.stem
    command = sys.argv[1] if called == "litemrc" and len(sys.argv) > 1 and sys.argv[1].isalpha() else ""
    named = f"{called} {command}".strip()[:20]
    text = f"{named}, pid {os.getpid()} on {platform.node()}"
    return _plain(text)[:NAME_BYTES]


def introduction(*, take: bool) -> bytes:
    """Return the first bytes of this host; take: it replaces a host that is there."""
    return _PREFIX + f"{'take' if take else 'wait'} {host_name()}\0".encode()


@dataclass(frozen=True)
class Introduction:
    """What the first bytes of a host say."""

    name: str
    take: bool


NO_INTRODUCTION = Introduction("a program that gave no name", take=False)


def read_introduction(received: bytes) -> Introduction | None:
    """Return the introduction that these first bytes are; None: it is not complete."""
    if found := _INTRODUCTION.match(received):
        name = found[2].decode("ascii", "replace")[:NAME_BYTES]
        return Introduction(_plain(name) or NO_INTRODUCTION.name, take=found[1] == b"take")
    possible = received[:1] in (b"", b"\0") and b"\0" not in received[1:]
    return None if possible and len(received) < INTRODUCTION_BYTES else NO_INTRODUCTION


def used_by(name: str, since: float) -> str:
    """Return the reason for a second host: the first, and when it came."""
    return f"{name} uses it since {time.strftime('%H:%M:%S', time.localtime(since))}"


def replaced_by(name: str) -> str:
    """Return the reason for the first host."""
    return f"replaced by {name}"


def reason_bytes() -> int:
    """Return how long a reason may be."""
    return device_messages().field("nak", "reason").most


def last_message(reason: str) -> bytes:
    """Return what ends a connection, behind a zero that ends the device's frame under way."""
    ended = device_messages().new("nak", sequence=0, request=0, error="busy", reason=reason[: reason_bytes()])
    return b"\0" + frame(device_messages().encode(ended))


def last_reason(message: Message) -> str | None:
    """Return why the port ends the connection, for people; None: the message does not end it."""
    return printable(message.reason) if message.name == "nak" and message.request == 0 else None


def _plain(text: str) -> str:
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text)
