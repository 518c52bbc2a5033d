"""Memory that its owners do not use, lent to those that reach their budgets.

A curve shows what a program would gain by more memory only when its pages are used again. Until then a
program that grows would be limited to its budget beside idle memory.
"""

from collections.abc import Mapping, Sequence


def lent(
    budgets: Mapping[int, int],
    resident: Mapping[int, Sequence[int]],
    memory: int,
    group_pages: int,
    most: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Return the budgets in force until the next decision.

    Their sum is at most the memory, or what it was. A context within half a group of its budget presses. Each
    that does not keeps the least of its resident pages and up to an eighth of a group more, or its budget if
    that is less; the memory beyond these and the budgets of the others is divided equally among those that
    press. Eighths of a group are lent, so that budgets do not change with every page.

    Parameters:
        budgets: in pages, by context.
        resident: pages in use at the ends of the last epochs, the latest at the end; Linux counts pages that
            it charges ahead, so single ones are too large. A context without any keeps its budget.
        memory: pages to divide.
        most: limits from above.
    """
    most, part = most or {}, max(group_pages // 8, 1)
    pressing = [
        context
        for context, pages in budgets.items()
        if resident.get(context) and resident[context][-1] + group_pages // 2 > pages
    ]
    keeps = {
        context: pages
        if context in pressing or not resident.get(context)
        else min(pages, (min(resident[context]) // part + 1) * part)
        for context, pages in budgets.items()
    }
    more = (memory - sum(keeps.values())) // max(len(pressing), 1) // part * part
    if not pressing or more <= 0:
        return dict(budgets)
    return {
        context: max(min(pages + more, most.get(context, memory)), pages) if context in pressing else pages
        for context, pages in keeps.items()
    }
