"""Accounts for all accesses of the memory: those counted against the simulator's own record."""

from dataclasses import dataclass

import numpy as np

from litemrc.device.simulation.recording import OPS, Recording
from litemrc.epochs.table import EpochTable

_SEEN = (OPS.index("access"), OPS.index("dropped"))
_LEFT_OUT = ("dropped", "outside", "unsampled")


@dataclass(frozen=True)
class Account:
    """Accesses of the DRAM in all epochs collected, as the simulator recorded and as the device counted them.

    Attributes:
        recorded: accesses while the monitor was on and not frozen, after the last clear of their epoch.
        counted: accesses of all contexts, and those dropped, out of range and not sampled.
        difference: the first epoch in which they differ, with both numbers; empty if there is none.
    """

    recorded: int
    counted: int
    difference: str = ""

    @property
    def balanced(self) -> bool:
        """True if something was counted, and nothing is missing or too many."""
        return self.counted > 0 and not self.difference


def balance(recording: Recording, table: EpochTable) -> Account:
    """Compare, epoch by epoch, the accesses a device counted with those recorded.

    The recording's accesses are those of the observer in the DRAM model, if its tap is exact.
    """
    clear = np.flatnonzero(recording.op == OPS.index("clear"))
    seen = np.isin(recording.op, _SEEN) & ~recording.frozen
    # A clear restarts its epoch: no counter holds earlier accesses of the same epoch.
    last_clear = np.zeros(int(recording.epoch[-1]) + 1 if recording.epoch.size else 0, dtype=np.int64)
    np.maximum.at(last_clear, recording.epoch[clear], clear)
    seen &= np.arange(recording.op.size) >= last_clear[recording.epoch]
    of_epoch = np.bincount(recording.epoch[seen], minlength=last_clear.size)

    recorded = counted = 0
    difference = ""
    for epoch in np.unique(table.epoch).tolist():
        rows = table.epoch == epoch
        there = int(of_epoch[epoch]) if epoch < of_epoch.size else 0
        not_counted = sum(int(getattr(table, name)[rows][0]) for name in _LEFT_OUT)
        counted_here = int(table.accesses[rows].sum()) + not_counted
        if there != counted_here:
            difference = difference or f"epoch {epoch}: {there:,} recorded, {counted_here:,} counted"
        recorded, counted = recorded + there, counted + counted_here
    return Account(recorded, counted, difference)
