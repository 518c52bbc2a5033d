# SPDX-License-Identifier: BSD-2-Clause
"""A section of a trace as arrays: readers yield chunks, writers take them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHUNK_REFERENCES = 1 << 17  # size that readers aim at: efficient in numpy, and 1 MiB of pages fits caches

_TYPES = {"pages": "u8", "writes": "?", "times": "u8", "contexts": "u4", "sizes": "u4", "processors": "u2"}


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive page references, oldest first; a column is None in all chunks of a trace or in none.

    Attributes
    ----------
    pages
        uint64[n], page numbers.
    writes
        bool[n], true: a write; None if unknown.
    times
        uint64[n], non-decreasing over the whole trace, in the unit of the trace (instructions,
        cycles, seconds ...); None if the trace has no times.
    contexts
        uint32[n], number of the process or address space; None if the trace has only one.
    sizes
        uint32[n], bytes of the page or object at this access; None if the trace has no sizes.
    processors
        uint16[n], number of the processor or thread; None if unknown. Only Parquet stores it.

    Raises
    ------
    ValueError
        a column of another type or length.
    """

    pages: NDArray[np.uint64]
    writes: NDArray[np.bool_] | None = None
    times: NDArray[np.uint64] | None = None
    contexts: NDArray[np.uint32] | None = None
    sizes: NDArray[np.uint32] | None = None
    processors: NDArray[np.uint16] | None = None

    def __post_init__(self) -> None:
        for name, dtype in _TYPES.items():
            column = getattr(self, name)
            if column is None and name != "pages":
                continue
            if column.dtype != np.dtype(dtype) or column.shape != (self.pages.size,):
                raise ValueError(
                    f"column {name} is {column.dtype}{list(column.shape)},"
                    f" not {np.dtype(dtype)}[{self.pages.size}]"
                )

    def __len__(self) -> int:
        return self.pages.size
