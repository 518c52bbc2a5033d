"""The monitor's counting rules over exact LRU stacks (zhou2004, section 3.1): groups, contexts, epochs."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from litemrc.golden.lru_stack import LruStack


class PositionKind(IntEnum):
    """What a stack engine answers to one operation, numbered as in the hardware's position record."""

    HIT = 0
    MISS = 1
    NONE = 2  # the operation counts nothing: invalidate, mark
    CLEAR = 3


class Position(NamedTuple):
    """Answer to one operation: group from 0 = most recent, context of the page's owner; both 0 if unused."""

    kind: PositionKind
    group: int = 0
    context: int = 0


@dataclass(frozen=True)
class EpochCounters:
    """Counters of one finished epoch.

    For every context c: sum(hits[c]) + misses[c] == accesses[c], unless a counter saturated (`overflow`).
    """

    epoch: int  # number of the epoch, from 0
    hits: list[list[int]]  # [context][group]: accesses whose LRU position lay in that group
    misses: list[int]  # [context]: accesses to invalid pages
    accesses: list[int]  # [context]
    dropped: int  # accesses lost before the stack, whatever their context
    overflow: bool  # an increment met a counter at its limit


class MonitorModel:
    """Exact model of the MRC monitor: operations in, positions and per-epoch counters out.

    A page belongs to the context that first touches it while it is invalid. Later accesses, from whatever
    context, move it in its owner's stack and count in its owner's counters.

    :param frames: number of page frames; frames are numbered from 0.
    :param groups: number of page groups; divides `frames`. A group holds frames / groups pages.
    :param contexts: number of contexts; contexts are numbered from 0.
    :param counter_bits: width of every counter; counters saturate.
    :raises ValueError: if `groups` does not divide `frames`, or a number is below 1.
    """

    def __init__(self, frames: int, groups: int = 64, contexts: int = 8, counter_bits: int = 32) -> None:
        if min(frames, groups, contexts, counter_bits) < 1 or frames % groups:
            raise ValueError(
                f"monitor model: {frames} frames, {groups} groups, {contexts} contexts, {counter_bits} bits: "
                "choose at least 1 of each and a number of groups that divides the frames"
            )
        self.frames, self.groups, self.contexts = frames, groups, contexts
        self.group_pages = frames // groups
        self._limit = (1 << counter_bits) - 1
        self._epoch = 0
        self.clear()

    def access(self, frame: int, context: int) -> Position:
        """Count one access to a frame, seen while `context` was running.

        :return: HIT with the group the page lay in, or MISS; both with the page's owner.
        :raises ValueError: if the frame or the context does not exist.
        """
        self._check(frame, context)
        owner = self._owner.setdefault(frame, context)
        lru_position = self._stacks[owner].access(frame)
        self._count(self._accesses, owner)
        if lru_position is None:
            self._count(self._misses, owner)
            return Position(PositionKind.MISS, 0, owner)
        group = lru_position // self.group_pages
        self._count(self._hits[owner], group)
        return Position(PositionKind.HIT, group, owner)

    def drop(self) -> None:
        """Count one access that was lost before the stack: it adds to `dropped` and to nothing else."""
        self._dropped += 1

    def invalidate(self, frame: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss and finds a new owner.

        :return: NONE, whether or not the page was valid.
        :raises ValueError: if the frame does not exist.
        """
        self._check(frame, 0)
        owner = self._owner.pop(frame, None)
        if owner is not None:
            self._stacks[owner].remove(frame)
        return Position(PositionKind.NONE)

    def clear(self) -> Position:
        """Make every page invalid and restart the running epoch from zero; nothing is published."""
        self._owner: dict[int, int] = {}
        self._stacks = [LruStack() for _ in range(self.contexts)]
        self._zero_counters()
        return Position(PositionKind.CLEAR)

    def mark(self) -> Position:
        """Do nothing, as one operation; an epoch may end behind it.

        :return: NONE.
        """
        return Position(PositionKind.NONE)

    def end_epoch(self) -> EpochCounters:
        """Publish the running epoch's counters and begin the next epoch with zeroed ones; the stacks stay."""
        finished = EpochCounters(
            self._epoch, self._hits, self._misses, self._accesses, self._dropped, self._overflow
        )
        self._epoch += 1
        self._zero_counters()
        return finished

    def stack(self, context: int) -> tuple[int, ...]:
        """The frames in a context's stack, most recently used first."""
        return self._stacks[context].pages

    def _zero_counters(self) -> None:
        self._hits = [[0] * self.groups for _ in range(self.contexts)]
        self._misses = [0] * self.contexts
        self._accesses = [0] * self.contexts
        self._dropped = 0
        self._overflow = False

    def _count(self, counters: list[int], index: int) -> None:
        if counters[index] == self._limit:
            self._overflow = True
        else:
            counters[index] += 1

    def _check(self, frame: int, context: int) -> None:
        if not (0 <= frame < self.frames and 0 <= context < self.contexts):
            raise ValueError(
                f"monitor model: no frame {frame} in context {context}; frames are 0..{self.frames - 1}, "
                f"contexts 0..{self.contexts - 1}"
            )
