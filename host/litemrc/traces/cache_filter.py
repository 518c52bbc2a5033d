"""Models caches and returns the accesses of a program that reach memory.

Modelled: separate first levels for data and instructions and unified levels below, each set-associative, LRU,
write-back, write-allocate, indexed by virtual addresses. A miss first writes a dirty victim back to the next
level and then fetches the line. An access that crosses lines is one access to each; M (load and store) counts
as a store. Not modelled: translation, prefetching, write buffers, inclusion (a line evicted below may stay
above), and lines that are dirty when the program ends.

The golden model is `golden.monitor.cache_hierarchy`. Most accesses to a set repeat its previous line. These
are found by array operations for a whole block; only the others are simulated one by one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.formats.lackey import blocks_touched, is_write
from litemrc.traces.formats.lackey_lines import Accesses

# The processor of Zhou et al. 2004, section 5.2.
INSTRUCTIONS = CacheShape(16 << 10, 1, 32)
LEVELS = (CacheShape(16 << 10, 4, 32), CacheShape(256 << 10, 4, 64))


class Transfers(NamedTuple):
    """Lines moved between two levels, in order.

    Attributes:
        addresses: uint64[n], first byte of the line.
        writes: bool[n], true: write-back, false: fetch.
        positions: int64[n], index of the access that caused the transfer.
    """

    addresses: NDArray[np.uint64]
    writes: NDArray[np.bool_]
    positions: NDArray[np.int64]


class Cache:
    """A cache.

    Attributes:
        accesses, misses, write_backs: counts so far.
    """

    def __init__(self, shape: CacheShape) -> None:
        self.shape = shape
        self.accesses = self.misses = self.write_backs = 0
        self._sets: list[list[int]] = [
            [] for _ in range(shape.sets)
        ]  # lines of each set, most recently used first
        self._dirty: set[int] = set()

    def run(self, requests: Transfers) -> Transfers:
        """Serve requests and return those to the next level."""
        shift = np.uint64(self.shape.line_bytes.bit_length() - 1)
        lines = requests.addresses >> shift
        self.accesses += lines.size
        heads, writes = self._without_repeats(lines, requests.writes)
        sets, dirty, ways, mask = self._sets, self._dirty, self.shape.ways, self.shape.sets - 1
        below: list[tuple[int, bool, int]] = []
        columns = lines[heads].tolist(), writes.tolist(), requests.positions[heads].tolist()
        for line, write, position in zip(*columns, strict=True):
            held = sets[line & mask]
            if line in held:
                if held[0] != line:
                    held.remove(line)
                    held.insert(0, line)
            else:
                if len(held) == ways:
                    victim = held.pop()
                    if victim in dirty:
                        dirty.remove(victim)
                        below.append((victim, True, position))
                        self.write_backs += 1
                held.insert(0, line)
                below.append((line, False, position))
                self.misses += 1
            if write:
                dirty.add(line)
        out, out_writes, positions = zip(*below, strict=True) if below else ((), (), ())
        return Transfers(
            np.array(out, dtype=np.uint64) << shift,
            np.array(out_writes, dtype=bool),
            np.array(positions, dtype=np.int64),
        )

    def _without_repeats(
        self, lines: NDArray[np.uint64], writes: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the first access of each run to one line in a set, and whether the run writes.

        A repeated access hits and does not change the order of its set, so the first one represents the run.
        """
        if not lines.size:
            return np.empty(0, dtype=np.int64), writes
        numbers = (lines & np.uint64(self.shape.sets - 1)).astype(np.uint32)
        if self.shape.sets <= 1 << 16:
            numbers = numbers.astype(np.uint16)  # numpy sorts these by radix
        order = np.argsort(numbers, kind="stable")
        grouped = lines[order]
        first = np.flatnonzero(np.insert(grouped[1:] != grouped[:-1], 0, True))
        written = np.logical_or.reduceat(writes[order], first)
        heads = order[first]
        in_time = np.argsort(heads)
        return heads[in_time], written[in_time]


class CacheHierarchy:
    """The caches of a processor.

    Attributes:
        instructions: first level for instructions; None: instruction fetches are ignored.
        levels: first level for data, then the shared levels.
    """

    def __init__(
        self, levels: Sequence[CacheShape] = LEVELS, instructions: CacheShape | None = INSTRUCTIONS
    ) -> None:
        """
        Raises:
            UserError: no level, or a level with shorter lines than the previous one.
        """
        if not levels:
            raise UserError("no cache level is given", remedy="use --cache none for no filter")
        firsts = [levels[0], instructions] if instructions else [levels[0]]
        longest = max(shape.line_bytes for shape in firsts)
        for above, below in zip([longest, *(s.line_bytes for s in levels[1:])], levels[1:], strict=False):
            if below.line_bytes < above:
                raise UserError(
                    f"cache {below} has shorter lines than the level above",
                    remedy="give each level lines of at least that length",
                )
        self.levels = [Cache(shape) for shape in levels]
        self.instructions = Cache(instructions) if instructions else None

    def run(self, accesses: Accesses) -> Transfers:
        """Serve a block of accesses and return the transfers to memory; positions count in this block."""
        fetches = accesses.kinds == ord("I")
        data = np.flatnonzero(~fetches)
        requests = self.levels[0].run(_lines_touched(accesses, data, self.levels[0].shape))
        if self.instructions:
            code = _lines_touched(accesses, np.flatnonzero(fetches), self.instructions.shape)
            both = zip(requests, self.instructions.run(code), strict=True)
            joined = Transfers._make(np.concatenate(pair) for pair in both)
            order = np.argsort(joined.positions, kind="stable")
            requests = Transfers._make(column[order] for column in joined)
        for cache in self.levels[1:]:
            requests = cache.run(requests)
        return requests


def _lines_touched(accesses: Accesses, index: NDArray[np.int64], shape: CacheShape) -> Transfers:
    lines, of = blocks_touched(accesses.addresses[index], accesses.sizes[index], shape.line_bytes)
    shift = np.uint64(shape.line_bytes.bit_length() - 1)
    return Transfers(lines << shift, is_write(accesses.kinds[index])[of], index[of])
