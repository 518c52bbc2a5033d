# SPDX-License-Identifier: BSD-2-Clause
"""Several cores count what one counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.native import _core
from litemrc.native.exact_stack import ExactStack

from tests.host.native.golden_histogram import golden_histogram
from tests.host.native.page_streams import loop, zipf

PAGES = st.lists(st.integers(0, 30), max_size=300)


@settings(deadline=None)
@given(
    pages=PAGES,
    factor=st.sampled_from([1, 1 << 50]),
    threads=st.integers(1, 5),
    window=st.integers(1, 80),
    cuts=st.lists(st.integers(0, 300), max_size=5),
)
def test_any_windows_and_chunks_give_the_golden_stacks_histogram(
    pages: list[int], factor: int, threads: int, window: int, cuts: list[int]
) -> None:
    core = _core.ParallelStack(threads, window)
    array = np.array(pages, np.uint64) * np.uint64(factor)
    for chunk in np.split(array, sorted(min(cut, len(pages)) for cut in cuts)):
        core.access(chunk)
    assert core.finished().histogram().tolist() == golden_histogram(pages)
    core.access(array)  # the state goes on
    assert core.finished().histogram().tolist() == golden_histogram(pages * 2)


@pytest.mark.parametrize("window", [70_000, 1_000_000])
@pytest.mark.parametrize("factor", [1, 0x9E3779B97F4A7C15])
@pytest.mark.parametrize(
    "pages", [zipf(600_000, 90_000, 0.9, seed=1), loop(600_000, 130_000)], ids=["zipf", "loop"]
)
def test_long_traces_are_counted_as_by_one_thread(pages: np.ndarray, factor: int, window: int) -> None:
    pages = pages * np.uint64(factor)
    one, several = _core.ExactStack(), _core.ParallelStack(3, window)
    one.access(pages)
    for chunk in np.array_split(pages, 7):
        several.access(chunk)
    stack = several.finished()
    assert (stack.accesses, stack.footprint) == (one.accesses, one.footprint)
    assert np.array_equal(stack.histogram(), one.histogram())


def test_threads_are_a_choice_of_the_engine() -> None:
    engine = ExactStack(threads=2)
    engine.access([1, 3, 1, 1])
    # zhou2004, figure 2
    assert engine.curve().miss_ratio.tolist() == [0.75, 0.5]
    assert (engine.accesses, engine.footprint_pages) == (4, 2)


def test_no_thread_is_refused() -> None:
    with pytest.raises(UserError, match=r"threads must be at least 1 \(got 0\)"):
        ExactStack(threads=0)
