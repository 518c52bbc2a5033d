# SPDX-License-Identifier: BSD-2-Clause
"""Accesses as DynamoRIO's clients print them; the first line shows which client it was.

    Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>      memtrace_x86_text
    0x7f1c5d0a1a40,w,8,0x7ffd1b2a6e58

    Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>             memtrace_simple
    0x7ffd1b2a6e58:  8, w

    12           5: W0.T4711 write        8 byte(s) @ 0x00007ffd1b2a6e58 by PC 0x00007f1c5d0a1a40
                                                                             drmemtrace -tool view

Instruction fetches (of memtrace_simple and view) are reads, and time is the number of instructions begun, as
in lackey's traces. Contexts are the workloads W of view. Prefetches, flushes and markers are left out.
"""

import re
from collections.abc import Generator
from itertools import chain

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.byte_accesses import LARGEST_OF_PROCESSOR, ByteAccesses
from litemrc.traces.formats.column_names import Column
from litemrc.traces.formats.delimited import DelimitedTrace
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource

REMEDY = "give the text of memtrace_x86_text, memtrace_simple or of drrun -t drmemtrace -tool view"
_HEADER = b"Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>"
_SIMPLE_HEADER = b"Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>"
_COLUMNS = {"write": Column("2"), "size": Column("3"), "address": Column("4")}
_SIMPLE = re.compile(rb"^0x([0-9a-f]{1,16}): *(\d{1,7}), *(\w+)\r?$", re.MULTILINE)
_VIEW = re.compile(
    rb"^.*?(?:\bW(\d{1,9})\.)?T?\d{1,20} +(read|write|ifetch) +(\d{1,7}) byte\(s\) @ 0x([0-9a-f]{1,16})",
    re.MULTILINE,
)
_OTHER = re.compile(rb" (\S+) +\d+ byte\(s\) @ 0x")
_PROSE = re.compile(
    rb"^(\s*$|---|Output format|<|View tool results|.*: total instructions|.*<(marker|thread|entry)"
    rb"|[^@]*[ :]T?\d{1,20} +([0-9a-f]{2} ){1,16}\s*$)"  # an instruction's bytes: 15 at most
)


class MemtraceTrace(DelimitedTrace):
    """Reads the text of memtrace_x86_text: a CSV file whose columns are known."""

    largest_access = LARGEST_OF_PROCESSOR

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source, _COLUMNS, is_csv=True)
        self.format = "dynamorio"
        self.page_bytes = page_bytes

    def _begin(self, block: Block) -> Block:
        head, _, rest = block.text.partition(b"\n")
        if head.strip() != _HEADER:
            raise UserError("the first line is not that of memtrace_x86_text", where=self.name, remedy=REMEDY)
        return super()._begin(Block(rest, block.first_line + 1)) if rest.strip() else Block(b"", 2)


class DynamoRioTrace(SourceTrace):
    """Reads the text of memtrace_simple and of drmemtrace's view."""

    format = "dynamorio"
    time_unit = "instructions"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes
        self._instructions = 0
        self._has_workloads: bool | None = None
        self._skipped: dict[str, int] = {}

    def __iter__(self) -> Generator[Chunk, None, None]:
        all_blocks = blocks(self._source)
        first = next(all_blocks, None)
        if first is None:
            return
        simple = first.text.startswith(_SIMPLE_HEADER)
        if not simple and b" byte(s) @ 0x" not in first.text:
            raise UserError("this is no text of DynamoRIO's clients", where=self.name, remedy=REMEDY)
        for block in chain([first], all_blocks):
            accesses = self._simple(block) if simple else self._view(block)
            if accesses.addresses.size:
                begin, end = accesses.page_spans(self.page_bytes)
                self._state(int((end - begin).sum()), f"{self.name}, after line {block.first_line}")
                yield from accesses.chunks(self.page_bytes)
        self.notes += [f"{what}: {count:,}" for what, count in self._skipped.items()]

    def _simple(self, block: Block) -> ByteAccesses:
        text = block.text
        if block.first_line == 1:
            text = text.partition(b"\n")[2]
        rows = _SIMPLE.findall(text)
        if len(rows) != sum(1 for line in text.split(b"\n") if line.strip()):
            self._refuse(text, block.first_line + (block.first_line == 1))
        kinds = np.array([kind for _, _, kind in rows], dtype="S16")
        writes = kinds == b"w"
        return self._accesses(
            [int(address, 16) for address, _, _ in rows],
            [int(size) for _, size, _ in rows],
            writes,
            ~writes & (kinds != b"r"),
            block,
        )

    def _refuse(self, text: bytes, first_line: int) -> None:
        for number, line in enumerate(text.split(b"\n"), first_line):
            if line.strip() and not _SIMPLE.fullmatch(line):
                raise UserError(
                    f"{line.decode('ascii', 'replace')[:60]!r} is not a line of memtrace_simple",
                    where=f"{self.name}, line {number}",
                    remedy="record again, or delete that line",
                )

    def _view(self, block: Block) -> ByteAccesses:
        rows = _VIEW.findall(block.text)
        if len(rows) != block.text.count(b"\n"):
            self._count_others(block.text)
        kinds = np.array([kind for _, kind, _, _ in rows], dtype="S8")
        accesses = self._accesses(
            [int(address, 16) for _, _, _, address in rows],
            [int(size) for _, _, size, _ in rows],
            kinds == b"write",
            kinds == b"ifetch",
            block,
        )
        if self._has_workloads is None and rows:
            self._has_workloads = bool(rows[0][0])
        if not self._has_workloads:
            return accesses
        return accesses._replace(contexts=np.array([int(row[0] or 0) for row in rows], dtype=np.uint32))

    def _count_others(self, text: bytes) -> None:
        for line in text.split(b"\n"):
            if _VIEW.match(line) or _PROSE.match(line):
                continue
            other = _OTHER.search(line)
            what = (
                f"records of kind {other[1].decode('ascii', 'replace')}, left out"
                if other
                else "lines that are no readable records, left out"
            )
            self._skipped[what] = self._skipped.get(what, 0) + 1

    def _accesses(
        self, addresses: list[int], sizes: list[int], writes: np.ndarray, fetches: np.ndarray, block: Block
    ) -> ByteAccesses:
        if sizes and max(sizes) > LARGEST_OF_PROCESSOR:
            raise UserError(
                f"an access has {max(sizes)} bytes",
                where=f"{self.name}, after line {block.first_line}",
                remedy=f"the largest access has {LARGEST_OF_PROCESSOR} bytes",
            )
        times = np.uint64(self._instructions) + np.cumsum(fetches, dtype=np.uint64)
        if times.size:
            self._instructions = int(times[-1])
        lengths = np.maximum(np.array(sizes, dtype=np.uint64), np.uint64(1))  # 0: of unknown length
        return ByteAccesses(np.array(addresses, dtype=np.uint64), lengths, writes, times)


def dynamorio_trace(source: ByteSource, page_bytes: int) -> SourceTrace:
    """Return the reader of a text of one of DynamoRIO's clients."""
    head = bytes(source.peek(4 << 20)[: len(_HEADER)])
    return (MemtraceTrace if head == _HEADER else DynamoRioTrace)(source, page_bytes)
