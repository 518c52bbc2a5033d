# SPDX-License-Identifier: BSD-2-Clause
"""Memory that its owners do not use, lent to those that reach their budgets.

A curve shows what a program would gain by more memory only when its pages are used again. Until then a
program that grows would be limited to its budget beside idle memory. And a division of whole groups leaves
parts of groups idle.
"""

from collections.abc import Collection, Mapping, Sequence

_FEW = 4  # epochs
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

    What a context needs are the pages that it will have at the end of the next epoch if it grows on, or
    what it held before, as it may want that again. This is in eighths of a group and with half an eighth
    to spare, if all that is needed fits into the memory with it. Then everybody gets it, and those get the
    remainder in equal parts that need their whole budget or more, or will in two epochs. If nobody does, or
    it does not fit, budgets stay.

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
    pressing = [
        context
        for context in budgets
        if context in evicting or (context in known and _presses(known[context], budgets[context], part))
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


def _presses(held: Sequence[int], budget: int, part: int) -> bool:
    if len(held) < _FEW:
        return _needed(held, part) >= budget or _expected(held) > budget + CHARGED_AHEAD
    return _needed(held, part) >= budget or _expected(held, epochs=2) > budget


def _needed(held: Sequence[int], part: int, slack: int = 0) -> int:
    pages = max(_expected(held), max(held) - CHARGED_AHEAD)
    return (round(pages) + slack) // part * part + part


def _expected(held: Sequence[int], epochs: int = 1) -> float:
    """Return the pages some epochs later, without those charged ahead, if the context grows on.

    Linux has pages charged ahead for one cgroup at a time on each processor. So those that a cgroup has
    itself are the least of two or three epochs, and its growth is that from one such number to the next. In
    fewer epochs only growth by more than those charged ahead is seen.
    """
    if len(held) < _FEW:
        growth = held[-1] - held[-2] if len(held) > 1 else 0
        return held[-1] + growth if growth > CHARGED_AHEAD else min(held)
    part = min(len(held) // 2, 3)
    now, before = min(held[-part:]), min(held[-2 * part : -part])
    return now + max(now - before, 0) * (part - 1 + epochs) / part
