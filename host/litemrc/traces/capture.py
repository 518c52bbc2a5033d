"""Runs a program under Valgrind's lackey and returns the page references that reach memory.

Lackey prints each access of the program as a line of text, about 15 to 20 bytes per instruction. The lines
come through a pipe and are not stored. Recorded: user-space loads, stores and instruction fetches, all
    threads
in one stream. Not recorded: accesses by the kernel, by child processes, and after an exec.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.cache_filter import CacheHierarchy
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.lackey import instruction_counts, page_references
from litemrc.traces.formats.lackey_lines import parse
from litemrc.traces.formats.lines import blocks
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import PAGE_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIPE_BYTES = 1 << 20
_BLOCK_BYTES = 4 << 20
_PATIENCE_S = 0.005
# Without the last option, a child between fork and exec would print into these lines.
_OPTIONS = ("--tool=lackey", "--trace-mem=yes", "--child-silent-after-fork=yes")


@dataclass
class Progress:
    """Progress of a capture.

    Attributes:
        instructions, accesses: of the program so far, before any cache.
        references: page references recorded.
        bytes: bytes of lackey's text.
        exit_code: of the program, after its end.
    """

    instructions: int = 0
    accesses: int = 0
    references: int = 0
    bytes: int = 0
    exit_code: int | None = None


class Capture:
    """A running program and its references as chunks; times count instructions begun.

    Attributes:
        progress: updated while chunks are read.
        caches: caches between program and memory; None: every access is recorded.
    """

    time_unit = "instructions"

    def __init__(
        self, command: Sequence[str], caches: CacheHierarchy | None, page_bytes: int = PAGE_BYTES
    ) -> None:
        self.progress = Progress()
        self.caches = caches
        self._command = list(command)
        self._page_bytes = page_bytes

    def chunks(self) -> Generator[Chunk, None, None]:
        """Run the program and yield its chunks; closing the iteration early kills the program.

        Raises:
            UserError: valgrind or the program is missing, or lackey's output is malformed.
        """
        with _lackey(self._command) as (process, source):
            for block in blocks(source, _BLOCK_BYTES):
                accesses = parse(block, "lackey")
                if not accesses.kinds.size:
                    continue
                times = self.progress.instructions + instruction_counts(accesses)
                self.progress.instructions = int(times[-1])
                self.progress.accesses += accesses.kinds.size
                self.progress.bytes = source.offset
                if self.caches is None:
                    chunk = page_references(accesses, times, self._page_bytes)
                else:
                    lines, writes, positions = self.caches.run(accesses)
                    shift = np.uint64(self._page_bytes.bit_length() - 1)
                    chunk = Chunk(lines >> shift, writes, times[positions])
                self.progress.references += len(chunk)
                yield chunk
            self.progress.exit_code = process.wait()
        if not self.progress.accesses:
            raise UserError(
                f"valgrind recorded no access (exit code {self.progress.exit_code})",
                where=self._command[0],
                remedy="see its message above",
            )


@contextmanager
def _lackey(command: list[str]) -> Iterator[tuple[subprocess.Popen, ByteSource]]:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UserError("valgrind is not installed", remedy="apt-get install valgrind")
    if shutil.which(command[0]) is None:
        raise UserError("the program does not exist", where=command[0], remedy="give its path or install it")
    reader, writer = os.pipe()
    with suppress(OSError):  # a larger pipe is only faster
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    try:
        process = subprocess.Popen([valgrind, *_OPTIONS, f"--log-fd={writer}", *command], pass_fds=(writer,))
    except OSError as error:
        os.close(reader)
        raise UserError(f"cannot start: {error.strerror}", where=valgrind) from error
    finally:
        os.close(writer)
    pipe = _PatientPipe(reader, ended=lambda: process.poll() is not None)
    source = ByteSource(BufferedReader(pipe, _BLOCK_BYTES), "lackey", None)
    try:
        yield process, source
    finally:
        source.close()
        if process.poll() is None:
            process.kill()
            process.wait()


class _PatientPipe(RawIOBase):
    """The read end of a pipe; it is read when much data waits or the writing process has ended.

    Lackey writes each line separately; a wake-up of the reader per line would cost more than the program. The
    write end may stay open after the process ends, because silent children inherit it.
    """

    def __init__(self, descriptor: int, ended: Callable[[], bool]) -> None:
        self._descriptor = descriptor
        self._ended = ended
        self._enough = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ) // 4

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        waiting = bytearray(4)
        while True:
            ended = self._ended()  # checked first, so that all data written before the end is visible below
            fcntl.ioctl(self._descriptor, termios.FIONREAD, waiting)
            count = int.from_bytes(waiting, sys.byteorder)
            if count >= self._enough or (ended and count):
                return os.readv(self._descriptor, [buffer])
            if ended:
                return 0
            time.sleep(_PATIENCE_S)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()
