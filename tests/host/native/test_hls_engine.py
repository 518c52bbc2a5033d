# SPDX-License-Identifier: BSD-2-Clause
"""Engines of hls/ count what their golden models count; numeric options have limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.bucket_stack import BucketStack
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.positions import PositionKind
from litemrc.native.engines import make_engine
from litemrc.native.exact_stack import ExactStack
from litemrc.native.hls_engine import HlsEngine, compiled_sizes
from litemrc.native.os_tracker import OsTracker, scaled_defaults

from tests.host.in_process import litemrc

MODELS = {"group": GroupStack, "bucket": BucketStack}
FRAMES = 256
TRACE = "gen:loop?pages=9&n=99"


def golden_counters(unit: str, pages: np.ndarray, groups: int) -> tuple[list[int], int]:
    model = MODELS[unit](FRAMES, groups, contexts=1)
    frames: dict[int, int] = {}
    hits, misses = [0] * groups, 0
    for page in pages.tolist():
        position = model.access(frames.setdefault(page, len(frames)), 0)
        if position.kind is PositionKind.HIT:
            hits[position.group] += 1
        else:
            misses += 1
    return hits, misses


def assert_as_golden(unit: str, groups: int, pages: np.ndarray, cuts: list[int]) -> None:
    engine = HlsEngine(unit, FRAMES, groups)
    for chunk in np.split(pages, sorted(min(cut, pages.size) for cut in cuts)):
        engine.access(chunk)
    hits, misses = golden_counters(unit, pages, groups)
    curve = engine.curve()
    assert (curve.accesses, curve.misses) == (pages.size, misses)
    group_pages = FRAMES // groups
    assert curve.sizes_pages.tolist() == [(group + 1) * group_pages for group in range(groups)]
    if not pages.size:
        assert np.isnan(curve.miss_ratio).all()
        return
    assert curve.miss_ratio.tolist() == [
        (pages.size - sum(hits[: group + 1])) / pages.size for group in range(groups)
    ]


@pytest.mark.parametrize("unit", MODELS)
@pytest.mark.parametrize("groups", [16, 64, 256])
@settings(deadline=None)
@given(
    pages=st.lists(st.integers(2**63, 2**63 + 250), max_size=300),
    cuts=st.lists(st.integers(0, 300), max_size=4),
)
def test_curve_is_the_golden_models_over_any_chunks(
    unit: str, groups: int, pages: list[int], cuts: list[int]
) -> None:
    assert_as_golden(unit, groups, np.array(pages, np.uint64), cuts)


@pytest.mark.parametrize("unit", MODELS)
@pytest.mark.parametrize("groups", [16, 64, 256])
def test_long_traces_too(unit: str, groups: int) -> None:
    """Long enough for bucket_stack to renumber its ids many times, with loops in it."""
    generator = np.random.default_rng(2004)
    parts = [
        generator.integers(0, FRAMES, 4000),
        np.tile(np.arange(100), 40),
        generator.integers(0, 90, 4000),
    ]
    assert_as_golden(unit, groups, np.concatenate(parts).astype(np.uint64), [1, 4100, 4101])


@pytest.mark.parametrize("frames, groups", [(1 << 12, 16), (1 << 16, 64), (1 << 20, 256)])
def test_every_size_is_what_it_says(frames: int, groups: int) -> None:
    """group_stack, exact at group resolution, meets the exact engine at multiples of a group."""
    pages = np.random.default_rng(1).integers(0, frames, 2 * frames).astype(np.uint64)
    engine, exact = HlsEngine("group", frames, groups), ExactStack()
    engine.access(pages)
    exact.access(pages)
    curve = engine.curve()
    assert curve.resolution_pages == frames // groups
    assert np.array_equal(curve.miss_ratio, exact.curve().at_sizes(curve.sizes_pages))


def test_all_promised_sizes_are_compiled() -> None:
    assert compiled_sizes() == {1 << bits: [16, 64, 256] for bits in range(8, 21)}


@pytest.mark.parametrize("frames, groups", [(256, 0), (0, 16), (300, 16), (256, 512), (1 << 21, 64)])
def test_other_sizes_are_refused_and_the_choices_named(frames: int, groups: int) -> None:
    with pytest.raises(UserError, match=r"frames 256, 512, .*; groups 16, 64, 256"):
        HlsEngine("group", frames, groups)


@pytest.mark.parametrize("unit", MODELS)
def test_more_pages_than_frames_are_refused(unit: str) -> None:
    engine = HlsEngine(unit, FRAMES, 16)
    engine.access(np.arange(FRAMES))
    with pytest.raises(UserError, match=r"more than 256 distinct pages.*choose 512, 1024, "):
        engine.access([1, 1000])
    with pytest.raises(UserError, match="more than 256 distinct pages"):
        engine.access([1])


@pytest.mark.parametrize("threads", [1025, 100_000, 4_000_000_000])
def test_more_threads_than_any_machine_has_are_refused(threads):
    done = litemrc("mrc", TRACE, "--threads", str(threads))
    assert done.returncode == 2 and "threads must be at most 1,024" in done.stderr
    with pytest.raises(UserError, match="at most 1,024"):
        make_engine("exact", threads=threads)


def test_more_workers_than_the_machine_holds_are_refused():
    done = litemrc("mrc", TRACE, "--workers", "100000")
    assert done.returncode == 2 and "100,000 workers are too many" in done.stderr


@pytest.mark.parametrize(
    "option", ["--threads", "--workers", "--parts", "--window", "--sample-pages", "--sample-rate"]
)
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", str(10**12)])
def test_impossible_numbers_end_with_exit_code_2(option, value):
    engine = ["--engine", "shards"] if option.startswith("--sample") else []
    assert litemrc("mrc", TRACE, *engine, f"{option}={value}").returncode == 2


def sweep(pages, rounds):
    return np.tile(np.arange(pages, dtype=np.uint64), rounds)


@pytest.mark.parametrize("pages", [300, 1000, 4000, 20_000])
def test_the_trackers_sizes_follow_from_the_trace_so_that_a_sweep_is_exact(pages):
    trace = sweep(pages, 20)
    tracker = OsTracker(**scaled_defaults(pages))
    tracker.access(trace)
    curve = tracker.curve()
    # Every reference of a sweep has the distance `pages`: all miss below; all but the first round hit above.
    below = np.arange(tracker.group_pages, pages, tracker.group_pages)
    assert np.abs(curve.exactly_at(below) - 1).max() < 0.02
    assert abs(curve.miss_ratio[-1] - 1 / 20) < 0.02
    assert tracker.unresolved == ""


def test_sizes_that_are_not_resolved_are_named():
    tracker = OsTracker()  # 8,192 pages scanned every 2,000 references
    tracker.access(sweep(4000, 20))
    assert "sizes up to 4,000 pages" in tracker.unresolved and "off by up to 2,000" in tracker.unresolved
    done = litemrc(
        "mrc", "gen:loop?pages=4000&n=80000", "--engine", "os", "--scan-list", "8192", "--period", "2000"
    )
    assert done.returncode == 0 and "are not resolved" in done.stderr
    done = litemrc("mrc", "gen:loop?pages=4000&n=80000", "--engine", "os")
    assert done.returncode == 0 and "are not resolved" not in done.stderr
    assert "scan list 500 pages, a scan every 122 references, groups of 62 pages" in done.stderr


def test_a_trace_of_very_many_contexts_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("litemrc.api.stacks.MOST_CONTEXTS", 100)
    trace = tmp_path / "t.txt"
    trace.write_text("".join(f"{at} {at} r {at}\n" for at in range(101)))
    done = litemrc("mrc", str(trace))
    assert done.returncode == 2 and "--context all" in done.stderr
    assert litemrc("mrc", str(trace), "--context", "all").returncode == 0
