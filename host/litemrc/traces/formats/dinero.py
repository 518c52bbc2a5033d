# SPDX-License-Identifier: BSD-2-Clause
"""Dinero's traces: a label, an address in hexadecimal and, in the extended form, a size in bytes, per line.

    2 0400000            din (Dinero III): 0 read, 1 write, 2 instruction fetch; 3 to 5: other records
    r 7fff0010 4         extended din (Dinero IV): r, w, i; m (miscellaneous), c, v (cache operations)

These are Dinero IV's -informat d and D. Sizes are hexadecimal, too; what follows is ignored. Fetches are
reads, and time is the number of instructions begun, as in lackey's traces. Other records are left out and
counted.
"""

from collections.abc import Iterator

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.byte_accesses import LARGEST_ACCESS, ByteAccesses
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource

_READ, _WRITE, _FETCH, _OTHER = range(4)
_LABELS = {
    **{b"0": _READ, b"r": _READ, b"1": _WRITE, b"w": _WRITE, b"2": _FETCH, b"i": _FETCH},
    **dict.fromkeys((b"3", b"4", b"5", b"m", b"c", b"v"), _OTHER),
}
_DIGITS = 18  # of an address with 0x


class DineroTrace(SourceTrace):
    """Reads the text of both forms."""

    format = "dinero"
    time_unit = "instructions"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes
        self._instructions = 0
        self._left_out = 0

    def __iter__(self) -> Iterator[Chunk]:
        for block in blocks(self._source):
            accesses = self._parsed(block)
            if not accesses.addresses.size:
                continue
            first, last = accesses.page_spans(self.page_bytes)
            self._state(int((last - first).sum()), f"{self.name}, after line {block.first_line}")
            yield from accesses.chunks(self.page_bytes)
        if self._left_out:
            self.notes.append(f"records that are no accesses, left out: {self._left_out:,}")

    def _parsed(self, block: Block) -> ByteAccesses:
        kinds, addresses, sizes = [], [], []
        for number, line in enumerate(block.text.split(b"\n"), block.first_line):
            words = line.split(None, 3)
            if not words:
                continue
            kind = _LABELS.get(words[0])
            if kind == _OTHER:
                self._left_out += 1
                continue
            address = _hexadecimal(words[1]) if len(words) > 1 else None
            size = _hexadecimal(words[2]) if len(words) > 2 and words[0].isalpha() else 1
            if kind is None or address is None or size is None or size > LARGEST_ACCESS:
                raise UserError(
                    f"{line.decode('ascii', 'replace')[:60]!r} is not a line of Dinero",
                    where=f"{self.name}, line {number}",
                    remedy="write LABEL ADDRESS [SIZE]: 0, 1, 2 or r, w, i, and hexadecimal numbers",
                )
            kinds.append(kind)
            addresses.append(address)
            sizes.append(max(size, 1))
        labels = np.array(kinds, dtype=np.uint8)
        times = np.uint64(self._instructions) + np.cumsum(labels == _FETCH, dtype=np.uint64)
        if times.size:
            self._instructions = int(times[-1])
        return ByteAccesses(
            np.array(addresses, dtype=np.uint64), np.array(sizes, dtype=np.uint64), labels == _WRITE, times
        )


def _hexadecimal(word: bytes) -> int | None:
    if len(word) > _DIGITS:
        return None
    try:
        value = int(word, 16)
    except ValueError:
        return None
    return value if 0 <= value < 1 << 64 else None
