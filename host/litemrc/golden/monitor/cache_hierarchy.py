# SPDX-License-Identifier: BSD-2-Clause
"""Reference model of a cache hierarchy, slow and simple.

Caches are set-associative, LRU, write-back and write-allocate. A miss first writes its dirty victim to the
next level and then fetches its line. Lines hold no data, only a dirty flag. A write-through cache passes each
store on, and a store that misses allocates no line, as in VexRiscv's data cache.
"""

from dataclasses import dataclass, field


@dataclass
class CacheModel:
    """One cache level.

    Parameters
    ----------
    sets, ways, line_bytes
        geometry.
    below
        the next level.
    write_through
        stores are passed on.
    """

    sets: int
    ways: int
    line_bytes: int
    below: "CacheModel | Memory"
    write_through: bool = False
    # Lines of each set as [line number, dirty], most recently used first.
    lines: list[list[list]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = [[] for _ in range(self.sets)]

    def access(self, address: int, size: int, write: bool) -> None:
        """Load or store `size` bytes, with one access to each line that they cover."""
        for number in range(address // self.line_bytes, (address + size - 1) // self.line_bytes + 1):
            if write and self.write_through:
                first = max(address, number * self.line_bytes)
                end = min(address + size, (number + 1) * self.line_bytes)
                self._store_through(number, first, end - first)
            else:
                self._access_line(number, write)

    def _store_through(self, number: int, address: int, size: int) -> None:
        held = self.lines[number % self.sets]
        for line in held:
            if line[0] == number:
                held.remove(line)
                held.insert(0, line)
                break
        self.below.access(address, size, True)

    def _access_line(self, number: int, write: bool) -> None:
        held = self.lines[number % self.sets]
        for line in held:
            if line[0] == number:
                held.remove(line)
                held.insert(0, line)
                line[1] = line[1] or write
                return
        if len(held) == self.ways:
            victim, dirty = held.pop()
            if dirty:
                self.below.access(victim * self.line_bytes, self.line_bytes, True)
        self.below.access(number * self.line_bytes, self.line_bytes, False)
        held.insert(0, [number, write])


@dataclass
class Memory:
    """Memory; records the transfers that reach it as (address, write), in order."""

    transfers: list[tuple[int, bool]] = field(default_factory=list)

    def access(self, address: int, size: int, write: bool) -> None:
        self.transfers.append((address, write))
