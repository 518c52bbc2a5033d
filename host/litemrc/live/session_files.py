# SPDX-License-Identifier: BSD-2-Clause
"""The files of a recorded session: epochs, ranks, pages, hot pages, traffic; written as they come."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa

from litemrc.device.link.link import LinkCounts
from litemrc.epochs import files as epoch_files
from litemrc.epochs import traffic_files
from litemrc.epochs.columns import Rows
from litemrc.epochs.processes import Process
from litemrc.epochs.traffic import Traffic
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.files.sealed_writer import SealedWriter
from litemrc.pages.files import PageBitmapWriter
from litemrc.pages.hot_file import HotListWriter
from litemrc.pages.page_bitmaps import PagesShown
from litemrc.ranks import files as rank_files
from litemrc.ranks.table import RankRows, RankTable

_PIECE_EPOCHS = 256  # that are kept in memory


class SessionFiles:
    """Writes epochs into the files of a folder, which appear when it is closed.

    Parameters
    ----------
    folder
        that exists.
    parameters, url
        of the device.
    before
        the last epoch before the first one; None: the session begins with that.

    Attributes
    ----------
    epochs
        written so far.
    lost
        epochs that are missing between them.

    Raises
    ------
    UserError
        a file cannot be written there.
    """

    def __init__(
        self, folder: Path, parameters: DeviceParameters, url: str, before: FeedEpoch | None = None
    ) -> None:
        self.epochs = self.lost = 0
        self._parameters, self._before = parameters, before
        self._last: FeedEpoch | None = None
        self._names: dict[int, str] = {}
        self._processes: dict[tuple[int, int, int], Process] = {}  # by context, pid and first epoch
        self._epochs = EpochTableFile(folder / "epochs.parquet", parameters)
        self._ranks = RankTableFile(folder / "ranks.parquet", parameters) if parameters.dram else None
        base, page_bytes = parameters.base_address, parameters.page_bytes
        shown = PagesShown(page_bytes=page_bytes, base_address=base, ranges=(range(parameters.frames),))
        self._pages = (
            PageBitmapWriter(folder / "pages.parquet", shown, clock_hz=parameters.clock_hz, source=url)
            if parameters.accessed
            else None
        )
        self._hot = (
            HotListWriter(
                folder / "hot.parquet",
                page_bytes=page_bytes,
                base_address=base,
                settings=parameters.hot_settings,
                source=url,
            )
            if parameters.hot
            else None
        )
        self._traffic = TrafficTableFile(folder / "traffic.parquet", parameters) if parameters.banks else None

    def append(self, epoch: FeedEpoch) -> None:
        """Write an epoch.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        self.lost += epoch.number - self._last.number - 1 if self._last else 0
        self.epochs += 1
        self._last = epoch
        self._names |= {c: name for c, name in epoch.names.items() if c not in epoch.followed}
        for process in epoch.followed.values():
            self._processes[process.context, process.pid, process.first_epoch] = process
        self._epochs.append(epoch.rows)
        if self._ranks and epoch.ranks.size:
            self._ranks.append(epoch.ranks)
        if self._pages and epoch.accessed:
            bits = epoch.accessed
            self._pages.append(epoch.number, bits.accessed, bits.written, accesses=epoch.accesses)
        if self._hot and epoch.hot:
            self._hot.append(epoch.hot)
        if self._traffic and epoch.traffic:
            self._traffic.append(epoch.number, epoch.traffic)

    def close(self, *, interrupted: bool) -> list[Path]:
        """Complete the files that have an epoch; return them.

        Raises
        ------
        OutputError
            the operating system refused the write.
        """
        written = []
        if self._last:
            self._epochs.names, self._epochs.processes = self._names, self._recorded_processes()
            self._epochs.link_statistics = self._link_statistics()
        for file in (self._epochs, self._ranks, self._pages, self._hot, self._traffic):
            if file and file.epochs:
                file.close(interrupted=interrupted)
                written.append(file.path)
            elif file:
                file.discard()
        return written

    def discard(self) -> None:
        """Write no file."""
        for file in (self._epochs, self._ranks, self._pages, self._hot, self._traffic):
            if file:
                file.discard()

    def _recorded_processes(self) -> tuple[Process, ...]:
        """The processes with the epochs that are in the table; one that is followed no more has ended."""
        assert self._last
        followed, first = self._last.followed, self._epochs.first
        processes = []
        for process in self._processes.values():
            ended = process.ended_after
            if ended is None and process.context not in followed:
                ended = process.last_epoch
            begun = max(process.first_epoch, first)
            ended = None if ended is None else max(ended, begun - 1)
            processes.append(replace(process, first_epoch=begun, ended_after=ended))
        return tuple(sorted(processes, key=lambda each: (each.first_epoch, each.context)))

    def _link_statistics(self) -> dict[str, int]:
        """Counts of the link during the recording."""
        assert self._last
        before = asdict(self._before.link if self._before else LinkCounts())
        counts = {name: count - before[name] for name, count in asdict(self._last.link).items()}
        lost = self._last.lost - (self._before.lost if self._before else 0)
        return counts | {"epoch_messages": self._epochs.epochs, "epoch_messages_lost": lost}


class EpochTableFile:
    """An epoch table that is written in pieces; its attributes may be set until it is closed."""

    def __init__(self, path: Path, parameters: DeviceParameters) -> None:
        self.path, self.epochs, self.rows, self.first = path, 0, 0, 0
        self.names: Mapping[int, str] = {}
        self.processes: tuple[Process, ...] = ()
        self.link_statistics: Mapping[str, int] = {}
        self._parameters, self._waiting = parameters, list[Rows]()
        kind, version, units = epoch_files.KIND, epoch_files.VERSION, epoch_files.UNITS
        self._writer = SealedWriter(path, kind, version, _types(self._columns()), units)

    def append(self, rows: Rows) -> None:
        """Append an epoch."""
        self.first = int(rows["epoch"][0]) if not self.epochs else self.first
        self.epochs += 1
        self.rows += rows.size
        self._waiting.append(rows)
        if self.epochs % _PIECE_EPOCHS == 0:
            self._flush()

    def close(self, *, interrupted: bool) -> None:
        """Complete the file."""
        self._flush()
        table = replace(
            self._parameters.table([], self.names),
            processes=self.processes,
            link_statistics=self.link_statistics,
            interrupted=interrupted,
        )
        self._writer.finish(epoch_files.epoch_description(table))

    def discard(self) -> None:
        """Write no file."""
        self._writer.discard()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write(self._columns())
            self._waiting = []

    def _columns(self) -> dict[str, pa.Array]:
        return epoch_files.epoch_columns(self._parameters.table(self._waiting, {}).columns)


class RankTableFile:
    """A rank table that is written in pieces."""

    def __init__(self, path: Path, parameters: DeviceParameters) -> None:
        self.path, self.epochs = path, 0
        self._parameters, self._waiting = parameters, list[RankRows]()
        kind, version, units = rank_files.KIND, rank_files.VERSION, rank_files.UNITS
        self._writer = SealedWriter(
            path, kind, version, _types(rank_files.rank_columns(self._table())), units
        )

    def append(self, rows: RankRows) -> None:
        """Append an epoch."""
        self.epochs += 1
        self._waiting.append(rows)
        if self.epochs % _PIECE_EPOCHS == 0:
            self._flush()

    def close(self, *, interrupted: bool) -> None:
        """Complete the file."""
        self._flush()
        self._writer.finish(rank_files.rank_description(self._table(interrupted)))

    def discard(self) -> None:
        """Write no file."""
        self._writer.discard()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write(rank_files.rank_columns(self._table()))
            self._waiting = []

    def _table(self, interrupted: bool = False) -> RankTable:
        dram = self._parameters.dram
        assert dram
        return dram.table(self._waiting, self._parameters.clock_hz, interrupted=interrupted)


class TrafficTableFile:
    """A traffic table that is written in pieces."""

    def __init__(self, path: Path, parameters: DeviceParameters) -> None:
        self.path, self.epochs = path, 0
        self._clock_hz, self._waiting = parameters.clock_hz, list[tuple[int, Traffic]]()
        kind, version, units = traffic_files.KIND, traffic_files.VERSION, traffic_files.UNITS
        self._writer = SealedWriter(path, kind, version, traffic_files.TYPES, units, traffic_files.OPTIONAL)

    def append(self, number: int, traffic: Traffic) -> None:
        """Append an epoch."""
        self.epochs += 1
        self._waiting.append((number, traffic))
        if self.epochs % _PIECE_EPOCHS == 0:
            self._flush()

    def close(self, *, interrupted: bool) -> None:
        """Complete the file."""
        self._flush()
        self._writer.finish(traffic_files.traffic_description(self._clock_hz, interrupted=interrupted))

    def discard(self) -> None:
        """Write no file."""
        self._writer.discard()

    def _flush(self) -> None:
        if self._waiting:
            numbers, traffic = zip(*self._waiting, strict=True)
            self._writer.write(traffic_files.traffic_columns(numbers, traffic))
            self._waiting = []


def _types(columns: Mapping[str, pa.Array]) -> dict[str, pa.DataType]:
    return {name: array.type for name, array in columns.items()}
