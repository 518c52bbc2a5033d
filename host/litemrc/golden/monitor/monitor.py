# SPDX-License-Identifier: BSD-2-Clause
"""The whole monitor: page filter, stack engine, working set, page bitmap and hit counters."""

from litemrc.golden.monitor.engines import ENGINES
from litemrc.golden.monitor.hit_counters import EpochCounters, HitCounters
from litemrc.golden.monitor.page_filter import PageFilter
from litemrc.golden.monitor.positions import NONE, Position, check_access
from litemrc.golden.monitor.working_set import PageBitmap, WorkingSet


class MonitorModel:
    """Takes operations, returns positions, and publishes the counters of each epoch.

    A page belongs to the context that claimed it since it became invalid, or else to the context of its first
    access. A counted access increments counters of the page's owner; the first access to a page in an epoch
    also increments `touched`. An access that is dropped, out of range or not sampled increments only the one
    counter of that name. A claim increments no counter. So in every epoch

        sum(accesses) + outside + unsampled + dropped == accesses made while the monitor was not frozen,

    unless `overflow`: a counter saturated, or `outside`, `unsampled` or `dropped` is at its limit.

    While the monitor is frozen, accesses move pages in the stacks and increment no counter.

    The page bitmap has the frames of all accesses in range that were made while the monitor was not frozen,
    and not dropped; their pages need not be sampled.

    Parameters
    ----------
    frames
        page frames of the memory, numbered from 0.
    groups
        page groups of a stack.
    contexts
        contexts, numbered from 0.
    engine
        a name of `ENGINES`.
    pages
        pages of the stack engine; fewer than `frames` are sampled. Default: `frames`.
    recent_pages
        recent pages of the filter. Default: those of the engine in `ENGINES`, at most the
        pages of a group.
    counter_bits
        width of every counter; counters saturate.

    Raises
    ------
    KeyError
        if the engine does not exist.
    ValueError
        if the sizes are inconsistent.
    :ivar freeze: the monitor is frozen.
    :ivar single_shot: the end of an epoch freezes the monitor until `arm`.
    :ivar page_bitmap: the frames accessed and written in the last epoch.
    """

    def __init__(
        self,
        frames: int,
        groups: int = 64,
        contexts: int = 8,
        engine: str = "group_stack",
        pages: int | None = None,
        recent_pages: int | None = None,
        counter_bits: int = 32,
    ) -> None:
        pages = frames if pages is None else pages
        if recent_pages is None:
            recent_pages = min(ENGINES[engine].recent_pages, pages // groups)
        self.frames, self.contexts = frames, contexts
        self.engine = ENGINES[engine].model(pages, groups, contexts)
        self.filter = PageFilter(self.engine, frames, pages, groups, recent_pages, counter_bits)
        self.working_set = WorkingSet()
        self.page_bitmap = PageBitmap()
        self.counters = HitCounters(groups, contexts, counter_bits)
        self.freeze = self.single_shot = False
        self._shot = False
        self._dropped, self._limit = 0, (1 << counter_bits) - 1

    @property
    def frozen(self) -> bool:
        """Return whether accesses increment no counter."""
        return self.freeze or self._shot

    def arm(self) -> None:
        """End the freeze of `single_shot`."""
        self._shot = False

    def set_range(self, lower: int, upper: int) -> None:
        """Set the first and last frame whose accesses count; a clear must follow."""
        self.filter.lower, self.filter.upper = lower, upper

    def set_sampling(self, sampling: int) -> None:
        """Sample one page in 2^sampling, or fewer if the engine is small; a clear must follow."""
        self.filter.sampling = sampling

    def set_split(self, split: bool) -> None:
        """Count writes in contexts of their own, the upper half; with two contexts or more."""
        self.filter.split = self.contexts // 2 if split else 0

    def access(self, frame: int, context: int, write: bool = False) -> Position:
        """Count one access to a frame while `context` is running.

        Returns
        -------
        HIT with the page's group, or MISS, both with the page's owner, or with the context of its
        writes; NONE if the access is not counted.

        Raises
        ------
        ValueError
            if the frame or the context does not exist.
        """
        check_access(frame, context, self.frames, self.contexts)
        if not self.frozen and self.filter.lower <= frame <= self.filter.upper:
            self.page_bitmap.access(frame, write)
        position = self.filter.access(frame, context, self.frozen, write)
        if position.counts:
            self.counters.count(position, self.working_set.touch(frame))
        return position

    def drop(self) -> None:
        """Count one access that was dropped before the filter; only `dropped` is incremented."""
        self._dropped = min(self._dropped + (not self.frozen), self._limit)

    def invalidate(self, frame: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss and sets a new owner.

        Returns
        -------
        NONE, also if the page was not valid.

        Raises
        ------
        ValueError
            if the frame does not exist.
        """
        check_access(frame, 0, self.frames, self.contexts)
        self.working_set.invalidate(frame)
        return self.filter.invalidate(frame)

    def claim(self, frame: int, context: int, order: int = 0) -> Position:
        """Invalidate the pages of 2^order frames from `frame` on; `context` owns them from their next access.

        A page that was valid leaves its owner's stack. A further claim replaces this one, an invalidation
        or a clear removes it. Frames that do not exist, behind the first, are left out.

        Returns
        -------
        NONE.

        Raises
        ------
        ValueError
            if the first frame or the context does not exist.
        """
        check_access(frame, context, self.frames, self.contexts)
        for claimed in range(frame, min(frame + (1 << order), self.frames)):
            self.working_set.invalidate(claimed)
            self.filter.claim(claimed, context)
        return NONE

    def clear(self) -> Position:
        """Make every page invalid, remove all claims, and restart the epoch from zero, unpublished."""
        self._dropped = 0
        self.working_set.clear()
        self.page_bitmap.clear()
        self.counters.clear()
        return self.filter.clear()

    def mark(self) -> Position:
        """Do nothing, as one operation; an epoch may end after it."""
        return self.filter.mark()

    def end_epoch(self) -> EpochCounters:
        """Publish the running epoch's counters and begin the next epoch from zero; stacks stay."""
        outside, unsampled = self.filter.end_epoch()
        finished = self.counters.end_epoch(dropped=self._dropped, outside=outside, unsampled=unsampled)
        self._dropped = 0
        self.working_set.clear()
        self.page_bitmap.end_epoch()
        self._shot |= self.single_shot
        return finished
