# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of epoch tables share: the parameters of a small monitor, and rows."""

from litemrc.epochs.files import EpochRow

PARAMETERS = {
    "page_bytes": 4096,
    "frames": 64,
    "engine": "group_stack",
    "pages": 64,
    "groups": 4,
    "contexts": 8,
    "recent_pages": 4,
}


def row(**counters: object) -> EpochRow:
    """A row of counters, in which every page takes part by default."""
    return EpochRow(**{"outside": 0, "unsampled": 0, "scale_log2": 0, "overflow": False} | counters)
