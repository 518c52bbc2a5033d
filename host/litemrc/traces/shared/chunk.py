"""A stretch of a trace of shared memory, and what every reader of one is."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError

WORD_BYTES = 4
PAGE_BYTES = 1024  # of the page numbers in a file that does not tell
MOST_PROCESSORS = 1 << 16


@dataclass(frozen=True, eq=False, slots=True)
class SharedChunk:
    """Consecutive references of all processors, oldest first.

    Attributes:
        words: uint64[n], addresses in words of `WORD_BYTES`: page times words of a page, plus word.
        processors: uint16[n], numbers from 0.
        writes: bool[n], true: a write.
        times: uint64[n], never decreasing over the whole trace.
    """

    words: NDArray[np.uint64]
    processors: NDArray[np.uint16]
    writes: NDArray[np.bool_]
    times: NDArray[np.uint64]

    def __len__(self) -> int:
        return self.words.size


class SharedTrace(ABC):
    """A trace being read: a context manager, and an iterable of chunks that is run through once.

    Attributes:
        name: path or URL.
        page_bytes: size of the pages that the file numbers; any other size can be made of its words.
        time_unit: what times count; "" if unknown.
        origin: what made the references, where the file tells; else "".
    """

    time_unit = ""
    origin = ""
    page_bytes = PAGE_BYTES

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def __iter__(self) -> Iterator[SharedChunk]:
        """The chunks, in order.

        Raises:
            UserError: a malformed, negative or out of order record, or a file cut short; with its place.
        """

    @property
    @abstractmethod
    def fraction(self) -> float | None:
        """How much of the trace has been read, 0 to 1; None if that is unknown."""

    def close(self) -> None:  # noqa: B027 (a generator holds nothing)
        """Let go of the file."""

    def __enter__(self) -> "SharedTrace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def words_of_page(text: str | int, where: str) -> int:
    """Words of a page of so many bytes.

    Raises:
        UserError: not a power of two of whole words.
    """
    try:
        page_bytes = int(text)
    except ValueError:
        page_bytes = 0
    words = page_bytes // WORD_BYTES
    if words < 1 or page_bytes & (page_bytes - 1):
        raise UserError(f"page_bytes {text}", where=where, remedy=f"a power of two from {WORD_BYTES} on")
    return words


def joined(pages: NDArray[np.uint64], words: NDArray[np.uint64], page_words: int) -> NDArray[np.uint64]:
    """Addresses in words; the caller has checked that words are below `page_words`."""
    return pages * np.uint64(page_words) + words


def parted(addresses: NDArray[np.uint64], page_words: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Pages, and words in them."""
    return addresses // np.uint64(page_words), addresses % np.uint64(page_words)
