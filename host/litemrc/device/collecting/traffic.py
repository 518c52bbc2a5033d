# SPDX-License-Identifier: BSD-2-Clause
"""What records of epochs have of the commands to the DRAM."""

from typing import Any

from litemrc.device.link.record import Record
from litemrc.epochs.traffic import Traffic

_OF_ROWS = ("row_hits", "activates", "row_conflicts")  # of a bank, where rows were observed
_OF_HEAD = ("refreshes", "refresh_cycles", "queue_peak")  # of the epoch, as well


def traffic_of(record: Record, clock_hz: int) -> Traffic | None:
    """Return the DRAM commands of an epoch; None: its record has none.

    Parameters
    ----------
    record
        of the epoch; without the flag dram_rows only reads and writes of its banks are known.
    clock_hz
        of the system clock, whose cycles the record counts.
    """
    banks, head = record.banks, record.head
    if banks is None or not banks.size or not head["access_bytes"]:
        return None
    cycles, known = int(head["cycles"]) or None, dict[str, Any]()
    if record.flag("dram_rows"):
        known |= {name: banks[name].copy() for name in _OF_ROWS}
        known |= {name: int(head[name]) for name in _OF_HEAD}
    return Traffic(
        access_bytes=int(head["access_bytes"]),
        reads=banks["reads"].copy(),
        writes=banks["writes"].copy(),
        **known,
        cycles=cycles,
        seconds=cycles / clock_hz if cycles else _seconds(int(head["begin_ns"]), int(head["end_ns"])),
    )


def _seconds(begin_ns: int, end_ns: int) -> float | None:
    """Return the time between two of the operating system's clock; 0: there is no clock."""
    return (end_ns - begin_ns) / 1e9 if 0 < begin_ns < end_ns else None
