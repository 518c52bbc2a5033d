# SPDX-License-Identifier: BSD-2-Clause
"""Chunks of traces of shared memory, and the interface of their readers."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError

WORD_BYTES = 4
PAGE_BYTES = 1024  # page size of files that do not state it
MOST_PROCESSORS = 1 << 16


@dataclass(frozen=True, eq=False, slots=True)
class SharedChunk:
    """Consecutive references of all processors, oldest first.

    Attributes
    ----------
    words
        uint64[n], addresses in words of `WORD_BYTES`: page times words per page, plus word.
    processors
        uint16[n], numbers from 0.
    writes
        bool[n], true: a write.
    times
        uint64[n], non-decreasing over the whole trace.
    """

    words: NDArray[np.uint64]
    processors: NDArray[np.uint16]
    writes: NDArray[np.bool_]
    times: NDArray[np.uint64]

    def __len__(self) -> int:
        return self.words.size


class SharedTrace(ABC):
    """A trace being read: a context manager and an iterable of chunks for a single pass.

    Attributes
    ----------
    name
        path or URL.
    page_bytes
        page size of the file; other sizes follow from the words.
    time_unit
        unit of times; "" if unknown.
    origin
        source of the references if the file has it, otherwise "".
    """

    time_unit = ""
    origin = ""
    page_bytes = PAGE_BYTES

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def __iter__(self) -> Iterator[SharedChunk]:
        """Yield the chunks, in order.

        Raises
        ------
        UserError
            a malformed, negative or out-of-order record, or a truncated file; with its place.
        """

    @property
    @abstractmethod
    def fraction(self) -> float | None:
        """Return the share of the trace read so far, 0 to 1; None if unknown."""

    def close(self) -> None:  # noqa: B027 (generators have no file)
        """Close the file."""

    def __enter__(self) -> "SharedTrace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def words_of_page(text: str | int, where: str) -> int:
    """Return the words of a page of n bytes.

    Raises
    ------
    UserError
        not a power of two of whole words.
    """
    try:
        page_bytes = int(text)
    except ValueError:
        page_bytes = 0
    words = page_bytes // WORD_BYTES
    if words < 1 or page_bytes & (page_bytes - 1):
        raise UserError(
            f"page_bytes is {text}", where=where, remedy=f"give a power of two of at least {WORD_BYTES}"
        )
    return words


def joined(pages: NDArray[np.uint64], words: NDArray[np.uint64], page_words: int) -> NDArray[np.uint64]:
    """Return addresses in words; the caller has checked that words are below `page_words`."""
    return pages * np.uint64(page_words) + words


def parted(addresses: NDArray[np.uint64], page_words: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return pages, and words within them."""
    return addresses // np.uint64(page_words), addresses % np.uint64(page_words)
