# SPDX-License-Identifier: BSD-2-Clause
"""Compares the DRAM commands that a device counted with those that the simulator recorded."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.device.simulation.recording import OPS, Recording, raw_events
from litemrc.epochs.traffic import BANK_COUNTS, Traffic

TOTALS = ("cycles", "refreshes", "queue_peak")


@dataclass(frozen=True)
class TrafficCheck:
    """Epochs and counters compared, and the first difference; empty if there is none."""

    epochs: int
    counters: int
    difference: str


def check_traffic(path: Path, recording: Recording, epochs: Iterable[tuple[int, Traffic]]) -> TrafficCheck:
    """Compare the counters of epochs, all of which are known, with the commands that the simulator recorded.

    Parameters
    ----------
    path
        the recorder's file, of which `recording` was read.
    epochs
        number and counters of each; those in which the monitor was frozen are left out.
    """
    recorded = _Commands(raw_events(path), recording)
    frozen = set(recording.epoch[recording.frozen].tolist())
    compared = counters = 0
    for number, traffic in epochs:
        if number in frozen:
            continue
        expected = recorded.of_epoch(number, traffic.reads.size)
        for name in (*BANK_COUNTS, *TOTALS):
            counted = getattr(traffic, name)
            if counted is None and name == "cycles":
                counted = 0  # the monitor was off in this epoch
            found, here = np.atleast_1d(counted), np.atleast_1d(expected[name])
            if (found != here).any():
                bank = int(np.argmax(found != here))
                where = f" of bank {bank}" if name in BANK_COUNTS else ""
                what = f"epoch {number}, {name}{where}: device {found[bank]}, record {here[bank]}"
                return TrafficCheck(compared, counters, what)
            counters += found.size
        compared += 1
    return TrafficCheck(compared, counters, "")


class _Commands:
    """The recorded commands, each with the cycle in which the monitor counts it."""

    def __init__(self, raw: NDArray[np.void], recording: Recording) -> None:
        source, clocks = raw["source"], np.uint64(recording.tap.clocks)
        place = {kind: np.flatnonzero(source == kind) for kind in (b"A", b"C", b"D", b"F", b"R", b"E")}
        self._accesses, self._activates = raw[place[b"D"]], raw[place[b"A"]]
        self._access_cycle = self._accesses["cycle"] + clocks
        self._activate_cycle = self._activates["cycle"] + clocks
        self._refresh_cycle = raw[place[b"F"]]["cycle"] + clocks
        # A row hit: the bank's last access is later than its last ACTIVATE. A conflict: its last ACTIVATE is
        # later than the last time that all banks were closed.
        self._hit = np.zeros(self._accesses.size, bool)
        self._conflict = np.zeros(self._activates.size, bool)
        closed = np.sort(np.concatenate([place[b"C"], place[b"F"]]))
        for bank in np.unique(self._activates["context"]).tolist():
            of_access = self._accesses["context"] == bank
            of_activate = self._activates["context"] == bank
            accesses, activates = place[b"D"][of_access], place[b"A"][of_activate]
            self._hit[of_access] = _last(accesses, accesses) > _last(activates, accesses)
            self._conflict[of_activate] = _last(activates, activates) > _last(closed, activates)
        self._switches = raw[place[b"E"]]
        self._requests = raw[place[b"R"]]
        # Requests that wait, before the first change and behind each.
        changes = self._requests["value"].astype(np.int64) - self._requests["write"]
        early = int((place[b"R"] < place[b"C"][0]).sum()) if place[b"C"].size else 0
        waiting = int(raw[place[b"C"][0]]["value"]) if place[b"C"].size else 0
        self._level = np.cumsum(np.concatenate([[waiting - changes[:early].sum()], changes]))
        ends = recording.cycle[recording.epoch_end]
        clear = recording.op == OPS.index("clear")
        self._ends = ends.astype(np.int64)
        self._begins = np.concatenate([[-1], ends.astype(np.int64)])
        np.maximum.at(self._begins, recording.epoch[clear], recording.cycle[clear].astype(np.int64))

    def of_epoch(self, number: int, banks: int) -> dict[str, Any]:
        """Return the counters of an epoch: of its cycles behind its begin, up to its end."""
        begin, end = int(self._begins[number]), int(self._ends[number])
        here = self._counted(self._access_cycle, begin, end)
        opened = self._counted(self._activate_cycle, begin, end)
        write, bank = self._accesses["write"], self._accesses["context"]
        selected = {
            "reads": bank[here & ~write],
            "writes": bank[here & write],
            "row_hits": bank[here & self._hit],
            "activates": self._activates["context"][opened],
            "row_conflicts": self._activates["context"][opened & self._conflict],
        }
        counts: dict[str, Any] = {name: np.bincount(of, minlength=banks) for name, of in selected.items()}
        counts["cycles"] = self._enabled_cycles(begin, end)
        counts["refreshes"] = int(self._counted(self._refresh_cycle, begin, end).sum())
        counts["queue_peak"] = self._peak(begin, end)
        return counts

    def _counted(self, cycle: NDArray[np.uint64], begin: int, end: int) -> NDArray[np.bool_]:
        """bool[n], the cycles of an epoch in which the monitor was on."""
        inside = (cycle.astype(np.int64) > begin) & (cycle.astype(np.int64) <= end)
        last = np.searchsorted(self._switches["cycle"], cycle, side="right")
        return inside & (np.concatenate([[0], self._switches["value"]])[last] != 0)

    def _enabled_cycles(self, begin: int, end: int) -> int:
        changes = self._switches["cycle"].astype(np.int64)
        # The cycles from one change on, up to the next, that are in the epoch.
        first = np.maximum(changes, begin + 1)
        behind = np.minimum(np.append(changes[1:], end + 1), end + 1)
        lasting = np.maximum(behind - first, 0)
        return int(lasting[self._switches["value"] != 0].sum())

    def _peak(self, begin: int, end: int) -> int:
        """The most requests at the begin of a cycle, from that of `begin` up to the one before `end`."""
        cycle = self._requests["cycle"].astype(np.int64)
        first, last = np.searchsorted(cycle, [begin, end - 1])
        return int(self._level[first : last + 1].max())


def _last(places: NDArray[np.int64], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last of `places` before each; -1: there is none. Both ascend."""
    found = np.searchsorted(places, before)
    return np.where(found > 0, places[np.maximum(found - 1, 0)] if places.size else -1, -1)
