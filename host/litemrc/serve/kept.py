# SPDX-License-Identifier: BSD-2-Clause
"""The history of a device, as the server writes and reads it."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.link.link import LinkCounts
from litemrc.epochs.columns import make_rows
from litemrc.epochs.files import arrays_of
from litemrc.epochs.traffic import Traffic
from litemrc.epochs.traffic_files import traffic_of_rows
from litemrc.feed.feed import Event
from litemrc.feed.history.history import History, Retention
from litemrc.feed.history.kinds import EPOCHS, HOT, PAGES, RANKS, TRAFFIC, Kind
from litemrc.feed.history.reading import Damage, Extent, HistoryReader, Part
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.pages.hot_lists import HotList
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import ROW, RankRows

_KEY = ("session", "epoch")

Key = tuple[int, int]  # session, number
Kept = tuple[DeviceParameters, list[pa.RecordBatch]]


class KeptEpochs:
    """Keeps the epochs of one device; a listener of its feed, and a reader for any thread.

    Parameters
    ----------
    folder, device, retention, say
        as in `History`.

    Raises
    ------
    UserError
        as `History`.
    """

    def __init__(
        self, folder: Path, device: str, retention: Retention | None, say: Callable[[str], None]
    ) -> None:
        self._history = History(folder, device, retention, say=say)
        self._reader = HistoryReader(folder, device, self._history.index)

    def __call__(self, event: Event) -> None:
        """Take an event of the feed."""
        self._history(event)

    def close(self) -> None:
        """Make Parquet of what is open."""
        self._history.close()

    @property
    def extent(self) -> Extent:
        """What there is; no file is asked."""
        return self._history.index.extent()

    def parts(
        self, kind: Kind, start: float, end: float, damages: list[Damage] | None = None
    ) -> Iterator[Part]:
        """Yield the rows of a kind that arrived in this time, as `HistoryReader` does."""
        return self._reader.parts(kind, start, end, damages)

    def damages(self, kind: Kind, start: float, end: float) -> list[Damage]:
        """Return what damage took from this time, for an answer that begins before all is read."""
        return self._reader.damages(kind, start, end)

    def epochs(
        self, start: float, end: float, most: int, damages: list[Damage], check: Callable[[int], None]
    ) -> list[tuple[DeviceParameters, FeedEpoch]]:
        """Return the first `most` epochs of this time, with all that was kept of them.

        `check` is called with the count of rows that are read next, and may raise.
        """
        found = self._by_epoch(EPOCHS, start, end, most, damages, check)
        if not found:
            return []
        times = [batches[0].column("arrived")[0].as_py().timestamp() for _, batches in found.values()]
        others = [
            self._by_epoch(kind, min(times), max(times), len(found) + 1, damages, check)
            for kind in (RANKS, HOT, PAGES, TRAFFIC)
        ]
        return [
            (parameters, _epoch(parameters, batches, *(_items(other, key) for other in others)))
            for key, (parameters, batches) in found.items()
        ]

    def _by_epoch(
        self,
        kind: Kind,
        start: float,
        end: float,
        most: int,
        damages: list[Damage],
        check: Callable[[int], None],
    ) -> dict[Key, Kept]:
        found: dict[Key, Kept] = {}
        for part in self.parts(kind, start, end, damages):
            for batch in part.rows.to_batches(1024):
                check(len(batch))
                keys = list(zip(*(batch.column(name).to_pylist() for name in _KEY), strict=True))
                first = 0
                for key, equal in groupby(keys):
                    if key not in found and len(found) == most:
                        return found
                    count = sum(1 for _ in equal)
                    found.setdefault(key, (part.parameters, []))[1].append(batch.slice(first, count))
                    first += count
        return found


def _items(found: dict[Key, Kept], key: Key) -> list[dict[str, Any]]:
    """Return rows of an epoch that are few: of ranks, hot pages, pages accessed, or banks."""
    return pa.Table.from_batches(found[key][1]).to_pylist() if key in found else []


def _epoch(
    parameters: DeviceParameters,
    batches: list[pa.RecordBatch],
    ranks: list[dict[str, Any]],
    hot: list[dict[str, Any]],
    pages: list[dict[str, Any]],
    banks: list[dict[str, Any]],
) -> FeedEpoch:
    """Return an epoch of its rows. A history has no counts of the link: they are of the whole session."""
    rows = pa.Table.from_batches(batches)
    columns = arrays_of(rows, parameters.groups)
    first = rows.slice(0, 1).select(["session", "epoch", "arrived", "lost"]).to_pylist()[0]
    names = zip(columns["context"].tolist(), rows.column("name").to_pylist(), strict=True)
    return FeedEpoch(
        session=first["session"],
        number=first["epoch"],
        arrived=first["arrived"].timestamp(),
        rows=make_rows(columns, len(rows), parameters.groups, columns["tail"].shape[1]),
        names={context: name for context, name in names if name},
        ranks=_ranks(ranks),
        accessed=AccessedEpoch(*(pages[0][name] for name in ("epoch", "accessed", "written")))
        if pages
        else None,
        hot=_hot(hot[0]) if hot else None,
        lost=first["lost"],
        link=LinkCounts(),
        traffic=_traffic(banks),
    )


def _ranks(found: list[dict[str, Any]]) -> RankRows:
    rows = np.zeros(len(found), ROW)
    for name in ROW.names or ():
        if name != "counters":
            rows[name] = [row[name] for row in found]
    rows["counters"] = [[row[name] for name in COUNTERS] for row in found] or 0
    return rows


def _hot(row: dict[str, Any]) -> HotList:
    values = {name: row[name] for name in ("epoch", "accesses", "more", "saturated")}
    return HotList(**values, frames=tuple(row["frames"]), counts=tuple(row["counts"]))


def _traffic(banks: list[dict[str, Any]]) -> Traffic | None:
    return traffic_of_rows(pa.Table.from_pylist(banks))[1][0] if banks else None
