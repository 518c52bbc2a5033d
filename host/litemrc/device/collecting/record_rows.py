# SPDX-License-Identifier: BSD-2-Clause
"""What is kept of the records of epochs: counters of contexts, rows of ranks and tasks; losses."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litemrc.device.errors import SilentDeviceError
from litemrc.device.link.protocol import Message
from litemrc.device.link.record import Record
from litemrc.device.link.schema import schema
from litemrc.epochs.columns import Rows, make_rows
from litemrc.epochs.table import EpochTable
from litemrc.ranks.table import ROW, RankRows
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.device.device import Device

_HALF = 1 << 31  # numbers are 32 bits and wrap: a step of more than half the range is a step back
_OF_ROWS = ("context", "accesses", "misses", "touched", "resident", "evicted", "unidentified", "hits", "tail")
_OF_HEAD = ("epoch", "dropped", "outside", "unsampled", "scale_log2")
_GROUPS = ("groups", "tail_groups")
_OF_TASKS = ("references", "faults", "zero_fills", "writes", "iterations")
# What hello, EpochTable and DeviceParameters say of a monitor.
MONITOR = ("frames", "engine", "pages", "groups", "contexts", "recent_pages")


class EpochLedger:
    """Counts epochs that arrived, and those that did not, over a lossy link.

    Attributes
    ----------
    received, lost
        epochs since number `first`.
    """

    def __init__(self, first: int) -> None:
        self.received = 0
        self.lost = 0
        self._expected = first

    def note(self, epoch: int, *, received: bool) -> None:
        """Note that an epoch was received, or that all before it have arrived or are lost.

        Raises
        ------
        ValueError
            the device restarted its count: it was reset, and the losses are unknown.
        """
        missing = (epoch - self._expected) % 2**32
        if missing >= _HALF:
            raise ValueError(f"epoch {epoch}, and those before {self._expected} had ended already")
        self.lost += missing
        self.received += received
        self._expected = epoch + received


# ------------------------------------------------------------ counters of contexts


def epoch_rows(record: Record) -> Rows:
    """Return the counters of the contexts that counted anything; if none did, a row of context 0."""
    rows = record.rows
    # A refault may be counted an epoch before the access that it causes.
    counted = np.flatnonzero(rows["accesses"] | rows["refaults"] | rows["unidentified"])
    if not counted.size:
        counted = np.flatnonzero(rows["context"] == 0)
    columns: dict[str, Any] = {name: record.head[name] for name in _OF_HEAD}
    columns |= {name: record.flag(name) for name in ("overflow", "split")}
    if counted.size:
        columns |= {name: rows[name][counted] for name in _OF_ROWS}
    return make_rows(columns, max(counted.size, 1), *(int(record.head[name]) for name in _GROUPS))


def is_empty(rows: Rows) -> bool:
    """Return whether nothing was accessed in an epoch."""
    return not any(rows[name].any() for name in ("accesses", "dropped", "outside", "unsampled"))


def epoch_table(hello: Message, parts: Sequence[Rows], **more: Any) -> EpochTable:
    """Return the rows of a device's epochs as a table; `more` are further attributes."""
    return EpochTable.from_rows(
        parts,
        page_bytes=1 << hello.page_shift,
        **{name: getattr(hello, name) for name in MONITOR},
        system=printable(hello.system),
        **more,
    )


def contexts_following(record: Record) -> set[int]:
    """Return the contexts that follow a process or a cgroup behind the end of an epoch."""
    following = schema().enums["context_state"]["following"]
    return set(record.rows["context"][record.rows["state"] == following].tolist())


# ------------------------------------------------------------ ranks


def rank_rows(record: Record) -> RankRows:
    """Return the rows of an epoch's ranks, in order."""
    ranks = record.ranks
    rows = np.zeros(ranks.size, ROW)
    rows["epoch"], rows["domain"], rows["clocks"] = record.epoch, np.arange(ranks.size), ranks["cycles"]
    for name in ("counters", "state", "working", "live_pages"):
        rows[name] = ranks[name]
    rows["overflow"] = ranks["flags"] & schema().constants["rank_overflow"]
    return rows


def watch_ranks(device: "Device") -> Iterator[RankRows]:
    """Yield the rows of each epoch that ends from now on, one of each rank.

    Raises
    ------
    LinkError
        the device is gone or silent, or sends nonsense.
    """
    while True:
        message = device.receive(device.timeout_s)
        if message is None:
            raise SilentDeviceError(
                f"no epoch ended within {device.timeout_s:g} s",
                where=device.url,
                remedy="give epochs a length: litemrc collect --epoch-length",
            )
        if message.name == "epoch" and message.record.ranks.size:
            yield rank_rows(message.record)


# ------------------------------------------------------------ tasks


def task_rows(record: Record) -> list[dict[str, Any]]:
    """Return the members of each struct litemrc_task of an epoch; a budget that is not set is None."""
    no_budget = schema().constants["no_budget"]
    return [
        {
            "epoch": record.epoch,
            **values,
            "budget": None if values["budget"] == no_budget else values["budget"],
        }
        for values in items_of(record.tasks)
    ]


def items_of(part: NDArray[np.void]) -> Iterator[dict[str, int]]:
    """Yield the members of each item of a part that has numbers only."""
    names = part.dtype.names or ()
    for item in part.tolist():
        yield dict(zip(names, item, strict=True))


def task_totals(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the sums over the rows of each task, in the order of contexts.

    `response_cycles` is the mean of an iteration, None before the first.
    """
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        sums[row["context"]].update({name: row[name] for name in (*_OF_TASKS, "response", "damaged")})
    return [
        {
            "context": context,
            **{name: total[name] for name in _OF_TASKS},
            "response_cycles": total["response"] / total["iterations"] if total["iterations"] else None,
            "damaged": total["damaged"],
        }
        for context, total in sorted(sums.items())
    ]
