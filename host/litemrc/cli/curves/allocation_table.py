# SPDX-License-Identifier: BSD-2-Clause
"""An allocation of memory as a table, one line for each process."""

from litemrc.api.allocation import AllocationResult
from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.sizes import size_text

_HEADINGS = (
    "process",
    "accesses",
    "weight",
    "guaranteed\npages",
    "allocated\npages",
    "allocated\nmemory",
    "share of\nmemory",
    "miss ratio",
    "miss ratio,\nequal shares",
    "minimum\nmiss ratio",
)


def allocation_table(result: AllocationResult) -> str:
    """Return a table with a line for each process."""
    formats = ("{}", "{:,}", "{:g}", "{:,}", "{:,}", "{}", "{:.1%}", "{:.4f}", "{:.4f}", "{:.4f}")
    rows = []
    for row in result.rows():
        row["allocated_bytes"] = size_text(row["allocated_pages"], result.page_bytes)
        rows.append([text.format(value) for text, value in zip(formats, row.values(), strict=True)])
    return text_table(_HEADINGS, rows)


def summary(result: AllocationResult) -> list[str]:
    """Return lines about the quality of an allocation and the memory that stays free; sizes in pages."""
    allocation = result.allocation
    bound = allocation.utility_bound
    if bound is None:
        quality = "distance from the optimum unknown"
    elif bound == allocation.utility:
        quality = "optimal"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} (relative) below the optimum"
    in_use = f"sum of weight x {result.utility_in_use}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {result.method}: {quality}",
        f"{allocation.free_pages:,} of {result.memory_pages:,} pages of {result.page_bytes:,} bytes stay"
        f" free; unit of allocation: {result.delta_pages:,} pages",
    ]
