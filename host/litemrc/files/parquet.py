# SPDX-License-Identifier: BSD-2-Clause
"""Parquet files whose footer is not trusted."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_END_BYTES = 8  # length of the footer, and the magic
_MOST_ENTRIES = 1_000_000  # of a list of a footer, as Arrow allows them


def open_parquet(source: str | Path | bytes | pa.NativeFile, **options: Any) -> pq.ParquetFile:
    """Open a file or its bytes, with options of `pyarrow.parquet.ParquetFile`.

    An entry of a list takes at least a byte of the footer. Arrow takes memory for as many as a list claims to
    have: without this limit 700 MB for a footer of 20 bytes. A `pa.NativeFile` has only Arrow's own limit.

    Raises
    ------
    OSError, pa.ArrowException, UnicodeDecodeError
        it cannot be read, or is no Parquet file.
    """
    if isinstance(source, pa.NativeFile):
        return pq.ParquetFile(source, **options)
    if isinstance(source, bytes):
        end, source = source[-_END_BYTES:], pa.BufferReader(source)
    else:
        with open(source, "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _END_BYTES, 0))
            end = file.read()
    most = max(1, min(int.from_bytes(end[:4], "little"), _MOST_ENTRIES))
    return pq.ParquetFile(source, thrift_container_size_limit=most, **options)
