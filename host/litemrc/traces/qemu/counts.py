# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin counted in each process: files of `native/qemu/results.hpp`."""

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import points_of_hits
from litemrc.errors import UserError
from litemrc.native.shards import sampled_curve, scaled_counts

PAGE_BITS = 48  # of a record's second word; a bit for a write and the processor follow
CONTEXT_SHIFT, CONTEXT_BITS = 54, 8  # of the first word, above the time
# In the first word, the time: a count of references in an interval that ended then; it follows the page.
COUNTED = 1 << 62
_MESSAGE_BYTES = 32 << 10
_HEADER_BYTES = 16


@dataclass(frozen=True)
class CacheCounts:
    """Accesses to a cache, misses, and dirty lines written back; of all processors together."""

    accesses: int = 0
    misses: int = 0
    write_backs: int = 0

    def __add__(self, other: "CacheCounts") -> "CacheCounts":
        return CacheCounts(
            self.accesses + other.accesses,
            self.misses + other.misses,
            self.write_backs + other.write_backs,
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of a process.

    Attributes
    ----------
    process, parent
        process numbers.
    hits
        uint64[groups], by group of the LRU stack.
    misses
        sampled accesses to a page for the first time.
    pages
        distinct pages among the sampled ones.
    outside
        accesses to pages that have no frame, or no number of `FRAME_BITS` bits; without_frame: the
        former.
    unsampled
        accesses to pages that are not sampled.
    in_dram
        of a device: accesses that it took; others are outside. Then there are no hits.
    roots
        addresses of page tables by context, 0 for context 0.
    instructions
        instructions begun; 0 if they were not counted.
    loads, stores
        of the program; one that does both is a store.
    device_accesses
        of a machine: to devices, which are not among loads and stores.
    cut
        of a machine: loads and stores that go on in another page; the part in the first one counts.
    streamed
        records sent.
    working_sets
        pages accessed in each epoch.
    instruction_cache, caches
        counts of the caches; None: there is none.
    seconds
        from the start to the end of the process.
    without
        of a sample, uint64[n] by exact stack distance, [0] cold misses, without each of 8 groups of
        pages; empty: not sampled.
    replaced
        the process became another program by exec, which runs outside QEMU.
    """

    process: int
    parent: int
    hits: NDArray[np.uint64]
    misses: int
    pages: int
    outside: int
    without_frame: int
    unsampled: int
    in_dram: int
    roots: list[int]
    instructions: int
    loads: int
    stores: int
    device_accesses: int
    cut: int
    streamed: int
    working_sets: list[int]
    instruction_cache: CacheCounts | None
    caches: list[CacheCounts]
    seconds: float
    replaced: bool
    without: Sequence[NDArray[np.uint64]] = ()

    @property
    def accesses(self) -> int:
        """Return the accesses that reached memory."""
        return int(self.hits.sum()) + self.misses + self.outside + self.unsampled + self.in_dram

    @property
    def references(self) -> int:
        """Return the program's loads, stores and, if they are counted, instruction fetches."""
        return self.loads + self.stores + (self.instructions if self.instruction_cache else 0)

    def curve(self, page_bytes: int, group_pages: int, sampling: int, name: str = "") -> Curve:
        """Return the miss-ratio curve; of a sample, with its 95 % confidence band (see `native/shards.py`).

        Parameters
        ----------
        group_pages
            pages of the engine in a group.
        sampling
            K of the sample rate 1/2^K.
        """
        scale = 1 << sampling
        resolution = group_pages * scale
        if sampling and (self.hits.any() or self.misses):
            sizes = np.arange(1, self.hits.size + 1) * resolution
            groups = len(self.without)
            others = (groups - 1) / groups / scale
            curve = sampled_curve(
                self.accesses - self.outside,
                (sizes, self.hits * np.float64(scale), float(self.misses * scale)),
                [scaled_counts(counts, others) for counts in self.without],
                1 - 1 / scale,
                page_bytes,
            )
            return replace(curve, name=name, accesses=self.accesses, resolution_pages=resolution)
        sizes, ratios = points_of_hits(self.hits.copy(), self.misses, group_pages)
        return Curve(
            sizes * scale,
            ratios,
            self.accesses,
            self.misses * scale,
            page_bytes,
            name,
            resolution_pages=resolution,
        )


def read_counts(folder: Path, where: str) -> list[Counts]:
    """Return the counts of all processes that have ended, the first process first.

    Raises
    ------
    UserError
        counts that contradict each other, or a file that cannot be read.
    """
    found = []
    for path in folder.glob("*.json"):
        try:
            facts = json.loads(path.read_text())
            hits = np.fromfile(path.with_suffix(".hits"), np.uint64)
            counts = _checked(int(path.stem), facts, hits, where)
            if ends := np.cumsum(facts["without"]).tolist():
                counters = np.fromfile(path.with_suffix(".without"), np.uint64)
                counts = replace(counts, without=np.split(counters, ends[:-1]))
            found.append(counts)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"the plugin's counts cannot be read: {error}", where=where) from error
    return sorted(found, key=lambda counts: counts.process)


def _checked(process: int, facts: dict[str, Any], hits: NDArray[np.uint64], where: str) -> Counts:
    if facts["repeats"]:
        hits[0] += np.uint64(facts["repeats"])
    instruction_cache, *caches = [CacheCounts(*counts) for counts in facts["caches"] or [[]]]
    counts = Counts(
        process,
        int(facts["parent"]),
        hits,
        facts["misses"],
        facts.get("pages", 0),
        facts["outside"],
        facts["without_frame"],
        facts["unsampled"],
        facts["in_dram"],
        facts["roots"],
        facts["instructions"],
        facts["loads"],
        facts["stores"],
        facts["device_accesses"],
        facts["cut"],
        facts["streamed"],
        facts["working_sets"],
        instruction_cache if facts["instructions"] else None,
        caches,
        facts["seconds"],
        bool(facts["replaced"]),
    )
    if not facts["recorded"]:
        raise UserError("the record of the monitor's input could not be written completely", where=where)
    # Each side counts by itself: processors what they send, and memory what it takes.
    sent, taken = facts["transfers_sent"], facts["transfers_taken"]
    shared = caches[2:]
    reached = shared[-1].misses + shared[-1].write_backs if shared else taken
    counted = counts.accesses if "pages" in facts or counts.in_dram else reached
    if sent != taken or reached != counted or (shared and shared[0].accesses != taken):
        raise UserError(
            f"the plugin lost counts: {sent:,} accesses left the processors, {taken:,} reached memory, "
            f"{reached:,} passed the caches, {counted:,} were counted",
            where=f"{where}, process {process}",
            remedy="please report this",
        )
    return counts


class RecordStream:
    """A socket for records.

    Attributes
    ----------
    writer
        the end for the emulator; `started` closes it here.
    """

    def __init__(self) -> None:
        self._reader, self.writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._reader.settimeout(0.2)

    def started(self) -> None:
        """Leave the writing end to the emulator."""
        self.writer.close()

    def messages(self, ended: Callable[[], bool]) -> Iterator[tuple[int, NDArray[np.uint64]] | None]:
        """Yield the process and the records, uint64[n, 2], of each message; None while nothing comes.

        Parameters
        ----------
        ended
            returns whether the program has ended; a child that lives on does not hold the stream.
        """
        while True:
            over = ended()  # before the look, so that what was sent before the end is seen
            try:
                message = self._reader.recv(_MESSAGE_BYTES)
            except TimeoutError:
                if over:
                    return
                yield None
                continue
            if not message:
                return
            (process,) = np.frombuffer(message, np.uint64, 1)
            yield int(process), np.frombuffer(message, np.uint64, offset=_HEADER_BYTES).reshape(-1, 2)

    def close(self) -> None:
        """Close both ends; the plugin then records no more."""
        self._reader.close()
        self.writer.close()
