"""Files of binary records of one length: blocks of whole records, and what is wrong with the last one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.chunk import CHUNK_REFERENCES
from litemrc.traces.formats.streams import ByteSource

BLOCK_BYTES = 4 << 20


def record_blocks(
    source: ByteSource, record: np.dtype[Any], skip: int = 0
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the records of a file in parts of at most `CHUNK_REFERENCES`, each with its byte offset.

    Parameters:
        skip: bytes before the first record.

    Raises:
        UserError: a truncated record at the end.
    """
    offset, rest = skip, b""
    while data := bytes(source.read(BLOCK_BYTES)):
        data = rest + data
        if skip:
            skip, data = max(skip - len(data), 0), data[skip:]
        whole = len(data) // record.itemsize
        records = np.frombuffer(data, dtype=record, count=whole)
        for start in range(0, whole, CHUNK_REFERENCES):
            part = records[start : start + CHUNK_REFERENCES]
            yield offset, part
            offset += part.nbytes
        rest = data[whole * record.itemsize :]
    if rest:
        raise UserError(
            f"the last record has {len(rest)} of {record.itemsize} bytes",
            where=source.where(offset),
            remedy="download the file again, or give its format with --format",
        )
