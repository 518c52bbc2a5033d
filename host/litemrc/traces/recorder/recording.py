# SPDX-License-Identifier: BSD-2-Clause
"""Compiles a program with threads so that it records its accesses, runs it, and yields them as a trace.

The program's C files are compiled with `gcc -fsanitize=thread` and linked with the C files of this folder
instead of ThreadSanitizer. Processors are threads, numbered by creation; the main thread is 0.

Recorded: accesses of the compiled files to static data and the heap, including memcpy, memmove and memset (in
steps of 8 bytes), atomic operations, mutexes and barriers. Not recorded: stacks, registers, and libraries. An
access is one reference to its first word. Threads run in turns of a few references; time is the number of the
reference.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.shared.chunk import WORD_BYTES, SharedChunk

RUNTIME = sorted(Path(__file__).parent.glob("*.c"))
TURN = 16  # references per turn
_WRITE_BIT, _THREAD_BIT = 44, 45
_HEAP = np.uint64(1 << 40)
_BLOCK_BYTES = 1 << 20
_WRAPPED = (
    *("memcpy", "memmove", "memset", "pthread_create", "pthread_join", "pthread_mutex_lock"),
    *("pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast"),
    *("pthread_barrier_init", "pthread_barrier_wait"),
)
# -O1 keeps the accesses of the source. Loops must not become library calls, which are not recorded, nor may
# calls of _WRAPPED become others: Ubuntu's gcc defines _FORTIFY_SOURCE, with which memset is __memset_chk.
_FLAGS = (
    *("-O1", "-g", "-std=gnu11", "-fno-pie", "-fno-builtin", "-fno-tree-loop-distribute-patterns"),
    "-U_FORTIFY_SOURCE",
)


class Recording:
    """A program with threads, compiled to record its accesses.

    Parameters
    ----------
    sources
        its C files.
    arguments
        of the program.
    turn
        references per turn of a thread.

    Attributes
    ----------
    references
        yielded so far.
    exit_code
        of the program, after its end.
    """

    time_unit = "references"

    def __init__(self, sources: Sequence[Path], arguments: Sequence[str] = (), turn: int = TURN) -> None:
        self._sources, self._arguments, self._turn = list(sources), list(arguments), turn
        self.references = 0
        self.exit_code: int | None = None

    def chunks(self) -> Generator[SharedChunk, None, None]:
        """Compile and run the program; closing the iteration early kills it.

        Raises
        ------
        UserError
            no compiler, a compile error, or a failing program.
        """
        with tempfile.TemporaryDirectory(prefix="litemrc-") as folder:
            program = self._compile(Path(folder))
            reader, writer = os.pipe()
            environment = os.environ | {
                "LITEMRC_RECORD_FD": str(writer),
                "LITEMRC_RECORD_TURN": str(self._turn),
            }
            process = subprocess.Popen([program, *self._arguments], pass_fds=(writer,), env=environment)
            os.close(writer)
            try:
                with closing(os.fdopen(reader, "rb", _BLOCK_BYTES)) as pipe:
                    while block := pipe.read(_BLOCK_BYTES):
                        yield self._chunk(np.frombuffer(block, np.uint64))
                self.exit_code = process.wait()
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        if self.exit_code:
            raise UserError(
                f"the program ended with exit code {self.exit_code}",
                where=str(self._sources[0]),
                remedy="see its message above",
            )
        if not self.references:
            raise UserError(
                "no access was recorded", where=str(self._sources[0]), remedy="use static data or the heap"
            )

    def _chunk(self, records: np.ndarray) -> SharedChunk:
        addresses = records & np.uint64((1 << _WRITE_BIT) - 1)
        # The heap is mapped directly after the largest possible static data, so that word numbers stay small.
        words = np.where(addresses >= _HEAP, addresses - _HEAP + np.uint64(1 << 32), addresses)
        times = np.arange(self.references, self.references + records.size, dtype=np.uint64)
        self.references += records.size
        return SharedChunk(
            words // np.uint64(WORD_BYTES),
            (records >> np.uint64(_THREAD_BIT)).astype(np.uint16),
            (records >> np.uint64(_WRITE_BIT) & np.uint64(1)).astype(bool),
            times,
        )

    def _compile(self, folder: Path) -> Path:
        compiler = shutil.which("gcc")
        if compiler is None:
            raise UserError("gcc is not installed", remedy="apt-get install gcc")
        objects: list[str] = []
        for number, source in enumerate([*RUNTIME, *self._sources]):
            objects.append(str(folder / f"{number}.o"))
            instrument = [] if number < len(RUNTIME) else ["-fsanitize=thread"]
            self._build([compiler, *_FLAGS, *instrument, "-c", str(source), "-o", objects[-1]], source)
        program = folder / "program"
        wraps = [f"-Wl,--wrap={name}" for name in _WRAPPED]
        self._build([compiler, "-no-pie", *objects, *wraps, "-o", str(program), "-lpthread", "-lm"], program)
        return program

    def _build(self, command: list[str], where: Path) -> None:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = (done.stderr.strip() or "no message").splitlines()
            raise UserError(
                f"the program does not compile: {'; '.join(lines[:3])}",
                where=str(where),
                remedy="correct the program",
            )
