# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of rank tables share: the parameters of a small board, and rows."""

import numpy as np
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import ROW, RankRows

PARAMETERS = {
    "clock_hz": 1_000_000,
    "phases": 4,
    "domains": 2,
    "virtual": False,
    "chips": 1,
    "part": "MT41K64M16",
    "partial": 0,
}


def rank_row(epoch: int, domain: int, clocks: int = 1000, **values: int) -> RankRows:
    """A row whose cycles are in precharge standby except for the given ones."""
    others = {
        name: values.pop(name) for name in ("state", "working", "live_pages", "overflow") if name in values
    }
    states = COUNTERS[4:9]
    values.setdefault("precharge_standby", clocks - sum(values.get(name, 0) for name in states))
    row = np.zeros(1, ROW)
    row["counters"] = [values.pop(name, 0) for name in COUNTERS]
    others |= {"epoch": epoch, "domain": domain, "clocks": clocks}
    for name, value in ({"working": True} | others).items():
        row[name] = value
    return row
