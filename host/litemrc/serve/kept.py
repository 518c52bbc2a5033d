# SPDX-License-Identifier: BSD-2-Clause
"""The history of a device, as the server writes and reads it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.link.link import LinkCounts
from litemrc.epochs.epoch_row import EpochRow
from litemrc.epochs.table import COLUMNS
from litemrc.feed.feed import Event
from litemrc.feed.history.history import History, Retention
from litemrc.feed.history.kinds import EPOCHS, HOT, PAGES, RANKS, Kind
from litemrc.feed.history.reading import Damage, Extent, HistoryReader, Part
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.pages.hot_lists import HotList
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import RankRow

_LISTS = ("hits", "tail")

Key = tuple[int, int]  # session, number


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
        rows = self._rows_by_epoch(EPOCHS, start, end, most, damages, check)
        if not rows:
            return []
        arrived = [first["arrived"].timestamp() for _, (first, *_) in rows.values()]
        others = {
            kind.folder: self._rows_by_epoch(kind, min(arrived), max(arrived), len(rows) + 1, damages, check)
            for kind in (RANKS, HOT, PAGES)
        }
        return [
            (parameters, _epoch(of_epoch, *(others[kind.folder].get(key) for kind in (RANKS, HOT, PAGES))))
            for key, (parameters, of_epoch) in rows.items()
        ]

    def _rows_by_epoch(
        self,
        kind: Kind,
        start: float,
        end: float,
        most: int,
        damages: list[Damage],
        check: Callable[[int], None],
    ) -> dict[Key, tuple[DeviceParameters, list[dict[str, Any]]]]:
        found: dict[Key, tuple[DeviceParameters, list[dict[str, Any]]]] = {}
        for part in self.parts(kind, start, end, damages):
            for batch in part.rows.to_batches(1024):
                check(len(batch))
                for row in batch.to_pylist():
                    key = row["session"], row["epoch"]
                    if key not in found and len(found) == most:
                        return found
                    found.setdefault(key, (part.parameters, []))[1].append(row)
        return found


Rows = tuple[DeviceParameters, list[dict[str, Any]]] | None


def _epoch(rows: list[dict[str, Any]], ranks: Rows, hot: Rows, pages: Rows) -> FeedEpoch:
    """Return an epoch of its rows. A history has no counts of the link: they are of the whole session."""
    first = rows[0]
    return FeedEpoch(
        session=first["session"],
        number=first["epoch"],
        arrived=first["arrived"].timestamp(),
        rows=tuple(_row(row) for row in rows),
        names={row["context"]: row["name"] for row in rows if row["name"]},
        ranks=tuple(_rank(row) for row in ranks[1]) if ranks else (),
        accessed=AccessedEpoch(*(pages[1][0][name] for name in ("epoch", "accessed", "written")))
        if pages
        else None,
        hot=_hot(hot[1][0]) if hot else None,
        lost=first["lost"],
        link=LinkCounts(),
    )


def _row(row: dict[str, Any]) -> EpochRow:
    values: dict[str, Any] = {name: tuple(row[name]) if name in _LISTS else row[name] for name in COLUMNS}
    return EpochRow(**values)


def _rank(row: dict[str, Any]) -> RankRow:
    own = ("epoch", "domain", "clocks", "state", "working", "live_pages", "overflow")
    return RankRow(**{name: row[name] for name in own}, counters=[row[name] for name in COUNTERS])


def _hot(row: dict[str, Any]) -> HotList:
    values = {name: row[name] for name in ("epoch", "accesses", "more", "saturated")}
    return HotList(**values, frames=tuple(row["frames"]), counts=tuple(row["counts"]))
