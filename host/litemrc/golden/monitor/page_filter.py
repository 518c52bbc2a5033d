# SPDX-License-Identifier: BSD-2-Clause
"""The page filter in front of a stack engine: recent pages, an address range, spatial sampling.

Recent pages: zhou2004, section 3.1 ("Not every access to memory needs to update the structures").
Sampling by a hash of the page: Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015.
"""

import math
from typing import NamedTuple

from litemrc.golden.monitor.positions import NONE, Position, PositionKind, StackEngine


class EngineOp(NamedTuple):
    """An operation that the filter sent to the engine."""

    kind: str  # access, invalidate, claim, clear
    frame: int = 0  # its number in the engine
    context: int = 0


def hash_multiplier(frame_bits: int) -> int:
    """Return 2^frame_bits over the golden ratio, made odd; its multiples are evenly spread."""
    return int(2**frame_bits * (math.sqrt(5) - 1) / 2) | 1


def hashed(frame: int, frame_bits: int) -> int:
    """Permute the numbers of `frame_bits` bits so that neighbours are evenly spread in the upper bits.

    Both steps are invertible: upper bits are folded onto lower ones, then the result is multiplied by an odd
    number modulo 2^frame_bits.
    """
    folded = frame ^ (frame >> max(1, frame_bits // 2)) ^ (frame >> max(1, frame_bits // 4))
    return folded * hash_multiplier(frame_bits) % 2**frame_bits


class PageFilter:
    """Returns the positions of the exact engine and sends it only some of the operations.

    **Recent pages.** The filter holds the `recent_pages` pages accessed last. An access to one of them is
    absorbed: the answer is a hit in group 0 of the page's owner, without the engine. That answer is exact,
    because

    - the recent pages of an owner are the top of its stack, here and in the engine, and they fit one group;
    - so the engine's stack differs from the true one only in the order of these pages, inside group 0.

    Before any other access goes to the engine, the engine's order is corrected: recent pages that were
    absorbed out of order are accessed once more in the engine, least recent first, and the answers are
    discarded (*touches*). So pages leave the top of the stack in their true order, and every position is
    exact for every access sequence. Each page touched was absorbed since the last access sent to the engine,
    so the engine never gets more accesses than the filter. A page that is invalidated or claimed stops being
    recent; a clear forgets all recent pages.

    **Range.** Accesses outside `lower`..`upper` are not counted. Invalidations and claims always pass.

    **Sampling** at rate 1/2^k: a page is sampled if the upper k bits of its frame's hash are 0; the other
    bits are its number in the engine, so numbers are unique. Accesses of other pages are not counted, and
    their invalidations and claims are ignored. With k = 0 the engine sees the frame numbers themselves. k is
    at least log2(memory_frames / frames), so that the sampled pages fit the engine. A group of the engine
    stands for 2^k times the real pages.

    **Split**: reads and writes count apart. Contexts 0..`split` - 1 own pages, and the writes to the pages of
    context c have the positions of context c + `split`. Reads and writes move pages in the same stack. A
    claim for context c + `split` is one for context c.

    **Frozen** accesses do the same and return NONE; they count neither as outside nor as unsampled.

    Parameters
    ----------
    engine
        gets frames below `frames`. It also gets the touches: count the filter's answers.
    memory_frames
        page frames of the memory; a power of two.
    frames
        page frames of the engine; a power of two, at most `memory_frames`.
    groups
        page groups of the engine.
    recent_pages
        1 .. frames / groups.
    counter_bits
        width of the counts of accesses outside and unsampled; they saturate.

    Raises
    ------
    ValueError
        if the sizes are inconsistent.
    :ivar split: contexts that own pages, half of all; 0: reads and writes count together.
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
                f"page filter: recent_pages must be 1 to {frames // groups} (got {recent_pages}), the "
                "pages of a group"
            )
        if any(n < 1 or n & (n - 1) for n in (memory_frames, frames)) or frames > memory_frames:
            raise ValueError(
                f"page filter: {memory_frames} frames of memory and {frames} of the engine must be "
                "powers of two, and the engine may have no more than the memory"
            )
        self.lower, self.upper = 0, memory_frames - 1
        self.sampling = 0
        self.split = 0
        self.sent: list[EngineOp] = []
        self.touches = self.outside = self.unsampled = 0
        self._engine = engine
        self._frame_bits = memory_frames.bit_length() - 1
        self._least_sampling = (memory_frames // frames).bit_length() - 1
        self._recent_pages = recent_pages
        self._limit = (1 << counter_bits) - 1
        self._forget()

    @property
    def scale_log2(self) -> int:
        """Return k of the rate 1/2^k: `sampling`, or the least k with which the memory fits the engine."""
        return max(self.sampling, self._least_sampling)

    def access(self, frame: int, context: int, frozen: bool = False, write: bool = False) -> Position:
        """Return the position of one access; NONE if it is out of range, not sampled, or frozen."""
        page = self._number(frame)
        if not self.lower <= frame <= self.upper:
            self.outside = min(self.outside + (not frozen), self._limit)
            return NONE
        if page is None:
            self.unsampled = min(self.unsampled + (not frozen), self._limit)
            return NONE
        position = self._access_page(page, self._owning(context))
        if write:
            position = position._replace(context=position.context | self.split)
        return NONE if frozen else position

    def invalidate(self, frame: int) -> Position:
        """Remove a frame's page from its stack; ignored if the frame is not sampled."""
        return self._remove(frame, "invalidate", 0)

    def claim(self, frame: int, context: int) -> Position:
        """Remove a frame's page from its stack; `context` will own it. Ignored if it is not sampled."""
        return self._remove(frame, "claim", self._owning(context))

    def clear(self) -> Position:
        """Make every page invalid and reset the counts."""
        self._forget()
        return self._send(EngineOp("clear"))

    def mark(self) -> Position:
        """Do nothing, as one operation; the engine gets none."""
        return NONE

    def end_epoch(self) -> tuple[int, int]:
        """Return the epoch's accesses out of range and those not sampled, and reset both."""
        counts = self.outside, self.unsampled
        self.outside = self.unsampled = 0
        return counts

    def _owning(self, context: int) -> int:
        return context % self.split if self.split else context

    def _remove(self, frame: int, kind: str, context: int) -> Position:
        page = self._number(frame)
        if page is None:
            return NONE
        if page in self._recent:
            self._recent.remove(page)
            self._in_engine.remove(page)
        return self._send(EngineOp(kind, page, context))

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
        """Return the frame's number in the engine; None if the frame is not sampled."""
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
        """Return whether a less recent page is above this one in the engine."""
        above = self._in_engine[: self._in_engine.index(page)]
        return any(self._recent.index(other) > self._recent.index(page) for other in above)

    def _send(self, op: EngineOp) -> Position:
        self.sent.append(op)
        if op.kind == "access":
            return self._engine.access(op.frame, op.context)
        if op.kind == "claim":
            return self._engine.claim(op.frame, op.context)
        return self._engine.invalidate(op.frame) if op.kind == "invalidate" else self._engine.clear()

    def _forget(self) -> None:
        self._recent: list[int] = []  # most recently used first
        self._in_engine: list[int] = []  # the same pages in the order of the engine's accesses to them
        self._owner: dict[int, int] = {}
        self.outside = self.unsampled = 0
