# SPDX-License-Identifier: BSD-2-Clause
"""What a feed gives its listeners: a device's parameters, whole epochs, and the end of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.collecting.record_rows import MONITOR
from litemrc.device.link.link import LinkCounts
from litemrc.device.rank_commands import Dram
from litemrc.epochs.columns import Rows
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic import Traffic
from litemrc.pages.hot_lists import HotList
from litemrc.ranks.table import RankRows


@dataclass(frozen=True)
class DeviceParameters:
    """A device as it said hello at the beginning of a session.

    Attributes
    ----------
    session
        number of the session: its beginning in ms since 1970. Epoch numbers of two sessions cannot
        be compared, as the device may have been reset between them.
    clock_hz
        system clock.
    page_bytes, frames
        bytes of a page, and page frames of the monitored memory.
    engine, pages, groups, contexts, recent_pages
        of the monitor, as in `EpochTable`.
    system
        name and release of the operating system; empty without one.
    programs
        that the device can run.
    dram
        None without a rank meter.
    accessed, hot
        whether the frames accessed, and the hot pages, come with each epoch.
    hot_settings
        what hot pages count, by the names of `set_hot` in the schema; empty without them.
    base_address
        byte address of frame 0; 0 unless one of these comes.
    banks
        of the DRAM, whose commands epochs count; 0: they do not.
    access_bytes
        that a read or write of the DRAM moves, in one cycle of the system clock; 0: unknown.
    """

    session: int
    clock_hz: int
    page_bytes: int
    frames: int
    engine: str
    pages: int
    groups: int
    contexts: int
    recent_pages: int
    system: str = ""
    programs: tuple[str, ...] = ()
    dram: Dram | None = None
    accessed: bool = False
    hot: bool = False
    hot_settings: Mapping[str, Any] = field(default_factory=dict)
    base_address: int = 0
    banks: int = 0
    access_bytes: int = 0

    @property
    def peak_bandwidth(self) -> int | None:
        """Bytes that the DRAM can move in a second; None: unknown."""
        return self.access_bytes * self.clock_hz or None

    def table(self, parts: Sequence[Rows], names: Mapping[int, str]) -> EpochTable:
        """Return rows of this device's epochs as a table; `names` are of contexts."""
        return EpochTable.from_rows(
            parts,
            page_bytes=self.page_bytes,
            **{name: getattr(self, name) for name in MONITOR},
            context_names=names,
            system=self.system,
        )


@dataclass(frozen=True, eq=False)
class FeedEpoch:
    """An epoch with everything that the device sent about it.

    Attributes
    ----------
    session
        of the parameters that it belongs to.
    number
        the device's number of the epoch.
    arrived
        time of its record, in seconds since 1970.
    rows
        counters of each context with accesses, in their order; one at least.
    names
        of the contexts in `rows` whose process or program is known.
    ranks
        counters of every rank, or empty.
    accessed, hot
        None: they do not come.
    lost
        epochs lost on the link since the session began.
    link
        counts of the link since then.
    followed
        the process of each context that follows one, as known at the end of the epoch.
    traffic
        DRAM commands of the epoch; None: the device does not count them.
    """

    session: int
    number: int
    arrived: float
    rows: Rows
    names: Mapping[int, str]
    ranks: RankRows
    accessed: AccessedEpoch | None
    hot: HotList | None
    lost: int
    link: LinkCounts
    followed: Mapping[int, Process] = field(default_factory=dict)
    traffic: Traffic | None = None

    @property
    def scale_log2(self) -> int:
        """1 page of 2^scale_log2 took part."""
        return int(self.rows["scale_log2"][0])

    @property
    def accesses(self) -> int:
        """Accesses counted, of all contexts."""
        return int(self.rows["accesses"].sum())


def table_of(parameters: DeviceParameters, epochs: Sequence[FeedEpoch]) -> EpochTable:
    """Return epochs of one session as a table, reads and writes together.

    Names of contexts are those of the last epoch that has them.
    """
    names = {context: name for epoch in epochs for context, name in epoch.names.items()}
    return parameters.table([epoch.rows for epoch in epochs], names).together()


@dataclass(frozen=True)
class FeedLost:
    """The session ended, or could not begin; the feed tries again.

    Attributes
    ----------
    at
        time, in seconds since 1970.
    reason
        with its remedy.
    """

    at: float
    reason: str
