"""IN and OUT records of pages and their text form: first the length of an interval, then a record a line.

    interval 1000000
    17 IN 4096
    17 OUT 4096

Source: Glass and Cao 1997, section 2.1. Time is cut into intervals of fixed length. A page that is referenced
in an interval but was not in the one before has an IN record with the time of its first reference there; one
referenced in an interval but not in the next has an OUT record with the time of its last reference there.
Records are in the order of these references, so sorted by time; an IN comes before the OUT of one reference.
(A page in use at the end of the program goes OUT with its last reference, as if an empty interval followed.)
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from litemrc.errors import UserError
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import first_disorder

REMEDY = "the lines must be 'interval LENGTH', then 'TIME IN PAGE' or 'TIME OUT PAGE', sorted by time"


class Records(NamedTuple):
    """Some records, in order.

    Attributes:
        times, pages: uint64[n].
        ins: bool[n], true: IN, false: OUT.
        lines: int64[n], numbers of the lines they stand in.
    """

    times: NDArray[np.uint64]
    ins: NDArray[np.bool_]
    pages: NDArray[np.uint64]
    lines: NDArray[np.int64]


class RecordReader:
    """Reads the text form.

    Attributes:
        interval: length of an interval, known once the iteration has begun.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.interval = 0

    def __iter__(self) -> Iterator[Records]:
        """Stretches of records.

        Raises:
            UserError: no length in the first line, a malformed record, or one before the one it follows.
        """
        previous = 0
        for block in blocks(self._source):
            if block.first_line == 1:
                block = self._head(block)
            records = _parse_fast(block) or self._parse_lines(block)
            if (index := first_disorder(records.times, previous)) is not None:
                before = int(records.times[index - 1]) if index else previous
                raise UserError(
                    f"time {records.times[index]} comes after time {before}",
                    where=f"{self._source.name}, line {records.lines[index]}",
                    remedy=REMEDY,
                )
            if records.times.size:
                previous = int(records.times[-1])
                yield records
        if not self.interval:
            raise UserError("the file is empty", where=self._source.name, remedy=REMEDY)

    def _head(self, block: Block) -> Block:
        line, _, rest = block.text.partition(b"\n")
        words = line.split()
        if len(words) != 2 or words[0] != b"interval" or not words[1].isdigit() or not int(words[1]):
            raise UserError("no length of an interval", where=f"{self._source.name}, line 1", remedy=REMEDY)
        self.interval = int(words[1])
        return Block(rest, 2)

    def _parse_lines(self, block: Block) -> Records:
        rows = []
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            words = line.split()
            if not words:
                continue
            numbers = words[::2]
            if len(words) != 3 or words[1] not in (b"IN", b"OUT") or not all(w.isdigit() for w in numbers):
                raise UserError(
                    f"{line.decode('ascii', 'replace')[:60]!r} is no record",
                    where=f"{self._source.name}, line {number}",
                    remedy=REMEDY,
                )
            if max(int(word) for word in numbers) >= 1 << 64:
                raise UserError(
                    "a number does not fit into 64 bits",
                    where=f"{self._source.name}, line {number}",
                    remedy=REMEDY,
                )
            rows.append((int(words[0]), words[1] == b"IN", int(words[2]), number))
        columns = zip(*rows, strict=True) if rows else [()] * 4
        types = ("u8", "?", "u8", "i8")
        return Records(*(np.array(values, dtype=t) for values, t in zip(columns, types, strict=True)))


def _parse_fast(block: Block) -> Records | None:
    """The records, or None if anything at all is unusual."""
    types = {"time": pa.uint64(), "kind": pa.dictionary(pa.int32(), pa.string()), "page": pa.uint64()}
    try:
        table = csv.read_csv(
            pa.py_buffer(block.text),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=list(types), block_size=len(block.text) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=types, null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    kinds = table["kind"].combine_chunks()
    names = kinds.dictionary.to_pylist()
    if not {"IN", "OUT"} >= set(names) or b"x" in block.text:
        return None
    ins = np.array([name == "IN" for name in names], dtype=bool)[kinds.indices.to_numpy()]
    lines = np.arange(block.first_line, block.first_line + ins.size)
    return Records(table["time"].to_numpy(), ins, table["page"].to_numpy(), lines)
