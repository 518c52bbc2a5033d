# SPDX-License-Identifier: BSD-2-Clause
"""The approximate stack engine: pages are stamped with age buckets, so each access takes constant work.

This model specifies every position that hls/bucket_stack and the gateware report. The closest relative in
software is MIMIR (Saemundsson et al., SoCC 2014), whose aging buckets estimate stack distances in this way.
"""

from dataclasses import dataclass
from itertools import count

from litemrc.golden.monitor.loop_front import LoopFront
from litemrc.golden.monitor.positions import CLEAR, NONE, Position, PositionKind, check_access, check_sizes

# Operations between the one that leaves too few ids and the renumbering. The hardware pipeline holds fewer
# operations, so it is drained before the renumbering.
RENUMBER_DELAY = 8


def bucket_ids(groups: int, contexts: int) -> int:
    """Return the number of ids, a power of two.

    Id 0 marks invalid pages, and the last `contexts` ids mark those claimed by each context.

    Renumbering leaves fewer than 2 * (groups + contexts) buckets, because any two adjacent buckets of a
    context hold more than one group of pages, except its oldest and its open one. RENUMBER_DELAY adds ids.
    """
    return 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY + contexts - 1).bit_length()


def bucket_pages(group_pages: int) -> int:
    """Return the number of pages at which an open bucket closes: three quarters of a group.

    Smaller buckets refine the estimate and require more frequent renumbering. Measured with 65,536 pages: a
    whole group increases the mean error on zipf 1.2 sevenfold; with half a group the hardware no longer
    sustains 0.995 accesses per cycle.
    """
    return (3 * group_pages + 3) // 4


@dataclass(eq=False)
class Bucket:
    """Pages of one context that were last accessed in the same interval; their order is not kept."""

    owner: int
    number: int  # newer buckets have higher numbers
    pages: int = 0


@dataclass
class ContextBuckets:
    """The buckets of a context from oldest to newest (open), and its loop front."""

    buckets: list[Bucket]
    front: LoopFront

    def younger_pages(self, bucket: Bucket) -> int:
        """Return the number of pages in newer buckets."""
        younger = 0
        for newer in reversed(self.buckets):
            if newer is bucket:
                break
            younger += newer.pages
        return younger


class BucketStack:
    """LRU stacks of all contexts with estimated positions; a `StackEngine`.

    - Every access stamps the page with its owner's *open* bucket. When that bucket holds `bucket_pages`, it
      closes after the access, and an empty bucket opens with the next id.
    - A hit in the open bucket has position 0. The position of a hit in a closed bucket is the number of pages
      in newer buckets plus the offset that `LoopFront` estimates. The true position lies in the same bucket,
      and a bucket holds at most one group of pages, so the answer is at most one group off.
    - All contexts share the ids below those of claims. After the operation that leaves only `RENUMBER_DELAY`
      of them, the `RENUMBER_DELAY`-th operation of any kind is followed by renumbering, one atomic step
      between two operations. Each context drops its empty closed buckets, merges every other closed bucket,
      from the oldest on, into the previous one if both hold at most one group of pages, and forgets its loop
      front. Ids start again from 1. The time at which hardware rewrites the stamps affects no answer.

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
        open_bucket = stack.buckets[-1]
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
            if open_bucket.pages == bucket_pages(self.group_pages):
                self._open(stack.buckets, owner)
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
        self._bucket_stacks = [ContextBuckets([], LoopFront(self.group_pages)) for _ in range(self.contexts)]
        for owner, stack in enumerate(self._bucket_stacks):
            self._open(stack.buckets, owner)
        return CLEAR

    def _estimate(self, stack: ContextBuckets, bucket: Bucket) -> int:
        """Return the estimated LRU position of a page in `bucket`, in pages."""
        if bucket is stack.buckets[-1]:
            return 0
        return stack.younger_pages(bucket) + stack.front.hit(bucket)

    def _remove(self, page: int) -> None:
        """Remove a page from its bucket, or its claim."""
        self._claims.pop(page, None)
        bucket = self._bucket_of.pop(page, None)
        if bucket is not None:
            bucket.pages -= 1

    def _open(self, buckets: list[Bucket], owner: int) -> None:
        buckets.append(Bucket(owner, next(self._numbers)))
        self._next_id += 1

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
        for stack in self._bucket_stacks:
            *closed, open_bucket = stack.buckets
            stack.front.forget()
            stack.buckets = []
            for bucket in closed:
                if bucket.pages == 0:
                    continue
                if stack.buckets and stack.buckets[-1].pages + bucket.pages <= self.group_pages:
                    stack.buckets[-1].pages += bucket.pages
                    merged_into[bucket] = stack.buckets[-1]
                else:
                    stack.buckets.append(bucket)
            stack.buckets.append(open_bucket)
            self._next_id += len(stack.buckets)
        for page, bucket in self._bucket_of.items():
            self._bucket_of[page] = merged_into.get(bucket, bucket)
