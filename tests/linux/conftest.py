# SPDX-License-Identifier: BSD-2-Clause
"""Linux of `make linux-images`, booted in qemu for all tests of this folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.linux.console import Console, ConsoleError
from tests.linux.qemu import IMAGES, Qemu


@pytest.fixture(scope="session")
def images():
    """Return the folder of the images."""
    missing = [name for name in ("Image", "initramfs.cpio", "shim-virt.bin") if not (IMAGES / name).exists()]
    assert not missing, f"{IMAGES} has no {', '.join(missing)}; run: make linux-images"
    return IMAGES


class Machine:
    """One boot for all tests, and another if the shell no longer answers."""

    def __init__(self, new_folder: Callable[[], Path]) -> None:
        self._new_folder = new_folder
        self._qemu: Qemu | None = None

    def shell(self) -> Console:
        if self._qemu and self._console.timed_out and not self._answers():
            self.end()
        if not self._qemu:
            # Without norandmaps the places of stack and heap change how many pages a program touches.
            qemu = Qemu(self._new_folder(), bootargs="norandmaps")
            self._console = qemu.__enter__()
            self._qemu = qemu
        return self._console

    def _answers(self) -> bool:
        try:
            self._console.write(b"\x03")
            self._console.check("true")
        except (ConsoleError, OSError):
            return False
        self._console.timed_out = False
        return True

    def end(self) -> None:
        if self._qemu:
            self._qemu.__exit__()
        self._qemu = None


@pytest.fixture(scope="session")
def qemu_machine(images, tmp_path_factory):
    machine = Machine(lambda: tmp_path_factory.mktemp("linux"))
    yield machine
    machine.end()


@pytest.fixture
def linux(qemu_machine) -> Console:
    """The shell, as root."""
    return qemu_machine.shell()
