"""Hit counts of a process by epochs, and the time of tracking, from the tracker without hardware."""

from collections.abc import Iterable, Iterator, Sequence

from litemrc.golden.monitor.os_tracker import OsTracker

References = Iterable[tuple[int, bool] | None]  # None: the process frees all its pages


def tracked_epochs(
    references: References, tracker: OsTracker, epoch: int, groups: int, *, seen_only: bool
) -> Iterator[list[float]]:
    """Yield the counts of each epoch, as `aged_curve.epoch_counts`: what the tracker counted in it.

    :param seen_only: unseen accesses are not counted; otherwise they are hits of the first group.
    """
    before, touches = [0] * (groups + 1), 0
    for reference in references:
        if reference is None:
            tracker.release()
            continue
        tracker.access(reference[0])
        touches += 1
        if touches % epoch == 0:
            counted = [tracker.hits.get(group, 0) for group in range(groups)] + [tracker.misses]
            if not seen_only:
                counted[0] += tracker.unseen
            yield [float(now - then) for now, then in zip(counted, before, strict=True)]
            before = counted


def tracking_ticks(references: References, tracker: OsTracker, costs: Sequence[int]) -> Iterator[int]:
    """Yield the time that tracking takes at each reference.

    :param costs: ticks of each of the tracker's `Events`.
    """
    for reference in references:
        if reference is None:
            tracker.release()
        else:
            events = tracker.access(reference[0])
            yield sum(cost * count for cost, count in zip(costs, events, strict=True))
