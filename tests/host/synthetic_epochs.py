# SPDX-License-Identifier: BSD-2-Clause
"""Epochs of a device that is not there, with counters as a paced device has them, at any time."""

from pathlib import Path

from litemrc.device.link.link import LinkCounts
from litemrc.epochs.columns import Rows, joined_rows
from litemrc.feed.history.history import History
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.reading import Damage, HistoryReader
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.table import NO_RANKS

from tests.host.epoch_rows import row
from tests.host.paced_device import FRAMES, GROUPS, PAGES, hits_of, misses_of

DAY = 86400.0
START = 1_790_000_000.0
EVER = (0.0, 1e11)


def parameters(session: int) -> DeviceParameters:
    return DeviceParameters(
        session=session,
        clock_hz=1_000_000,
        page_bytes=4096,
        frames=FRAMES,
        engine="bucket_stack",
        pages=PAGES,
        groups=GROUPS,
        contexts=8,
        recent_pages=4,
    )


def epoch(session: int, number: int, arrived: float, contexts: int = 2) -> FeedEpoch:
    rows = joined_rows([paced_row(number, context) for context in range(contexts)])
    return FeedEpoch(session, number, arrived, rows, {0: "sort"}, NO_RANKS, None, None, 0, LinkCounts())


def paced_row(number: int, context: int) -> Rows:
    """The row of a context of a paced device."""
    hits, misses = hits_of(number, context), misses_of(number, context)
    return row(
        epoch=number, context=context, accesses=sum(hits) + misses, misses=misses, touched=100, hits=hits
    )


def keep(folder: Path, times: list[list[float]], *, close: bool = True, **options: object) -> History:
    """Keep a session, and so a file, for each list of times; epochs count up from 0 in each."""
    history = History(folder, "board", **options)
    for arrived in times:
        session = round(arrived[0] * 1000)
        history(parameters(session))
        for number, time in enumerate(arrived):
            history(epoch(session, number, time))
    if close:
        history.close()
    return history


def times_kept(
    folder: Path, start: float = EVER[0], end: float = EVER[1]
) -> tuple[list[float], list[Damage]]:
    """Return the arrival of each epoch that is read, in the order of reading, and what is damaged."""
    damages: list[Damage] = []
    found: list[float] = []
    for part in HistoryReader(folder, "board").parts(EPOCHS, start, end, damages):
        assert set(part.rows.column("session").to_pylist()) == {part.parameters.session}
        for each in part.rows.to_pylist():
            assert each["hits"] == hits_of(each["epoch"], each["context"])
            assert each["misses"] == misses_of(each["epoch"], each["context"])
            if each["context"] == 0:
                found.append(each["arrived"].timestamp())
    return found, damages
