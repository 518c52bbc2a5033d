"""What every reader and writer of traces is to those who use it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk

PAGE_BYTES = 4096


class Trace(ABC):
    """A trace being read: a context manager, and an iterable of chunks that is run through once.

    Attributes:
        name: path or URL.
        format: name of its format.
        time_unit: what `Chunk.times` counts; "" if unknown or without times.
        minimum_pages: smallest memory, in pages, whose misses this trace tells exactly: 1 for complete
            traces. That of an IN/OUT trace is known, and only then right, behind the last chunk.
        interval: length of the intervals of an IN/OUT trace, in units of time, known once the iteration has
            begun; 0 for complete traces.
        notes: what the reader left out or assumed, for people; complete behind the last chunk.
        origin: what made the references, where the file tells; else "".
    """

    format = ""
    time_unit = ""
    origin = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.minimum_pages = 1
        self.interval = 0
        self.notes: list[str] = []

    @abstractmethod
    def __iter__(self) -> Iterator[Chunk]:
        """The chunks, in order.

        Raises:
            UserError: a malformed, negative or out of order record, or a file cut short; with its place.
        """

    @property
    def fraction(self) -> float | None:
        """How much of the trace has been read, 0 to 1; None if that is unknown."""
        return None

    def close(self) -> None:  # noqa: B027 (most generators hold nothing)
        """Let go of the file."""

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_memory(self, pages: int) -> None:
        """Refuse a memory size this trace cannot tell the misses of; call it behind the last chunk.

        Raises:
            UserError: `pages` is below 1 or below `minimum_pages`.
        """
        if pages < 1:
            raise UserError(
                f"a memory of {pages} pages holds nothing", where=self.name, remedy="give at least 1 page"
            )
        if pages < self.minimum_pages:
            raise UserError(
                f"a memory of {pages} pages cannot be simulated: intervals do not tell the order of"
                " references inside them",
                where=self.name,
                remedy=f"give at least {self.minimum_pages} pages, or record with a shorter interval",
            )


@dataclass(frozen=True)
class WriteOptions:
    """What a writer may need to know beside the references.

    Attributes:
        page_bytes: size of a page.
        time_unit: what times count; "" if unknown.
        interval: length of an interval of IN/OUT records, in units of time.
        origin: what made the references, for people; kept where the format has room (Parquet).
    """

    page_bytes: int = PAGE_BYTES
    time_unit: str = ""
    interval: int = 1_000_000
    origin: str = ""


class TraceWriter(ABC):
    """Takes chunks and stores them; made by `create_trace`, which keeps or drops the file as a whole."""

    @abstractmethod
    def write(self, chunk: Chunk) -> None:
        """Append a chunk.

        Raises:
            UserError: the format cannot hold a value of it.
        """

    @abstractmethod
    def finish(self) -> None:
        """Write what must come last; nothing may be written afterwards."""

    def close(self) -> None:  # noqa: B027 (most writers hold nothing)
        """Let go of what is held, whether finished or not."""


def first_disorder(times: NDArray[np.uint64], previous: int) -> int | None:
    """Index of the first time that is below the one before it (`previous` before the first), or None."""
    if times.size == 0:
        return None
    if int(times[0]) < previous:
        return 0
    falls = times[1:] < times[:-1]
    return int(np.argmax(falls)) + 1 if falls.any() else None
