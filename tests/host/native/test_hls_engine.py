"""Over a trace, the engines of hls/ count what their golden models count."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.golden.monitor.bucket_stack import BucketStack
from litemrc.golden.monitor.group_stack import GroupStack
from litemrc.golden.monitor.positions import PositionKind
from litemrc.native.exact_stack import ExactStack
from litemrc.native.hls_engine import HlsEngine, compiled_sizes

MODELS = {"group": GroupStack, "bucket": BucketStack}
FRAMES = 256


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
