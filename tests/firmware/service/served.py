# SPDX-License-Identifier: BSD-2-Clause
"""The firmware's service with operations in Python (service_port.c)."""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

from litemrc.device.link.schema import schema

from tests.products import alone_in, make

HERE = Path(__file__).parent
REPO = HERE.parents[2]
SERVICE = REPO / "firmware" / "service"
BUILD = REPO / "build" / "service"
ERRORS = schema().enums["error"]
_SETTINGS = re.search(r"enum device_setting \{(.*?)\}", (SERVICE / "device.h").read_text(), re.S)[1]
SETTINGS = re.findall(r"^\tDEVICE_(\w+)", _SETTINGS, re.M)
_NAMES = {"get": SETTINGS, "set": SETTINGS, "order": ("END_EPOCH", "CLEAR", "ARM", "INVALIDATE")}

Word = int | str | bytes
Answer = Sequence[Word] | None  # values; a text is the answer's


class RefusedError(Exception):
    """An operation refuses: error code and reason."""

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(code, reason)
        self.words = ERRORS[code], reason


def built_service() -> Path:
    """The program service_port, with service_port-mutant in the same folder."""
    with alone_in(BUILD):
        make(HERE, f"BUILD={BUILD}")
    return BUILD / "service_port"


class Service:
    """A session with the service; a context manager.

    Parameters
    ----------
    program
        service_port.
    perform
        called for each operation, by its name in device.h, the setting or order by its own, and its values.
    parameters
        members of struct device_parameters, and `read_only`.

    Attributes
    ----------
    refused_lines
        of requests.c.
    """

    def __init__(
        self,
        program: Path,
        perform: Callable[..., Answer],
        programs: Sequence[str] = (),
        **parameters: int | str,
    ) -> None:
        words = [f"{name}={value}" for name, value in parameters.items()]
        words += [f"program={name}" for name in programs]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self._process = subprocess.Popen([program, *words], **pipes)
        self._perform = perform
        self.refused_lines: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program, which the sanitizers must not have ended before."""
        self._process.stdin.close()
        assert self._process.wait() == 0, "the sanitizers found something: see stderr"
        self._process.stdout.close()

    def take(self, received: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield type and body of each message that bytes of a host cause."""
        return self._say(f"x{received.hex()}")

    def hello(self) -> Iterator[tuple[int, bytes]]:
        """Yield the hello of a device that boots."""
        return self._say("hello")

    def end_lease(self) -> None:
        """A lease is over."""
        assert not list(self._say("end_lease"))

    def _say(self, line: str) -> Iterator[tuple[int, bytes]]:
        self._process.stdin.write(f"{line}\n")
        while (read := self._process.stdout.readline()) != "done\n":
            name, *words = read.split()
            values = [bytes.fromhex(word[1:]) if word[0] == "x" else int(word) for word in words]
            if name == "reply":
                yield tuple(values)
            elif name == "refused":
                self.refused_lines += values
            else:
                self._process.stdin.write(f"{' '.join(self._answer(name, values))}\n")

    def _answer(self, name: str, values: list[Word]) -> Iterator[str]:
        if name in _NAMES:
            values[0] = _NAMES[name][values[0]]
        error, text, numbers = 0, "", ()
        try:
            numbers = self._perform(name, *values) or ()
        except RefusedError as refused:
            error, text = refused.words
        text = "".join([text, *(each for each in numbers if isinstance(each, str))])
        yield from (str(error), f"x{text.encode().hex()}")
        yield from (str(int(each)) for each in numbers if not isinstance(each, str))
