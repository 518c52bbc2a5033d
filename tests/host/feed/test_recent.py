"""The last epochs of a feed give the curves of their counters."""

from dataclasses import replace

import pytest
from litemrc.device.link.link import LinkCounts
from litemrc.epochs.epoch_row import EpochRow
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters, FeedEpoch, FeedLost

DEVICE = DeviceParameters(
    session=1,
    clock_hz=1,
    page_bytes=4096,
    frames=8,
    engine="bucket_stack",
    pages=8,
    groups=4,
    contexts=2,
    recent_pages=0,
)


def an_epoch(number: int, hits: tuple[int, ...], misses: int, name: str = "zipf") -> FeedEpoch:
    row = EpochRow(
        **{"epoch": number, "context": 1, "accesses": sum(hits) + misses, "misses": misses, "touched": 2},
        **{"dropped": 0, "outside": 0, "unsampled": 0, "scale_log2": 0, "overflow": False, "hits": hits},
    )
    return FeedEpoch(1, number, 0.0, (row,), {1: name}, (), None, None, 0, LinkCounts())


def test_the_curve_of_the_last_epochs_is_that_of_their_sums() -> None:
    recent = Recent()
    recent(DEVICE)
    recent(an_epoch(0, (100, 0, 0, 0), 0))
    recent(an_epoch(1, (4, 2, 0, 0), 2))
    recent(an_epoch(2, (2, 0, 0, 0), 0, name="loop"))
    table = recent.table(recent.last(2))
    assert table
    curve = table.curve(1)
    # 10 accesses, 6 hits in the first group of 2 pages, 2 in the second, 2 misses.
    assert curve.at(pages=2) == pytest.approx(0.4)
    assert curve.at(pages=4) == pytest.approx(0.2)
    assert curve.name == "loop"


def test_only_the_last_epochs_are_kept_and_only_of_the_session() -> None:
    recent = Recent(most=2)
    assert recent.table([]) is None
    recent(DEVICE)
    for number in range(4):
        recent(an_epoch(number, (2, 0, 0, 0), 0))
    assert [epoch.number for epoch in recent.last()] == [2, 3]
    recent(FeedLost(1.0, "gone"))
    assert recent.lost and recent.last()
    recent(replace(DEVICE, session=2))
    assert not recent.lost and not recent.last() and recent.arrived == 4
