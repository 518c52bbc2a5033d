# SPDX-License-Identifier: BSD-2-Clause
"""Over a trace, hot_pages of hls/ lists what its golden model lists, and never more than there was."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.api.hot import hot_epochs
from litemrc.errors import UserError
from litemrc.golden.monitor.hot_pages import HotPages as Golden
from litemrc.golden.monitor.hot_pages import HotSettings
from litemrc.native.hot_pages import ExactHotPages, HotOptions, HotPages, compiled_frames, recall
from litemrc.traces.chunk import Chunk

FRAMES = 8192


def zipf(pages: int, accesses: int, exponent: float = 1.0, seed: int = 1) -> np.ndarray:
    dice = np.random.default_rng(seed)
    weights = np.arange(1, pages + 1) ** -exponent
    return dice.permutation(pages).astype(np.uint64)[dice.choice(pages, accesses, p=weights / weights.sum())]


def assert_as_golden(pages: np.ndarray, writes: np.ndarray | None, options: HotOptions, epoch: int) -> None:
    engine = HotPages(FRAMES, options)
    selected = HotSettings(
        reads=options.reads,
        writes=options.writes,
        sampling_log2=options.sampling_log2,
        threshold=options.threshold,
        wanted=options.wanted,
    )
    golden = Golden(FRAMES, settings=selected)
    frames: dict[int, int] = {}
    for start in range(0, len(pages), epoch):
        part = slice(start, start + epoch)
        engine.access(pages[part], None if writes is None else writes[part])
        for i, page in enumerate(pages[part].tolist()):
            golden.access(
                frames.setdefault(page, len(frames)), writes is not None and bool(writes[start + i])
            )
        found, expected = engine.end_epoch(), golden.end_epoch()
        numbers = [frames[page] for page in found.pages.tolist()]
        assert list(zip(numbers, found.counts.tolist(), strict=True)) == expected.pages
        assert (found.accesses, found.more, found.saturated) == (
            expected.accesses,
            expected.more,
            expected.saturated,
        )


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(2**63, 2**63 + 8100), max_size=400),
    st.integers(1, 90),
    st.integers(1, 5),
    st.sampled_from([(True, True), (True, False), (False, True)]),
    st.integers(0, 2),
)
def test_lists_are_the_golden_models(pages, epoch, threshold, kinds, sampling) -> None:
    writes = np.array(pages, np.uint64) % np.uint64(3) == 0
    options = HotOptions(4, threshold, *kinds, sampling)
    assert_as_golden(np.array(pages, np.uint64), writes, options, epoch)


@pytest.mark.parametrize(("exponent", "epoch"), [(0.6, 40_000), (1.2, 15_000)])
def test_lists_are_the_golden_models_where_pages_displace_each_other(exponent: float, epoch: int) -> None:
    assert_as_golden(zipf(FRAMES, 40_000, exponent), None, HotOptions(), epoch)


def test_lists_are_the_golden_models_where_pages_of_a_set_alternate() -> None:
    golden, dice = Golden(FRAMES), np.random.default_rng(1)
    frames = [frame for frame in range(FRAMES) if golden.set_of(frame) < 8]  # 16 in each of 8 sets
    assert len(frames) == 8 * FRAMES // golden.sets
    every_frame = np.arange(FRAMES, dtype=np.uint64)  # in order: page n gets frame n
    assert_as_golden(
        np.append(every_frame, dice.choice(np.array(frames, np.uint64), FRAMES)), None, HotOptions(), FRAMES
    )


def test_a_count_is_never_above_the_exact_one_and_hot_pages_are_found() -> None:
    pages = zipf(65_536, 1_000_000)
    (found, exact), (rest, _) = hot_epochs(
        [Chunk(pages)], [HotPages(65_536, HotOptions()), true := ExactHotPages(HotOptions())], 900_000
    )
    counts = Counter(pages[:900_000].tolist())
    assert exact.counts.tolist() == [count for _, count in counts.most_common(64)]
    assert all(
        count <= counts[page] for page, count in zip(found.pages.tolist(), found.counts.tolist(), strict=True)
    )
    good = [page for page in found.pages.tolist() if counts[page] >= exact.counts[-1]]
    assert len(good) / 64 >= 0.95
    assert found.accesses + rest.accesses == 1_000_000
    assert true.counts_of(np.array([pages[0]])).tolist() == [Counter(pages[900_000:].tolist())[int(pages[0])]]


def test_recall_counts_pages_that_are_as_good_as_the_last_one() -> None:
    options = HotOptions(wanted=2, threshold=1)
    exact, unit = ExactHotPages(options), HotPages(FRAMES, options)
    (each,) = hot_epochs([Chunk(np.array([5, 5, 6, 7], np.uint64))], [exact, unit], 4)
    assert each[0].pages.tolist()[0] == 5
    assert recall(each[1], each[0], exact.counts_of(np.array([5, 7], np.uint64))) == 1.0
    assert recall(each[1], each[0], exact.counts_of(np.array([5], np.uint64))) == 0.5


@pytest.mark.parametrize("pages", [20_480, 65_536])
def test_where_no_page_is_hot_none_is_listed(pages: int) -> None:
    scan = np.arange(500_000, dtype=np.uint64) % np.uint64(pages)
    unit = HotPages(65_536, HotOptions())
    unit.access(scan)
    epoch = unit.end_epoch()
    assert (epoch.pages.size, epoch.more, epoch.accesses) == (0, False, 500_000)


def test_a_page_beyond_the_frames_is_refused() -> None:
    unit = HotPages(FRAMES, HotOptions())
    with pytest.raises(UserError, match="more than 8192 distinct pages"):
        unit.access(np.arange(FRAMES + 1, dtype=np.uint64))


def test_sizes_that_were_not_compiled_and_options_out_of_range_are_refused() -> None:
    with pytest.raises(UserError, match="not compiled for 100 frames"):
        HotPages(100, HotOptions())
    assert compiled_frames() == [8192, 65536, 262144, 1048576]
    for wrong in ({"wanted": 0}, {"wanted": 1025}, {"threshold": 1 << 20}, {"sampling_log2": 16}):
        with pytest.raises(UserError):
            HotOptions(**wrong)
