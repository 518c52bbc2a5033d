# SPDX-License-Identifier: BSD-2-Clause
"""Renode as a device: the bare-metal platform in a process of its own, its link on a free TCP port."""

import socket
import subprocess
import time
from pathlib import Path
from typing import Self

from scripts import start_renode
from tests.timeouts import Deadline, scaled_timeout

REPO = Path(__file__).resolve().parents[2]
MODEL = REPO / "build/models/liblitemrc_model.so"
FIRMWARE = REPO / "build/firmware/firmware.bin"
RANKS_FIRMWARE = REPO / "build/firmware-ranks/firmware.bin"
ULX3S = [REPO / "build/renode-ulx3s" / name for name in ("software/bios/bios.bin", "sd.img")]
LINUX = [
    REPO / "build" / name
    for name in ("boot/shim.bin", "linux/Image", "linux/litemrc.dtb", "linux/initramfs.cpio")
]


def why_not(*needed: Path) -> str | None:
    """What is missing for a run; None if it can begin."""
    if reason := start_renode.why_not():
        return reason
    missing = [str(path.relative_to(REPO)) for path in needed if not path.exists()]
    return f"not built: {', '.join(missing)}" if missing else None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class RenodeMachine:
    """A running machine; a context manager that ends it, and so completes its record.

    Parameters
    ----------
    run_dir
        where log, console and record go.
    commands
        of Renode's command line, before the machine starts.
    script
        in renode/.
    firmware
        raw image for the ROM.

    Attributes
    ----------
    url
        pyserial URL of the link.
    record, console, log
        files.
    """

    def __init__(
        self, run_dir: Path, *commands: str, script: str = "litemrc.resc", firmware: Path = FIRMWARE
    ) -> None:
        self.record, self.console, self.log = (
            run_dir / name for name in ("record.npy", "console.log", "renode.log")
        )
        port = free_port()
        self.url = f"socket://localhost:{port}"
        self._commands = [
            f"$port={port}",
            f"$firmware=@{firmware}",
            f"include @{REPO}/renode/{script}",
            f"sysbus.uart CreateFileBackend @{self.console} true",
            f"sysbus.mrc Record @{self.record}",
            *commands,
            "start",
        ]

    def __enter__(self) -> Self:
        self._output = self.log.open("wb")
        self._process = subprocess.Popen(
            ["renode", "--disable-xwt", "--console", "--plain", "-e", "; ".join(self._commands)],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        self.wait_said(self.log, "Machine started")
        return self

    def wait_said(self, file: Path, text: str, timeout_s: float = 60) -> None:
        """Waits until a file has a text in it."""
        deadline = Deadline(timeout_s)
        while not deadline.passed:
            if file.exists() and text in file.read_text(errors="replace"):
                return
            assert self._process.poll() is None, self.log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)
        raise AssertionError(
            f"{file.name} never said {text!r}: {self.log.read_text(errors='replace')[-3000:]}"
        )

    def command(self, line: str) -> None:
        """Gives Renode a command; what it answers is in the log."""
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def __exit__(self, *exception: object) -> None:
        try:
            self._process.communicate(b"quit\n", timeout=scaled_timeout(30))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
