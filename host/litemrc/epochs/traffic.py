# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of an epoch: bytes, share of the peak bandwidth, row hits and conflicts, by bank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BANK_COUNTS = ("reads", "writes", "row_hits", "activates", "row_conflicts")
_UNITS = ("B/s", "kB/s", "MB/s", "GB/s", "TB/s")


@dataclass(frozen=True, kw_only=True, eq=False)
class Traffic:
    """What a device counted of the commands to its DRAM, of the whole memory, in an epoch.

    Row hits and all that depends on them are None where a device does not observe rows: the functional
    models know only reads and writes.

    Attributes
    ----------
    access_bytes
        that a read or write moves, in one cycle of the data bus.
    reads, writes, row_hits, activates, row_conflicts
        uint32[banks], by bank, of a sum uint64; the last three are None where rows are not observed.
    cycles
        of the system clock that the counts cover; None: unknown.
    refreshes, refresh_cycles
        REFRESH commands, and the cycles that one takes (tRFC); None as above.
    queue_peak
        most requests that the controller had accepted and not issued; None as above.
    seconds
        that the counts cover, by the system clock, else by that of the operating system; None: unknown.
    """

    access_bytes: int
    reads: NDArray[np.unsignedinteger]
    writes: NDArray[np.unsignedinteger]
    row_hits: NDArray[np.unsignedinteger] | None = None
    activates: NDArray[np.unsignedinteger] | None = None
    row_conflicts: NDArray[np.unsignedinteger] | None = None
    cycles: int | None = None
    refreshes: int | None = None
    refresh_cycles: int | None = None
    queue_peak: int | None = None
    seconds: float | None = None

    @property
    def accesses(self) -> int:
        """Reads and writes of all banks: the cycles in which the data bus was busy."""
        return int(self.reads.sum(dtype=np.uint64)) + int(self.writes.sum(dtype=np.uint64))

    @property
    def bytes_read(self) -> int:
        """Bytes read by all masters."""
        return int(self.reads.sum(dtype=np.uint64)) * self.access_bytes

    @property
    def bytes_written(self) -> int:
        """Bytes written by all masters."""
        return int(self.writes.sum(dtype=np.uint64)) * self.access_bytes

    @property
    def read_bandwidth(self) -> float | None:
        """Bytes read per second."""
        return self.bytes_read / self.seconds if self.seconds else None

    @property
    def write_bandwidth(self) -> float | None:
        """Bytes written per second."""
        return self.bytes_written / self.seconds if self.seconds else None

    @property
    def peak_share(self) -> float | None:
        """The share of the peak bandwidth in use: busy cycles of the data bus, of all cycles."""
        return self.accesses / self.cycles if self.cycles else None

    @property
    def row_hit_rate(self) -> float | None:
        """The share of the accesses that found their row open and already accessed."""
        if self.row_hits is None or not self.accesses:
            return None
        return int(self.row_hits.sum(dtype=np.uint64)) / self.accesses

    @property
    def refresh_share(self) -> float | None:
        """The share of the cycles in which the DRAM refreshed."""
        if self.refreshes is None or self.refresh_cycles is None or not self.cycles:
            return None
        return self.refreshes * self.refresh_cycles / self.cycles

    def bandwidth_of(self, accesses: float) -> float | None:
        """Bytes per second of so many of the accesses: those of a context, for example."""
        return accesses * self.access_bytes / self.seconds if self.seconds else None


def traffic_sum(parts: Sequence[Traffic]) -> Traffic | None:
    """Return the DRAM commands of epochs of one device together; None: there are none.

    What is unknown in one of them is unknown; `queue_peak` is the largest. Epochs may differ in their number
    of banks.
    """
    if not parts:
        return None

    def known(name: str) -> list[Any] | None:
        values = [getattr(part, name) for part in parts]
        return None if any(value is None for value in values) else values

    sums: dict[str, Any] = {name: _bank_sums(each) for name in BANK_COUNTS if (each := known(name))}
    sums |= {name: sum(each) for name in ("cycles", "refreshes", "seconds") if (each := known(name))}
    sums |= {name: max(each) for name in ("refresh_cycles", "queue_peak") if (each := known(name))}
    return Traffic(access_bytes=parts[0].access_bytes, **sums)


def _bank_sums(counts: Sequence[NDArray[np.unsignedinteger]]) -> NDArray[np.uint64]:
    sums = np.zeros(max(each.size for each in counts), np.uint64)
    for each in counts:
        sums[: each.size] += each
    return sums


def bandwidth_text(bytes_per_second: float) -> str:
    """Return a bandwidth to three digits in units of powers of 1000: "12.3 MB/s".

    The page of `litemrc serve` has the same rules (serve/page/format.js).
    """
    value, unit = bytes_per_second, 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{float(f'{value:.3g}'):g} {_UNITS[unit]}"
