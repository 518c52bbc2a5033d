# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program in QEMU and returns the page references that reach memory.

Recorded: user-space loads, stores and instruction fetches of all threads, behind the caches of the plugin
(`native/qemu`), and of children by fork if they are asked for. Not recorded: accesses by the kernel, and by a
program that a process starts by exec. Of a whole machine: loads and stores of all its processors, at physical
pages.
"""

import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.qemu.counts import (
    CONTEXT_BITS,
    CONTEXT_SHIFT,
    PAGE_BITS,
    CacheCounts,
    RecordStream,
    read_counts,
)
from litemrc.traces.qemu.monitored import Interrupts, Monitor, Running, running, running_machine

_PATIENCE_S = 4.0  # a program that goes on after Ctrl-C is killed


@dataclass
class Progress:
    """Progress of a capture.

    Attributes
    ----------
    instructions
        begun so far, of the last reference; of all at the end.
    references
        page references recorded.
    processes
        recorded ones.
    exit_code
        of the program, after its end; below 0 for a signal.
    caches
        counts by name, after the end.
    """

    instructions: int = 0
    references: int = 0
    processes: int = 0
    exit_code: int | None = None
    caches: dict[str, CacheCounts] = field(default_factory=dict)


class Capture:
    """A running program and its references as chunks; times count instructions begun.

    Parameters
    ----------
    command
        program and arguments.
    monitor
        caches, page size.
    children
        record child processes too; chunks then have contexts, 0 for the program itself.
    interrupts
        ends the program after Ctrl-C.
    sysroot
        folder with the libraries of a foreign program.
    system
        the command is that of a whole machine; chunks have the monitor's contexts, if it has any.

    Attributes
    ----------
    progress
        updated while chunks are read.
    """

    time_unit = "instructions"

    def __init__(
        self,
        command: Sequence[str],
        monitor: Monitor,
        *,
        children: bool = False,
        interrupts: Interrupts | None = None,
        sysroot: str | None = None,
        system: bool = False,
    ) -> None:
        self.progress = Progress()
        self._command, self._monitor, self._sysroot, self._system = list(command), monitor, sysroot, system
        self._children, self._interrupts = children, interrupts
        self._contexts: dict[int, int] = {}
        self._latest: dict[int, int] = {}  # by process: time of its last reference

    def chunks(self) -> Generator[Chunk, None, None]:
        """Run the program and yield its chunks; closing the iteration early kills the program.

        Raises
        ------
        UserError
            QEMU or the program is missing, nothing was recorded, or a count was lost.
        """
        with (
            closing(RecordStream()) as stream,
            self._running(stream.writer.fileno()) as program,
        ):
            stream.started()
            main = program.process
            self._contexts[main.pid] = 0
            waiting: list[Chunk] = []
            for message in stream.messages(lambda: self._has_ended(main)):
                if message and (self._children or message[0] == main.pid):
                    waiting.append(self._chunk(*message))
                if waiting and (message is None or sum(map(len, waiting)) >= CHUNK_REFERENCES):
                    yield _joined(waiting)
                    waiting = []
            if waiting:
                yield _joined(waiting)
            self.progress.exit_code = main.wait()
            self._finish(program.folder, main.pid)

    def _running(self, stream: int) -> AbstractContextManager[Running]:
        if self._system:
            return running_machine(self._command, self._monitor, stream=stream, stdout=sys.stderr)
        return running(self._command, self._monitor, stream=stream, sysroot=self._sysroot)

    def _has_ended(self, process: "subprocess.Popen[bytes]") -> bool:
        if self._interrupts:
            self._interrupts.forward(process, _PATIENCE_S)
        return process.poll() is not None

    def _chunk(self, process: int, records: NDArray[np.uint64]) -> Chunk:
        times = records[:, 0] & np.uint64((1 << CONTEXT_SHIFT) - 1)
        # A process counts its own instructions; the trace counts those of all, in message order.
        first = self.progress.instructions - self._latest.get(process, 0)
        self._latest[process] = int(times[-1])
        times = times + np.uint64(first)
        self.progress.instructions = int(times[-1])
        self.progress.references += times.size
        fields = records[:, 1]
        return Chunk(
            fields & np.uint64((1 << PAGE_BITS) - 1),
            (fields >> np.uint64(PAGE_BITS) & np.uint64(1)).astype(bool),
            times,
            self._contexts_of(process, records),
            processors=(fields >> np.uint64(PAGE_BITS + 1)).astype(np.uint16),
        )

    def _contexts_of(self, process: int, records: NDArray[np.uint64]) -> NDArray[np.uint32] | None:
        if self._monitor.contexts:
            return (records[:, 0] >> np.uint64(CONTEXT_SHIFT) & np.uint64((1 << CONTEXT_BITS) - 1)).astype(
                np.uint32
            )
        if self._children:
            return np.full(len(records), self._contexts.setdefault(process, len(self._contexts)), np.uint32)
        return None

    def _finish(self, folder: Path, main: int) -> None:
        counts = [c for c in read_counts(folder, self._command[0]) if self._children or c.process == main]
        self.progress.processes = len(counts)
        self.progress.instructions = max(self.progress.instructions, sum(c.instructions for c in counts))
        names = ["instructions", *(f"level {n}" for n in range(1, len(self._monitor.levels) + 1))]
        for each in counts:
            for name, cache in zip(names, (each.instruction_cache, *each.caches), strict=False):
                if cache and cache.accesses:
                    before = self.progress.caches.get(name, CacheCounts())
                    self.progress.caches[name] = before + cache
        if not self.progress.references:
            raise UserError(
                f"nothing was recorded (exit code {self.progress.exit_code})",
                where=self._command[0],
                remedy="see the message above; a program for another architecture needs --sysroot",
            )
        sent = sum(each.streamed for each in counts)
        if counts and sent != self.progress.references:
            raise UserError(
                f"{sent:,} references were sent, and {self.progress.references:,} arrived",
                where=self._command[0],
                remedy="please report this",
            )


def _joined(chunks: list[Chunk]) -> Chunk:
    def column(name: str) -> NDArray | None:
        parts = [getattr(chunk, name) for chunk in chunks]
        return None if parts[0] is None else np.concatenate(parts)

    return Chunk(
        np.concatenate([chunk.pages for chunk in chunks]),
        column("writes"),
        column("times"),
        column("contexts"),
        processors=column("processors"),
    )
