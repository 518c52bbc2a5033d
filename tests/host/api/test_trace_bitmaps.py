# SPDX-License-Identifier: BSD-2-Clause
"""Page bitmaps of traces: those of the golden model, and gaps of addresses."""

import numpy as np
import pytest
from litemrc.api import heat
from litemrc.api.epochs import epoch_parts
from litemrc.api.heat import bitmaps_of, trace_epochs
from litemrc.errors import UserError
from litemrc.golden.monitor.working_set import PageBitmap
from litemrc.traces.chunk import Chunk


def chunks_of(pages, writes=None, contexts=None, *, size=37):
    """Cut references into chunks whose ends are not those of epochs."""
    pages = np.array(pages, np.uint64)
    for start in range(0, pages.size, size):
        part = slice(start, start + size)
        yield Chunk(
            pages[part],
            writes=None if writes is None else np.array(writes[part], bool),
            contexts=None if contexts is None else np.array(contexts[part], np.uint32),
        )


def bitmaps(*columns, epoch, context=None):
    return bitmaps_of(list(trace_epochs(chunks_of(*columns), epoch, context)), 4096, source="a test")


def test_the_bits_of_a_trace_are_those_of_the_golden_model():
    generator = np.random.default_rng(25)
    pages = generator.integers(0, 300, 2_050).tolist()
    writes = (generator.random(2_050) < 0.3).tolist()
    table = bitmaps(pages, writes, epoch=100)
    assert table.accesses.tolist() == [100] * 20 + [50]
    golden = PageBitmap()
    for epoch in range(21):
        for reference in range(100 * epoch, min(100 * epoch + 100, 2_050)):
            golden.access(pages[reference], writes[reference])
        golden.end_epoch()
        for written, frames in ((False, golden.accessed), (True, golden.written)):
            bits = np.flatnonzero(table.bits(epoch, written=written))
            assert {address // 4096 for address in table.shown.addresses(bits)} == frames


def test_an_epoch_has_so_many_references_of_the_context():
    table = bitmaps([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 1, 0], [7, 8, 7, 8, 7, 7], epoch=2, context=7)
    assert table.accesses.tolist() == [2, 2]
    assert [table.shown.addresses(np.flatnonzero(table.bits(row))) for row in (0, 1)] == [
        [1 * 4096, 3 * 4096],
        [5 * 4096, 6 * 4096],
    ]


def test_parts_of_an_epoch_end_once_each():
    # Chunks end at 37, 74 and 100, epochs at 25, 50, 75 and 100. The trace ends an epoch by an empty part.
    parts = [(part.pages.size, part.ends) for part in epoch_parts(chunks_of(range(100)), 25)]
    assert parts == [(25, True), (12, False), (13, True), (24, False), (1, True), (25, True)]
    assert [(part.pages.size, part.ends) for part in epoch_parts(chunks_of(range(10)), 25)] == [
        (10, False),
        (0, True),
    ]


def test_a_trace_without_directions_has_unknown_writes():
    table = bitmaps([1, 2, 3], epoch=2)
    assert not table.writes_known and not table.written.any()


def test_the_largest_gaps_are_left_out_until_half_of_the_pages_are_used():
    # 6 pages used: up to 6 unused ones may stay. Gaps: 1 (of 10 and 12), 1,000,000 (12 and 1,000,013), 4.
    used = [10, 12, 1_000_013, 1_000_014, 1_000_019, 1_000_020]
    table = bitmaps(used, epoch=6)
    assert table.shown.ranges == (range(10, 13), range(1_000_013, 1_000_021))
    assert table.shown.addresses(np.flatnonzero(table.bits(0))) == [4096 * page for page in used]


def test_gaps_longer_than_a_64th_of_the_pages_used_are_left_out():
    # 64 * 20 pages used, of which the gap behind the first half is 20 or 21 pages long.
    for gap, ranges in ((20, 1), (21, 2)):
        used = [*range(640), *range(640 + gap, 1280 + gap)]
        assert len(bitmaps(used, epoch=1280).shown.ranges) == ranges


def test_pages_without_large_gaps_are_one_range():
    assert bitmaps(range(0, 100, 2), epoch=9).shown.ranges == (range(99),)
    assert bitmaps([5], epoch=9).shown.ranges == (range(5, 6),)


def test_the_largest_page_numbers_have_a_bit():
    pages = [0, 1 << 63, (1 << 64) - 1]
    table = bitmaps(pages, epoch=9)
    assert table.shown.addresses(np.flatnonzero(table.bits(0))) == [4096 * page for page in pages]


def test_bitmaps_that_memory_would_not_hold_are_refused(monkeypatch):
    monkeypatch.setattr(heat, "_MOST_BYTES", 99)
    with pytest.raises(UserError, match=r"the bits of 10 epochs and 40 pages take more") as refused:
        bitmaps(range(40), epoch=4)
    assert refused.value.remedy == "choose longer epochs"
