# SPDX-License-Identifier: BSD-2-Clause
"""The samples of `tests/data/recorders`, and what readers of texts are asked."""

from pathlib import Path

import numpy as np
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk

SAMPLES = Path(__file__).parents[2] / "data" / "recorders"


def read(path: Path, format: str | None = None, **options) -> tuple[Chunk, list[str]]:
    """Return the whole trace as one chunk, and its notes."""
    with open_trace(path, format, **options) as trace:
        chunks = list(trace)
    columns = {}
    for name in ("pages", "writes", "times", "contexts", "sizes"):
        parts = [getattr(chunk, name) for chunk in chunks]
        columns[name] = None if not parts or parts[0] is None else np.concatenate(parts)
    if columns["pages"] is None:
        columns["pages"] = np.empty(0, np.uint64)
    return Chunk(**columns), trace.notes
