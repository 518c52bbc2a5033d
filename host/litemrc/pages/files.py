# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of page bitmaps, a row per epoch, under a seal; written an epoch at a time."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from litemrc.errors import OutputError
from litemrc.files.sealed_parquet import FileKind, continued_epochs, kind_of, read_sealed, whole_column
from litemrc.pages.epoch_writer import EpochWriter
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown, check_unused_bits

KIND = FileKind("a file of page bitmaps", "name a file of page bitmaps, or a trace")
VERSION = 1
UNITS = {
    "epoch": "number of the epoch",
    "cycles": "length of the epoch in clock cycles; 0: not known",
    "accesses": "accesses of the epoch, by all contexts; 0: none, or not known",
    "accessed": "a bit per page accessed in the epoch; the first page in the lowest bit of the first byte",
    "written": "a bit per page written in the epoch, as accessed",
    "page_bytes": "bytes",
    "base_address": "byte address of frame 0",
    "ranges": "frames that have a bit: [first, number] of each range, in the order of the bits",
    "clock_hz": "cycles per second; 0: not known",
}
_GROUP_BYTES = 1 << 20  # of bits, in a row group
_GROUP_ROWS = 256


def holds_page_bitmaps(path: str | Path) -> bool:
    """Return whether a file says that it holds page bitmaps; it may be damaged."""
    return kind_of(path) == KIND.tag


def read_page_bitmaps(path: str | Path) -> PageBitmaps:
    """Read the page bitmaps that `PageBitmapWriter` wrote.

    Raises
    ------
    UserError
        no such file, of another kind, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, _decode)


def write_page_bitmaps(path: str | Path, bitmaps: PageBitmaps) -> None:
    """Write page bitmaps to `path`, replacing what was there only when the new file is complete.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    writer = PageBitmapWriter(
        path,
        bitmaps.shown,
        writes_known=bitmaps.writes_known,
        clock_hz=bitmaps.clock_hz,
        source=bitmaps.source,
    )
    try:
        for row, epoch in enumerate(bitmaps.epoch.tolist()):
            writer.append(
                epoch,
                bitmaps.accessed[row],
                bitmaps.written[row],
                cycles=int(bitmaps.cycles[row]),
                accesses=int(bitmaps.accesses[row]),
            )
    except OutputError:
        writer.discard()
        raise
    writer.close(interrupted=bitmaps.interrupted)


def bitmap_types(shown: PagesShown) -> dict[str, pa.DataType]:
    """Return the columns of a file whose bits stand for these pages."""
    bits = pa.binary(shown.bitmap_bytes)
    counts = {"epoch": pa.uint32(), "cycles": pa.uint64(), "accesses": pa.uint64()}
    return counts | {"accessed": bits, "written": bits}


def bitmaps_description(
    shown: PagesShown, *, writes_known: bool, clock_hz: int, source: str
) -> dict[str, Any]:
    """Return the description of such a file, without `interrupted`; arguments as in `PageBitmaps`."""
    return {
        "page_bytes": shown.page_bytes,
        "base_address": shown.base_address,
        "ranges": [[each.start, len(each)] for each in shown.ranges],
        "writes_known": writes_known,
        "clock_hz": clock_hz,
        "source": source,
    }


class PageBitmapWriter(EpochWriter):
    """Writes page bitmaps, an epoch at a time; memory holds at most 1 MiB of them.

    Parameters
    ----------
    path
        of the Parquet file.
    shown
        what the bits stand for. Of hardware: `PagesShown(page_bytes=1 << page_shift,
        base_address=address of the DRAM, ranges=(range(frames),))`.
    writes_known, clock_hz, source
        as in `PageBitmaps`.

    Raises
    ------
    UserError
        a file cannot be written there.
    """

    def __init__(
        self,
        path: str | Path,
        shown: PagesShown,
        *,
        writes_known: bool = True,
        clock_hz: int = 0,
        source: str = "",
    ) -> None:
        self._shown = shown
        described = bitmaps_description(shown, writes_known=writes_known, clock_hz=clock_hz, source=source)
        types = bitmap_types(shown)
        group_rows = max(1, min(_GROUP_ROWS, _GROUP_BYTES // (2 * shown.bitmap_bytes)))
        super().__init__(path, KIND, VERSION, types, UNITS, described, group_rows)

    def append(
        self,
        epoch: int,
        accessed: bytes | NDArray[np.uint8],
        written: bytes | NDArray[np.uint8],
        *,
        cycles: int = 0,
        accesses: int = 0,
    ) -> None:
        """Append the bits of an epoch.

        Parameters
        ----------
        epoch
            its number, larger than that of the one before.
        accessed, written
            packed bits, as a row of `PageBitmaps`; `packed_words` and `packed_bits` make
            them of words and of bool[pages].
        cycles, accesses
            as in `PageBitmaps`.

        Raises
        ------
        ValueError
            the epoch does not follow, or bits are too many, too few or contradict each other.
        OutputError
            the operating system refused the write.
        """
        bits = [np.frombuffer(each, np.uint8) for each in (bytes(accessed), bytes(written))]
        for each in bits:
            if each.size != self._shown.bitmap_bytes:
                raise ValueError(f"{each.size} bytes of bits for {self._shown.pages} pages")
            check_unused_bits(each, self._shown.pages)
        if (bits[1] & ~bits[0]).any():
            raise ValueError(f"epoch {epoch}: a page was written, but not accessed")
        self._add((epoch, cycles, accesses, bits[0].tobytes(), bits[1].tobytes()))


def _decode(data: pa.Table, described: Mapping[str, Any]) -> PageBitmaps:
    data = continued_epochs(data)
    shown = PagesShown(
        page_bytes=described["page_bytes"],
        base_address=described["base_address"],
        ranges=tuple(range(first, first + pages) for first, pages in described["ranges"]),
    )
    columns: dict[str, Any] = {}
    for name in ("epoch", "cycles", "accesses"):
        columns[name] = whole_column(data, name).to_numpy(zero_copy_only=False)
    for name in ("accessed", "written"):
        column = whole_column(data, name)
        if column.type != pa.binary(shown.bitmap_bytes):
            raise ValueError(f"column {name} is {column.type}, not {shown.bitmap_bytes} bytes of bits")
        flat = np.frombuffer(column.buffers()[1] or b"", np.uint8)
        first = column.offset * shown.bitmap_bytes
        size = len(data) * shown.bitmap_bytes
        columns[name] = flat[first : first + size].reshape(len(data), shown.bitmap_bytes)
    others = {name: described[name] for name in ("writes_known", "clock_hz", "source", "interrupted")}
    return PageBitmaps(shown=shown, **columns, **others)
