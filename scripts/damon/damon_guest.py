# SPDX-License-Identifier: BSD-2-Clause
"""Linux with DAMON in qemu, and the plugin that records its accesses."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.formats.recorders.damon_records import Snapshot, parse_snapshots
from litemrc.traces.qemu.counts import COUNTED, PAGE_BITS, RecordStream
from litemrc.traces.qemu.emulator import machine_emulator
from litemrc.traces.qemu.monitored import Monitor, plugin_option
from numpy.typing import NDArray

from scripts.damon.damon_recorded import GuestLog, Recorded, Setting, parse_log, perf_script
from tests.linux.driver.cpio import write_initramfs
from tests.linux.qemu import ROOT, Qemu

IMAGES = ROOT / "build/linux-damon"
INTERVAL = 1 << 14  # instructions in which references are counted: 0.5 ms of the slow processor
_HOTSET = (ROOT / "firmware/linux/damon/hotset.c").read_text()
TOUCHES_PER_MARK = int(re.search(r"#define MARK (\d+)u", _HOTSET)[1])
# Of the SoC: 4 KB beside the processor, 8 KB in front of the DRAM.
CACHES = (CacheShape(4096, 1, 32), CacheShape(8192, 1, 32))
MEMORY_MB = 64
PORT, LOG = "/dev/vport0p1", "/tmp/log"
SEPARATOR = "----"


class GuestError(Exception):
    """A command of the guest failed."""


class Recorder(threading.Thread):
    """Takes the plugin's records of a machine until it ends."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = threading.Event()
        self._stream = RecordStream()
        self._accesses: list[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.bool_]]] = []
        self._counts: list[tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint16]]] = []

    @contextmanager
    def option(self) -> Iterator[tuple[list[str], list[int]]]:
        """Yield qemu's option for the plugin, and the descriptor for it; wait for the last record."""
        monitor = Monitor(4096, CACHES, None, False, interval=INTERVAL)
        descriptor = self._stream.writer.fileno()
        emulator = machine_emulator(["qemu-system-riscv32"])
        with plugin_option(emulator, monitor, descriptor) as (_, option):
            self.start()
            try:
                yield ["-plugin", option], [descriptor]
            finally:
                self._ended.set()
                self.join()
                self._stream.close()

    def run(self) -> None:
        """Take what comes."""
        for message in filter(None, self._stream.messages(self._ended.is_set)):
            times, words = message[1][:, 0], message[1][:, 1]
            frames, above = words.astype(np.uint32), words >> PAGE_BITS
            counted = (times & COUNTED) != 0
            instants = (times & (COUNTED - 1)).astype(np.int64)
            if counted.any():
                self._counts.append((instants[counted], frames[counted], above[counted].astype(np.uint16)))
                rest = ~counted
                instants, frames, above = instants[rest], frames[rest], above[rest]
            self._accesses.append((instants, frames, (above & 1).astype(np.bool_)))

    def recorded(self, setting: Setting, log: GuestLog, snapshots: list[Snapshot]) -> Recorded:
        """Return everything, in the order of the instructions."""
        accesses = [np.concatenate(column) for column in zip(*self._accesses, strict=True)]
        counts = [np.concatenate(column) for column in zip(*self._counts, strict=True)]
        return Recorded(setting, log, snapshots, *accesses, *counts)


def run_script(
    folder: Path,
    ns_log2: int,
    script: Sequence[str],
    recorder: Recorder | None = None,
    timeout_s: float = 900,
) -> tuple[str, str]:
    """Run command lines in a machine of its own; return what they print, and write to the port.

    The machine's clock counts instructions, 2^ns_log2 nanoseconds each; idle time is skipped. Nothing is
    typed and random numbers have a seed, so that a machine does the same each time.

    Raises
    ------
    GuestError
        a command failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port, profile, overlay = (folder / name for name in ("port", "profile", "overlay.cpio"))
    port.unlink(missing_ok=True)
    profile.write_text("\n".join(["(set -e", *script, ")", 'echo "status $?"', "poweroff -f", ""]))
    write_initramfs(overlay, {"etc/profile": profile})  # the first shell reads it
    arguments = ["-icount", f"shift={ns_log2},sleep=off", "-seed", "1", "-rtc", "clock=vm"]
    arguments += ["-device", "virtio-serial-device", "-chardev", f"file,id=port,path={port}"]
    arguments += ["-device", "virtserialport,chardev=port"]
    with ExitStack() as stack:
        words, descriptors = stack.enter_context(recorder.option()) if recorder else ([], [])
        qemu = Qemu(
            folder,
            "-damon",
            overlay=[overlay],
            arguments=[*words, *arguments],
            memory_mb=MEMORY_MB,
            images=IMAGES,
            descriptors=descriptors,
            types=False,
        )
        with qemu as console:
            printed = console.wait_for(r"(?m)((?:.|\n)*)^status (\d+)\r*$", timeout_s)
            qemu.wait(60)
    if printed[2] != "0":
        raise GuestError(f"exit status {printed[2]} of {'; '.join(script)}:\n{printed[1]}")
    return printed[1].replace("\r", ""), port.read_text()


def record(folder: Path, setting: Setting, pattern: str, pages: int, ms: int) -> Recorded:
    """Run a pattern of hotset.c under DAMON, and record it."""
    recorder = Recorder()
    command = f"damon-record {setting.words} {PORT} hotset {pattern} {pages} {ms} {LOG}"
    script = [command, f"echo {SEPARATOR} >{PORT}", f"cat {LOG} >{PORT}"]
    _, sent = run_script(folder, setting.ns_log2, script, recorder)
    lines, _, log = sent.partition(SEPARATOR + "\n")
    snapshots = parse_snapshots(perf_script(lines), f"{pattern}, {setting.words}")
    return recorder.recorded(setting, parse_log(log), snapshots)


def touches(folder: Path, settings: Sequence[Setting], pattern: str, pages: int, ms: int) -> list[int]:
    """Return the touches that a pattern makes in a time under each setting, while nothing is recorded."""
    script = [f"damon-record {each.words} - hotset {pattern} {pages} {ms} {LOG}" for each in settings]
    printed, _ = run_script(folder, settings[0].ns_log2, script)
    marks = re.findall(r"^marks (\d+)$", printed, re.M)
    if len(marks) != len(settings):
        raise GuestError(f"{len(settings)} runs of hotset printed: {printed}")
    return [int(number) * TOUCHES_PER_MARK for number in marks]
