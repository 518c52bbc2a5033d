# SPDX-License-Identifier: BSD-2-Clause
"""Parquet and Arrow."""

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.trace_files import trace_target


def files() -> Iterator[bytes]:
    """Yield a Parquet file, an Arrow file and an Arrow stream."""
    table = pa.table({"time": pa.array([1, 2], pa.uint64()), "page": pa.array([5, 6], pa.uint64())})
    file = io.BytesIO()
    pq.write_table(table, file)
    yield file.getvalue()
    for writer in (pa.ipc.new_file, pa.ipc.new_stream):
        file = io.BytesIO()
        with writer(file, table.schema) as sink:
            sink.write_table(table)
        yield file.getvalue()


TARGET = trace_target("t.parquet", made=files)
