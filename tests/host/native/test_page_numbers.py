# SPDX-License-Identifier: BSD-2-Clause
"""Pages are numbered in the order of their first access, whatever they are called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.native.arrays import PageNumbers

PAGES = st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1)), max_size=300)


def numbers_by_first_access(pages: list[int]) -> list[int]:
    seen: dict[int, int] = {}
    return [seen.setdefault(page, len(seen)) for page in pages]


@settings(deadline=None)
@given(PAGES, st.integers(0, 300))
def test_numbers_follow_first_accesses_over_chunk_boundaries(pages: list[int], cut: int) -> None:
    numbers = PageNumbers()
    array = np.array(pages, np.uint64)
    got = np.concatenate((numbers.number(array[:cut]), numbers.number(array[cut:])))
    assert got.tolist() == numbers_by_first_access(pages)
    assert len(numbers) == len(set(pages))


@pytest.mark.parametrize("shift", [0, 12, 44])
def test_many_regular_pages_keep_their_numbers_while_the_table_grows(shift: int) -> None:
    pages = np.arange(1 << 20, dtype=np.uint64) << np.uint64(shift)
    numbers = PageNumbers()
    assert np.array_equal(numbers.number(pages), np.arange(1 << 20))
    assert np.array_equal(numbers.number(pages[::-1]), np.arange(1 << 20)[::-1])


@pytest.mark.parametrize(
    "pages, complaint",
    [
        (np.array([3, -1]), "page number -1 is negative"),
        (np.array([1.0, np.nan]), "must be integers, not float64"),
        (np.array([None, 1]), "must be integers, not object"),
        (np.zeros((2, 2), np.uint64), "must be one-dimensional"),
        (np.ma.masked_equal([1, 2], 2), "page numbers are missing"),
        (["a"], "must be integers"),
    ],
)
def test_what_is_no_page_is_refused(pages, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        PageNumbers().number(pages)
