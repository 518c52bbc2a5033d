# SPDX-License-Identifier: BSD-2-Clause
"""The pages with the most accesses in an epoch, by the rules in the header of hls/hot_pages."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

WINDOW = 5  # accesses in which two pages of a set meet
SHARE_LOG2 = 12  # a hot page has at least 1 / 2**SHARE_LOG2 of the accesses
QUEUE = 16
COUNT_BITS, ERROR_BITS = 20, 9


@dataclass
class Entry:
    """A place of a set; it holds no page while `count` is 0."""

    frame: int = 0
    count: int = 0
    error: int = 0  # count of the page that was replaced

    @property
    def guaranteed(self) -> int:
        """Accesses since the page was admitted."""
        return self.count - self.error


@dataclass(frozen=True)
class HotSettings:
    """What is counted, and which pages are hot.

    Attributes
    ----------
    lower, upper
        first and last frame that is counted.
    reads, writes
        whether they are counted.
    sampling_log2
        1 access of 2**n is counted, at random.
    threshold
        guaranteed count of a hot page.
    wanted
        length of the list.
    always_on
        whether hot pages are put into the queue at once.
    """

    lower: int = 0
    upper: int = (1 << 32) - 1
    reads: bool = True
    writes: bool = True
    sampling_log2: int = 0
    threshold: int = 2
    wanted: int = 64
    always_on: bool = False


@dataclass(frozen=True)
class HotEpoch:
    """A finished epoch: `pages` are (frame, guaranteed count), largest count first."""

    accesses: int
    pages: list[tuple[int, int]]
    more: bool  # pages were hot that the list does not hold
    saturated: bool  # a count reached its limit


def random_numbers() -> Iterator[int]:
    """Yield those of xorshift32 (Marsaglia, Xorshift RNGs, 2003), beginning with its example seed."""
    x = 2463534242
    while True:
        yield x
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF


@dataclass
class HotPages:
    """Space-Saving in sets of a cache, with randomized admission.

    Attributes
    ----------
    frames, sets, ways
        sizes; powers of two. sets 0: as in the hardware, 512 or a quarter of the frames.
    settings
        may change between operations.
    queue, queue_overflow
        of `always_on`; the reader takes from its left, and clears the flag.
    """

    frames: int
    sets: int = 0
    ways: int = 4
    settings: HotSettings = field(default_factory=HotSettings)
    queue: deque[tuple[int, int]] = field(default_factory=deque)
    queue_overflow: bool = False

    def __post_init__(self) -> None:
        self.sets = self.sets or min(512, self.frames // 4)
        self.clear()

    def clear(self) -> None:
        """Discard the running epoch."""
        self._table = [[Entry() for _ in range(self.ways)] for _ in range(self.sets)]
        self._before: deque[int] = deque(maxlen=WINDOW)
        self._random = random_numbers()
        self._accesses, self._saturated = 0, False

    def set_of(self, frame: int) -> int:
        """Return the frame's set: its low bits, XORed with the higher ones in reverse order."""
        bits = self.sets.bit_length() - 1
        number, tag = frame % self.sets, frame // self.sets
        for bit in range((self.frames // self.sets).bit_length() - 1):
            if tag >> bit & 1:
                number ^= 1 << (bits - 1 - bit % bits)
        return number

    def access(self, frame: int, write: bool = False) -> None:
        """Count an access, if the settings select it."""
        settings = self.settings
        if not settings.lower <= frame <= settings.upper:
            return
        if not (settings.writes if write else settings.reads):
            return
        random = next(self._random)
        if (random >> 16) % (1 << settings.sampling_log2) == 0:
            self._count(frame, random & 0xFFFF)

    def end_epoch(self) -> HotEpoch:
        """Return the epoch's list, and begin the next epoch with an empty table."""
        floor = max(self.settings.threshold, self._accesses >> SHARE_LOG2)
        entries = [entry for places in self._table for entry in places]
        hot = [entry for entry in entries if entry.count and entry.guaranteed >= floor]
        hot.sort(key=lambda entry: -entry.guaranteed)  # stable: equal counts stay in the table's order
        listed = [(entry.frame, entry.guaranteed) for entry in hot[: self.settings.wanted]]
        epoch = HotEpoch(self._accesses, listed, len(hot) > len(listed), self._saturated)
        self.clear()
        return epoch

    def _count(self, frame: int, random: int) -> None:
        self._accesses += 1
        number = self.set_of(frame)
        places = self._table[number]
        neighbour = any(other != frame and self.set_of(other) == number for other in self._before)
        self._before.append(frame)
        entry = next((each for each in places if each.count and each.frame == frame), None)
        if entry is None:
            least = min(places, key=lambda each: each.count)
            if neighbour or random % (1 << least.count.bit_length()):
                return  # not admitted
            if least.count.bit_length() > 16:  # a random number has no more bits
                return
            inherited = min(least.count, (1 << ERROR_BITS) - 1)
            entry = least
            entry.frame, entry.count, entry.error = frame, inherited, inherited
        if entry.count == (1 << COUNT_BITS) - 1:
            self._saturated = True
            return
        entry.count += 1
        if self.settings.always_on and entry.guaranteed == self.settings.threshold:
            if len(self.queue) == QUEUE:
                self.queue_overflow = True
            else:
                self.queue.append((frame, entry.guaranteed))
