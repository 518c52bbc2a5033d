"""Memory that its owners do not use, lent to those that reach their budgets.

A curve shows what a program would gain by more memory only when its pages are used again. Until then a
program that grows would be limited to its budget beside idle memory.
"""

from collections.abc import Mapping


def lent(
    budgets: Mapping[int, int],
    resident: Mapping[int, int],
    memory: int,
    margin: int,
    most: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Return the budgets in force until the next decision.

    Their sum is at most the memory, or what it was. A context within `margin` of its budget presses. Each
    that does not keeps what is resident and a margin, or its budget if that is less; the memory beyond these
    and the budgets of the others is divided equally among those that press. Whole margins are lent, so that
    budgets do not change with every page.

    Parameters:
        budgets: in pages, by context.
        resident: pages in use; a context without a number keeps its budget.
        memory: pages to divide.
        margin: pages, at least 1.
        most: limits from above.
    """
    most = most or {}
    pressing = [context for context, pages in budgets.items() if resident.get(context, 0) + margin > pages]
    keeps = {
        context: pages
        if context in pressing or context not in resident
        else min(pages, -(-(resident[context] + margin) // margin) * margin)
        for context, pages in budgets.items()
    }
    more = (memory - sum(keeps.values())) // max(len(pressing), 1) // margin * margin
    if not pressing or more <= 0:
        return dict(budgets)
    return {
        context: max(min(pages + more, most.get(context, memory)), pages) if context in pressing else pages
        for context, pages in keeps.items()
    }
