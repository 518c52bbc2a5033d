# SPDX-License-Identifier: BSD-2-Clause
"""The governor in a loop: epochs of programs' LRU positions in, budgets out, misses counted in those."""

from collections.abc import Iterator

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.policies.allocation.governor import Governor, GovernorParameters

MEMORY, GROUP, GROUPS = 256, 8, 64
INTR, LINEAR = 1, 2
EPOCHS = 60
EQUAL = {INTR: MEMORY // 2, LINEAR: MEMORY // 2}


def positions(loop_pages: int) -> Iterator[dict[int, list[int | None]]]:
    """LRU positions of each epoch: 1,000 references of a loop, and, in every third, 300 by Zipf's law."""
    rng = np.random.default_rng(6)
    weights = 1 / np.arange(1, 301) ** 0.7
    stacks = {INTR: LruStack(), LINEAR: LruStack()}
    place = 0
    for epoch in range(EPOCHS):
        references = {LINEAR: [(place + i) % loop_pages for i in range(1000)]}
        place += 1000
        if epoch % 3 == 0:
            references[INTR] = rng.choice(300, 300, p=weights / weights.sum()).tolist()
        yield {c: [stacks[c].access(page) for page in pages] for c, pages in references.items()}


def misses(found: list[int | None], budget: int) -> int:
    """References that miss in an LRU memory of n pages."""
    return sum(position is None or position >= budget for position in found)


def counted(found: list[int | None]) -> HitCounters:
    groups = [position // GROUP for position in found if position is not None]
    return HitCounters.of(np.bincount(groups, minlength=GROUPS), found.count(None), GROUP)


def governed(
    loop_pages: int, **parameters: object
) -> tuple[list[dict[int, int]], dict[int, int], dict[int, int]]:
    """Budgets after each epoch; misses of the second half of the epochs, governed and in equal parts."""
    given = {
        "memory_pages": MEMORY,
        "delta_pages": GROUP,
        "minimum_pages": 16,
        "half_life": 3000,
    } | parameters
    governor = Governor(GovernorParameters(**given), EQUAL)
    budgets, ours, equal = [], {INTR: 0, LINEAR: 0}, {INTR: 0, LINEAR: 0}
    for number, epoch in enumerate(positions(loop_pages)):
        if number >= EPOCHS // 2:
            for context, found in epoch.items():
                ours[context] += misses(found, governor.budgets[context])
                equal[context] += misses(found, EQUAL[context])
        governor.decide({context: counted(found) for context, found in epoch.items()}, 1000)
        budgets.append(dict(governor.budgets))
    return budgets, ours, equal


@pytest.mark.parametrize("step", [None, 16])
def test_a_loop_that_cannot_fit_leaves_its_memory_to_others(step):
    budgets, ours, equal = governed(400, step_pages=step)
    # Under LRU a loop of 400 pages hits in no memory of 256; so all but the minimum is of use to intr alone.
    assert budgets[-1][LINEAR] == 16
    assert budgets[-1][INTR] > EQUAL[INTR]
    assert all(now == budgets[-1] for now in budgets[EPOCHS // 2 :])
    assert ours[LINEAR] == equal[LINEAR] == 1000 * EPOCHS // 2
    assert ours[INTR] < 0.75 * equal[INTR]


def test_a_loop_that_fits_gets_what_it_needs_and_no_more():
    budgets, ours, equal = governed(150, gain=0.02)
    # 150 pages are 19 groups. The loop refers ten times as often as intr.
    assert budgets[-1] == {LINEAR: 152, INTR: 104}
    assert all(now == budgets[-1] for now in budgets[EPOCHS // 2 :])
    assert (ours[LINEAR], equal[LINEAR]) == (0, 1000 * EPOCHS // 2)
