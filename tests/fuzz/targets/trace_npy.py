# SPDX-License-Identifier: BSD-2-Clause
"""NumPy's .npy."""

import io
from collections.abc import Iterator

import numpy as np

from tests.fuzz.trace_files import trace_target


def arrays() -> Iterator[bytes]:
    """Yield files of plain and of structured arrays."""
    for array in (np.arange(9), np.array([(1, 2, True)], [("time", "u4"), ("addr", "<i8"), ("rw", "?")])):
        file = io.BytesIO()
        np.save(file, array)
        yield file.getvalue()


TARGET = trace_target("t.npy", made=arrays)
