# SPDX-License-Identifier: BSD-2-Clause
"""What arithmetic demands of the tails of a table: refaults, resident and evicted pages."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from litemrc.epochs.table import EpochTable


@dataclass(frozen=True)
class TailCheck:
    """Rows with a tail.

    Attributes
    ----------
    rows
        checked, those of contexts that have a tail.
    refaults
        in all tails.
    unidentified
        evictions and refaults that the device did not identify.
    damage
        each contradiction, with its place; empty: there is none.
    """

    rows: int
    refaults: int
    unidentified: int
    damage: tuple[str, ...]


def check_tails(table: EpochTable) -> TailCheck:
    """Check that tails are where they can be, and that the hardware counted each refault as a miss.

    A context that follows no process and no cgroup has no tail. A refault is a miss of its epoch or the next
    one: in each context, refaults up to an epoch are at most misses and dropped accesses up to the next one.
    This second rule holds where every page takes part, no counter saturated and no message was lost; it is
    left out elsewhere.
    """
    damage = [*_strangers(table), *_too_many_refaults(table)]
    tails = table.has_tail
    return TailCheck(int(tails.sum()), int(table.tail.sum()), int(table.unidentified.sum()), tuple(damage))


def _strangers(table: EpochTable) -> Iterator[str]:
    """Tails of contexts that followed nothing."""
    followed = np.zeros(table.epoch.size, dtype=bool)
    for process in table.processes:
        followed |= (
            (table.context == process.context)
            & (table.epoch >= process.first_epoch)
            & (table.epoch <= process.last_epoch)
        )
    for row in np.flatnonzero(table.has_tail & ~followed).tolist():
        yield (
            f"{_place(table, row)}: a tail of {table.tail[row].sum()} refaults, {table.resident[row]} pages"
            f" resident, {table.evicted[row]} evicted, but the context followed no process"
        )


def _too_many_refaults(table: EpochTable) -> Iterator[str]:
    """Refaults that are no misses, in the first epoch of each context that shows it."""
    lost = table.link_statistics.get("epoch_messages_lost", 0)
    if lost or table.scale_log2.any() or table.overflow.any() or table.split.any():
        return
    refaults = table.tail.sum(axis=1, dtype=np.int64)
    dropped = dict(zip(table.epoch.tolist(), table.dropped.tolist(), strict=True))
    for context in np.unique(table.context[refaults > 0]).tolist():
        rows = np.flatnonzero(table.context == context)
        rows = rows[np.argsort(table.epoch[rows], kind="stable")]
        seen = np.cumsum(refaults[rows])
        missed = np.cumsum(table.misses[rows].astype(np.int64))
        for place, row in enumerate(rows[:-1].tolist()):
            following = int(rows[place + 1])
            until = int(table.epoch[following])
            allowed = int(missed[place + 1]) + sum(n for epoch, n in dropped.items() if epoch <= until)
            if seen[place] > allowed:
                yield (
                    f"{_place(table, row)}: {seen[place]} refaults since the first epoch, but only {allowed}"
                    f" misses and dropped accesses up to epoch {until}"
                )
                break


def _place(table: EpochTable, row: int) -> str:
    return f"epoch {table.epoch[row]}, context {table.context[row]}"
