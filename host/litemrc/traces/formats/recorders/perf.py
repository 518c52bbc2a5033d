# SPDX-License-Identifier: BSD-2-Clause
"""Samples with addresses as Linux perf prints them.

    perf mem record PROGRAM             (loads and stores that the processor samples), or
    perf record -d -e page-faults -c 1 PROGRAM
    perf script -F comm,pid,tid,time,event,addr,ip,sym > FILE.perf

Of each sample `perf script` prints, in this order, the chosen fields of: command, pid/tid, [cpu], time,
period, event, addr, data source, weight, ip with its symbol. Needed is addr. With pid, samples have contexts;
with a data source (|OP LOAD ...) or an event named after loads or stores, they have directions; times are
nanoseconds. Call chains are skipped. `perf mem report -D` is read as well: PID, TID, IP, ADDR, ..., DSRC,
SYMBOL.

perf samples: most accesses are missing, so stack distances are those among the sampled accesses.
"""

import re
from collections.abc import Generator, Iterator

import numpy as np

from litemrc.errors import UserError
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.byte_accesses import ByteAccesses
from litemrc.traces.formats.lines import Block, blocks
from litemrc.traces.formats.source_trace import SourceTrace
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import disorder

KERNEL = 1 << 63  # first address of the kernel's half
REMEDY = "print the samples with: perf script -F comm,pid,tid,time,event,addr,ip,sym"
NOTE = "perf samples accesses: stack distances are those among the samples, not those of the program"

_TIME = re.compile(rb"(?:^|[ \t])(\d{1,10})\.(\d{6}(?:\d{3})?):")
_EVENT = re.compile(rb"(?:^|[ \t])(?!\d+:[ \t])([^ \t]+):[ \t]+")
_ADDRESS = re.compile(rb"[ \t]*([0-9a-f]+)(?:[ \t](.*))?$")
_PROCESS = re.compile(rb"(?:^|[ \t])(\d{1,9})(/\d+)?[ \t]*(?:\[\d+\][ \t]*)?(?:[a-zA-Z.\d]{4,5})?$")
_CHAIN = re.compile(rb"^[ \t]+[0-9a-f]+ (?![ \t]*[0-9a-f]{6,16}(?:[ \t]|$)).*\)$")
_CODE = re.compile(rb"(?:^|[ \t])[0-9a-f]{6,16}(?:[ \t]|$)")  # the sample's ip, after its address
_OPERATION = re.compile(rb"\|OP ([A-Z/]+)")
_DUMPED = re.compile(rb"^ *(\d{1,9})[ ,]+\d+[ ,]+0x[0-9a-f]+[ ,]+0x([0-9a-f]+)[ ,].*?[ ,]0x([0-9a-f]+)[ ,]\S")
_MISPRINTED = re.compile(rb"016[0-9a-f]{12}")  # the first line of perf 6.1: "016" before the address
_LOAD, _STORE = 2, 4  # bits of a data source, PERF_MEM_OP_* of linux/perf_event.h

Row = tuple[int, bool | None, int | None, int | None]  # address, is a write, time, process


class PerfTrace(SourceTrace):
    """Reads samples; what is left out is counted in `notes`."""

    format = "perf"
    time_unit = "ns"

    def __init__(self, source: ByteSource, page_bytes: int) -> None:
        super().__init__(source)
        self.page_bytes = page_bytes
        self._columns: tuple[bool, bool, bool] | None = None  # has directions, times, processes
        self._time = 0
        self._threads = False
        self._left_out = {
            "samples with address 0 (unknown), left out": 0,
            "samples with kernel addresses, left out": 0,
            "lines that are no readable samples, left out": 0,
            "samples without a direction, taken as reads": 0,
        }

    def __iter__(self) -> Generator[Chunk, None, None]:
        samples = 0
        for block in blocks(self._source):
            rows = self._rows(block)
            samples += len(rows)
            if rows:
                yield from self._chunks(rows)
        if not samples and any(self._left_out.values()):
            raise UserError("no sample has an address of the program", where=self.name, remedy=REMEDY)
        self.notes += [f"{what}: {count:,}" for what, count in self._left_out.items() if count]
        if self._threads:
            self.notes.append("contexts are threads, not processes: add pid to the fields of perf script")
        if samples:
            self.notes.append(NOTE)

    def _rows(self, block: Block) -> list[Row]:
        lines = block.text.split(b"\n")
        if block.first_line == 1 and lines[0].startswith(b"PERFILE"):
            raise UserError("this is perf's binary record", where=self.name, remedy=REMEDY)
        rows = []
        for index, line in enumerate(lines):
            if not line or line.startswith(b"#") or line.isspace():
                continue
            following = lines[index + 1] if index + 1 < len(lines) else b""
            row = self._row(
                line, bool(_CHAIN.match(following)), f"{self.name}, line {block.first_line + index}"
            )
            if row:
                rows.append(row)
        return rows

    def _row(self, line: bytes, is_chain_next: bool, where: str) -> Row | None:
        if dumped := _DUMPED.match(line):
            source = int(dumped[3], 16)
            write = bool(source & _STORE) if source & (_LOAD | _STORE) else None
            address = 0 if _MISPRINTED.fullmatch(dumped[2]) else int(dumped[2], 16)
            return self._kept((address, write, None, int(dumped[1])), where, misprinted=not address)
        time_word = _TIME.search(line)
        if time_word is None and _CHAIN.match(line):
            return None  # a line of a call chain
        event = _EVENT.search(line, time_word.end() if time_word else 0)
        begin = event.end() if event else time_word.end() if time_word else 0
        found = _ADDRESS.match(line, begin)
        rest = (found[2] or b"").strip() if found else b""
        operation = _OPERATION.search(rest)
        if found is None or (rest and not operation and not _CODE.search(rest) and not is_chain_next):
            if found and self._columns is None:
                raise UserError(
                    "the sample has no address: the only number is that of its instruction",
                    where=where,
                    remedy=REMEDY,
                )
            self._left_out["lines that are no readable samples, left out"] += 1
            return None
        word = operation[1] if operation else event[1].upper() if event else b""
        write = True if b"STORE" in word else False if b"LOAD" in word else None
        time = int(time_word[1]) * 10**9 + int(time_word[2].ljust(9, b"0")) if time_word else None
        head = line[: time_word.start() if time_word else event.start() if event else 0]
        process = _PROCESS.search(head)
        self._threads |= process is not None and process[2] is None
        return self._kept((int(found[1], 16), write, time, int(process[1]) if process else None), where)

    def _kept(self, row: Row, where: str, *, misprinted: bool = False) -> Row | None:
        address, write, time, process = row
        if misprinted or address >= 1 << 64:
            self._left_out["lines that are no readable samples, left out"] += 1
            return None
        if self._columns is None:
            self._columns = (write is not None, time is not None, process is not None)
        if time is not None:
            if time < self._time and not self.sorts:
                raise disorder(time, self._time, where, "ns")
            self._time = time
        if self._columns[1:] != (time is not None, process is not None):
            raise UserError("this sample has other fields than those before", where=where, remedy=REMEDY)
        if address == 0:
            self._left_out["samples with address 0 (unknown), left out"] += 1
            return None
        if address >= KERNEL:
            self._left_out["samples with kernel addresses, left out"] += 1
            return None
        if self._columns[0] and write is None:
            self._left_out["samples without a direction, taken as reads"] += 1
        return row

    def _chunks(self, rows: list[Row]) -> Iterator[Chunk]:
        has_writes, has_times, has_processes = self._columns or (False, False, False)
        addresses, writes, times, processes = zip(*rows, strict=True)
        return ByteAccesses(
            np.array(addresses, dtype=np.uint64),
            None,
            np.array([bool(write) for write in writes]) if has_writes else None,
            np.array(times, dtype=np.uint64) if has_times else None,
            np.array(processes, dtype=np.uint32) if has_processes else None,
        ).chunks(self.page_bytes)
