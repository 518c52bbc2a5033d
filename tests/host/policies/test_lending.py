# SPDX-License-Identifier: BSD-2-Clause
"""Idle memory is lent to programs that reach their budgets: by arithmetic, in pages of a memory of 1,024.

The numbers of resident pages are those of zhou2004/scenarios/linux_growing.toml on Linux in the RTL.
"""

from hypothesis import given
from hypothesis import strategies as st
from litemrc.policies.allocation.lending import lent

MEMORY, GROUP = 1024, 128  # 16 pages are lent at a time
STEADY = [272, 338, 273, 338]  # 64 pages are charged ahead at times: it needs 274, so 288


def test_without_pressure_budgets_stay():
    assert lent({1: 512, 2: 512}, {1: [440, 448], 2: [100, 100]}, MEMORY, GROUP) == {1: 512, 2: 512}


def test_a_program_that_grows_gets_what_nobody_uses_before_it_reaches_its_limit():
    """470 + 136 pages exceed 512 + 64. It needs 470 - 64, so 416; 1,024 - 416 - 288 = 320 more are idle."""
    resident = {1: [206, 270, 334, 470], 2: STEADY}
    assert lent({1: 512, 2: 512}, resident, MEMORY, GROUP) == {1: 736, 2: 288}


def test_pages_charged_ahead_are_no_growth():
    """338 + 64 pages are less than 384 + 64."""
    assert lent({1: 384, 2: 384}, {1: [274, 338], 2: [100, 100]}, MEMORY, GROUP) == {1: 384, 2: 384}


def test_a_program_at_its_limit_presses():
    """It holds its budget and what is charged ahead; 575 - 64 rounds up to 512, and 512 pages are idle."""
    resident = {1: [575, 575], 2: [0, 0]}
    assert lent({1: 512, 2: 512}, resident, MEMORY, GROUP) == {1: 1008, 2: 16}
    assert lent({1: 512, 2: 512}, resident, MEMORY, GROUP, minimum=128) == {1: 896, 2: 128}


def test_a_budget_of_the_least_size_that_nobody_uses_asks_for_nothing():
    assert lent({1: 128, 2: 512}, {1: [0, 0], 2: [300]}, MEMORY, GROUP, minimum=128) == {1: 128, 2: 512}


def test_what_whole_groups_leave_idle_goes_to_the_program_that_lacks_it():
    """768 pages are divided for 713 that are used (with 8 to spare, 736), 256 for 274 (288)."""
    resident = {1: [712, 776, 777, 713], 2: STEADY}
    assert lent({1: 768, 2: 256}, resident, MEMORY, GROUP) == {1: 736, 2: 288}


def test_growth_is_told_from_pages_charged_ahead():
    """The begin of linux_sort.toml: by the least of three epochs INTR had 172, 227, and expects 282.

    Sort had 77 and 91, and expects 105. With 8 to spare they need 304 and 128; 80 of 512 are left.
    """
    resident = {1: [107, 206, 172, 184, 270, 227, 243, 259], 2: [106, 70, 77, 81, 88, 91, 95, 166]}
    assert lent({1: 256, 2: 256}, resident, 512, GROUP) == {1: 384, 2: 128}


def test_a_program_that_grows_slowly_has_what_it_uses_now():
    """A page in two epochs: it has 274, and had 267. 267 and 8 to spare need 288."""
    steady = [267, 267, 268, 270, 271, 273, 273, 274]
    assert lent({1: 512, 2: 512}, {1: [570, 570], 2: steady}, MEMORY, GROUP) == {1: 736, 2: 288}


def test_with_nothing_to_spare_each_still_has_what_it_uses():
    """With 8 to spare 714 and 281 need 736 and 304, 16 too many; without, 720 and 288: 16 are left."""
    resident = {1: [714, 778, 714], 2: [281, 345, 345]}
    assert lent({1: 768, 2: 256}, resident, MEMORY, GROUP) == {1: 720, 2: 304}


def test_what_a_program_gave_back_for_a_moment_stays_its_own():
    """It had 400 pages within the window, of which 64 may have been charged ahead: 336, and a part."""
    resident = {1: [580, 580], 2: [400, 400, 90, 90, 90]}
    assert lent({1: 512, 2: 512}, resident, MEMORY, GROUP) == {1: 672, 2: 352}


def test_more_than_the_memory_holds_is_left_to_the_division():
    assert lent({1: 768, 2: 256}, {1: [760, 760], 2: STEADY}, MEMORY, GROUP) == {1: 768, 2: 256}


def test_one_that_evicts_has_its_budget_and_gets_what_another_does_not_need():
    """The other needs 300 and 8 to spare, so 320, of 512."""
    assert lent({1: 512, 2: 512}, {2: [300]}, MEMORY, GROUP, evicting=[1]) == {1: 704, 2: 320}
    assert lent({1: 512, 2: 512}, {}, MEMORY, GROUP, evicting=[1]) == {1: 512, 2: 512}


def test_two_that_press_get_equal_parts():
    """Needed are 320 + 320 + 112, with 8 to spare; of half the remainder, 136, 128 are whole parts."""
    resident = {1: [300, 300], 2: [299, 299], 3: [100, 100]}
    budgets = {1: 256, 2: 256, 3: 424}
    assert lent(budgets, resident, MEMORY, GROUP) == {1: 448, 2: 448, 3: 112}


def test_limits_from_above_hold_and_unknown_use_is_not_lent():
    assert lent({1: 256, 2: 256}, {1: [300], 2: [0]}, MEMORY, GROUP, most={1: 320})[1] == 320
    assert lent({1: 512, 2: 512}, {1: [520]}, MEMORY, GROUP) == {1: 512, 2: 512}


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
