# SPDX-License-Identifier: BSD-2-Clause
"""The approximate stack engine: pages are stamped with age buckets, so each access takes constant work.

This model specifies every position that hls/bucket_stack and the gateware report. The closest relative in
software is MIMIR (Saemundsson et al., SoCC 2014), whose aging buckets estimate stack distances in this way.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, count

from litemrc.golden.monitor.loop_front import LoopFront
from litemrc.golden.monitor.positions import CLEAR, NONE, Position, PositionKind, check_access, check_sizes

# Operations between the one that leaves too few ids and the renumbering. The hardware pipeline holds fewer
# operations, so it is drained before the renumbering.
RENUMBER_DELAY = 8


def bucket_ids(groups: int, contexts: int) -> int:
    """Return the number of ids, a power of two.

    Id 0 marks invalid pages, and the last `contexts` ids mark those claimed by each context.

    Renumbering leaves fewer than 2 * (groups + contexts) ids: any two adjacent closed buckets of a context
    hold more than half a group of pages, so an id with two of them does. Each context has its open id, and at
    most one closed id with a single bucket. RENUMBER_DELAY adds ids.
    """
    return 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY + contexts - 1).bit_length()


def bucket_pages(group_pages: int) -> int:
    """Return the number of pages that a bucket holds at most: half a group."""
    return max(1, group_pages // 2)


def closing_pages(group_pages: int) -> int:
    """Return the number of pages at which an open bucket closes: three quarters of what a bucket may hold.

    Smaller buckets refine the estimate and require more frequent renumbering. Measured with 65,536 pages and
    whole groups as buckets: closing at a whole one increases the mean error on zipf 1.2 sevenfold; at half of
    one the hardware no longer sustains 0.995 accesses per cycle.
    """
    return (3 * bucket_pages(group_pages) + 3) // 4


@dataclass(eq=False)
class Bucket:
    """Pages of one context that were last accessed in the same interval; their order is not kept."""

    owner: int
    number: int  # newer buckets have higher numbers
    pages: int = 0


@dataclass
class ContextBuckets:
    """The ids of a context from oldest to newest, each with one or two buckets, and its loop front."""

    closed: list[list[Bucket]]
    open: list[Bucket]
    front: LoopFront

    def younger_pages(self, bucket: Bucket) -> int:
        """Return the number of pages in buckets newer than a closed one."""
        younger = 0
        for newer in reversed([*chain.from_iterable(self.closed), *self.open]):
            if newer is bucket:
                break
            younger += newer.pages
        return younger


class BucketStack:
    """LRU stacks of all contexts with estimated positions; a `StackEngine`.

    - An id has two *buckets*, an older and a newer one. Every access stamps the page with the newest bucket
      of its owner's *open* id. After the access that brings this bucket to `closing_pages`, the next one is
      the newer bucket of the open id; if it was the newer one already, the id closes and the next id opens.
    - A hit in the open id has position 0: it holds less than a group of pages (if a group has two or more).
      The position of a hit in a closed bucket is the number of pages in newer buckets plus the offset that
      `LoopFront` estimates. The true position lies in the same bucket, and a bucket holds at most half a
      group of pages, so the answer is at most half a group off: the same group, or one beside it.
    - All contexts share the ids below those of claims. After the operation that leaves only `RENUMBER_DELAY`
      of them, the `RENUMBER_DELAY`-th operation of any kind is followed by renumbering, one atomic step
      between two operations. Each context drops its empty closed buckets, merges the two of an id if both
      hold at most `bucket_pages`, then every other one, from the oldest on, into the previous one by the same
      rule, and forgets its loop front. Ids start again from 1. The time at which hardware rewrites the stamps
      affects no answer.

    Parameters
    ----------
    pages, groups, contexts
        as in `litemrc.golden.monitor.group_stack.GroupStack`.

    Raises
    ------
    ValueError
        if the sizes are inconsistent; in operations, if the page or context does not exist.
    """

    def __init__(self, pages: int, groups: int, contexts: int) -> None:
        check_sizes(pages, groups, contexts)
        self.pages, self.groups, self.contexts = pages, groups, contexts
        self.group_pages = pages // groups
        self.ids = bucket_ids(groups, contexts)
        self._usable_ids = self.ids - contexts
        self.renumberings = 0
        self.clear()

    def access(self, page: int, context: int) -> Position:
        """Stamp a page with its owner's open bucket.

        The owner of an invalid page is the context that claimed it, or else `context`.
        """
        check_access(page, context, self.pages, self.contexts)
        bucket = self._bucket_of.get(page)
        owner = self._claims.pop(page, context) if bucket is None else bucket.owner
        stack = self._bucket_stacks[owner]
        open_bucket = stack.open[-1]
        if bucket is None:
            answer = Position(PositionKind.MISS, 0, owner)
        else:
            group = self._estimate(stack, bucket) // self.group_pages
            answer = Position(PositionKind.HIT, group, owner)
        if bucket is not open_bucket:
            if bucket is not None:
                bucket.pages -= 1
            open_bucket.pages += 1
            self._bucket_of[page] = open_bucket
            if open_bucket.pages == closing_pages(self.group_pages):
                self._close(stack, owner)
        self._end_operation()
        return answer

    def invalidate(self, page: int) -> Position:
        """Remove a page from its bucket; its next access is a miss and sets a new owner."""
        check_access(page, 0, self.pages, self.contexts)
        self._remove(page)
        self._end_operation()
        return NONE

    def claim(self, page: int, context: int) -> Position:
        """Remove a page from its bucket; its next access is a miss of `context`."""
        check_access(page, context, self.pages, self.contexts)
        self._remove(page)
        self._claims[page] = context
        self._end_operation()
        return NONE

    def mark(self) -> Position:
        """Count as one operation and change nothing else."""
        self._end_operation()
        return NONE

    def clear(self) -> Position:
        """Make every page invalid and remove all claims; ids start again from 1."""
        self._bucket_of: dict[int, Bucket] = {}
        self._claims: dict[int, int] = {}  # contexts of invalid pages
        self._numbers = count()
        self._next_id = 1
        self._delay: int | None = None  # operations left before renumbering
        self._bucket_stacks = [
            ContextBuckets([], [self._bucket(owner)], LoopFront(bucket_pages(self.group_pages)))
            for owner in range(self.contexts)
        ]
        self._next_id += self.contexts
        return CLEAR

    def _estimate(self, stack: ContextBuckets, bucket: Bucket) -> int:
        """Return the estimated LRU position of a page in `bucket`, in pages."""
        if bucket in stack.open:
            return 0
        return stack.younger_pages(bucket) + stack.front.hit(bucket)

    def _remove(self, page: int) -> None:
        """Remove a page from its bucket, or its claim."""
        self._claims.pop(page, None)
        bucket = self._bucket_of.pop(page, None)
        if bucket is not None:
            bucket.pages -= 1

    def _bucket(self, owner: int) -> Bucket:
        return Bucket(owner, next(self._numbers))

    def _close(self, stack: ContextBuckets, owner: int) -> None:
        """Close the newest bucket, and with the second one of an id the id."""
        if len(stack.open) == 2:
            stack.closed.append(stack.open)
            stack.open = []
            self._next_id += 1
        stack.open.append(self._bucket(owner))

    def _end_operation(self) -> None:
        if self._delay is None:
            if self._usable_ids - self._next_id <= RENUMBER_DELAY:
                self._delay = RENUMBER_DELAY
            return
        self._delay -= 1
        if self._delay == 0:
            self._renumber()

    def _renumber(self) -> None:
        self._delay = None
        self._next_id = 1
        self.renumberings += 1
        merged_into: dict[Bucket, Bucket] = {}

        def merged(buckets: Iterable[Bucket]) -> list[Bucket]:
            left: list[Bucket] = []
            for bucket in buckets:
                if left and left[-1].pages + bucket.pages <= bucket_pages(self.group_pages):
                    left[-1].pages += bucket.pages
                    merged_into[bucket] = left[-1]
                elif bucket.pages:
                    left.append(bucket)
            return left

        for stack in self._bucket_stacks:
            stack.front.forget()
            closed = merged(chain.from_iterable(map(merged, stack.closed)))
            stack.closed = [closed[n : n + 2] for n in range(0, len(closed), 2)]
            self._next_id += len(stack.closed) + 1
        for page, bucket in self._bucket_of.items():
            while bucket in merged_into:
                bucket = merged_into[bucket]
            self._bucket_of[page] = bucket
