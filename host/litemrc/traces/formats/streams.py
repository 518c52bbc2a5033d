# SPDX-License-Identifier: BSD-2-Clause
"""Files as streams of bytes; gzip, zstd, xz and bzip2 are detected by their first bytes and decompressed."""

import bz2
import lzma
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.bounds import bytes_allowed, too_many_bytes
from litemrc.traces.chunk import CHUNK_REFERENCES
from litemrc.traces.places import FileSection, Place, cannot_read, open_raw, size_of

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"} | {
    b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)
}
_MAGIC_BYTES = max(map(len, MAGIC))
_BUFFER_BYTES = 1 << 20
STDIN = "-"
_STDIN = 0  # its file descriptor
SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
_STORED_BYTES = 1 << 16  # read at once from a compressed file
_XZ_MEMORY = 512 << 20  # bytes that an xz file may ask for; xz -9 asks for 65 MiB
BLOCK_BYTES = 4 << 20


class _Stored(RawIOBase):
    """The stored bytes of a compressed file; it counts those that were read."""

    def __init__(self, raw: "BufferedReader[Any]") -> None:
        self._raw = raw
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._raw.read(size)
        self.count += len(data)
        return data


class _Decompressed(RawIOBase):
    """The content of an xz or bzip2 file of one or several streams, in limited memory."""

    def __init__(self, stored: _Stored, kind: str) -> None:
        self._stored, self._kind = stored, kind
        self._current: Any = None  # of the current stream: LZMADecompressor or BZ2Decompressor
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        parts: list[bytes] = []
        while size > 0 and (part := self._some(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _some(self, size: int) -> bytes:
        """Return 1 to `size` bytes; none at the end."""
        while True:
            if self._current is None or self._current.eof:
                rest = self._current.unused_data if self._current else self._rest
                rest = rest.lstrip(b"\0") or self._stored.read(_STORED_BYTES).lstrip(b"\0")  # padding of xz
                if not rest:
                    return b""
                self._current = (
                    lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
                    if self._kind == "xz"
                    else bz2.BZ2Decompressor()
                )
            elif self._current.needs_input:
                rest = self._stored.read(_STORED_BYTES)
                if not rest:
                    raise EOFError("it ends before the end of its compressed data")
            else:
                rest = b""
            if part := self._current.decompress(rest, size):
                return bytes(part)


class ByteSource:
    """An open file or pipe, read forward, with its position for messages and progress bars.

    Attributes
    ----------
    name
        for error messages.
    offset
        decompressed bytes read so far: the byte offset of the next read.
    bounded
        whether a file that holds far more than its compressed size is refused (`bounds.py`).
    """

    def __init__(self, raw: "BufferedReader[Any]", name: str, total_bytes: int | None) -> None:
        """
        Parameters
        ----------
        raw
            the stored file, at its beginning.
        total_bytes
            its stored size; None for a pipe.
        """
        self.name = name
        self.offset = 0
        self.bounded = True
        self._raw = raw
        self._stored = _Stored(raw)
        self._total_bytes = total_bytes
        start = raw.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
        self.compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
        self._plain: Any  # BufferedReader, _Decompressed or pa.NativeFile
        if self.compression in ("xz", "bzip2"):
            self._plain = _Decompressed(self._stored, self.compression)
        elif self.compression:
            import pyarrow as pa  # takes long to load

            self._plain = pa.CompressedInputStream(pa.PythonFile(self._stored, "r"), self.compression)
        else:
            self._plain = raw
        # Decompression takes as long as parsing, so a thread decompresses ahead.
        self._ahead = ThreadPoolExecutor(1, "decompress") if self.compression else None
        self._next: Future | None = None

    def read(self, count: int) -> memoryview:
        """Return the next `count` bytes, or fewer at the end; all reads of a source have one size.

        Raises
        ------
        UserError
            the file is truncated, damaged or unreadable.
        """
        data = self.peek(count)
        self._next = self._ahead.submit(self._read_now, count) if self._ahead and data else None
        self.offset += data.nbytes
        if self.bounded and self.compression and self.offset > bytes_allowed(self._stored.count):
            raise too_many_bytes(self._stored.count, self.where(self.offset))
        return data

    def peek(self, count: int) -> memoryview:
        """Return what the next `read(count)` will return.

        Raises
        ------
        UserError
            as `read`.
        """
        try:
            if not self._next:
                self._next = Future()
                self._next.set_result(self._read_now(count))
            data: memoryview = self._next.result()
        except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
            raise UserError(
                f"the {self.compression or 'plain'} file is truncated or damaged: {error}",
                where=self.where(self.offset),
                remedy="download or create the file again",
            ) from error
        return data

    def _read_now(self, count: int) -> memoryview:
        native = hasattr(self._plain, "read_buffer")  # of pyarrow: without a copy
        return memoryview(self._plain.read_buffer(count) if native else self._plain.read(count))

    @property
    def stored(self) -> int:
        """Return the stored size of the file in bytes; of a pipe, what was read of it."""
        return self._total_bytes or (self._stored.count if self.compression else self.offset)

    @property
    def fraction(self) -> float | None:
        """Return the share of the stored file read so far, 0 to 1; None for a pipe."""
        if not self._total_bytes:
            return None
        return min(self._raw.tell() / self._total_bytes, 1.0)

    def where(self, offset: int) -> str:
        """Return the place of a byte for error messages; offsets count decompressed bytes."""
        return f"{self.name}, byte {offset}" + (" (decompressed)" if self.compression else "")

    def close(self) -> None:
        if self._ahead:
            self._ahead.shutdown()
        self._raw.close()


def open_source(path: Place) -> ByteSource:
    """Open a file, a URL of fsspec, or stdin for `-`, for reading; the caller closes it.

    Raises
    ------
    UserError
        a missing file, a folder, or no permission.
    """
    try:
        if str(path) == STDIN:
            stdin = FileIO(_STDIN, closefd=False)
            return ByteSource(BufferedReader(stdin, _BUFFER_BYTES), "stdin", size_of(stdin))
        raw, total_bytes = open_raw(path)
        return ByteSource(BufferedReader(raw, _BUFFER_BYTES), str(path), total_bytes)
    except OSError as error:
        raise cannot_read(path, error) from error


def open_section(path: Place, start: int, stop: int) -> ByteSource:
    """Open the bytes `start` to `stop` of an uncompressed file; offsets count from the file's beginning.

    Raises
    ------
    UserError
        as `open_source`.
    """
    try:
        raw, _ = open_raw(path)
        buffered = BufferedReader(FileSection(raw, start, stop), _BUFFER_BYTES)
        source = ByteSource(buffered, str(path), stop - start)
    except OSError as error:
        raise cannot_read(path, error) from error
    source.offset = start
    return source


def plain_name(path: str | Path) -> str:
    """Return the file name without the suffix of a compression: `a.txt` for `a.txt.gz`."""
    path = Path(path)
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


@contextmanager
def open_sink(partial: Path, like: Path) -> Iterator[BinaryIO]:
    """Yield a file to write `partial`, compressed according to the suffix of the final name `like`."""
    kind = SUFFIXES.get(like.suffix.lower())
    with _open_sink(partial, kind) as sink:
        yield cast(BinaryIO, sink)  # GzipFile, LZMAFile and BZ2File lack only methods that writers do not use


def _open_sink(partial: Path, kind: str | None) -> GzipFile | lzma.LZMAFile | bz2.BZ2File | BufferedWriter:
    if kind == "xz":
        return lzma.LZMAFile(partial, "wb")
    if kind == "bzip2":
        return bz2.BZ2File(partial, "wb")
    if kind == "gzip":
        return GzipFile(partial, "wb", compresslevel=6, mtime=0)  # mtime 0: equal traces give equal files
    if kind == "zstd":
        import pyarrow as pa  # takes long to load

        return pa.CompressedOutputStream(str(partial), "zstd")
    return BufferedWriter(FileIO(partial, "wb"), _BUFFER_BYTES)


def record_blocks(
    source: ByteSource, record: np.dtype[Any], skip: int = 0
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the records of a file in parts of at most `CHUNK_REFERENCES`, each with its byte offset.

    Parameters
    ----------
    skip
        bytes before the first record.

    Raises
    ------
    UserError
        a truncated record at the end.
    """
    offset, rest = skip, b""
    while data := bytes(source.read(BLOCK_BYTES)):
        data = rest + data
        if skip:
            skip, data = max(skip - len(data), 0), data[skip:]
        whole = len(data) // record.itemsize
        records = np.frombuffer(data, dtype=record, count=whole)
        for start in range(0, whole, CHUNK_REFERENCES):
            part = records[start : start + CHUNK_REFERENCES]
            yield offset, part
            offset += part.nbytes
        rest = data[whole * record.itemsize :]
    if rest:
        raise UserError(
            f"the last record has {len(rest)} of {record.itemsize} bytes",
            where=source.where(offset),
            remedy="download the file again, or give its format with --format",
        )
