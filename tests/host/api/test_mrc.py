# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.mrc`: every kind of source gives the curve of the same references; bad ones are refused."""

import litemrc
import numpy as np
import pytest
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.traces import Chunk, open_trace
from litemrc.traces.opening import WriteOptions, create_trace

FIGURE_2 = [1, 3, 1, 1]  # Zhou 2004, figure 2: MR(1) = 3/4, MR(2) = 2/4


def sources() -> dict[str, object]:
    array = np.array(FIGURE_2, np.uint64)
    return {
        "list": FIGURE_2,
        "tuple": tuple(FIGURE_2),
        "array": array,
        "iterator of numbers": iter(FIGURE_2),
        "iterator of numpy's numbers": iter(array),
        "chunks that are arrays": (array[:1], array[1:]),
        "chunks that are lists": [[1, 3], [], [1, 1]],
        "chunks of a trace": iter([Chunk(array[:3]), Chunk(array[3:])]),
    }


@pytest.mark.parametrize("kind", sources())
def test_any_source_gives_the_worked_example_of_the_paper(kind):
    curve = litemrc.mrc(sources()[kind])
    assert (curve.accesses, curve.misses) == (4, 2)
    assert curve.sizes_pages.tolist() == [1, 2]
    assert curve.miss_ratio.tolist() == [0.75, 0.5]


def test_a_trace_file_is_measured_and_named(tmp_path):
    path = tmp_path / "figure2.txt"
    path.write_text("1\n3\n1\n1\n")
    for source in (path, str(path)):
        curve = litemrc.mrc(source, page_bytes=1024)
        assert (curve.name, curve.page_bytes) == (str(path), 1024)
        assert (curve.at("1K"), curve.at("2K"), curve.at("1M")) == (0.75, 0.5, 0.5)


def test_a_generated_trace_has_the_curve_of_the_golden_stack():
    url = "gen:zipf?pages=40&n=3000&seed=5"
    with open_trace(url) as trace:
        pages = np.concatenate([chunk.pages for chunk in trace]).tolist()
    stack = LruStack()
    positions = [stack.access(page) for page in pages]
    curve = litemrc.mrc(url)
    for size in range(1, 41):
        misses = sum(position is None or position >= size for position in positions)
        assert curve.at(pages=size) == misses / 3000


@pytest.mark.parametrize("engine", ["group", "bucket"])
def test_the_engines_of_the_hardware_answer_by_group(engine):
    # A loop over 8 pages, 10 times: 8 cold misses, 72 hits at LRU position 7; groups of 512 / 16 = 32 pages.
    curve = litemrc.mrc([*range(8)] * 10, engine=engine, frames=512, groups=16)
    assert curve.resolution_pages == 32
    assert curve.at(pages=31) == 1.0 and curve.at(pages=32) == 8 / 80


def test_a_sample_of_all_pages_is_exact():
    pages = [*range(8)] * 10
    assert litemrc.mrc(pages, "shards", sample_rate=1.0).at(pages=8) == pytest.approx(8 / 80, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        ([[]], {}, "no reference"),
        ([iter([])], {}, "no reference"),
        ([7], {}, "int is not a source"),
        ([[1.5]], {}, "integers"),
        ([[-1]], {}, "negative"),
        ([[1, [2]]], {}, "not an array of page numbers"),
        ([[[1], 2, [3]]], {}, "mixed"),
        ([iter([1 << 64])], {}, "integers"),
        ([np.ones((2, 2), int)], {}, "one-dimensional"),
        ([FIGURE_2, "fast"], {}, "'fast'"),
        ([FIGURE_2], {"groups": 16}, "groups"),
        ([FIGURE_2], {"page_bytes": 3000}, "power of two"),
        (["no-such-file.txt"], {}, "cannot"),
    ],
)
def test_bad_sources_are_refused(arguments, options, why):
    with pytest.raises(litemrc.UserError, match=why):
        litemrc.mrc(*arguments, **options)


def test_what_intervals_do_not_hold_is_a_warning_and_unknown(tmp_path):
    """Four pages in use in one interval: the order of references in it, so smaller memories, are unknown."""
    times = np.arange(8, dtype=np.uint64)
    path = tmp_path / "t.inout"
    with create_trace(path, options=WriteOptions(interval=100)) as writer:
        writer.write(Chunk(np.array([1, 2, 3, 4] * 2, np.uint64), times=times))
    with pytest.warns(UserWarning, match="exact from 4 pages on"):
        curve = litemrc.mrc(path)
    assert (curve.misses, curve.known_from_pages) == (4, 4)
    assert curve.at(pages=4) == 4 / curve.accesses
    with pytest.raises(litemrc.UserError, match="at 3 pages is unknown"):
        curve.at(pages=3)
