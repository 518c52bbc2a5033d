# SPDX-License-Identifier: BSD-2-Clause
"""Space-time graphs and summaries: against cells and counts worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.plots.files import save_figure
from litemrc.plots.heat import space_time_figure
from litemrc.traces import Chunk, summary
from litemrc.traces.summary import PageSet, Summary, space_time

from tests.host.trace_columns import chunk_of


def summed(chunks: list[Chunk]) -> Summary:
    result = Summary()
    for chunk in chunks:
        result.add(chunk)
    return result


def test_a_cell_is_marked_where_a_page_is_referenced():
    # Pages 3, 50 and 1000 become rows 0, 1 and 2; times 10 to 13 become columns 0 to 3.
    chunks = [chunk_of([50, 3], times=[10, 10]), chunk_of([1000, 50], times=[12, 13])]
    graph = space_time(chunks, summed(chunks))
    assert graph.referenced.tolist() == [
        [True, False, False, False],
        [True, False, False, True],
        [False, False, True, False],
    ]
    assert (graph.pages, graph.begin, graph.end, graph.timed) == (3, 10, 14, True)


def test_without_times_references_are_counted_over_all_chunks():
    chunks = [chunk_of([1, 2]), chunk_of([1])]
    graph = space_time(chunks, summed(chunks))
    assert graph.referenced.tolist() == [[True, False, True], [False, True, False]]
    assert not graph.timed


def test_large_traces_are_gathered_into_few_cells():
    chunks = [Chunk(np.arange(10_000, dtype=np.uint64) * np.uint64(3))]
    graph = space_time(chunks, summed(chunks), rows=10, columns=10)
    assert graph.referenced.tolist() == np.eye(10, dtype=bool).tolist()  # a loop's one round is the diagonal


def test_times_of_64_bits_stay_in_the_picture():
    chunks = [chunk_of([1, 2], times=[2**64 - 3, 2**64 - 1])]
    assert space_time(chunks, summed(chunks)).referenced.tolist() == [
        [True, False, False],
        [False, False, True],
    ]


def test_an_empty_trace_has_no_graph():
    with pytest.raises(ValueError, match="without references"):
        space_time([], Summary())


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_figure_says_what_its_axes_are(tmp_path, suffix):
    chunks = [chunk_of([50, 3], times=[10, 20])]
    figure = space_time_figure(
        space_time(chunks, summed(chunks)), page_bytes=4096, title="t", time_unit="instructions"
    )
    save_figure(figure, tmp_path / f"t{suffix}")
    axes = figure.axes[0]
    assert axes.get_xlabel() == "time in instructions"
    assert axes.get_ylabel() == "referenced pages of 4 KiB, by address"
    assert axes.images[0].get_extent() == [10, 21, 0, 2]


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 99), max_size=20), max_size=5))
def test_distinct_pages_are_found_near_and_far(parts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "_MAPPED_PAGES", 50)
        patch.setattr(summary, "_MERGE_EVERY", 3)
        pages = PageSet()
        for part in parts:
            pages.add(np.array(part, dtype=np.uint64))
        assert pages.numbers().tolist() == sorted({page for part in parts for page in part})


def test_a_summary_counts_over_all_chunks():
    result = summed(
        [
            chunk_of([1, 2], writes=[True, False], times=[5, 6], contexts=[0, 3]),
            chunk_of([2], writes=[True], times=[9], contexts=[3]),
        ]
    )
    assert (result.references, result.writes, result.first_time, result.last_time) == (3, 2, 5, 9)
    assert result.contexts == {0: 1, 3: 2}
