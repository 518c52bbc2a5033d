# SPDX-License-Identifier: BSD-2-Clause
"""Compressed texts: gzip, bzip2, xz and zstd, one stream or several."""

import bz2
import gzip
import lzma
from collections.abc import Iterator

import pyarrow as pa

from tests.fuzz.trace_files import trace_target

TEXT = b"1\n2\n1\n" * 9


def files() -> Iterator[bytes]:
    """Yield a file of each kind."""
    for compress in (gzip.compress, bz2.compress, lzma.compress, pa.Codec("zstd").compress):
        yield bytes(compress(TEXT))
        yield bytes(compress(TEXT)) * 2


TARGET = trace_target("t.txt.gz", made=files)
