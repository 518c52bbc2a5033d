"""Linux with DAMON in qemu: a workload with known pages, DAMON on it, and the recorder's view of both."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from linux.driver.cpio import write_initramfs
from linux.qemu import ROOT, Qemu
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.formats.recorders.damon_records import Snapshot, parse_snapshots
from litemrc.traces.qemu.emulator import machine_emulator
from litemrc.traces.qemu.monitored import Monitor, plugin_option
from litemrc.traces.qemu.recording import COUNTED, PAGE_BITS, RecordStream
from numpy.typing import NDArray

IMAGES = ROOT / "build/linux-damon"
INTERVAL = 1 << 14  # instructions in which references are counted: 0.5 ms of the slow processor
TOUCHES_PER_MARK = 512  # of hotset.c
# Of the SoC: 4 KB beside the processor, 8 KB in front of the DRAM.
CACHES = (CacheShape(4096, 1, 32), CacheShape(8192, 1, 32))
MEMORY_MB = 64
PORT, LOG = "/dev/vport0p1", "/tmp/log"
SEPARATOR = "----"


@dataclass(frozen=True)
class Setting:
    """How DAMON monitors.

    Attributes:
        ops: vaddr, paddr, or none to run without DAMON.
        sample_us, aggregate_us, update_us: intervals in microseconds.
        least, most: regions.
        ns_log2: binary logarithm of the nanoseconds of an instruction. 32 ns are 31 million instructions a
            second, as many as VexRiscv of some 60 MHz has.
    """

    ops: str
    sample_us: int = 5000
    aggregate_us: int = 100_000
    update_us: int = 1_000_000
    least: int = 10
    most: int = 1000
    ns_log2: int = 5

    @property
    def physical(self) -> bool:
        """Return whether the regions are of physical addresses."""
        return self.ops == "paddr"

    @property
    def instructions_per_s(self) -> float:
        """Return the speed of the processor."""
        return 1e9 / (1 << self.ns_log2)

    @property
    def words(self) -> str:
        """Arguments of damon-record."""
        numbers = (self.sample_us, self.aggregate_us, self.update_us, self.least, self.most)
        return " ".join([self.ops, *map(str, numbers)])


@dataclass(frozen=True, eq=False)
class GuestLog:
    """What hotset.c wrote.

    Attributes:
        first: virtual address of page 0.
        frames: int64[pages], frame of each page.
        mark_frames, mark_ns: int64[marks], the frame that was read, and the time before.
        moves: time of each move of the hot set, and by how many pages it is moved then.
    """

    first: int
    frames: NDArray[np.int64]
    mark_frames: NDArray[np.int64]
    mark_ns: NDArray[np.int64]
    moves: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Recorded:
    """One run: DAMON's snapshots, and what the recorder saw from the reset on.

    Attributes:
        times, frames, writes: of each DRAM access, by number of instruction.
        counted_times, counted_frames, counted: references to a page in the interval that ended then.
    """

    setting: Setting
    log: GuestLog
    snapshots: list[Snapshot]
    times: NDArray[np.int64]
    frames: NDArray[np.uint32]
    writes: NDArray[np.bool_]
    counted_times: NDArray[np.int64]
    counted_frames: NDArray[np.uint32]
    counted: NDArray[np.uint16]


def parse_log(text: str) -> GuestLog:
    """Return the contents of hotset's FILE.

    Raises:
        ValueError: a line is missing.
    """
    rows: dict[str, list[list[int]]] = {"first": [], "page": [], "mark": [], "move": []}
    for line in text.splitlines():
        kind, *numbers = line.split()
        rows[kind].append([int(number) for number in numbers])
    if not rows["first"] or not rows["page"] or not rows["mark"]:
        raise ValueError("the log of hotset has no first address, no page or no mark")
    marks = np.array(rows["mark"], np.int64)
    pages = np.array(rows["page"], np.int64)[:, 0]
    return GuestLog(rows["first"][0][0], pages, marks[:, 0], marks[:, 1], [(a, b) for a, b in rows["move"]])


def perf_script(text: str) -> bytes:
    """Return lines of the kernel's tracing as `perf script` prints them: the event with its system."""
    return text.replace(": damon_aggregated:", ": damon:damon_aggregated:").encode()


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

    Raises:
        GuestError: a command failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port, profile, overlay = (folder / name for name in ("port", "profile", "overlay.cpio"))
    port.unlink(missing_ok=True)
    profile.write_text("\n".join(["(set -e", *script, ")", 'echo "status $?"', "poweroff -f", ""]))
    write_initramfs(overlay, {"etc/profile": profile})  # the first shell reads it
    arguments = ["-icount", f"shift={ns_log2},sleep=off", "-seed", "1", "-rtc", "clock=vm"]
    arguments += ["-device", "virtio-serial-device", "-chardev", f"file,id=port,path={port}"]
    arguments += ["-device", "virtserialport,chardev=port"]
    with recorder.option() if recorder else nullcontext(([], [])) as (words, descriptors):
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
