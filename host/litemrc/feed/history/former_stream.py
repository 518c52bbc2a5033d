# SPDX-License-Identifier: BSD-2-Clause
"""Salvages a stream of a former version, Arrow without checksums, in a process of its own.

Damaged bytes can end the process that decodes them, so it is not the server's. What is salvaged had no
checksum: whether values were changed cannot be known. The first batch that cannot be decoded ends the
salvage, as nothing says where the next one begins.

    python -m litemrc.feed.history.former_stream FORMER NEW
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from litemrc.errors import UserError
from litemrc.feed.history.layout import DAMAGED
from litemrc.feed.history.stream import OpenStream

_LONGEST_S = 600


def salvage(path: Path) -> str | None:
    """Put a stream of records in the place of a former one; return what could not be read, None: nothing.

    If something is, the former stream is kept under the name of a damaged one.

    Raises
    ------
    OSError
        the disk is full, or similar: nothing has changed.
    UserError
        as OSError, in words.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}.partial")
    new.unlink(missing_ok=True)
    command = [sys.executable, "-m", "litemrc.feed.history.former_stream", str(path), str(new)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
        if done.returncode == 1:
            why = done.stderr.strip().splitlines()
            raise UserError(f"cannot salvage: {why[-1] if why else 'unknown'}", where=str(path))
        whole = int(done.stdout.split()[-1]) if done.stdout.split() else 0
        size = path.stat().st_size
        if whole < size:
            os.link(path, free_name(path))
        if not new.exists():  # not even one batch
            new.touch()
        new.replace(path)
    except subprocess.TimeoutExpired as error:
        raise UserError(f"salvage took longer than {_LONGEST_S} s", where=str(path)) from error
    finally:
        new.unlink(missing_ok=True)
    return f"whose bytes {whole} to {size} are torn or damaged" if whole < size else None


def free_name(path: Path) -> Path:
    """Return a name that is free, for a damaged stream that is kept."""
    name, number = path.with_name(path.name + DAMAGED), 1
    while name.exists():
        number += 1
        name = path.with_name(f"{path.name}{DAMAGED}{number}")
    return name


def _copy(former: Path, new: Path) -> None:
    """Copy batches; print behind which byte each of them ends."""
    stream = None
    for batch, end in _whole(pa.BufferReader(former.read_bytes())):
        if batch is not None:
            stream = stream or OpenStream(new, batch.schema)
            stream.append(batch)
        print(end, flush=True)


def _whole(source: pa.BufferReader) -> Iterator[tuple[pa.RecordBatch | None, int]]:
    """Yield batches that can be decoded and where they end; None for the end of a stream that is whole."""
    try:
        with pa.ipc.open_stream(source) as reader:
            while True:
                batch = reader.read_next_batch()
                batch.validate(full=True)
                yield batch, source.tell()
    except StopIteration:
        yield None, source.tell()
    except (OSError, ValueError, MemoryError, pa.ArrowException):
        return


if __name__ == "__main__":
    _copy(Path(sys.argv[1]), Path(sys.argv[2]))
