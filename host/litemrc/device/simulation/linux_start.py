# SPDX-License-Identifier: BSD-2-Clause
"""Linux on the simulated SoC, at its prompt: from a snapshot, which is made by one boot."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from litemrc.device.simulation.dram_files import Image
from litemrc.device.simulation.simulator import Simulator
from litemrc.device.simulation.snapshots import (
    Fingerprint,
    UnusableSnapshotError,
    find,
    fingerprint,
    keep,
    locked,
)
from litemrc.errors import UserError

LIST = "images.json"
FOLDER = "snapshot"  # beside the images
BOOT_TIMEOUT_S = 3600.0
DAEMON_TIMEOUT_S = 60.0
POLL_S = 0.1
_SHELL = re.compile(r"LiteMRC: Linux .*init done after(.|\n)*^# ", re.M)
_DAEMON = re.compile(r"litemrcd: serves|init: litemrcd ended")
_COLD = "boot it with --cold and read its console"


def linux_images(folder: Path) -> list[Image]:
    """Kernel, device tree and initramfs of a folder, each with its address.

    Raises
    ------
    UserError
        the folder has no list of images, lacks one of them, or has one of another size: the device
        tree says where the initramfs ends, and Linux would read that much of it.
    """
    try:
        listed = json.loads((folder / LIST).read_text())
        images = [(entry["address"], (folder / entry["file"]).read_bytes()) for entry in listed]
        for entry, (_, image) in zip(listed, images, strict=True):
            if len(image) != entry["bytes"]:
                what = f"has {len(image):,} bytes, and {entry['bytes']:,} when the device tree was made"
                raise UserError(what, where=str(folder / entry["file"]), remedy="run: make linux-ready")
        return images
    except OSError as error:
        raise UserError("Linux is not built", where=str(error.filename), remedy="run: make linux") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"not a list of images: {error}", where=str(folder / LIST), remedy="run: make linux"
        ) from error


def listed_names(folder: Path) -> list[str]:
    """Return the file of each of `linux_images`, in the same order."""
    return [entry["file"] for entry in json.loads((folder / LIST).read_text())]


def _no_notice(_: str) -> None:
    pass


@dataclass(frozen=True)
class LinuxBuild:
    """What a boot needs.

    Attributes
    ----------
    sim
        folder of the simulator.
    shim
        image of the ROM.
    images
        folder of kernel, device tree and initramfs.
    """

    sim: Path
    shim: Path
    images: Path

    def simulator(
        self,
        run_dir: Path,
        *,
        link_port: int = 0,
        link_baud: int = 0,
        cold: bool = False,
        on_boot: Callable[[str], object] = _no_notice,
        on_line: Callable[[str], object] = _no_notice,
        boot_timeout_s: float = BOOT_TIMEOUT_S,
    ) -> Simulator:
        """Return a simulator to be started; unless `cold`, it starts at the prompt, with the daemon ready.

        Without a usable snapshot Linux is booted once, in another simulator, before this returns.

        Parameters
        ----------
        link_port, link_baud
            those of `Simulator`.
        cold
            boot, without snapshot.
        on_boot
            called with the reason and the file of the console, before a boot for a snapshot.
        on_line
            called with each console line of that boot, line feed included.

        Raises
        ------
        UserError
            something is not built, or the boot failed.
        """
        if cold:
            return self._cold(run_dir, link_port, link_baud)
        state = self._state(on_boot, on_line, boot_timeout_s)
        return Simulator(self.sim, None, run_dir, link_port=link_port, link_baud=link_baud, state=state)

    @property
    def snapshots(self) -> Path:
        """The folder of the snapshot."""
        return self.images / FOLDER

    def inputs(self) -> Fingerprint:
        """Return the digests of all inputs of a boot.

        Raises
        ------
        UserError
            one is missing.
        """
        images = linux_images(self.images)
        named = {
            f"{name} at {address:#x}": image
            for name, (address, image) in zip(listed_names(self.images), images, strict=True)
        }
        try:
            return fingerprint(self.sim, named | {self.shim.name: self.shim.read_bytes()})
        except OSError as error:
            raise UserError(
                "the simulator is not built", where=str(error.filename), remedy="run: make sim-linux shim"
            ) from error

    def _state(
        self, on_boot: Callable[[str], object], on_line: Callable[[str], object], timeout_s: float
    ) -> Path:
        wanted = self.inputs()
        try:
            return find(self.snapshots, wanted)
        except UnusableSnapshotError:
            pass
        try:
            with locked(self.snapshots):
                try:
                    return find(self.snapshots, wanted)  # another process has made it meanwhile
                except UnusableSnapshotError as error:
                    why = str(error)
                return self._boot(wanted, lambda text: on_boot(f"{why}; {text}"), on_line, timeout_s)
        except OSError as error:
            raise UserError(
                f"cannot write a snapshot: {error.strerror}", where=str(error.filename), remedy="use --cold"
            ) from error

    def _boot(
        self,
        made_from: Fingerprint,
        on_boot: Callable[[str], object],
        on_line: Callable[[str], object],
        timeout_s: float,
    ) -> Path:
        with self._cold(self.snapshots / "boot") as simulator:
            on_boot(f"booting Linux once to make one; console: {simulator.console}")
            _wait_until_at_prompt(simulator, on_line, timeout_s)
            if self.inputs() != made_from:
                raise UserError(
                    "inputs changed while Linux booted", where=str(self.images), remedy="start again"
                )
            return keep(self.snapshots, made_from, simulator.save())

    def _cold(self, run_dir: Path, link_port: int = 0, link_baud: int = 0) -> Simulator:
        images = linux_images(self.images)
        return Simulator(
            self.sim, self.shim, run_dir, link_port=link_port, link_baud=link_baud, images=images
        )


def _wait_until_at_prompt(simulator: Simulator, on_line: Callable[[str], object], timeout_s: float) -> None:
    """Return when the shell has its prompt and the daemon serves the link, or has had the time to."""
    deadline = time.monotonic() + timeout_s
    lines, daemon_by = 0, None
    while True:
        ended, now = not simulator.running, time.monotonic()
        said = simulator.console.read_text(errors="replace")
        complete = said.splitlines(keepends=True)
        if complete and not complete[-1].endswith("\n"):
            complete.pop()
        for line in complete[lines:]:
            on_line(line)
        lines = len(complete)
        if _SHELL.search(said):
            daemon_by = daemon_by or now + DAEMON_TIMEOUT_S
            if _DAEMON.search(said) or now > daemon_by:
                return
        if ended or now > deadline:
            why = "the machine ended" if ended else f"not within {timeout_s:.0f} s"
            raise UserError(
                f"Linux did not come to its prompt: {why}", where=str(simulator.console), remedy=_COLD
            )
        time.sleep(POLL_S)
