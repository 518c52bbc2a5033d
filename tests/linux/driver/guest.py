# SPDX-License-Identifier: BSD-2-Clause
"""A Linux in qemu; its init performs the commands of a test (guest/agent.c)."""

import queue
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import NoReturn

from tests.linux.driver.building import BITS
from tests.linux.monitor import Monitor, Symbols
from tests.linux.qemu import machine
from tests.timeouts import Deadline

S = "/sys/class/misc/litemrc0/"
FAKE = "/sys/devices/platform/litemrc.0/fake/"
DRIVER_MODULES = ("litemrc", "litemrc_tail", "litemrc_ranks")  # in the order of their use
# On a console of an image, whose modules are in /lib/modules.
LOAD = "; ".join(f"insmod /lib/modules/{module}.ko" for module in DRIVER_MODULES)
UNLOAD = "rmmod " + " ".join(reversed(DRIVER_MODULES))
CONTEXTS = 8  # of the fake device
QUIET = ["-display", "none", "-serial", "stdio", "-no-reboot"]
QEMU = [*machine(BITS), *QUIET]


class GuestError(Exception):
    """The guest did not answer, or refused a command that must work."""


@dataclass
class Answer:
    """The answer to a command: the result of a system call, minus an errno or a count, and lines of text."""

    result: int
    lines: list[str]


class Guest:
    """A machine that boots at once.

    kernel: the kernel's build folder, with the image and System.map.
    timeout_s: how long a command may take on a quiet machine.

    Attributes
    ----------
    console
        all lines that the guest printed.
    silent
        it did not answer in time, or qemu has ended; nothing can be asked any more.
    """

    def __init__(
        self,
        shim: Path,
        kernel: Path,
        initramfs: Path,
        memory_mb: int = 64,
        timeout_s: float = 60,
        qemu: Sequence[str] = (),
    ) -> None:
        files = ["-bios", shim, "-kernel", kernel / "arch/riscv/boot/Image", "-initrd", initramfs]
        words = ["-m", str(memory_mb), "-append", "console=ttyS0 panic=-1 loglevel=1"]
        self.console: list[str] = []
        self.silent = False
        self.timeout_s = timeout_s
        self.symbols = Symbols(kernel / "System.map", shim)
        self.monitor = Monitor()
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._qemu = subprocess.Popen(
            [*(qemu or QEMU), *self.monitor.arguments, *map(str, files), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[self.monitor.descriptor],
        )
        self.monitor.connect()
        threading.Thread(target=self._listen, daemon=True).start()
        while self._next_line() != "agent ready":
            pass

    def _listen(self) -> None:
        for line in self._qemu.stdout:
            self._lines.put(line.decode(errors="replace").rstrip("\r\n"))
        self._lines.put(None)

    def _next_line(self) -> str:
        deadline = Deadline(self.timeout_s)
        while not deadline.passed:
            with suppress(queue.Empty):
                line = self._lines.get(timeout=deadline.left_s)
                if line is None:
                    self._fall_silent(f"qemu ended with {self._qemu.wait()}")
                self.console.append(line)
                return line
        state = self.monitor.kernel_state(self.symbols)
        self._fall_silent(f"the guest was silent for {deadline.limit_s:.0f} s\n{state}")

    def _fall_silent(self, why: str) -> NoReturn:
        self.silent = True
        raise GuestError("\n".join([why, "the end of its console:", *self.console[-40:]]))

    def ask(self, command: str) -> Answer:
        """Have the agent perform a command of guest/*.c."""
        if self.silent:
            raise GuestError(f"{command}: the guest fell silent before")
        with suppress(BrokenPipeError):  # of a qemu that has ended: its output has, too
            self._qemu.stdin.write(command.encode() + b"\n")
            self._qemu.stdin.flush()
        lines = []
        while not (line := self._next_line()).startswith("= "):
            if line.startswith("| "):
                lines.append(line[2:])
        return Answer(int(line[2:]), lines)

    def do(self, command: str) -> list[str]:
        """`ask`, of what must work; returns its lines."""
        answer = self.ask(command)
        if answer.result < 0:
            raise GuestError(f"{command}: errno {-answer.result}")
        return answer.lines

    def read(self, path: str) -> str:
        """The text of a file."""
        return "\n".join(self.do(f"r {path}"))

    def values(self, folder: str) -> dict[str, str]:
        """The texts of a folder's files by their names."""
        names = [line.split()[0] for line in self.do(f"ls {folder}")]
        return {name: self.read(f"{folder}/{name}") for name in names}

    def write(self, path: str, text: object) -> int:
        """Write a text and a newline by one system call; 0 or the errno."""
        return -self.ask(f"w {path} {text}").result

    def load_driver(self, **parameters: object) -> None:
        """Load the driver's modules that were built; parameters: of one of them, by its name."""
        for module in DRIVER_MODULES:
            answer = self.ask(f"insmod /{module}.ko {parameters.get(module, '')}".rstrip())
            if answer.result not in (0, -ENOENT):
                raise GuestError(f"{module}: errno {-answer.result}")

    def unload_driver(self, *, clients: bool = False) -> None:
        """Unload the driver's modules, or only those that add to it."""
        for module in reversed(DRIVER_MODULES[1 if clients else 0 :]):
            answer = self.ask(f"rmmod {module}")
            if answer.result not in (0, -ENOENT):
                raise GuestError(f"{module}: errno {-answer.result}")

    def spawn(self, name: str) -> int:
        """Start another agent process and return its pid. `ask(f"@ {name} command")` asks it."""
        return self.ask(f"spawn {name}").result

    def end(self, name: str) -> None:
        """Let a process exit, and reap it."""
        self.do(f"& {name} exit")
        self.do(f"wait {name}")

    def close(self) -> None:
        """Switch the guest off."""
        self._qemu.kill()
        self._qemu.wait()
        with suppress(BrokenPipeError):
            self._qemu.stdin.close()
        self.monitor.close()


class Guests:
    """One guest for many tests; another one takes the place of a guest that fell silent.

    boot: starts a guest that is ready for tests.
    """

    def __init__(self, boot: Callable[[], Guest]) -> None:
        self._boot = boot
        self._guest: Guest | None = None

    def running(self) -> Guest:
        """Return the guest, or a new one if there is none or it is silent."""
        if self._guest and self._guest.silent:
            self.close()
        if not self._guest:
            self._guest = self._boot()
        return self._guest

    def close(self) -> None:
        if self._guest:
            self._guest.close()
        self._guest = None


@dataclass
class Epoch:
    """A record as printed by the agent."""

    number: int
    lost: int
    whole: bool
    flags: int  # LITEMRC_EPOCH_... of litemrc_uapi.h
    begin_ns: int
    end_ns: int
    tail_groups: int
    refaults: int  # in the tails
    followed: list[tuple[int, int, str]]  # state, pid, comm
    accesses: list[int]


def parse_epoch(line: str) -> Epoch:
    """Parse a line of describe() in guest/epoch_reader.c; a context without a row is free."""
    head, *contexts = line.replace("]", "").split(" [")
    words = head.split()
    found = {int(row[0]): row[1:] for row in map(str.split, contexts)}
    rows = [found.get(context, ["1", "0", "-", "0"]) for context in range(CONTEXTS)]
    return Epoch(
        number=int(words[1]),
        lost=int(words[3]),
        whole=words[5] == "1",
        flags=int(words[7]),
        begin_ns=int(words[11]),
        end_ns=int(words[13]),
        tail_groups=int(words[15]),
        refaults=int(words[16]),
        followed=[(int(state), int(pid), comm) for state, pid, comm, _ in rows],
        accesses=[int(row[3]) for row in rows],
    )
