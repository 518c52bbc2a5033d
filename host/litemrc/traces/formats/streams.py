"""Files as streams of bytes, decompressed where their first bytes say so: gzip, zstd and xz."""

import lzma
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from litemrc.errors import UserError

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz"}
SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".xz": "xz"}


class ByteSource:
    """An open file or pipe, read forward; knows how far it is, for messages and progress bars.

    Attributes:
        name: what errors call it.
        offset: bytes given out so far, decompressed: the byte offset of what comes next.
    """

    def __init__(self, raw: BinaryIO, name: str, total_bytes: int | None) -> None:
        """
        Parameters:
            raw: the file, at its beginning, as it is stored.
            total_bytes: its stored size; None for a pipe.
        """
        self.name = name
        self.offset = 0
        self._raw = raw
        self._total_bytes = total_bytes
        start = raw.peek(6)[:6]
        self.compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
        if self.compression == "xz":
            self._plain = lzma.LZMAFile(raw)  # noqa: SIM115 (closed by close)
        elif self.compression:
            self._plain = pa.CompressedInputStream(pa.PythonFile(raw, "r"), self.compression)
        else:
            self._plain = raw
        # Decompressing takes as long as using what comes out of it; another thread does it meanwhile.
        self._ahead = ThreadPoolExecutor(1, "decompress") if self.compression else None
        self._next: Future | None = None

    def read(self, count: int) -> memoryview:
        """The next `count` bytes; fewer only at the end. All reads of a source are of one size.

        Raises:
            UserError: the archive is cut short or damaged, or the operating system cannot read it.
        """
        try:
            data = self._next.result() if self._next else self._read_now(count)
        except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
            raise UserError(
                f"the {self.compression or 'plain'} file is cut short or damaged: {error}",
                where=self.where(self.offset),
                remedy="fetch or make the file again",
            ) from error
        if self._ahead and data:
            self._next = self._ahead.submit(self._read_now, count)
        self.offset += data.nbytes
        return data

    def _read_now(self, count: int) -> memoryview:
        native = isinstance(self._plain, pa.NativeFile)
        return memoryview(self._plain.read_buffer(count) if native else self._plain.read(count))

    @property
    def fraction(self) -> float | None:
        """How much of the stored file has been read, 0 to 1; None for a pipe."""
        if not self._total_bytes:
            return None
        return min(self._raw.tell() / self._total_bytes, 1.0)

    def where(self, offset: int) -> str:
        """The place of a byte, for error messages; offsets count decompressed bytes."""
        return f"{self.name}, byte {offset}" + (" (decompressed)" if self.compression else "")

    def close(self) -> None:
        if self._ahead:
            self._ahead.shutdown()
        self._raw.close()


def open_source(path: str | Path) -> ByteSource:
    """Open a file for reading; the caller closes it.

    Raises:
        UserError: no such file, a folder, or no permission.
    """
    try:
        raw = Path(path).open("rb", buffering=1 << 20)  # noqa: SIM115 (closed by ByteSource.close)
    except OSError as error:
        raise UserError(
            f"cannot read: {error.strerror}", where=str(path), remedy="check the name and its permissions"
        ) from error
    return ByteSource(raw, str(path), os.fstat(raw.fileno()).st_size)


def plain_name(path: str | Path) -> str:
    """File name without the ending of a compression: `a.txt.gz` is `a.txt`."""
    path = Path(path)
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


@contextmanager
def open_sink(partial: Path, like: Path) -> Iterator[BinaryIO]:
    """Yield a file to write `partial`, compressed as the ending of the final name `like` says."""
    kind = SUFFIXES.get(like.suffix.lower())
    with _open_sink(partial, kind) as sink:
        yield sink


def _open_sink(partial: Path, kind: str | None) -> AbstractContextManager[BinaryIO]:
    if kind == "xz":
        return lzma.LZMAFile(partial, "wb")
    if kind == "gzip":
        return GzipFile(partial, "wb", compresslevel=6, mtime=0)  # mtime 0: the same trace, the same file
    if kind == "zstd":
        return pa.CompressedOutputStream(str(partial), "zstd")
    return partial.open("wb", buffering=1 << 20)
