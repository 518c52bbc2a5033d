"""Hit counts by epochs: exact ones are the golden stack's, those of other engines come near them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc_studies.zhou2004.golden.aged_curve import epoch_counts
from litemrc_studies.zhou2004.machine.epoch_counts import make_counts
from litemrc_studies.zhou2004.machine.scenario import Mrc

PAGES = st.lists(st.integers(0, 25), max_size=120)


@settings(max_examples=80, deadline=None)
@given(chunks=st.lists(PAGES, max_size=6), epoch=st.integers(1, 40), group=st.integers(1, 6))
@pytest.mark.parametrize("groups", [1, 4])
def test_exact_counts_are_those_of_the_golden_stack(chunks, epoch, group, groups):
    """However the references are cut into chunks; all pages are given back between the chunks."""
    counts = make_counts(Mrc(group_pages=group, epoch=epoch), groups)
    got, references = [], []
    for chunk in chunks:
        got += counts.take(np.array(chunk, np.uint64)).tolist()
        counts.release()
        references += [*((page, False) for page in chunk), None]
    assert got == list(epoch_counts(references, epoch, group, groups))


@pytest.mark.parametrize(
    ("mrc", "close"),
    [
        (Mrc(engine="group", engine_frames=4096, engine_groups=64), 0),
        (Mrc(engine="bucket", engine_frames=4096, engine_groups=64), 0.003),
        (Mrc(engine="shards", engine_rate=0.25), 0.03),
    ],
    ids=lambda value: value.engine if isinstance(value, Mrc) else "",
)
def test_every_engine_gives_the_curve(mrc, close):
    """Groups of 64 pages, as those engines have too: group is exact; the others as near as they promise."""
    exact, other = make_counts(Mrc(epoch=1000), 60), make_counts(Mrc(**{**vars(mrc), "epoch": 1000}), 60)
    sums = [np.zeros(61), np.zeros(61)]
    with open_trace("gen:zipf?pages=4000&alpha=0.6&n=200000") as trace:
        for chunk in trace:
            rows = [exact.take(chunk.pages), other.take(chunk.pages)]
            assert rows[0].shape == rows[1].shape
            assert (rows[1].sum(axis=1) > 1000 - 1e-6).all()
            for total, of_engine in zip(sums, rows, strict=True):
                total += of_engine.sum(axis=0)
    difference = np.cumsum(sums[1] - sums[0])[:-1] / 200_000
    assert np.abs(difference).max() <= max(close, 1e-9)


def test_given_back_pages_are_misses_to_every_engine():
    for engine in (Mrc(epoch=4), Mrc(engine="group", engine_frames=256, engine_groups=16, epoch=4)):
        counts = make_counts(Mrc(**{**vars(engine), "group_pages": 16}), 4)
        pages = np.array([1, 2, 1, 2], np.uint64)
        assert counts.take(pages).tolist() == [[2, 0, 0, 0, 2]]
        assert counts.take(pages).tolist() == [[4, 0, 0, 0, 0]]
        counts.release()
        assert counts.take(pages).tolist() == [[2, 0, 0, 0, 2]]


def test_sizes_that_an_engine_was_not_compiled_for_are_refused():
    with pytest.raises(UserError, match="was not compiled for 1000 frames"):
        make_counts(Mrc(engine="group", engine_frames=1000, engine_groups=64), 8)
