# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of hot pages, a row per epoch, under a seal; written an epoch at a time."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from litemrc.files.sealed_parquet import FileKind, continued_epochs, read_sealed, whole_column
from litemrc.pages.epoch_writer import EpochWriter
from litemrc.pages.hot_lists import HotList, HotLists

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


def read_hot_lists(path: str | Path) -> HotLists:
    """Read the hot pages that `HotListWriter` wrote.

    Raises
    ------
    UserError
        no such file, of another kind, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, _decode)


class HotListWriter(EpochWriter):
    """Writes hot pages, an epoch at a time.

    Parameters
    ----------
    path
        of the Parquet file.
    page_bytes, base_address, settings, source
        as in `HotLists`.

    Raises
    ------
    UserError
        a file cannot be written there.
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

        Raises
        ------
        ValueError
            the epoch does not follow.
        OutputError
            the operating system refused the write.
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
