# SPDX-License-Identifier: BSD-2-Clause
"""Reads Linux's trace events `kmem:mm_page_alloc` and `kmem:mm_page_free` in the format of ftrace and perf.

A page frame number identifies its block until it is freed. The kernel's placement is ignored: blocks are
allocated and freed as recorded, and our allocator places them. `GFP_DMA` and `GFP_DMA32` bind a block to low
zones; a block with `__GFP_MOVABLE` or migrate type 1 is movable. `mm_page_free_batched` repeats
`mm_page_free` and is skipped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.errors import UserError
from litemrc.traces.formats.lines import blocks
from litemrc.traces.formats.streams import open_source

from litemrc_studies.panwar2015.machine.workloads.events import FREE, KIND_SHIFT, UNMOVABLE, Events

_MAX_ORDER = 10
_EVENT = re.compile(
    rb"\s(?P<seconds>\d+)\.(?P<fraction>\d+):\s+(?:kmem:)?(?P<event>mm_page_alloc|mm_page_free):\s(?P<rest>.*)"
)
_FIELD = re.compile(rb"(\w+)=(\S+)")
_LOST = re.compile(rb"\[LOST (\d+) EVENTS\]|LOST (\d+) events")
_MOVABLE_TYPE = b"1"
_KINDS_BELOW = {b"GFP_DMA": 2, b"__GFP_DMA": 2, b"GFP_DMA32": 1, b"__GFP_DMA32": 1}


@dataclass
class _Block:
    pfn: int
    order: int
    code: int
    tick: int
    at: int  # event number


@dataclass
class KmemTrace:
    """A recorded trace, in memory.

    Attributes
    ----------
    known
        allocated blocks, freed or not.
    """

    title: str
    tick_s: float
    ticks: int
    notes: list[str]
    known: int
    _ticks: list[Events]

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks of the recording; ticks without an event are empty."""
        return iter(self._ticks)


def read_kmem(path: str | Path, tick_s: float = 0.01) -> KmemTrace:
    """Read a recording, compressed or not.

    Parameters
    ----------
    tick_s
        seconds per tick.

    Raises
    ------
    UserError
        a missing file, a malformed event, or no event.
    """
    reader = _Reader(str(path), tick_s)
    source = open_source(Path(path))
    try:
        for block in blocks(source):
            for number, line in enumerate(block.text.splitlines(), block.first_line):
                reader.read(line, number)
    finally:
        source.close()
    return reader.trace()


class _Reader:
    def __init__(self, name: str, tick_s: float) -> None:
        self._name, self._tick_s = name, tick_s
        self._began_ns: int | None = None
        self._tick = self._at = 0
        self._live: dict[int, _Block] = {}  # by every pfn of its remaining pages
        # (block, tick and number of the event that freed it)
        self._done: list[tuple[_Block, int | None, int]] = []
        self._before = self._unseen_frees = self._lost = self._without_page = 0

    def read(self, line: bytes, number: int) -> None:
        found = _EVENT.search(line)
        if not found:
            if lost := _LOST.search(line):
                self._lost += int(lost[1] or lost[2])
            elif b"mm_page_alloc:" in line or b"mm_page_free:" in line:
                raise self._wrong(number, "has no time", "record with timestamps")
            return
        ns = int(found["seconds"]) * 10**9 + int(found["fraction"].ljust(9, b"0")[:9])
        self._began_ns = ns if self._began_ns is None else self._began_ns
        # Buffers of several CPUs may be slightly out of order.
        self._tick = max(self._tick, int((ns - self._began_ns) / 1e9 / self._tick_s))
        self._at += 1
        fields = dict(_FIELD.findall(found["rest"]))
        try:
            pfn, order = int(fields[b"pfn"], 0), int(fields[b"order"])
        except (KeyError, ValueError) as error:
            raise self._wrong(number, "has no pfn or order", "record these events unchanged") from error
        if not 0 <= order <= _MAX_ORDER or pfn % (1 << order):
            raise self._wrong(
                number,
                f"has a block of order {order} at page frame {pfn:#x}",
                f"orders are 0 to {_MAX_ORDER}, and a block begins at a multiple of its size",
            )
        if found["event"] == b"mm_page_free":
            self._free(pfn, order)
        elif pfn == 0 or fields.get(b"page") == b"(nil)":
            self._without_page += 1
        else:
            self._allocate(pfn, order, fields)

    def _allocate(self, pfn: int, order: int, fields: dict[bytes, bytes]) -> None:
        flags = set(fields.get(b"gfp_flags", b"").split(b"|"))
        movable = fields.get(b"migratetype") == _MOVABLE_TYPE or any(b"MOVABLE" in flag for flag in flags)
        below = max((_KINDS_BELOW.get(flag, 0) for flag in flags), default=0)
        for part in range(pfn, pfn + (1 << order)):
            if held := self._live.get(part):  # its free was not recorded
                self._unseen_frees += 1
                self._end(held)
        code = order | (0 if movable else UNMOVABLE) | below << KIND_SHIFT
        block = _Block(pfn, order, code, self._tick, self._at)
        for part in range(pfn, pfn + (1 << order)):
            self._live[part] = block

    def _free(self, pfn: int, order: int) -> None:
        held = self._live.get(pfn)
        if held is None:
            self._before += 1
        elif held.pfn == pfn and held.order <= order:
            self._end(held)
        else:
            self._split(held, pfn, order)

    def _end(self, block: _Block) -> None:
        for part in range(block.pfn, block.pfn + (1 << block.order)):
            del self._live[part]
        self._done.append((block, self._tick, self._at))

    def _split(self, block: _Block, pfn: int, order: int) -> None:
        """Split a block that is freed in parts into blocks from its allocation on."""
        while block.order > order:
            half = 1 << (block.order - 1)
            upper = block.pfn + half
            other_pfn, own_pfn = (block.pfn, upper) if pfn >= upper else (upper, block.pfn)
            code = block.code - 1
            other = _Block(other_pfn, block.order - 1, code, block.tick, block.at)
            block = _Block(own_pfn, block.order - 1, code, block.tick, block.at)
            for part in range(other_pfn, other_pfn + half):
                self._live[part] = other
        for part in range(block.pfn, block.pfn + (1 << block.order)):
            self._live[part] = block
        self._end(block)

    def trace(self) -> KmemTrace:
        """Return the trace read so far."""
        stay = {id(block): block for block in self._live.values()}
        known = [*self._done, *((block, None, 0) for block in stay.values())]
        if not known:
            raise UserError(
                "the recording has no page allocation",
                where=self._name,
                remedy="record the events kmem:mm_page_alloc and kmem:mm_page_free",
            )
        events: list[list[tuple[int, int, int]]] = [[] for _ in range(self._tick + 1)]
        known.sort(key=lambda each: each[0].at)
        for number, (block, tick, at) in enumerate(known):
            events[block.tick].append((block.at, block.code, number))
            if tick is not None:
                events[tick].append((at, FREE, number))
        return KmemTrace(
            title=Path(self._name).name,
            tick_s=self._tick_s,
            ticks=len(events),
            notes=self._notes(len(stay)),
            known=len(known),
            _ticks=[_events(tick) for tick in events],
        )

    def _notes(self, stay: int) -> list[str]:
        counts = (
            (self._before, "frees of blocks allocated before the recording were left out"),
            (stay, "blocks are not freed in the recording"),
            (self._unseen_frees, "frees were not recorded: their pages were allocated again"),
            (self._lost, "events were lost by the recorder"),
            (self._without_page, "failed allocations were left out"),
        )
        return [f"{count:,} {what}" for count, what in counts if count]

    def _wrong(self, number: int, what: str, remedy: str) -> UserError:
        return UserError(f"the event {what}", where=f"{self._name}:{number}", remedy=remedy)


def _events(tick: list[tuple[int, int, int]]) -> Events:
    # Frees precede allocations of one event; parts of a split block keep their order.
    tick.sort(key=lambda event: (event[0], event[1] != FREE))
    return Events(
        np.array([code for _, code, _ in tick], np.uint8),
        np.array([number for *_, number in tick], np.uint32),
    )
