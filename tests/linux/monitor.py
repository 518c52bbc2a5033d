# SPDX-License-Identifier: BSD-2-Clause
"""qemu's monitor: the state of a machine whose kernel does not answer."""

import bisect
import json
import re
import socket
import time
from pathlib import Path

from tests.timeouts import scaled_timeout

MEMORY = 0x80000000  # of qemu's machine `virt`
SAMPLES = 3
PAUSE_S = 0.2
STACK_WORDS = 256
WORDS_TRIES = 20
SHOWN = ("ra", "sp", "scause", "sepc", "stval", "satp", "mip", "mie")


class Monitor:
    """A connection to the monitor of one qemu, started with `arguments` and inheriting `descriptor`."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.settimeout(scaled_timeout(10))
        self._lines = self._ours.makefile("r")
        self.descriptor = self._theirs.fileno()
        self.arguments = ["-chardev", f"socket,id=monitor,fd={self.descriptor}"]
        self.arguments += ["-mon", "chardev=monitor,mode=control"]

    def connect(self) -> None:
        """Begin, once qemu runs; this end of qemu's socket is closed, so that its death is noticed."""
        self._theirs.close()
        self._lines.readline()  # the greeting
        self._execute("qmp_capabilities")

    def close(self) -> None:
        self._lines.close()
        self._ours.close()

    def command(self, line: str) -> str:
        """Return the answer to a command of the human monitor, such as `info registers`."""
        return str(self._execute("human-monitor-command", **{"command-line": line}))

    def _execute(self, command: str, **arguments: str) -> object:
        self._ours.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while line := self._lines.readline():
            answer = json.loads(line)
            if "return" in answer or "error" in answer:  # the others are events
                return answer.get("return", answer)
        raise ConnectionError("qemu has ended")

    def words(self, address: int, count: int, physical: bool = False) -> list[int]:
        """Return words of the machine's memory; none if the address is not mapped.

        Virtual addresses are those of the processor's present mode: in the shim there are none.
        """
        for _ in range(1 if physical else WORDS_TRIES):
            dump = self.command(f"{'xp' if physical else 'x'} /{count}wx {address:#x}")
            if words := re.findall(r" 0x([0-9a-f]{8})\b", dump):
                return [int(word, 16) for word in words]
            time.sleep(PAUSE_S / WORDS_TRIES)
        return []

    def registers(self) -> dict[str, int]:
        """Return the processor's registers by name; those of x0 to x31 by the ABI's names."""
        found = re.findall(r"(?:x\d+/)?([a-z]\w*) +((?:[0-9a-f]{8}){1,2})\b", self.command("info registers"))
        return {name: int(value, 16) for name, value in found}

    def kernel_state(self, symbols: "Symbols") -> str:
        """Describe what the processor executes: counters, registers, kernel functions on the stack."""
        try:
            counters = []
            for _ in range(SAMPLES):
                registers = self.registers()
                counters.append(symbols.name(registers["pc"]))
                time.sleep(PAUSE_S)
            stack = self.words(registers["sp"], STACK_WORDS)
        except (OSError, ValueError) as error:
            return f"no answer from qemu's monitor: {error}"
        callers = [symbols.name(word) for word in stack if symbols.is_text(word)]
        return "\n".join(
            [
                f"pc, {SAMPLES} times: {', '.join(counters)}",
                " ".join(f"{name} {registers.get(name, 0):08x}" for name in SHOWN),
                f"stack: {', '.join(callers) if stack else 'not mapped'}",
            ]
        )


class Symbols:
    """The functions of a kernel, by address, and the shim below it."""

    def __init__(self, system_map: Path, shim: Path) -> None:
        self._shim = range(MEMORY, MEMORY + shim.stat().st_size)
        lines = (line.split() for line in system_map.read_text().splitlines())
        known = sorted((int(address, 16), name) for address, _, name in lines)
        self._addresses = [address for address, _ in known]
        self._names = [name for _, name in known]
        self.address = {name: address for address, name in known}

    def is_text(self, address: int) -> bool:
        return self.address["_stext"] <= address < self.address["_etext"]

    def name(self, address: int) -> str:
        """Return `function+0xoffset`, `shim+0xoffset`, or the number alone (a module, a program)."""
        if address in self._shim:
            return f"shim+{address - MEMORY:#x}"
        if not self.is_text(address):
            return f"{address:08x}"
        index = bisect.bisect(self._addresses, address) - 1
        return f"{self._names[index]}+{address - self._addresses[index]:#x}"
