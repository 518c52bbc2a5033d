# SPDX-License-Identifier: BSD-2-Clause
"""Pages in memory as a trace, so that a measurement excludes reading."""

import numpy as np
from litemrc.traces import Chunk, Trace
from litemrc.traces.chunk import CHUNK_REFERENCES


class InMemory(Trace):
    """Pages in memory as a trace without times."""

    def __init__(self, pages: np.ndarray) -> None:
        super().__init__("memory")
        self._chunks = [
            Chunk(pages[start : start + CHUNK_REFERENCES]) for start in range(0, pages.size, CHUNK_REFERENCES)
        ]

    def __iter__(self):
        return iter(self._chunks)
