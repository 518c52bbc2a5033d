# SPDX-License-Identifier: BSD-2-Clause
"""Exact LRU stack distances in bytes, for objects that differ in size."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.arrays import page_array

_MOST_BYTES = (1 << 32) - 1


class ByteStack:
    """Mattson's LRU stack (Mattson et al., IBM Systems Journal 1970) by bytes.

    It equals `golden.monitor.lru_byte_stack`. The stack distance of an access is the sum of the sizes of all
    objects used since the last access to its object, and of the object's own size; the access hits in every
    memory of at least as many bytes. An object has the size of its latest access: a change of size takes
    effect at the access that reports it, for this access and for later ones to other objects. So an object
    larger than the memory never hits, and displaces all others, as in a memory that admits every object.
    (Some caches, libCacheSim's among them, do not admit such an object, and keep the others.)
    """

    def __init__(self) -> None:
        self._core = _core.ByteStack()

    @property
    def accesses(self) -> int:
        """Return the number of accesses so far."""
        return self._core.accesses

    @property
    def resolution_bytes(self) -> int:
        """Return the memory sizes' resolution, a power of two: hits are exact at all multiples of it.

        It is the smallest one with which the largest stack distance is at most 2^18 multiples: 1 byte up to
        distances of 256 KiB, 4 KiB up to 1 GiB.
        """
        return self._core.resolution

    def access(self, pages: ArrayLike, sizes: ArrayLike | None = None) -> None:
        """Process a chunk of accesses; chunk borders do not affect the result.

        Parameters
        ----------
        pages
            numbers of the objects.
        sizes
            bytes of each access's object, 0 to 2^32 - 1.

        Raises
        ------
        UserError
            as in `page_array`, sizes that are missing or out of range, or more than 2^31 distinct
            objects.
        """
        objects = page_array(pages)
        if sizes is None:
            raise UserError(
                "the references have no object sizes",
                remedy="measure by pages, or give a trace with a column of sizes",
            )
        try:
            self._core.access(objects, _size_array(sizes, objects.size))
        except _core.TooManyPagesError as error:
            raise UserError(f"the trace has {error}", remedy="measure a part of it") from error

    def histogram(self) -> NDArray[np.uint64]:
        """Return the accesses by stack distance, uint64[2^18 + 1].

        [0] counts first accesses to an object (infinite distance), [n] accesses with distances above
        (n - 1) * `resolution_bytes` and up to n * `resolution_bytes`.
        """
        return self._core.histogram()

    def curve(self, page_bytes: int = PAGE_BYTES) -> Curve:
        """Return the miss ratio by bytes: a page of the curve has 1 byte.

        The sizes are those at which the miss ratio changes, multiples of `resolution_bytes`. `page_bytes` is
        ignored: the objects are no pages.
        """
        histogram = self.histogram()
        cold, hits = int(histogram[0]), histogram[1:]
        classes = np.flatnonzero(hits)
        total = self.accesses
        resolution = self.resolution_bytes
        if not classes.size:
            ratios = np.full(1 if total else 0, 1.0)
            return Curve(
                np.full(ratios.size, resolution), ratios, total, cold, 1, resolution_pages=resolution
            )
        missed = np.uint64(total) - np.cumsum(hits[classes])
        sizes = (classes.astype(np.int64) + 1) * resolution
        return Curve(sizes, missed / total, total, cold, 1, resolution_pages=resolution)


def _size_array(sizes: ArrayLike, count: int) -> NDArray[np.uint32]:
    array = np.asarray(sizes)
    if array.shape != (count,):
        raise UserError(f"{count} pages, but sizes of shape {array.shape}", remedy="give one size for each")
    if array.dtype == np.uint32 or array.size == 0:
        return np.ascontiguousarray(array, np.uint32)
    if array.dtype.kind not in "ui":
        raise UserError(f"sizes must be integers, not {array.dtype}", remedy="give whole numbers of bytes")
    wrong = (array < 0) | (array > _MOST_BYTES)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise UserError(
            f"an object cannot have {array[at]} bytes",
            where=f"access {at}",
            remedy=f"give 0 to {_MOST_BYTES}",
        )
    return np.ascontiguousarray(array, np.uint32)
