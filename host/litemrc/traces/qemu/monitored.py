# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program, or a machine, in QEMU with the plugin."""

import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from litemrc.errors import UserError
from litemrc.traces.cache_shape import INSTRUCTIONS, LEVELS, CacheShape
from litemrc.traces.qemu.emulator import (
    architecture,
    machine_emulator,
    major_version,
    plugin_for,
    program_path,
    user_emulator,
)

_READS_REGISTERS = 9  # first version of QEMU whose plugins read registers
FRAME_BITS = 48  # of page numbers; pages beyond count as outside


@dataclass(frozen=True)
class DeviceSettings:
    """The monitor as a device with registers, on a machine's DRAM.

    Attributes
    ----------
    engine
        group or bucket.
    base, bytes
        of the DRAM.
    record
        file for the monitor's input, in the format of the simulator's recorder.
    """

    engine: str
    base: int
    bytes: int
    record: str = ""

    def arguments(self, control: int) -> list[str]:
        """Return the plugin's arguments; `control`: descriptor of the socket for registers."""
        words = {"device": self.engine, "base": self.base, "bytes": self.bytes, "control": control}
        return [
            *(f"{name}={value}" for name, value in words.items()),
            *([f"record={self.record}"] if self.record else []),
        ]


@dataclass(frozen=True)
class Monitor:
    """Settings of the plugin: `native/qemu/settings.hpp`.

    Attributes
    ----------
    page_bytes
        size of a page, a power of two.
    levels
        caches from the processor to memory; the first two are each processor's own, further ones are
        shared. Empty: every access reaches memory.
    instructions
        instruction cache in front of the second level; None: see `fetches`.
    fetches
        without caches: instruction fetches are accesses.
    engine
        exact, group or bucket, as in `litemrc.native.engines`; none: no curve.
    frames, groups
        of group and bucket.
    sampling
        K of the sample rate 1/2^K.
    epoch
        accesses of an epoch, whose working sets are counted; 0: no epochs.
    interval
        instructions of an interval, in which references to each page are counted for the stream;
        0: they are not.
    contexts
        of a machine's accesses; spaces: their address spaces; parts, with a device: equal parts of
        its DRAM; empty: 0, or that of the device's register.
    raw
        the stream has the program's accesses instead of those that reach memory (for tests).

    Raises
    ------
    UserError
        a level with shorter lines than a write-back one above, or lines longer
        than pages; a lower level that is write-through.
    """

    page_bytes: int = 4096
    levels: Sequence[CacheShape] = LEVELS
    instructions: CacheShape | None = INSTRUCTIONS
    fetches: bool = True
    engine: str = "none"
    frames: int = 0
    groups: int = 0
    sampling: int = 0
    epoch: int = 0
    interval: int = 0
    contexts: str = ""
    raw: bool = False

    def __post_init__(self) -> None:
        shapes = list(self.levels)
        # A line of a write-through cache is several accesses to shorter lines below.
        first = [s for s in (*shapes[:1], self.instructions) if s and not s.write_through]
        longest = max((s.line_bytes for s in first), default=0)
        for lower in (*shapes[1:], *filter(None, [self.instructions])):
            if lower.write_through:
                raise UserError(
                    f"cache {lower} is write-through", remedy="only the first level of data may be so"
                )
        for above, below in zip([longest, *(s.line_bytes for s in shapes[1:])], shapes[1:], strict=False):
            if below.line_bytes < above:
                raise UserError(
                    f"cache {below} has shorter lines than the level above",
                    remedy="give each level lines of at least that length",
                )
        if shapes and max(s.line_bytes for s in shapes) > self.page_bytes:
            raise UserError(
                f"a cache has lines longer than a page of {self.page_bytes} bytes",
                remedy="give shorter lines, or a larger --page-size",
            )

    @property
    def counts_fetches(self) -> bool:
        """Return whether instruction fetches are references."""
        return self.instructions is not None if self.levels else self.fetches

    def arguments(self) -> list[str]:
        """Return the plugin's arguments."""
        shapes = [
            f"level={s.bytes}:{s.ways}:{s.line_bytes}{':wt' if s.write_through else ''}" for s in self.levels
        ]
        if self.levels and (code := self.instructions):
            shapes.append(f"icache={code.bytes}:{code.ways}:{code.line_bytes}")
        numbers = {
            "page-shift": self.page_bytes.bit_length() - 1,
            "frame-bits": FRAME_BITS,
            "frames": self.frames,
            "groups": self.groups,
            "sampling": self.sampling,
            "epoch": self.epoch,
            "fetches": int(self.counts_fetches),
            "raw": int(self.raw),
        }
        if self.interval:
            numbers["interval"] = self.interval
        if self.contexts:
            shapes.append(f"contexts={self.contexts}")
        return [f"engine={self.engine}", *(f"{name}={value}" for name, value in numbers.items()), *shapes]


@dataclass(frozen=True)
class Running:
    """A program in QEMU, and the folder of its counts.

    Attributes
    ----------
    process
        the emulator.
    folder
        where the plugin writes; see `counts.py`.
    """

    process: "subprocess.Popen[bytes]"
    folder: Path


@contextmanager
def running_machine(
    command: Sequence[str],
    monitor: Monitor,
    *,
    device: DeviceSettings | None = None,
    control: int | None = None,
    stream: int | None = None,
    stdout: IO[str] | None = None,
) -> Iterator[Running]:
    """Start a machine; the end of the block kills what still runs, and removes the folder.

    Parameters
    ----------
    command
        QEMU's emulator of a whole machine and its arguments.
    monitor
        without instruction fetches; their physical addresses are not known.
    device, control
        of the device, and the descriptor of the socket for its registers.
    stream, stdout
        as for `running`.

    Raises
    ------
    UserError
        no emulator of machines, one without the translator, or no plugin for it.
    """
    if monitor.counts_fetches:
        raise ValueError("instruction fetches of a machine have no physical addresses")
    emulator = machine_emulator(command)
    if monitor.contexts == "spaces" and major_version(emulator) < _READS_REGISTERS:
        raise UserError(
            f"QEMU {major_version(emulator)} does not show its plugins the address spaces",
            where=str(emulator),
            remedy=f"use QEMU {_READS_REGISTERS} or later, or drop --contexts spaces",
        )
    further = device.arguments(control) if device and control is not None else []
    with plugin_option(emulator, monitor, stream, further) as (folder, option):
        # First, since further options may be files of the machine.
        words = [str(emulator), "-plugin", option, *command[1:]]
        yield from _process(words, folder, [each for each in (stream, control) if each is not None], stdout)


@contextmanager
def running(
    command: Sequence[str],
    monitor: Monitor,
    *,
    stream: int | None = None,
    stdout: IO[str] | None = None,
    sysroot: str | None = None,
) -> Iterator[Running]:
    """Start a program; the end of the block kills what still runs, and removes the folder.

    Parameters
    ----------
    command
        program and arguments.
    stream
        descriptor of a SOCK_SEQPACKET socket for the records.
    stdout
        of the program; None: that of this process.
    sysroot
        folder with the libraries of a foreign program.

    Raises
    ------
    UserError
        no program, no emulator, or no plugin for it.
    """
    program = program_path(command[0])
    emulator = user_emulator(architecture(program))
    with plugin_option(emulator, monitor, stream) as (folder, option):
        root = ["-L", sysroot] if sysroot else []
        # Preloaded into the emulator, to see that a program is killed; the program keeps its own setting.
        own = os.environ.get("LD_PRELOAD")
        hidden = ["-E", f"LD_PRELOAD={own}"] if own else ["-U", "LD_PRELOAD"]
        words = [*root, *hidden, "-0", command[0], "-plugin", option, str(program), *command[1:]]
        preload = {"LD_PRELOAD": str(plugin_for(emulator))}
        descriptors = [] if stream is None else [stream]
        yield from _process([str(emulator), *words], folder, descriptors, stdout, preload)


@contextmanager
def plugin_option(
    emulator: Path, monitor: Monitor, stream: int | None, further: Sequence[str] = ()
) -> Iterator[tuple[Path, str]]:
    """Yield the folder for the counts, and the value of the emulator's option -plugin.

    Parameters
    ----------
    further
        arguments of the plugin.

    Raises
    ------
    UserError
        no plugin for this emulator.
    """
    plugin = plugin_for(emulator)
    with tempfile.TemporaryDirectory(prefix="litemrc-") as name:
        arguments = [f"out={name}", *monitor.arguments(), *further]
        if stream is not None:
            arguments.append(f"stream={stream}")
        yield Path(name), ",".join(part.replace(",", ",,") for part in (str(plugin), *arguments))


def _process(
    command: list[str],
    folder: Path,
    descriptors: Sequence[int],
    stdout: IO[str] | None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    process = subprocess.Popen(
        command,
        pass_fds=descriptors,
        stdout=stdout,
        env=os.environ | (environment or {}),
    )
    try:
        yield Running(process, folder)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


class Interrupts:
    """Records Ctrl-C, so that what was counted is kept; a second Ctrl-C interrupts at once.

    The program receives its own SIGINT from the terminal; `forward` is for one that only this process
    received.
    """

    def __init__(self) -> None:
        self.at: float | None = None
        self._sent = False
        self._previous = signal.signal(signal.SIGINT, self._record)

    def _record(self, *_: object) -> None:
        if self.at is not None:
            raise KeyboardInterrupt
        self.at = time.monotonic()

    def forward(self, process: "subprocess.Popen[bytes]", timeout_s: float = math.inf) -> None:
        """Send SIGINT to a program that goes on a second after Ctrl-C; kill it after `timeout_s`."""
        if self.at is None or process.poll() is not None:
            return
        elapsed = time.monotonic() - self.at
        if elapsed > 1 and not self._sent:
            self._sent = True
            process.send_signal(signal.SIGINT)
        if elapsed > timeout_s:
            process.kill()

    def __enter__(self) -> "Interrupts":
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._previous)


def wait(running: Running, interrupts: Interrupts) -> int:
    """Return the exit code of the program, below 0 for a signal."""
    while True:
        try:
            return running.process.wait(0.2)
        except subprocess.TimeoutExpired:
            interrupts.forward(running.process)
