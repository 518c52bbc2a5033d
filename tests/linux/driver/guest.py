"""A Linux in qemu whose init does what a test asks (guest/agent.c)."""

import queue
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from patience import patience

S = "/sys/class/misc/litemrc0/"
FAKE = "/sys/devices/platform/litemrc.0/fake/"
# As the VexRiscv: RV32IMA, no Sstc.
QEMU = ["qemu-system-riscv32", "-M", "virt", "-cpu", "rv32,c=off,f=off,d=off,sstc=off"]
QEMU += ["-nographic", "-no-reboot"]


class GuestError(Exception):
    """The guest did not answer, or refused what must work."""


@dataclass
class Answer:
    """Of a command: what a system call returned, minus an errno or a count, and lines of text."""

    result: int
    lines: list[str]


class Guest:
    """Boots at once; `console` holds all that is no answer."""

    def __init__(
        self, shim: Path, image: Path, initramfs: Path, memory_mb: int = 64, patience_s: float = 120
    ) -> None:
        files = ["-bios", shim, "-kernel", image, "-initrd", initramfs]
        words = ["-m", str(memory_mb), "-append", "console=ttyS0 panic=-1 loglevel=1"]
        self.console: list[str] = []
        self.patience_s = patience_s
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._qemu = subprocess.Popen(
            [*QEMU, *map(str, files), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        threading.Thread(target=self._listen, daemon=True).start()
        while self._next_line() != "agent ready":
            pass

    def _listen(self) -> None:
        for line in self._qemu.stdout:
            self._lines.put(line.decode(errors="replace").rstrip("\r\n"))
        self._lines.put(None)

    def _next_line(self) -> str:
        try:
            line = self._lines.get(timeout=patience(self.patience_s))
        except queue.Empty:
            line = None
        if line is None:
            raise GuestError("the guest is silent; it said last:\n" + "\n".join(self.console[-40:]))
        self.console.append(line)
        return line

    def ask(self, command: str) -> Answer:
        """Have the agent perform a command of guest/*.c."""
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

    def write(self, path: str, text: object) -> int:
        """Write a text and a newline by one system call; 0 or the errno."""
        return -self.ask(f"w {path} {text}").result

    def spawn(self, name: str) -> int:
        """A process that is an agent, too; its pid. `ask(f"@ {name} command")` asks it."""
        return self.ask(f"spawn {name}").result

    def end(self, name: str) -> None:
        """Let a process exit, and reap it."""
        self.do(f"& {name} exit")
        self.do(f"wait {name}")

    def close(self) -> None:
        """Switch the guest off."""
        self._qemu.stdin.close()
        self._qemu.terminate()
        self._qemu.wait()


@dataclass
class Epoch:
    """A record as the agent tells it."""

    number: int
    lost: int
    whole: bool
    followed: list[tuple[int, int, str]]  # state, pid, comm
    accesses: list[int]


def parse_epoch(line: str) -> Epoch:
    """Read a line of guest/epochs.c, describe()."""
    head, *contexts = line.replace("]", "").split(" [")
    words = head.split()
    rows = [context.split() for context in contexts]
    return Epoch(
        number=int(words[1]),
        lost=int(words[3]),
        whole=words[5] == "1",
        followed=[(int(state), int(pid), comm) for state, pid, comm, _ in rows],
        accesses=[int(row[3]) for row in rows],
    )
