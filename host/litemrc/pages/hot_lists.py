"""The hot pages of each epoch of a device: in memory, and as a Parquet file under a seal."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from litemrc.files.sealed_parquet import FileKind, continued_epochs, read_sealed, whole_column
from litemrc.pages.epoch_writer import EpochWriter

KIND = FileKind("a file of hot pages", "name a file that `litemrc collect --hot` wrote")
VERSION = 1
TYPES: dict[str, pa.DataType] = {
    "epoch": pa.uint32(),
    "accesses": pa.uint32(),
    "more": pa.bool_(),
    "saturated": pa.bool_(),
    "frames": pa.list_(pa.uint32()),
    "counts": pa.list_(pa.uint32()),
}
UNITS = {
    "epoch": "number of the epoch",
    "accesses": "accesses counted in the epoch, of those that the settings select",
    "more": "true: more pages were hot than are listed",
    "saturated": "true: a count reached the hardware's limit",
    "frames": "page frames of the monitored memory, the largest count first",
    "counts": "accesses to each frame, at least",
    "page_bytes": "bytes",
    "base_address": "byte address of frame 0",
    "settings": "what was counted, and which pages are hot: the arguments of set_hot",
}
_GROUP_ROWS = 256


@dataclass(frozen=True)
class HotList:
    """The pages with the most accesses in an epoch.

    Attributes:
        epoch: number of the epoch.
        accesses: counted in the epoch.
        more: more pages were hot than are listed.
        saturated: a count reached the hardware's limit.
        frames: page frames of the monitored memory, the largest count first.
        counts: of each frame; lower bounds: accesses since the hardware admitted the page.

    Raises:
        ValueError: not a count for each frame, counts that ascend, a frame that is there twice, or more
            accesses than were counted.
    """

    epoch: int
    accesses: int
    more: bool
    saturated: bool
    frames: tuple[int, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.frames) != len(self.counts):
            raise ValueError(
                f"epoch {self.epoch}: {len(self.frames)} hot pages have {len(self.counts)} counts"
            )
        if list(self.counts) != sorted(self.counts, reverse=True):
            raise ValueError(f"epoch {self.epoch}: counts of hot pages ascend")
        if len(set(self.frames)) < len(self.frames):
            raise ValueError(f"epoch {self.epoch}: a hot page is listed twice")
        if sum(self.counts) > self.accesses:
            raise ValueError(
                f"epoch {self.epoch}: hot pages have {sum(self.counts)} of {self.accesses} accesses"
            )

    @property
    def share(self) -> float:
        """Accesses to the listed pages, of those counted."""
        return sum(self.counts) / self.accesses if self.accesses else 0.0


@dataclass(frozen=True, kw_only=True)
class HotLists:
    """The hot pages of a run of epochs.

    Attributes:
        page_bytes, base_address: bytes of a page, and byte address of frame 0.
        settings: what was counted and which pages are hot, by the names of `set_hot` in the link's schema.
        rows: a list for each epoch, ascending; epochs of which a message was lost are missing.
        source: what was observed: URL of a device.
        interrupted: the run was stopped before its end.

    Raises:
        ValueError: epochs do not ascend.
    """

    page_bytes: int
    base_address: int
    settings: Mapping[str, Any]
    rows: tuple[HotList, ...]
    source: str = ""
    interrupted: bool = False

    def __post_init__(self) -> None:
        epochs = [row.epoch for row in self.rows]
        if any(one >= other for one, other in pairwise(epochs)):
            raise ValueError("epochs do not ascend")


def read_hot_lists(path: str | Path) -> HotLists:
    """Read the hot pages that `HotListWriter` wrote.

    Raises:
        UserError: no such file, of another kind, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, _decode)


class HotListWriter(EpochWriter):
    """Writes hot pages, an epoch at a time.

    Parameters:
        path: of the Parquet file.
        page_bytes, base_address, settings, source: as in `HotLists`.

    Raises:
        UserError: a file cannot be written there.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        page_bytes: int,
        base_address: int,
        settings: Mapping[str, Any],
        source: str = "",
    ) -> None:
        described = {
            "page_bytes": page_bytes,
            "base_address": base_address,
            "settings": dict(settings),
            "source": source,
        }
        super().__init__(path, KIND, VERSION, TYPES, UNITS, described, _GROUP_ROWS)

    def append(self, row: HotList) -> None:
        """Append the list of an epoch.

        Raises:
            ValueError: the epoch does not follow.
            OutputError: the operating system refused the write.
        """
        self._add(tuple(getattr(row, name) for name in TYPES))


def _decode(data: pa.Table, described: Mapping[str, Any]) -> HotLists:
    data = continued_epochs(data)
    columns = [whole_column(data, name).to_pylist() for name in TYPES]
    rows = (
        HotList(epoch, accesses, more, saturated, tuple(frames), tuple(counts))
        for epoch, accesses, more, saturated, frames, counts in zip(*columns, strict=True)
    )
    names = ("page_bytes", "base_address", "settings", "source", "interrupted")
    return HotLists(rows=tuple(rows), **{name: described[name] for name in names})
