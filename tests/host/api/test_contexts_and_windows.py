# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.mrc` by context and over windows, and the size of the hardware's engines."""

import litemrc
import numpy as np
import pytest
from litemrc.api import windows
from litemrc.api.windows import WindowedStack
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.native.engines import make_engine
from litemrc.traces import Chunk
from litemrc.traces.opening import create_trace

RANDOM = np.random.default_rng(11)


def chunk(pages, contexts=None) -> Chunk:
    columns = None if contexts is None else np.array(contexts, np.uint32)
    return Chunk(np.array(pages, np.uint64), contexts=columns)


def golden(pages, sizes) -> list[list[bool]]:
    """For each access, whether it misses in a memory of each size."""
    stack: LruStack[int] = LruStack()
    positions = [stack.access(page) for page in pages]
    return [[position is None or position >= size for size in sizes] for position in positions]


def test_a_page_belongs_to_the_context_that_first_accessed_it():
    # Page 7 is context 1's: its access by context 2 counts there, and finds it at position 1 behind page 8.
    both = [chunk([7, 8, 9], [1, 1, 2]), chunk([7, 9], [2, 2])]
    curves = litemrc.mrc_by_context(iter(both))
    assert list(curves) == ["context 1", "context 2"]
    assert (curves["context 1"].accesses, curves["context 1"].misses) == (3, 2)
    assert curves["context 1"].miss_ratio.tolist() == [1, 2 / 3]
    assert (curves["context 2"].accesses, curves["context 2"].misses) == (2, 1)
    assert litemrc.mrc(iter(both), context=1).miss_ratio.tolist() == [1, 2 / 3]
    # In one stack: 7 behind 9 and 8, 9 behind 7.
    assert litemrc.mrc(iter(both), context="all").miss_ratio.tolist() == [1, 4 / 5, 3 / 5]


def test_owners_hold_over_many_chunks_and_pages():
    pages = RANDOM.integers(0, 300, 4000)
    contexts = RANDOM.integers(1, 4, 4000)
    owner: dict[int, int] = {}
    for page, context in zip(pages.tolist(), contexts.tolist(), strict=True):
        owner.setdefault(page, context)
    parts = np.array_split(np.arange(4000), 37)
    curves = litemrc.mrc_by_context(iter([chunk(pages[part], contexts[part]) for part in parts]))
    for context in (1, 2, 3):
        own = [page for page in pages.tolist() if owner[page] == context]
        misses = np.sum(golden(own, [1, 10, 50]), axis=0)
        curve = curves[f"context {context}"]
        assert [curve.at(pages=size) for size in (1, 10, 50)] == pytest.approx(misses / len(own))


def test_several_contexts_are_never_merged_unasked():
    both = [chunk([1, 2], [1, 2])]
    with pytest.raises(litemrc.UserError, match="contexts 1, 2") as caught:
        litemrc.mrc(iter(both))
    assert "mrc_by_context" in caught.value.remedy
    with pytest.raises(litemrc.UserError, match="no page belongs to context 3") as caught:
        litemrc.mrc(iter(both), context=3)
    assert "1, 2" in caught.value.remedy
    with pytest.raises(litemrc.UserError, match="has no contexts"):
        litemrc.mrc([1, 2], context=3)
    for wrong in (-1, "each", 1.5):
        with pytest.raises(litemrc.UserError, match="must be a number"):
            litemrc.mrc([1, 2], context=wrong)
    assert litemrc.mrc(iter([chunk([1, 2], [5, 5])])).accesses == 2
    assert list(litemrc.mrc_by_context([1, 2])) == [""]


@pytest.mark.parametrize("window", [1, 7, 100, 999, 1000, 5000])
def test_windows_count_misses_of_one_continuing_stack(window):
    pages = RANDOM.integers(0, 60, 1000)
    curves = list(litemrc.mrc_windows(pages, window).values())
    sizes = curves[0].sizes_pages.tolist()
    assert sizes[:4] == [1, 2, 3, 4] and sizes[-1] >= len(set(pages.tolist()))
    missed = np.array(golden(pages.tolist(), sizes))
    starts = range(0, 1000, window)
    assert len(curves) == len(starts)
    for start, curve in zip(starts, curves, strict=True):
        part = missed[start : start + window]
        assert curve.accesses == len(part)
        assert curve.miss_ratio.tolist() == (part.sum(axis=0) / len(part)).tolist()


def test_a_page_seen_in_an_earlier_window_is_no_cold_miss():
    first, second = litemrc.mrc_windows([1, 2, 3] * 2, 3).values()
    assert (first.at(pages=3), second.at(pages=3)) == (1, 0)
    assert (first.name, second.name, first.misses, second.misses) == ("window 1", "window 2", 3, 0)


def test_windows_may_have_sizes_of_their_own_and_end_where_misses_are_unknown():
    stack = WindowedStack(make_engine("exact"), 4, [8, 2, 4])
    stack.access([1, 2, 3, 1, 2, 3])
    first, second = stack.curves(1024, all_sizes=True)
    assert (first.sizes_pages.tolist(), first.page_bytes) == ([2, 4, 8], 1024)
    assert (first.miss_ratio.tolist(), second.miss_ratio.tolist()) == ([1, 0.75, 0.75], [1, 0, 0])
    known = stack.curves(1024, known_from_pages=3)[0]
    assert (known.sizes_pages.tolist(), known.known_from_pages) == ([4], 3)
    with pytest.raises(litemrc.UserError, match="at least 1 reference"):
        litemrc.mrc_windows([1], 0)
    with pytest.raises(litemrc.UserError, match="no reference"):
        litemrc.mrc_windows([], 5)


def test_too_many_windows_are_refused(monkeypatch):
    monkeypatch.setattr(windows, "MOST_WINDOWS", 3)
    assert len(litemrc.mrc_windows([1] * 6, 2)) == 3
    with pytest.raises(litemrc.UserError, match="more than 3 windows of 2 references"):
        litemrc.mrc_windows([1] * 7, 2)


def test_windows_of_the_hardwares_engines_have_sizes_of_whole_groups():
    curves = litemrc.mrc_windows([*range(40)] * 4, 80, "group", frames=256, groups=16)
    sizes = curves["window 1"].sizes_pages.tolist()
    assert sizes[:3] == [16, 32, 48] and not any(size % 16 for size in sizes)
    assert curves["window 1"].at(pages=48) == 0.5 and curves["window 2"].at(pages=48) == 0
    assert curves["window 2"].resolution_pages == 16


def test_frames_are_the_smallest_size_that_holds_the_trace(tmp_path):
    loop = [*range(300)] * 3
    for source in (loop, np.array(loop), "gen:loop?pages=300&n=900"):
        curve = litemrc.mrc(source, "bucket", groups=16)
        assert curve.sizes_pages[-1] == 512 and curve.resolution_pages == 512 // 16
    assert litemrc.mrc([1, 2], "group").sizes_pages[-1] == 256
    path = tmp_path / "t.parquet"
    with create_trace(path) as writer:
        writer.write(chunk([1, 2, 3, 300, 301], [1, 1, 1, 2, 2]))
        writer.write(chunk(range(1000, 1253), [2] * 253))
    curves = litemrc.mrc_by_context(path, "group", groups=64)
    assert [curve.sizes_pages[-1] for curve in curves.values()] == [512, 512], (
        "both in one memory of 258 pages"
    )


def test_what_can_be_read_only_once_needs_frames():
    with pytest.raises(litemrc.UserError, match="read only once") as caught:
        litemrc.mrc(iter([1, 2, 3]), "group")
    assert "frames" in caught.value.remedy
    assert litemrc.mrc(iter([1, 2, 3]), "group", frames=256).accesses == 3


def test_objects_of_different_sizes_are_measured_by_bytes():
    # 1 of 100 bytes, 2 of 50, 1 again: it needs both, 150 bytes.
    objects = Chunk(np.array([1, 2, 1], np.uint64), sizes=np.array([100, 50, 100], np.uint32))
    curve = litemrc.mrc(iter([objects]), by="bytes")
    assert (curve.page_bytes, curve.accesses, curve.misses) == (1, 3, 2)
    assert (curve.at(bytes=149), curve.at(bytes=150)) == (1, 2 / 3)
    # Of two contexts, each has its own stack.
    both = Chunk(objects.pages, contexts=np.array([1, 2, 1], np.uint32), sizes=objects.sizes)
    curves = litemrc.mrc_by_context(iter([both]), by="bytes")
    assert curves["context 1"].at(bytes=100) == 0.5 and curves["context 2"].misses == 1
    with pytest.raises(litemrc.UserError, match="no object sizes"):
        litemrc.mrc([1, 2], by="bytes")
    with pytest.raises(litemrc.UserError, match="by pages only"):
        litemrc.mrc_windows(iter([objects]), 2, by="bytes")
    with pytest.raises(litemrc.UserError, match="by pages only"):
        litemrc.mrc(iter([objects]), "group", by="bytes")


def test_more_pages_than_the_largest_engine_are_refused():
    with pytest.raises(litemrc.UserError, match="compiled for 1,048,577 pages"):
        litemrc.mrc("gen:loop?pages=1048577&n=1048577", "bucket")
