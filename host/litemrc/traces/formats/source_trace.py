# SPDX-License-Identifier: BSD-2-Clause
"""Base of the traces that are read from a stream of bytes."""

import numpy as np
from numpy.typing import NDArray

from litemrc.traces.bounds import references_allowed, too_many_references
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import Trace, first_disorder


class SourceTrace(Trace):
    """A trace read from a `ByteSource`, which it closes."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._stated = 0
        super().__init__(source.name)

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Return whether a file that stands for far more than its size is refused."""
        return self._source.bounded

    @bounded.setter
    def bounded(self, bounded: bool) -> None:
        self._source.bounded = bounded

    def _state(self, references: int, where: str) -> None:
        """Count the references that a record stands for, before they are made.

        Raises
        ------
        UserError
            too many for the size of the file (`bounds.py`).
        """
        self._stated += references
        stored = self._source.stored
        if self.bounded and self._stated > references_allowed(stored):
            raise too_many_references(self._stated, stored, where)

    def _first_disorder(self, times: NDArray[np.uint64], previous: int) -> int | None:
        """Return the index of the first time that is refused because it is below its predecessor, or None."""
        return None if self.sorts else first_disorder(times, previous)

    @property
    def fraction(self) -> float | None:
        return self._source.fraction

    def close(self) -> None:
        self._source.close()
