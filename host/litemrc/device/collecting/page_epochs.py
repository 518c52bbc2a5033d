# SPDX-License-Identifier: BSD-2-Clause
"""What records of epochs have of single pages, and what copies of pages cost."""

from collections.abc import Mapping
from typing import NamedTuple

from litemrc.device.collecting.record_rows import items_of
from litemrc.device.link.record import Record
from litemrc.pages.hot_lists import HotList

_SATURATED = 2**32 - 1


class AccessedEpoch(NamedTuple):
    """Bits of the frames accessed, and written, in an epoch; frame 0 is the lowest bit of the first byte."""

    epoch: int
    accessed: bytes
    written: bytes


def accessed_epoch(record: Record) -> AccessedEpoch | None:
    """Return the bits of an epoch's frames; None: its record has none."""
    if record.accessed is None or record.written is None:
        return None
    return AccessedEpoch(record.epoch, record.accessed.tobytes(), record.written.tobytes())


def hot_list(record: Record) -> HotList | None:
    """Return the hot pages of an epoch, or the rows; None: its record has no list.

    Raises
    ------
    ValueError
        as `HotList`.
    """
    if record.hot is None:
        return None
    frames, counts = (tuple(record.hot[name].tolist()) for name in ("frame", "count"))
    accesses = int(record.head["hot_accesses"])
    if accesses == _SATURATED:
        accesses = max(accesses, sum(counts))
    return HotList(
        record.epoch, accesses, record.flag("hot_more"), record.flag("hot_saturated"), frames, counts
    )


def pages_rows(record: Record) -> list[dict[str, int]]:
    """Return the members of each struct litemrc_copies of an epoch: programs that copy pages."""
    return [{"epoch": record.epoch, **values} for values in items_of(record.copies)]


def cost_per_access(row: Mapping[str, int]) -> float | None:
    """Return the mean over both masters' accesses since the program's beginning; None before the first."""
    accesses = row["references"] + row["home"]
    return row["cost"] / accesses if accesses else None
