# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of a rank table, one row per (epoch, power domain), under a seal."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from litemrc.files.sealed_parquet import FileKind, continued_epochs, read_sealed, whole_column, write_sealed
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import COLUMNS, RankTable

KIND = FileKind("a rank table", "name a file that `litemrc ranks` wrote")
VERSION = 1
UNITS = {
    "epoch": "number of the epoch",
    "domain": "number of the power domain",
    "clocks": "clocks of the epoch, the same in all rows of one",
    **dict.fromkeys(COUNTERS, "clocks in this state"),
    **dict.fromkeys(("reads", "writes", "activates", "refreshes"), "commands"),
    **dict.fromkeys((name for name in COUNTERS if name.startswith("entered")), "entries into this state"),
    "wake_ups": "accesses that had to wake the domain",
    "waking": "clocks of waking; they count as precharge standby, too",
    "idle": "clocks since the last access, at the end",
    "top_pages": "pages of the working set in the domain, at the end",
    "state": "at the end: 0 awake, 2 power-down, 3 self-refresh, 4 self-refresh of a part of the array",
    "working": "true: a page of the working set lay in the domain at the end",
    "live_pages": "pages whose data somebody needed at the end",
    "overflow": "true: a counter saturated",
    "clock_hz": "Hz",
}
_PARAMETERS = ("clock_hz", "phases", "domains", "virtual", "chips", "part", "partial", "interrupted")


def write_ranks(path: str | Path, table: RankTable) -> None:
    """Write `table` to `path`, replacing what was there only when the new file is complete.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    write_sealed(path, KIND, VERSION, rank_columns(table), UNITS, rank_description(table))


def rank_columns(table: RankTable) -> dict[str, pa.Array]:
    """Return the columns of a table, or of a part of it, as the file has them."""
    return {name: pa.array(getattr(table, name)) for name in COLUMNS}


def rank_description(table: RankTable) -> dict[str, Any]:
    """Return all of a table but its columns, as the file describes it."""
    return {name: getattr(table, name) for name in _PARAMETERS}


def read_ranks(path: str | Path) -> RankTable:
    """Read the rank table that `write_ranks` wrote.

    Raises
    ------
    UserError
        no such file, not a rank table, written by a newer version, truncated or damaged.
    """
    return read_sealed(path, KIND, VERSION, _decode)


def _decode(data: pa.Table, described: dict[str, Any]) -> RankTable:
    data = continued_epochs(data)
    return RankTable(
        **{name: whole_column(data, name).to_numpy(zero_copy_only=False) for name in COLUMNS},
        **{name: described[name] for name in _PARAMETERS},
    )
