"""Idle memory is lent to programs that reach their budgets: by arithmetic, in pages of a memory of 1,024."""

from hypothesis import given
from hypothesis import strategies as st
from litemrc.policies.allocation.lending import lent

MEMORY, GROUP = 1024, 128  # 16 pages are lent at a time


def test_without_pressure_budgets_stay():
    assert lent({1: 512, 2: 512}, {1: [448], 2: [100]}, MEMORY, GROUP) == {1: 512, 2: 512}


def test_a_program_that_reaches_its_budget_gets_what_the_other_does_not_use():
    """The other has 274 pages, and at times 64 more that are charged ahead: it keeps 288 of 1,024."""
    resident = {1: [300, 449], 2: [338, 274, 338]}
    assert lent({1: 512, 2: 512}, resident, MEMORY, GROUP) == {1: 736, 2: 288}


def test_two_that_press_get_equal_parts():
    """100 pages become 112; 1,024 - 300 - 300 - 112 = 312; of half of it, 156, 144 are whole parts."""
    resident = {1: [300], 2: [299], 3: [100]}
    assert lent({1: 300, 2: 300, 3: 424}, resident, MEMORY, GROUP) == {1: 444, 2: 444, 3: 112}


def test_nothing_is_taken_from_a_budget_that_is_in_use():
    assert lent({1: 512, 2: 512}, {1: [512], 2: [460]}, MEMORY, GROUP) == {1: 512, 2: 512}


def test_limits_from_above_hold_and_unknown_use_is_not_lent():
    assert lent({1: 256, 2: 256}, {1: [256], 2: [0]}, MEMORY, GROUP, {1: 320})[1] == 320
    assert lent({1: 512, 2: 512}, {1: [512]}, MEMORY, GROUP) == {1: 512, 2: 512}


USES = st.lists(st.integers(0, 700), max_size=4)


@given(
    st.dictionaries(st.integers(1, 4), st.tuples(st.integers(1, 600), USES), min_size=1), st.integers(1, 200)
)
def test_the_sum_fits_and_nobody_loses_pages_that_it_always_uses(contexts, group):
    budgets = {context: budget for context, (budget, _) in contexts.items()}
    resident = {context: pages for context, (_, pages) in contexts.items()}
    after = lent(budgets, resident, MEMORY, group)
    assert sum(after.values()) <= max(MEMORY, sum(budgets.values()))
    assert all(after[context] >= min([budgets[context], *resident[context]]) for context in budgets)
