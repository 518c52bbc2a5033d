# SPDX-License-Identifier: BSD-2-Clause
"""Chunks of references from what users have: lists, arrays, chunks, trace files, URLs of generators."""

import warnings
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.api.stacks import count_pages
from litemrc.curves.sizes import PAGE_BYTES, is_page_size
from litemrc.errors import UserError
from litemrc.native.arrays import page_array
from litemrc.traces.chunk import CHUNK_REFERENCES, Chunk
from litemrc.traces.opening import Trace, open_trace

Source = str | PathLike[str] | ArrayLike | Iterable[ArrayLike | Chunk]


class References:
    """The references of a source, read once.

    Parameters
    ----------
    page_bytes
        as in `litemrc.mrc`.
    function
        that reads the source, for messages.

    Attributes
    ----------
    name
        path or URL; "" without one.
    where
        the name, or that of the function.
    page_bytes
        size of a page; that of a file is valid after its first chunk.
    known_from_pages
        smallest memory whose misses are known, valid after the last chunk.

    Raises
    ------
    UserError
        no page size.
    """

    def __init__(self, source: Source, page_bytes: int | None, function: str = "litemrc.mrc") -> None:
        if page_bytes is not None and not is_page_size(page_bytes):
            raise UserError(f"page_bytes must be a power of two (got {page_bytes})", where=function)
        self._source, self._wanted = source, page_bytes
        self.name = fspath(source) if isinstance(source, str | PathLike) else ""
        self.where = self.name or function
        self.page_bytes = page_bytes or PAGE_BYTES
        self.known_from_pages = 1

    @property
    def can_be_read_again(self) -> bool:
        """Return whether the references can be read more than once."""
        again = self.name or hasattr(self._source, "__array__") or isinstance(self._source, list | tuple)
        return bool(again) and self.name != "-"

    def count_pages(self) -> int:
        """Return the number of distinct pages, in a pass of its own.

        Raises
        ------
        UserError
            the source can be read only once.
        """
        if not self.can_be_read_again:
            raise UserError(
                "the references can be read only once, so that their pages cannot be counted before",
                where=self.where,
                remedy="give frames",
            )
        if self.name:
            with open_trace(self.name, page_bytes=self._wanted) as trace:
                return count_pages(trace)
        return count_pages(self._given_chunks())

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks.

        Warns
        -----
        UserWarning
            what the reader of a trace file left out or assumed.
        """
        if not self.name:
            yield from self._given_chunks()
            return
        with open_trace(self.name, page_bytes=self._wanted) as trace:
            self.page_bytes = trace.page_bytes
            yield from trace
        self.known_from_pages = trace.minimum_pages
        for note in trace.notes:
            warnings.warn(f"{self.name}: {note}", stacklevel=4)

    def _given_chunks(self) -> Iterator[Chunk]:
        for chunk in _chunks(self._source):
            yield chunk if isinstance(chunk, Chunk) else Chunk(page_array(chunk))


def _chunks(source: Any) -> Iterator[ArrayLike | Chunk]:
    """Cut into chunks what may be one array, many numbers or chunks already."""
    if hasattr(source, "__array__"):
        yield _whole(source)
        return
    if isinstance(source, list | tuple) and source and np.isscalar(source[0]):
        yield _whole(source)
        return
    if not isinstance(source, Iterable):
        raise UserError(
            f"{type(source).__name__} is not a source of page numbers",
            where="litemrc.mrc",
            remedy="give a list, an array, an iterable of arrays, a trace file or a gen: URL",
        )
    numbers: list[int] = []
    for item in source:
        if isinstance(item, int | np.integer):
            numbers.append(int(item))
            if len(numbers) < CHUNK_REFERENCES:
                continue
        elif numbers:
            raise UserError(
                "page numbers and chunks of them are mixed", where="litemrc.mrc", remedy="give one of the two"
            )
        else:
            yield item if isinstance(item, Chunk) else np.atleast_1d(_whole(item))
            continue
        yield _whole(numbers)
        numbers = []
    yield _whole(numbers)


def _whole(pages: Any) -> NDArray[Any]:
    """One array of page numbers; the engine checks their type and range."""
    try:
        return np.asarray(pages)
    except (ValueError, OverflowError) as error:
        raise UserError(
            f"not an array of page numbers: {error}",
            where="litemrc.mrc",
            remedy="give integers from 0 to 2^64-1",
        ) from error


class GivenTrace(Trace):
    """References that are in no file, as a trace."""

    format = "given"

    def __init__(self, references: References) -> None:
        super().__init__(references.where)
        self.page_bytes = references.page_bytes
        self._references = references

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._references)


def opened(
    source: Source,
    page_bytes: int | None,
    function: str,
    format: str | None = None,
    columns: str | None = None,
    *,
    bounded: bool = True,
    sort: int | None = None,
) -> Trace:
    """Return a source as a trace, a context manager.

    Parameters
    ----------
    page_bytes, function
        as `References`.
    format, columns, bounded, sort
        of a file, as `open_trace`.

    Raises
    ------
    UserError
        as `open_trace`, or options of files for what is none.
    """
    if isinstance(source, str | PathLike):
        return open_trace(fspath(source), format, page_bytes, columns, bounded=bounded, sort=sort)
    if format is not None or columns is not None or sort is not None:
        raise UserError(
            "a format, columns and sorting are for files", where=function, remedy="omit them, or name a file"
        )
    return GivenTrace(References(source, page_bytes, function))
