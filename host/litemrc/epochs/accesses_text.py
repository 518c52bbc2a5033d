# SPDX-License-Identifier: BSD-2-Clause
"""All accesses of the memory in words: how many were counted, and how many not."""

from litemrc.epochs.table import EpochTable


def all_accesses_text(table: EpochTable) -> str:
    """Return the exact number of accesses by their fate, for people; empty if all were counted."""
    others = {
        "to pages not sampled": table.sum_of_epochs("unsampled"),
        "out of range": table.sum_of_epochs("outside"),
        "dropped": table.sum_of_epochs("dropped"),
    }
    if not any(others.values()):
        return ""
    parts = [f"{int(table.accesses.sum()):,} counted", *(f"{n:,} {what}" for what, n in others.items() if n)]
    return f"{table.accesses_in_all:,} accesses in all: {', '.join(parts)}"
