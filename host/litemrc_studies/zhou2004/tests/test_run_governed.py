# SPDX-License-Identifier: BSD-2-Clause
"""A budget that shrank grows again if refaults are counted: by arithmetic, and equal to the golden model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.policies.allocation.decision import GovernorParameters
from litemrc_studies.zhou2004.golden.governed import run_governed as golden_run
from litemrc_studies.zhou2004.machine.governed import SYSTEMS, loops, run_governed

# The ratchet: two programs in 2,048 pages, on a monitor of 64 groups. Both loop over 512 pages, then one over
# 1,400. An epoch has 6,000 references of each.
MEMORY, GROUPS, GROUP = 2048, 64, 32
SMALL, LARGE = 512, 1400
EPOCH, BEFORE, AFTER = 6000, 4, 12
GROWING, STEADY = 1, 2


def ratchet(system):
    programs = {
        GROWING: loops([(SMALL, BEFORE), (LARGE, AFTER)], EPOCH),
        STEADY: loops([(SMALL, BEFORE + AFTER)], EPOCH),
    }
    parameters = GovernorParameters(memory_pages=MEMORY, delta_pages=GROUP)
    return run_governed(programs, parameters, system=system, group_pages=GROUP, groups=GROUPS)


def test_a_loop_goes_on_from_epoch_to_epoch_and_each_phase_begins_at_page_0():
    epochs = loops([(3, 2), (2, 1)], 4)
    assert [each.tolist() for each in epochs] == [[0, 1, 2, 0], [1, 2, 0, 1], [0, 1, 0, 1]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_budgets_first_shrink_to_what_the_loops_need(system):
    run = ratchet(system)
    assert run.budgets[:BEFORE].tolist() == [[SMALL, SMALL]] * BEFORE
    assert run.idle_pages[:BEFORE].tolist() == [MEMORY - 2 * SMALL] * BEFORE
    assert run.faults[:BEFORE].sum(axis=0).tolist() == [SMALL, SMALL], "each page once"
    assert run.faults[BEFORE:, 1].sum() == 0, "the other program loses nothing"


@pytest.mark.parametrize("system", ["full", "tail"])
def test_a_budget_that_shrank_grows_again(system):
    """The loop hits in its first lap the 512 pages it has; LRU then misses each page until the epoch ends.

    The new budget is 1,400 pages in whole groups of 32. The last 512 pages used are resident; the other 888
    of the loop come by a fault each, and none after that.
    """
    run = ratchet(system)
    grown = -(-LARGE // GROUP) * GROUP
    assert grown == 1408
    assert run.budgets[BEFORE:].tolist() == [[grown, SMALL]] * AFTER
    expected = [EPOCH - SMALL, LARGE - SMALL, *[0] * (AFTER - 2)]
    assert run.faults[BEFORE:, 0].tolist() == expected
    assert sum(expected) == 6376
    assert run.first_touches[BEFORE:, 0].sum() == LARGE - SMALL


def test_without_a_tail_a_budget_stays_and_memory_idles():
    """Only the first 512 references of 72,000 hit, and no counter shows that more memory would help."""
    run = ratchet("resident")
    assert run.budgets[BEFORE:].tolist() == [[SMALL, SMALL]] * AFTER
    assert run.idle_pages[-1] == MEMORY - 2 * SMALL == 1024
    assert run.faults[BEFORE:, 0].sum() == AFTER * EPOCH - SMALL == 71488


references = st.lists(st.integers(0, 40), max_size=60)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), system=st.sampled_from(SYSTEMS), memory=st.integers(4, 48), step=st.booleans())
def test_every_number_is_that_of_the_golden_model(data, system, memory, step):
    """Also of programs that refer to nothing in an epoch, and where a stack is deeper than all groups."""
    epochs = data.draw(st.integers(1, 5))
    programs = {
        context: data.draw(st.lists(references, min_size=epochs, max_size=epochs)) for context in (3, 1)
    }
    parameters = GovernorParameters(
        memory_pages=memory, delta_pages=2, minimum_pages=2, half_life=50, step_pages=2 if step else None
    )
    sizes = {"group_pages": 2, "groups": 8, "system": system}
    arrays = {context: [np.array(e, np.uint64) for e in each] for context, each in programs.items()}
    run = run_governed(arrays, parameters, **sizes)
    expected = np.array(golden_run(programs, parameters, **sizes))
    for place, name in enumerate(("faults", "first_touches", "resident", "budgets")):
        assert getattr(run, name).tolist() == expected[:, :, place].tolist(), name


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 29), min_size=1, max_size=60), min_size=1, max_size=5))
def test_a_tail_shows_the_governor_what_a_full_stack_shows(epochs):
    """Where the tail reaches all pages, both systems have the same counters, so the same budgets."""
    parameters = GovernorParameters(memory_pages=24, delta_pages=2, minimum_pages=2, half_life=100)
    programs = {1: [np.array(each, np.uint64) for each in epochs], 2: [np.zeros(9, np.uint64)] * len(epochs)}
    full, tail = (
        run_governed(programs, parameters, system=system, group_pages=2, groups=15)
        for system in ("full", "tail")
    )
    assert full.budgets.tolist() == tail.budgets.tolist() and full.faults.tolist() == tail.faults.tolist()


@pytest.mark.parametrize(
    ("programs", "system", "why"),
    [
        ({}, "full", "the programs have no epochs"),
        ({1: loops([(9, 1)], 5), 2: loops([(9, 2)], 5)}, "tail", "the programs have 1 and 2 epochs"),
        ({1: loops([(9, 1)], 5)}, "half", "unknown system 'half'"),
    ],
)
def test_what_cannot_run_is_refused(programs, system, why):
    parameters = GovernorParameters(memory_pages=64, minimum_pages=0)
    with pytest.raises(UserError, match=why):
        run_governed(programs, parameters, system=system, group_pages=2, groups=4)
