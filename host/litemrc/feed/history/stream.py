"""A stream of Arrow record batches in a file: whole up to its last batch, however its writer ended."""

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


class OpenStream:
    """Appends batches to a new file; none waits in this process.

    Attributes:
        path: of the file.
        size: bytes written.

    Raises, from every method:
        OSError: the operating system refused the write; the file then ends in a part of a batch.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.size = path, 0
        self._gathered = _Gathered()
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._gathered, mode="w"), schema, options=_COMPRESSED)
        self._file = path.open("xb", buffering=0)

    def append(self, batch: pa.RecordBatch) -> None:
        """Append a batch; when this returns, a kill of the process does not lose it."""
        self._writer.write_batch(batch)
        content = self._gathered.take()
        self.size += len(content)
        while content:  # a disk that becomes full takes a part, and refuses the rest
            content = content[self._file.write(content) :]

    def close(self) -> None:
        """Close the file; without the mark of its end, which readers do not need."""
        self._file.close()


class _Gathered(io.RawIOBase):
    """What the writer writes in small parts."""

    def __init__(self) -> None:
        self._content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, part: "memoryview | bytes") -> int:  # type: ignore[override]
        self._content += part
        return len(part)

    def take(self) -> bytes:
        content = bytes(self._content)
        self._content.clear()
        return content


def read_stream(path: Path) -> tuple[pa.Table | None, int]:
    """Return the whole batches of a file that `OpenStream` writes or wrote, and the bytes that follow them.

    The table is None where not even a batch is whole.

    Raises:
        OSError: the file cannot be read.
    """
    content = pa.py_buffer(path.read_bytes())
    source = pa.BufferReader(content)
    batches, end = [], 0
    try:
        with pa.ipc.open_stream(source) as reader:
            for batch in _whole(reader):
                batches.append(batch)
                end = source.tell()
    except pa.ArrowException:  # not even the schema
        pass
    return (pa.Table.from_batches(batches) if batches else None), len(content) - end


def _whole(reader: pa.ipc.RecordBatchStreamReader) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            yield reader.read_next_batch()
        except (StopIteration, OSError, pa.ArrowException):
            return
