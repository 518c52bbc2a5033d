"""Runs a program under Valgrind's lackey and keeps the page references of it that reach memory.

Lackey tells each access of the program's first process as a line of text, some 15 to 20 bytes an instruction;
the lines come through a pipe and are never stored. Seen: user-space loads, stores and instruction fetches, all
threads in one stream. Not seen: the kernel's accesses for the program, and child processes.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.cache_filter import CacheHierarchy
from litemrc.traces.chunk import Chunk
from litemrc.traces.lackey import instruction_counts, page_references
from litemrc.traces.lackey_lines import parse
from litemrc.traces.lines import blocks
from litemrc.traces.streams import ByteSource
from litemrc.traces.trace import PAGE_BYTES

_PIPE_BYTES = 1 << 20
_BLOCK_BYTES = 4 << 20


@dataclass
class Progress:
    """How far a capture is.

    Attributes:
        instructions, accesses: of the program so far, before any cache.
        references: page references kept.
        bytes: text of lackey's read.
        exit_code: the program's, once it has ended.
    """

    instructions: int = 0
    accesses: int = 0
    references: int = 0
    bytes: int = 0
    exit_code: int | None = None


class Capture:
    """A program being run and its references as chunks; times are instructions begun.

    Attributes:
        progress: kept up to date while the chunks are taken.
        caches: the caches between program and memory, None: every access is kept.
    """

    time_unit = "instructions"

    def __init__(
        self, command: Sequence[str], caches: CacheHierarchy | None, page_bytes: int = PAGE_BYTES
    ) -> None:
        self.progress = Progress()
        self.caches = caches
        self._command = list(command)
        self._page_bytes = page_bytes

    def chunks(self) -> Iterator[Chunk]:
        """Run the program to its end; leaving the iteration early ends the program.

        Raises:
            UserError: no valgrind, no such program, or lackey prints what it should not.
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
                f"valgrind ran nothing (exit code {self.progress.exit_code})",
                where=self._command[0],
                remedy="see its message above",
            )


@contextmanager
def _lackey(command: list[str]) -> Iterator[tuple[subprocess.Popen, ByteSource]]:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UserError("valgrind is not installed", remedy="apt-get install valgrind")
    if shutil.which(command[0]) is None:
        raise UserError("no such program", where=command[0], remedy="give its path or install it")
    reader, writer = os.pipe()
    with suppress(OSError):  # only faster
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    try:
        process = subprocess.Popen(
            [valgrind, "--tool=lackey", "--trace-mem=yes", f"--log-fd={writer}", *command], pass_fds=(writer,)
        )
    except OSError as error:
        os.close(reader)
        raise UserError(f"cannot start: {error.strerror}", where=valgrind) from error
    finally:
        os.close(writer)
    source = ByteSource(os.fdopen(reader, "rb", buffering=_BLOCK_BYTES), "lackey", None)
    try:
        yield process, source
    finally:
        source.close()
        if process.poll() is None:
            process.kill()
            process.wait()
