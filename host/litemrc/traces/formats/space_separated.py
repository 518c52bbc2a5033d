# SPDX-License-Identifier: BSD-2-Clause
"""Space-separated columns, parsed and written many lines at once by Arrow's CSV code."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

KEYWORD = pa.dictionary(pa.int32(), pa.string())  # type of a column of few different words
DIRECTIONS = {"r": False, "R": False, "w": True, "W": True}


def read_columns(
    text: bytes, types: Mapping[str, pa.DataType], *, skip_empty: bool = True
) -> dict[str, pa.Array] | None:
    """Parse lines of these columns.

    Parameters
    ----------
    skip_empty
        whether empty lines are allowed.

    Returns
    -------
    the columns by name; None if a line has another form.
    """
    if b"0x" in text or b"0X" in text:
        return None  # Arrow would read a hexadecimal number, which is none of these formats'
    try:
        table = csv.read_csv(
            pa.py_buffer(text),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=list(types), block_size=len(text) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=skip_empty),
            convert_options=csv.ConvertOptions(column_types=types, null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    return {name: table[name].combine_chunks() for name in types}


def flags(column: pa.Array, meaning: Mapping[str, bool]) -> NDArray[np.bool_] | None:
    """Convert a `KEYWORD` column to bool[n]; None if it has another word than those of `meaning`."""
    words = column.dictionary.to_pylist()
    if not meaning.keys() >= set(words):
        return None
    return np.array([meaning[word] for word in words], dtype=bool)[column.indices.to_numpy()]


def lines_of(columns: Sequence[NDArray]) -> pa.Buffer:
    """Return the columns as lines of text."""
    table = pa.table({str(index): values for index, values in enumerate(columns)})
    buffer = pa.BufferOutputStream()
    csv.write_csv(table, buffer, csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none"))
    return buffer.getvalue()
