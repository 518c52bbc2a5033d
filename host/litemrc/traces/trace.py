# SPDX-License-Identifier: BSD-2-Clause
"""Interface of trace readers and writers."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.sizes import PAGE_BYTES, is_page_size
from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk


class Trace(ABC):
    """A trace being read: a context manager and an iterable of chunks for a single pass.

    Attributes
    ----------
    name
        path or URL.
    format
        name of its format.
    page_bytes
        size of a page, valid from the opening on.
    stored_page_bytes
        size of a page according to the file; None: the file does not have it.
    time_unit
        unit of `Chunk.times`; "" if unknown or without times.
    minimum_pages
        smallest memory, in pages, for which misses are exact: 1 for complete traces. The value
        of an IN/OUT trace is valid after the last chunk.
    interval
        interval length of an IN/OUT trace, in units of time, valid once the iteration has begun; 0
        for complete traces.
    notes
        messages about omissions and assumptions; complete after the last chunk.
    origin
        source of the references if the file has it, otherwise "".
    bounded
        whether a file that stands for far more than its size is refused (`bounds.py`).
    sorts
        whether times may step back: `formats/sorting.py` sorts the references.
    """

    format = ""
    time_unit = ""
    origin = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.page_bytes = PAGE_BYTES
        self.stored_page_bytes: int | None = None
        self.minimum_pages = 1
        self.interval = 0
        self.notes: list[str] = []
        self.bounded = True
        self.sorts = False

    @abstractmethod
    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks, in order.

        Raises
        ------
        UserError
            a malformed, negative or out-of-order record, or a truncated file; with its place.
        """

    @property
    def fraction(self) -> float | None:
        """Return the share of the trace read so far, 0 to 1; None if unknown."""
        return None

    def close(self) -> None:  # noqa: B027 (generators have no file)
        """Close the file."""

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def settle_page_bytes(self, wanted: int | None) -> None:
        """Set `page_bytes` to the size in the file, else the wanted one, else 4096.

        Raises
        ------
        UserError
            `wanted` contradicts the file.
        """
        stored = self.stored_page_bytes
        if wanted and stored and wanted != stored:
            raise UserError(
                f"pages of {wanted} bytes are asked for, but the trace has pages of {stored} bytes",
                where=self.name,
                remedy=f"drop the page size, or give {stored}",
            )
        self.page_bytes = stored or wanted or PAGE_BYTES

    def check_memory(self, pages: int) -> None:
        """Check, after the last chunk, that the misses of a memory size are exact.

        Raises
        ------
        UserError
            `pages` is below 1 or below `minimum_pages`.
        """
        if pages < 1:
            raise UserError(
                f"the memory must have at least 1 page (got {pages})",
                where=self.name,
                remedy="give at least 1 page",
            )
        if pages < self.minimum_pages:
            raise UserError(
                f"a memory of {pages} pages cannot be simulated: the order of references within an interval"
                " is not recorded",
                where=self.name,
                remedy=f"give at least {self.minimum_pages} pages, or record with a shorter interval",
            )


@dataclass(frozen=True)
class WriteOptions:
    """Options of trace writers.

    Attributes
    ----------
    page_bytes
        size of a page.
    time_unit
        unit of times; "" if unknown.
    interval
        interval length of IN/OUT records, in units of time.
    origin
        source of the references; stored by Parquet only.
    """

    page_bytes: int = PAGE_BYTES
    time_unit: str = ""
    interval: int = 1_000_000
    origin: str = ""


class TraceWriter(ABC):
    """Writes chunks to a file; created by `create_trace`, which keeps or discards the whole file."""

    @abstractmethod
    def write(self, chunk: Chunk) -> None:
        """Append a chunk.

        Raises
        ------
        UserError
            the format cannot hold a value of the chunk.
        """

    @abstractmethod
    def finish(self) -> None:
        """Write the end of the file; no chunk may follow."""

    def close(self) -> None:  # noqa: B027 (most writers hold nothing)
        """Release resources, also after an error."""


def stored_size(text: str, where: str) -> int:
    """Parse the page size that a file has.

    Raises
    ------
    UserError
        not a power of two.
    """
    size = int(text) if text.isascii() and text.isdigit() else 0
    if not is_page_size(size):
        raise UserError(f"page_bytes is {text!r}", where=where, remedy="give a power of two, such as 4096")
    return size


def disorder(time: int, before: int, where: str, unit: str = "") -> UserError:
    """Return the error for a time that is below the previous one."""
    unit = f" {unit}" if unit else ""
    return UserError(
        f"time {time}{unit} comes after time {before}{unit}",
        where=where,
        remedy="add --sort, which sorts within a window of references, or sort the trace by time",
    )


def first_disorder(times: NDArray[np.uint64], previous: int) -> int | None:
    """Return the index of the first time below its predecessor (`previous` for the first), or None."""
    if times.size == 0:
        return None
    if int(times[0]) < previous:
        return 0
    falls = times[1:] < times[:-1]
    return int(np.argmax(falls)) + 1 if falls.any() else None
