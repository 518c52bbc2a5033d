# SPDX-License-Identifier: BSD-2-Clause
"""A whole trace as four columns, for comparing."""

from pathlib import Path

import numpy as np
from litemrc.traces import Chunk, open_trace


def columns(path: Path | str, format: str | None = None) -> dict[str, list[int] | None]:
    """All chunks of a trace joined."""
    with open_trace(path, format) as trace:
        chunks = list(trace)
    return joined(chunks)


def joined(chunks: list[Chunk]) -> dict[str, list[int] | None]:
    """The columns of chunks, one behind the other; None where the chunks have none."""
    result: dict[str, list[int] | None] = {}
    for name in ("pages", "writes", "times", "contexts"):
        parts = [getattr(chunk, name) for chunk in chunks]
        known = [part for part in parts if part is not None]
        assert len(known) in (0, len(parts)), f"{name} is there in some chunks only"
        result[name] = np.concatenate(known).tolist() if known else None
    return result


def chunk_of(
    pages: list[int],
    writes: list[bool] | None = None,
    times: list[int] | None = None,
    contexts: list[int] | None = None,
) -> Chunk:
    """A chunk from lists."""
    given = zip((pages, writes, times, contexts), ("u8", "?", "u8", "u4"), strict=True)
    return Chunk(*(None if values is None else np.array(values, dtype=kind) for values, kind in given))
