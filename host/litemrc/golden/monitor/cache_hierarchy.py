"""Reference model of a cache hierarchy: one access at a time through lists, slow and obvious.

Set-associative, LRU, write-back, write-allocate. A miss writes its dirty victim back to the level below, then
fetches its line from there. Lines hold no data, only whether they are dirty.
"""

from dataclasses import dataclass, field


@dataclass
class CacheModel:
    """One cache and what is below it.

    Parameters:
        sets, ways, line_bytes: its shape.
        below: the next level; None: memory.
    """

    sets: int
    ways: int
    line_bytes: int
    below: "CacheModel | Memory"
    lines: list[list[list]] = field(
        default_factory=list
    )  # of each set: [line number, dirty], last used first

    def __post_init__(self) -> None:
        self.lines = [[] for _ in range(self.sets)]

    def access(self, address: int, size: int, write: bool) -> None:
        """Load or store `size` bytes: one access to each line they touch."""
        for number in range(address // self.line_bytes, (address + size - 1) // self.line_bytes + 1):
            self._access_line(number, write)

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
    """Takes down what reaches it: (address, write), in order."""

    transfers: list[tuple[int, bool]] = field(default_factory=list)

    def access(self, address: int, size: int, write: bool) -> None:
        self.transfers.append((address, write))
