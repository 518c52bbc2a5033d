"""The approximate stack engine: pages stamped with buckets of about the same age, constant work an access.

The specification, position by position, of hls/bucket_stack and of the gateware. Closest relative in
software: MIMIR (Saemundsson et al., SoCC 2014), whose aging buckets estimate stack distances in the same way.
"""

from dataclasses import dataclass
from itertools import count

from litemrc.golden.monitor.loop_front import LoopFront
from litemrc.golden.monitor.positions import CLEAR, NONE, Position, PositionKind, check_access, check_sizes

# Operations between the one that runs short of ids and the renumbering: hardware has fewer than that in its
# pipeline, so it can empty it before it renumbers.
RENUMBER_DELAY = 8


def bucket_ids(groups: int, contexts: int) -> int:
    """Number of ids, a power of two; id 0 marks invalid pages.

    Renumbering leaves fewer than 2 * (groups + contexts) buckets: any two neighbours of a context hold more
    than a group's pages together, but for its oldest and its open one. The ids of the delay come on top.
    """
    return 1 << (2 * (groups + contexts) + 2 + RENUMBER_DELAY - 1).bit_length()


def bucket_pages(group_pages: int) -> int:
    """Pages at which an open bucket closes: three quarters of a group's.

    Fewer make the estimate finer and renumbering more frequent. Measured over 65,536 pages: with a whole
    group the mean error of zipf 1.2 is 7 times as large; with half a group hardware no longer keeps up with
    0.995 accesses a clock.
    """
    return (3 * group_pages + 3) // 4


@dataclass(eq=False)
class Bucket:
    """Pages of one context last touched in the same stretch of time, told apart no further."""

    owner: int
    number: int  # newer buckets have higher ones
    pages: int = 0


@dataclass
class ContextBuckets:
    """One context's buckets in order of age, its open one last; and where its loop is."""

    buckets: list[Bucket]
    front: LoopFront

    def younger_pages(self, bucket: Bucket) -> int:
        """Pages in the buckets newer than this one."""
        younger = 0
        for newer in reversed(self.buckets):
            if newer is bucket:
                break
            younger += newer.pages
        return younger


class BucketStack:
    """Stacks of all contexts, LRU positions estimated; a `StackEngine`.

    - A page is stamped with its owner's *open* bucket at every access. When that bucket holds
      `bucket_pages` it closes behind the access, and an empty one opens in its place: it takes the next id.
    - A hit in the open bucket is at position 0. A hit in a closed bucket lies behind the pages of all newer
      buckets, and as far into its own as `LoopFront` says. The true position lies in the same bucket, and
      no bucket holds more than a group's pages: so no answer is more than one group off.
    - Ids are shared by all contexts. The `RENUMBER_DELAY`-th operation, of whatever kind, behind the one that
      leaves only `RENUMBER_DELAY` ids is followed by renumbering, as one step between two operations: each
      context drops its empty closed buckets, adds every other closed one, from the oldest on, to the one
      before if they hold at most a group's pages together, and forgets its loop's front. Ids begin anew. How
      hardware rewrites the stamps, and when, shows in no answer.

    :param pages, groups, contexts: as in `litemrc.golden.monitor.group_stack.GroupStack`.
    :raises ValueError: if sizes do not fit together; in operations, if the page or context does not exist.
    """

    def __init__(self, pages: int, groups: int, contexts: int) -> None:
        check_sizes(pages, groups, contexts)
        self.pages, self.groups, self.contexts = pages, groups, contexts
        self.group_pages = pages // groups
        self.ids = bucket_ids(groups, contexts)
        self.renumberings = 0
        self.clear()

    def access(self, page: int, context: int) -> Position:
        """Stamp a page with its owner's open bucket; the owner of an invalid page is `context`."""
        check_access(page, context, self.pages, self.contexts)
        bucket = self._bucket_of.get(page)
        owner = context if bucket is None else bucket.owner
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
        """Remove a page from its bucket."""
        check_access(page, 0, self.pages, self.contexts)
        bucket = self._bucket_of.pop(page, None)
        if bucket is not None:
            bucket.pages -= 1
        self._end_operation()
        return NONE

    def mark(self) -> Position:
        """An operation that does nothing, but is one."""
        self._end_operation()
        return NONE

    def clear(self) -> Position:
        """Make every page invalid; ids begin anew."""
        self._bucket_of: dict[int, Bucket] = {}
        self._numbers = count()
        self._next_id = 1
        self._delay: int | None = None  # operations to go before renumbering
        self._bucket_stacks = [ContextBuckets([], LoopFront(self.group_pages)) for _ in range(self.contexts)]
        for owner, stack in enumerate(self._bucket_stacks):
            self._open(stack.buckets, owner)
        return CLEAR

    def _estimate(self, stack: ContextBuckets, bucket: Bucket) -> int:
        """LRU position of a page in `bucket`, in pages."""
        if bucket is stack.buckets[-1]:
            return 0
        return stack.younger_pages(bucket) + stack.front.hit(bucket)

    def _open(self, buckets: list[Bucket], owner: int) -> None:
        buckets.append(Bucket(owner, next(self._numbers)))
        self._next_id += 1

    def _end_operation(self) -> None:
        if self._delay is None:
            if self.ids - self._next_id <= RENUMBER_DELAY:
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
