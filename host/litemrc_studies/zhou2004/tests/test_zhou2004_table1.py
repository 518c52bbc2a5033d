"""Table 1 of Zhou et al. 2004: words and accesses of the units are those that their sources imply."""

import pytest
from litemrc_studies.zhou2004.results.table1 import GROUP_HEADERS, LRU_ARRAY, STACKS, formula, measure

FRAMES, GROUPS = 1024, 16


@pytest.fixture(scope="module")
def measured():
    return measure(FRAMES, GROUPS, 1)


def test_an_entry_has_bits_for_what_it_points_to(measured):
    """1,024 pages in 16 groups, one owner.

    group_stack: valid, owner, group, next, prev; bucket_stack: one of 64 ids (2 * (16 + 1) + 2 + 8 = 44 are
    needed) and a generation bit. Headers: 16 pointers and a size.
    """
    bits = {unit: sum(measured.bits[unit, name] for name in LRU_ARRAY[unit]) for unit in STACKS}
    assert bits == {"group_stack": FRAMES * (1 + 1 + 4 + 10 + 10), "bucket_stack": FRAMES * (6 + 1)}
    assert sum(measured.bits["group_stack", name] for name in GROUP_HEADERS["group_stack"]) == 16 * 10 + 11
    assert measured.bits["bucket_stack", "nodes_"] == (64 - 1) * 11
    assert sum(bits for (unit, _), bits in measured.bits.items() if unit == "hit_counters") == 32 * (
        GROUPS + 3
    )


def test_the_work_of_group_stack_grows_by_four_words_a_group(measured):
    """For each group passed: a prev is read, an entry written, a header read and written.

    A page is taken out and put on top: its entry is read and written, and next and prev of it and its
    neighbours.
    """
    hits = {name: measured.hits["group_stack", name] for unit, name in measured.hits if unit == "group_stack"}
    assert {group: hits["pages_"][group] for group in (0, 1, 9)} == {0: 2, 1: 3, 9: 11}
    assert formula(hits["prev_"]) == "5 + 1 I"
    assert formula(hits["group_headers_"]) == "3 + 2 I"
    assert measured.increments == 2  # the group's counter and that of all accesses


def test_the_work_of_bucket_stack_has_a_bound(measured):
    """An entry is read and written; at most two accesses to a node of each of 6 levels."""
    for name, most in (("pages_", 2), ("nodes_", 12), ("counts_", 3), ("owners_", 1)):
        assert max(measured.hits["bucket_stack", name].values()) <= most


def test_a_sum_that_is_not_linear_is_a_range():
    assert formula({0: 3, 1: 5, 7: 17}) == "3 + 2 I"
    assert formula({0: 3, 1: 3}) == "3"
    assert formula({0: 3, 1: 5, 2: 5}) == "3 to 5"
