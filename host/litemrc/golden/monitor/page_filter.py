"""The page filter before a stack engine: recent pages, an address range, spatial sampling.

Recent pages: zhou2004, section 3.1 ("Not every access to memory needs to update the structures").
Sampling by a hash of the page: Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015.
"""

import math
from typing import NamedTuple

from litemrc.golden.monitor.positions import NONE, Position, PositionKind, StackEngine


class EngineOp(NamedTuple):
    """An operation the filter sent to the engine."""

    kind: str  # access, invalidate, clear
    frame: int = 0  # the engine's number of it
    context: int = 0


def hash_multiplier(frame_bits: int) -> int:
    """The odd number nearest to 2^frame_bits over the golden ratio: multiples of it spread evenly."""
    return int(2**frame_bits * (math.sqrt(5) - 1) / 2) | 1


def hashed(frame: int, frame_bits: int) -> int:
    """A permutation of the numbers of `frame_bits` bits that spreads neighbours evenly over its upper bits.

    Both steps can be undone: upper bits are folded onto lower ones, then all is multiplied by an odd number
    modulo 2^frame_bits.
    """
    folded = frame ^ (frame >> max(1, frame_bits // 2)) ^ (frame >> max(1, frame_bits // 4))
    return folded * hash_multiplier(frame_bits) % 2**frame_bits


class PageFilter:
    """Answers operations as the exact engine would, and asks it about few of them.

    **Recent pages.** The filter knows the `recent_pages` pages accessed last. An access to one of them is
    answered without the engine: a hit in group 0 of the page's owner. That is the exact answer, because

    - the recent pages of an owner are the first ones of its stack, here and in the engine, and there are
      no more of them than pages in a group;
    - so the engine's stack differs from the true one at most in the order of these pages, inside group 0.

    Before any other access goes to the engine, its order is made the true one: recent pages that were
    absorbed out of turn since are accessed once more in the engine, least recent first, and the answers
    thrown away (*touches*). So pages leave the top of the stack in their true order and every position is
    exact, whatever the accesses. Each page touched was absorbed since the last access that went to the
    engine, so the engine never gets more accesses than there are. A page that is invalidated stops being
    recent; a clear forgets them all.

    **Range.** Accesses outside `lower`..`upper` count nothing. Invalidations pass whatever the range.

    **Sampling** at rate 1/2^k: a page takes part if the upper k bits of the hash of its frame are 0; the
    other bits number it in the engine, so no two pages meet in one number. Accesses and invalidations of
    other pages count nothing. With k = 0 the engine sees the frames' own numbers. k is at least
    log2(memory_frames / frames), so that the pages that take part fit the engine. A group of the engine
    stands for 2^k times as many real pages.

    **Frozen** accesses do all that and are answered NONE; they count neither as outside nor as unsampled.

    :param engine: asked with frames below `frames`. It sees the touches too: count what the filter answers.
    :param memory_frames: page frames of the memory; a power of two.
    :param frames: page frames of the engine; a power of two, at most `memory_frames`.
    :param groups: page groups of the engine.
    :param recent_pages: 1 .. frames / groups.
    :param counter_bits: width of the counts of accesses outside and unsampled; they saturate.
    :raises ValueError: if sizes do not fit together.
    """

    def __init__(
        self,
        engine: StackEngine,
        memory_frames: int,
        frames: int,
        groups: int,
        recent_pages: int = 4,
        counter_bits: int = 32,
    ) -> None:
        if not 1 <= recent_pages <= frames // groups:
            raise ValueError(
                f"page filter: {recent_pages} recent pages, but a group holds {frames // groups}: "
                "the recent pages must all lie in group 0"
            )
        if any(n < 1 or n & (n - 1) for n in (memory_frames, frames)) or frames > memory_frames:
            raise ValueError(
                f"page filter: {memory_frames} frames of memory, {frames} of the engine: choose powers "
                "of two, the engine's not above the memory's"
            )
        self.lower, self.upper = 0, memory_frames - 1
        self.sampling = 0
        self.sent: list[EngineOp] = []
        self.touches = 0
        self._engine = engine
        self._frame_bits = memory_frames.bit_length() - 1
        self._least_sampling = (memory_frames // frames).bit_length() - 1
        self._recent_pages = recent_pages
        self._limit = (1 << counter_bits) - 1
        self._forget()

    @property
    def scale_log2(self) -> int:
        """k of the rate 1/2^k: `sampling`, or as much as the memory needs to fit the engine."""
        return max(self.sampling, self._least_sampling)

    def access(self, frame: int, context: int, frozen: bool = False) -> Position:
        """Answer one access to a frame of the memory; NONE if it is out of range, not sampled, or frozen."""
        page = self._number(frame)
        if not self.lower <= frame <= self.upper:
            self.outside = min(self.outside + (not frozen), self._limit)
            return NONE
        if page is None:
            self.unsampled = min(self.unsampled + (not frozen), self._limit)
            return NONE
        position = self._access_page(page, context)
        return NONE if frozen else position

    def invalidate(self, frame: int) -> Position:
        """Remove a frame's page from its stack; nothing if the frame is not sampled."""
        page = self._number(frame)
        if page is None:
            return NONE
        if page in self._recent:
            self._recent.remove(page)
            self._in_engine.remove(page)
        return self._send(EngineOp("invalidate", page))

    def clear(self) -> Position:
        """Make every page invalid; the counts begin anew."""
        self._forget()
        return self._send(EngineOp("clear"))

    def mark(self) -> Position:
        """Do nothing, as one operation; the engine gets none."""
        return NONE

    def end_epoch(self) -> tuple[int, int]:
        """Accesses of the epoch that were out of range, and those not sampled; both begin anew."""
        counts = self.outside, self.unsampled
        self.outside = self.unsampled = 0
        return counts

    def _access_page(self, page: int, context: int) -> Position:
        if page in self._recent:
            self._recent.remove(page)
            self._recent.insert(0, page)
            return Position(PositionKind.HIT, 0, self._owner[page])
        self._put_in_order()
        if len(self._recent) == self._recent_pages:
            del self._recent[-1], self._in_engine[-1]
        position = self._send(EngineOp("access", page, context))
        self._recent.insert(0, page)
        self._in_engine.insert(0, page)
        self._owner[page] = position.context
        return position

    def _number(self, frame: int) -> int | None:
        """The engine's number of a frame; None if the frame is not sampled."""
        if self.scale_log2 == 0:
            return frame
        number = hashed(frame, self._frame_bits)
        return None if number >> max(self._frame_bits - self.scale_log2, 0) else number

    def _put_in_order(self) -> None:
        """Touch recent pages until the engine has them in their true order."""
        while misplaced := [page for page in self._recent if self._is_misplaced(page)]:
            page = misplaced[-1]
            self._in_engine.remove(page)
            self._in_engine.insert(0, page)
            self.touches += 1
            self._send(EngineOp("access", page))

    def _is_misplaced(self, page: int) -> bool:
        """Whether the engine has a page above this one that is less recent."""
        above = self._in_engine[: self._in_engine.index(page)]
        return any(self._recent.index(other) > self._recent.index(page) for other in above)

    def _send(self, op: EngineOp) -> Position:
        self.sent.append(op)
        if op.kind == "access":
            return self._engine.access(op.frame, op.context)
        return self._engine.invalidate(op.frame) if op.kind == "invalidate" else self._engine.clear()

    def _forget(self) -> None:
        self._recent: list[int] = []  # most recently used first
        self._in_engine: list[int] = []  # the same pages in the order of the engine's accesses to them
        self._owner: dict[int, int] = {}
        self.outside = self.unsampled = 0
