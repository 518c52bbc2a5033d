# SPDX-License-Identifier: BSD-2-Clause
"""Memory that its owners do not use, lent to those that reach their budgets.

A curve shows what a program would gain by more memory only when its pages are used again. Until then a
program that grows would be limited to its budget beside idle memory. And a division of whole groups leaves
parts of groups idle.
"""

from collections.abc import Collection, Mapping, Sequence

CHARGED_AHEAD = 64  # pages that Linux charges a cgroup before they are used, at most: MEMCG_CHARGE_BATCH


def lent(
    budgets: Mapping[int, int],
    held: Mapping[int, Sequence[int]],
    memory: int,
    group_pages: int,
    minimum: int = 0,
    most: Mapping[int, int] | None = None,
    evicting: Collection[int] = (),
) -> dict[int, int]:
    """Return the budgets in force until the next decision.

    What a context needs is the least of the pages that it held, or the most less those charged ahead; if it
    grows, what it will hold after one more epoch of the same growth. This is in eighths of a group and with
    half an eighth to spare, if all that is needed fits into the memory with it. Then everybody gets it, and
    those get the remainder in equal parts that need their whole budget or more, or would with one more epoch
    of the same growth. If nobody does, or it does not fit, budgets stay.

    Parameters
    ----------
    budgets
        in pages, by context.
    held
        pages at the ends of the last epochs, the latest at the end, with those charged ahead and
        those that were evicted. A context without any needs its budget.
    memory
        pages to divide.
    minimum
        smallest budget.
    most
        limits from above.
    evicting
        contexts that need more than they hold: at least their budgets, and part of what others lend.
    """
    most, part = most or {}, max(group_pages // 8, 1)
    known = {context: seen for context in budgets if (seen := held.get(context)) and context not in evicting}
    pressing = [context for context in budgets if context in evicting] + [
        context
        for context, seen in known.items()
        if _needed(seen, part) >= budgets[context] or _expected(seen) > budgets[context] + CHARGED_AHEAD
    ]
    for slack in (part // 2, 0):
        needed = {
            context: max(_needed(known[context], part, slack), min(pages, minimum))
            if context in known
            else pages
            for context, pages in budgets.items()
        }
        spare = memory - sum(needed.values())
        if spare >= 0:
            break
    if not pressing or spare < 0:
        return dict(budgets)
    more = spare // len(pressing) // part * part
    given = {context: pages + more * (context in pressing) for context, pages in needed.items()}
    return {context: min(pages, most.get(context, memory)) for context, pages in given.items()}


def _needed(held: Sequence[int], part: int, slack: int = 0) -> int:
    pages = max(min(held), max(held) - CHARGED_AHEAD)
    if held[-1] - min(held) > CHARGED_AHEAD and held[-1] > max(held[:-1]):
        pages = _expected(held)
    return ((pages + slack) // part + 1) * part


def _expected(held: Sequence[int]) -> int:
    """Return the pages at the end of the next epoch if the context grows on.

    Those that Linux charged ahead are there in one epoch and gone in the next; so, where four epochs are
    known, growth is half that of the lesser of two.
    """
    if len(held) < 4:
        return held[-1] + max(held[-1] - held[-2], 0) if len(held) > 1 else 0
    return held[-1] + max(min(held[-2:]) - min(held[-4:-2]), 0) // 2
