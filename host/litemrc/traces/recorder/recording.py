"""Compiles a program with threads so that it tells its accesses, runs it, and yields them as a trace.

The program's C files are compiled with `gcc -fsanitize=thread` and linked with `threads.c` of this folder
instead of ThreadSanitizer. Processors are threads, in the order of their creation; the program's own is 0.

Seen: accesses to static data and to the heap in the files compiled, also by memcpy, memmove and memset (8
bytes each), atomic operations, mutexes and barriers. Not seen: stacks, what a compiler keeps in registers,
and what libraries do. An access is one reference, to the word it begins in. Threads take turns of a few
references: time is the number of the reference.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.shared.chunk import WORD_BYTES, SharedChunk

RUNTIME = Path(__file__).with_name("threads.c")
TURN = 16  # references
_WRITE_BIT, _THREAD_BIT = 44, 45
_HEAP = np.uint64(1 << 40)
_BLOCK_BYTES = 1 << 20
_WRAPPED = (
    *("memcpy", "memmove", "memset", "pthread_create", "pthread_join", "pthread_mutex_lock"),
    *("pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast"),
    *("pthread_barrier_init", "pthread_barrier_wait"),
)
# -O1: the accesses that a plain reading of the program has. Loops must not become calls that nobody sees.
_FLAGS = ("-O1", "-g", "-std=gnu11", "-fno-pie", "-fno-builtin", "-fno-tree-loop-distribute-patterns")


class Recording:
    """A program with threads, compiled to tell its accesses.

    Parameters:
        sources: its C files.
        arguments: of the program.
        turn: references a thread makes before the next one's turn.

    Attributes:
        references: yielded so far.
        exit_code: of the program, once it has ended.
    """

    time_unit = "references"

    def __init__(self, sources: Sequence[Path], arguments: Sequence[str] = (), turn: int = TURN) -> None:
        self._sources, self._arguments, self._turn = list(sources), list(arguments), turn
        self.references = 0
        self.exit_code: int | None = None

    def chunks(self) -> Iterator[SharedChunk]:
        """Compile and run; leaving the iteration early ends the program.

        Raises:
            UserError: no compiler, the program does not compile, or it fails.
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
        # The heap follows the largest static data there can be, so that words stay small numbers.
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
        objects = []
        for number, source in enumerate([RUNTIME, *self._sources]):
            objects.append(folder / f"{number}.o")
            instrument = [] if source is RUNTIME else ["-fsanitize=thread"]
            command = [compiler, *_FLAGS, *instrument, "-c", str(source), "-o", str(objects[-1])]
            self._build(command, source)
        program = folder / "program"
        wraps = [f"-Wl,--wrap={name}" for name in _WRAPPED]
        objects = [str(each) for each in objects]
        self._build([compiler, "-no-pie", *objects, *wraps, "-o", str(program), "-lpthread", "-lm"], program)
        return program

    def _build(self, command: list[str], where: Path) -> None:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = (done.stderr.strip() or "no message").splitlines()
            raise UserError(
                f"does not compile: {'; '.join(lines[:3])}", where=str(where), remedy="mend the program"
            )
