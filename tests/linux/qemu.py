# SPDX-License-Identifier: BSD-2-Clause
"""Linux of `make linux-images` in qemu's machine `virt`, on the same shim as on the SoC."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.guests.vexriscv import processor
from tests.linux.console import Console
from tests.linux.monitor import Monitor, Symbols
from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]
# Those of `make linux-images`, or of an OUT of firmware/linux/Makefile.
IMAGES = Path(os.environ.get("LITEMRC_IMAGES", ROOT / "build/linux"))
SHIM = IMAGES / "shim-virt.bin"

MEMORY_MB = 32
READY = r"init done after"


def bits_of(kernel: Path) -> int:
    """Return the bits of the processor for which a kernel is configured, by its build folder."""
    configured = kernel / ".config"
    return 64 if configured.exists() and "\nCONFIG_64BIT=y\n" in configured.read_text() else 32


def machine(bits: int) -> list[str]:
    """Return the command of qemu for a machine like the SoC's.

    There is no timer of supervisor mode, which the kernel would use instead of the shim's.
    """
    return [f"qemu-system-riscv{bits}", "-machine", "virt", "-cpu", processor(bits)]


@dataclass
class Qemu:
    """A machine that boots when its `with` block begins, and is ended with the block.

    folder: where the console's log goes.
    images: the folder of kernel, initramfs and shim.
    suffix: of the images: "" or "-debug".
    overlay: cpio files, unpacked over the initramfs.
    bootargs: more of the kernel's command line.
    arguments: more of qemu's.
    descriptors: files that qemu inherits.
    types: False if nothing is typed, so that runs of a machine without other inputs are alike.
    memory_mb: RAM.
    boot_timeout_s: until the shell is there, on a quiet machine.
    """

    folder: Path
    suffix: str = ""
    overlay: Sequence[Path] = ()
    bootargs: str = ""
    arguments: Sequence[str] = ()
    memory_mb: int = MEMORY_MB
    boot_timeout_s: float = 120
    images: Path = IMAGES
    descriptors: Sequence[int] = ()
    types: bool = True

    def __enter__(self) -> Console:
        """Boots; returns the console, its shell waiting for commands.

        Raises
        ------
        ConsoleError
            there is no shell in time; the message shows the console.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "console.log"
        self.monitor = Monitor()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                self._command(),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=[self.monitor.descriptor, *self.descriptors],
            )
        self.monitor.connect()
        console = Console(self._write, log, alive=lambda: self.process.poll() is None, state=self._state)
        try:
            console.wait_for(READY, self.boot_timeout_s)
            # Keep messages of the kernel out of the output of programs.
            if self.types:
                console.check("dmesg -n 1 2>/dev/null || echo 1 >/proc/sys/kernel/printk")
        except BaseException:
            self.__exit__()
            raise
        return console

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.monitor.close()

    def wait(self, timeout_s: float = 10) -> int:
        """Waits until the machine switched itself off; returns qemu's exit status."""
        return self.process.wait(scaled_timeout(timeout_s))

    def _state(self) -> str:
        try:
            symbols = Symbols(self.images / f"kernel{self.suffix}" / "System.map", self.images / SHIM.name)
        except OSError as error:
            return f"no symbols: {error}"
        return self.monitor.kernel_state(symbols)

    def _write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _command(self) -> list[str]:
        initramfs = self.images / f"initramfs{self.suffix}.cpio"
        if self.overlay:
            both = self.folder / "initramfs.cpio"
            both.write_bytes(b"".join(path.read_bytes() for path in (initramfs, *self.overlay)))
            initramfs = both
        return [
            *machine(bits_of(self.images / "kernel")),
            *("-m", str(self.memory_mb)),
            *("-display", "none", "-no-reboot", "-serial", "stdio", *self.monitor.arguments),
            *("-bios", str(self.images / SHIM.name)),
            *("-kernel", str(self.images / f"Image{self.suffix}"), "-initrd", str(initramfs)),
            *("-append", f"console=ttyS0 {self.bootargs}"),
            *self.arguments,
        ]
