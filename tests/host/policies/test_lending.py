"""Idle memory is lent to programs that reach their budgets: by arithmetic, in pages of a memory of 1,024."""

from hypothesis import given
from hypothesis import strategies as st
from litemrc.policies.allocation.lending import lent

MEMORY, MARGIN = 1024, 64


def test_without_pressure_budgets_stay():
    assert lent({1: 512, 2: 512}, {1: 448, 2: 100}, MEMORY, MARGIN) == {1: 512, 2: 512}


def test_a_program_that_reaches_its_budget_gets_what_the_other_does_not_use():
    """The other has 290 pages and keeps 384, as 354 is not whole margins; 1,024 - 512 - 384 = 128."""
    assert lent({1: 512, 2: 512}, {1: 449, 2: 290}, MEMORY, MARGIN) == {1: 640, 2: 384}


def test_two_that_press_get_equal_parts_in_whole_margins():
    """100 + 64 becomes 192 pages; 1,024 - 300 - 300 - 192 = 232; half of it is 116: one margin each."""
    assert lent({1: 300, 2: 300, 3: 424}, {1: 300, 2: 299, 3: 100}, MEMORY, MARGIN) == {
        1: 364,
        2: 364,
        3: 192,
    }


def test_nothing_is_taken_from_a_budget_that_is_in_use():
    assert lent({1: 512, 2: 512}, {1: 512, 2: 460}, MEMORY, MARGIN) == {1: 512, 2: 512}


def test_limits_from_above_hold_and_unknown_use_is_not_lent():
    assert lent({1: 256, 2: 256}, {1: 256, 2: 0}, MEMORY, MARGIN, {1: 320})[1] == 320
    assert lent({1: 512, 2: 512}, {1: 512}, MEMORY, MARGIN) == {1: 512, 2: 512}


@given(
    st.dictionaries(st.integers(1, 4), st.tuples(st.integers(1, 600), st.integers(0, 700)), min_size=1),
    st.integers(1, 200),
)
def test_the_sum_fits_and_nobody_loses_pages_in_use(contexts, margin):
    budgets = {context: budget for context, (budget, _) in contexts.items()}
    resident = {context: pages for context, (_, pages) in contexts.items()}
    after = lent(budgets, resident, MEMORY, margin)
    assert sum(after.values()) <= max(MEMORY, sum(budgets.values()))
    assert all(after[context] >= min(budgets[context], resident[context]) for context in budgets)
