"""Files as streams of bytes; gzip, zstd and xz are detected by their first bytes and decompressed."""

import lzma
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, BufferedWriter, FileIO
from pathlib import Path
from typing import Any, BinaryIO, cast

from litemrc.errors import UserError
from litemrc.traces.places import FileSection, Place, cannot_read, open_raw, size_of

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"}
_BUFFER_BYTES = 1 << 20
STDIN = "-"
_STDIN = 0  # its file descriptor
SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".xz": "xz"}


class ByteSource:
    """An open file or pipe, read forward, with its position for messages and progress bars.

    Attributes:
        name: for error messages.
        offset: decompressed bytes read so far: the byte offset of the next read.
    """

    def __init__(self, raw: "BufferedReader[Any]", name: str, total_bytes: int | None) -> None:
        """
        Parameters:
            raw: the stored file, at its beginning.
            total_bytes: its stored size; None for a pipe.
        """
        self.name = name
        self.offset = 0
        self._raw = raw
        self._total_bytes = total_bytes
        start = raw.peek(6)[:6]
        self.compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
        self._plain: Any  # BufferedReader, LZMAFile or pa.NativeFile
        if self.compression == "xz":
            self._plain = lzma.LZMAFile(raw)  # noqa: SIM115 (closed by close)
        elif self.compression:
            import pyarrow as pa  # takes long to load

            self._plain = pa.CompressedInputStream(pa.PythonFile(raw, "r"), self.compression)
        else:
            self._plain = raw
        # Decompression takes as long as parsing, so a thread decompresses ahead.
        self._ahead = ThreadPoolExecutor(1, "decompress") if self.compression else None
        self._next: Future | None = None

    def read(self, count: int) -> memoryview:
        """Return the next `count` bytes, or fewer at the end; all reads of a source have one size.

        Raises:
            UserError: the file is truncated, damaged or unreadable.
        """
        data = self.peek(count)
        self._next = self._ahead.submit(self._read_now, count) if self._ahead and data else None
        self.offset += data.nbytes
        return data

    def peek(self, count: int) -> memoryview:
        """Return what the next `read(count)` will return.

        Raises:
            UserError: as `read`.
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

    Raises:
        UserError: a missing file, a folder, or no permission.
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

    Raises:
        UserError: as `open_source`.
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
        yield cast(BinaryIO, sink)  # GzipFile and LZMAFile lack only methods that writers do not use


def _open_sink(partial: Path, kind: str | None) -> GzipFile | lzma.LZMAFile | BufferedWriter:
    if kind == "xz":
        return lzma.LZMAFile(partial, "wb")
    if kind == "gzip":
        return GzipFile(partial, "wb", compresslevel=6, mtime=0)  # mtime 0: equal traces give equal files
    if kind == "zstd":
        import pyarrow as pa  # takes long to load

        return pa.CompressedOutputStream(str(partial), "zstd")
    return BufferedWriter(FileIO(partial, "wb"), _BUFFER_BYTES)
