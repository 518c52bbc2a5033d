"""The whole monitor: page filter, stack engine, working set, hit counters; operations in, epochs out."""

from litemrc.golden.monitor.bucket_stack import BucketStack
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.hit_counters import EpochCounters, HitCounters
from litemrc.golden.monitor.page_filter import PageFilter
from litemrc.golden.monitor.positions import Position, check_access
from litemrc.golden.monitor.working_set import WorkingSet

ENGINES = {"group_stack": GroupStack, "bucket_stack": BucketStack}
# Pages the filter remembers unless told otherwise; litemrc_gateware/monitor/monitor.py says why.
RECENT_PAGES = {"group_stack": 4, "bucket_stack": 1}


class MonitorModel:
    """Operations in, positions and per-epoch counters out.

    An access that counts adds to the counters of the page's owner; the first one to a page in an epoch adds
    to `touched` too. An access that is lost, out of range or to a page that is not sampled adds to one
    counter of the epoch's and to nothing else. So in every epoch

        sum(accesses) + outside + unsampled + dropped == accesses made while the monitor was not frozen.

    While the monitor is frozen accesses move pages in the stacks and count nothing at all.

    :param frames: page frames of the memory, numbered from 0.
    :param groups: page groups of a stack.
    :param contexts: contexts, numbered from 0.
    :param engine: a name of `ENGINES`.
    :param pages: pages of the stack engine; fewer than `frames` are sampled. Default: `frames`.
    :param recent_pages: pages the filter remembers. Default: the engine's of `RECENT_PAGES`, or as many as a
        group holds.
    :param counter_bits: width of every counter; counters saturate.
    :ivar freeze: the monitor is frozen.
    :ivar single_shot: the end of an epoch freezes the monitor until `arm`.
    :raises KeyError: if there is no such engine.
    :raises ValueError: if sizes do not fit together.
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
            recent_pages = min(RECENT_PAGES[engine], max(pages // groups, 1))
        self.frames, self.contexts = frames, contexts
        self.engine = ENGINES[engine](pages, groups, contexts)
        self.filter = PageFilter(self.engine, frames, pages, groups, recent_pages, counter_bits)
        self.working_set = WorkingSet()
        self.counters = HitCounters(groups, contexts, counter_bits)
        self.freeze = self.single_shot = False
        self._shot = False
        self._dropped = 0

    @property
    def frozen(self) -> bool:
        """Accesses count nothing now."""
        return self.freeze or self._shot

    def arm(self) -> None:
        """Let a monitor that `single_shot` froze count again."""
        self._shot = False

    def set_range(self, lower: int, upper: int) -> None:
        """First and last frame whose accesses count; a clear must follow."""
        self.filter.lower, self.filter.upper = lower, upper

    def set_sampling(self, sampling: int) -> None:
        """One page of 2^sampling takes part, or fewer if the engine is small; a clear must follow."""
        self.filter.sampling = sampling

    def access(self, frame: int, context: int) -> Position:
        """Count one access to a frame, seen while `context` was running.

        :return: HIT with the group the page lay in, or MISS, both with the page's owner; NONE if the access
            counts nothing.
        :raises ValueError: if the frame or the context does not exist.
        """
        check_access(frame, context, self.frames, self.contexts)
        position = self.filter.access(frame, context, self.frozen)
        if position.counts:
            self.counters.count(position, self.working_set.touch(frame))
        return position

    def drop(self) -> None:
        """Count one access that was lost before the filter: it adds to `dropped` and to nothing else."""
        self._dropped += not self.frozen

    def invalidate(self, frame: int) -> Position:
        """Remove a page from its owner's stack; its next access is a miss and finds a new owner.

        :return: NONE, whether or not the page was valid.
        :raises ValueError: if the frame does not exist.
        """
        check_access(frame, 0, self.frames, self.contexts)
        self.working_set.invalidate(frame)
        return self.filter.invalidate(frame)

    def clear(self) -> Position:
        """Make every page invalid and restart the running epoch from zero; nothing is published."""
        self._dropped = 0
        self.working_set.clear()
        self.counters.clear()
        return self.filter.clear()

    def mark(self) -> Position:
        """Do nothing, as one operation; an epoch may end behind it."""
        return self.filter.mark()

    def end_epoch(self) -> EpochCounters:
        """Publish the running epoch's counters and begin the next epoch with zeroed ones; the stacks stay."""
        outside, unsampled = self.filter.end_epoch()
        finished = self.counters.end_epoch(dropped=self._dropped, outside=outside, unsampled=unsampled)
        self._dropped = 0
        self.working_set.clear()
        self._shot |= self.single_shot
        return finished
