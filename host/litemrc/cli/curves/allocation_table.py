"""An allocation of memory as a table, one line for each process."""

from collections.abc import Sequence

from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.sizes import size_text
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import Allocation

_HEADINGS = {
    "process": "process",
    "accesses": "accesses",
    "weight": "weight",
    "guaranteed_pages": "guaranteed\npages",
    "allocated_pages": "allocated\npages",
    "allocated_bytes": "allocated\nmemory",
    "share_of_memory": "share of\nmemory",
    "miss_ratio": "miss ratio",
    "miss_ratio_equal_shares": "miss ratio,\nequal shares",
    "minimum_miss_ratio": "minimum\nmiss ratio",
}


def allocation_row(
    demand: Demand, allocation: Allocation, memory: int, page_bytes: int, processes: int
) -> dict[str, object]:
    """Return the values of a process by column."""
    pages = allocation.pages[demand.name]
    values = (
        demand.name,
        demand.accesses,
        demand.weight,
        demand.minimum_pages,
        pages,
        pages * page_bytes,
        pages / memory,
        allocation.miss_ratio[demand.name],
        demand.miss_ratio_at(memory // processes),
        float(demand.miss_ratio[-1]),
    )
    return dict(zip(_HEADINGS, values, strict=True))


def allocation_table(demands: Sequence[Demand], allocation: Allocation, memory: int, page_bytes: int) -> str:
    """Return a table with a line for each process."""
    formats = ("{}", "{:,}", "{:g}", "{:,}", "{:,}", "{}", "{:.1%}", "{:.4f}", "{:.4f}", "{:.4f}")
    rows = []
    for demand in demands:
        row = allocation_row(demand, allocation, memory, page_bytes, len(demands))
        row["allocated_bytes"] = size_text(allocation.pages[demand.name], page_bytes)
        rows.append([text.format(value) for text, value in zip(formats, row.values(), strict=True)])
    return text_table(list(_HEADINGS.values()), rows)


def summary(
    allocation: Allocation, *, memory: int, delta: int, page_bytes: int, utility: str, method: str
) -> list[str]:
    """Return lines about the quality of an allocation and the memory that stays free; sizes in pages."""
    bound = allocation.utility_bound
    if bound is None:
        quality = "distance from the optimum unknown"
    elif bound == allocation.utility:
        quality = "optimal"
    else:
        quality = f"at most {1 - allocation.utility / bound:.2g} (relative) below the optimum"
    in_use = f"sum of weight x {utility}"
    return [
        f"utility {allocation.utility:,.6g} ({in_use}), by {method}: {quality}",
        f"{allocation.free_pages:,} of {memory:,} pages of {page_bytes:,} bytes stay free;"
        f" unit of allocation: {delta:,} pages",
    ]
