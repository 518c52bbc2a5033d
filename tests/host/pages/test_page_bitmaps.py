# SPDX-License-Identifier: BSD-2-Clause
"""Page bitmaps: which bit stands for which page; heat maps: the share of each cell."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.pages.page_bitmaps import PagesShown, heat_map, mean_ns, packed_bits, packed_words, times_ns

from tests.host.bitmaps import DRAM, bitmaps_of_sets, random_bitmaps, shown


def test_bit_0_is_the_lowest_bit_of_the_first_byte():
    table = bitmaps_of_sets(shown(range(10)), [{0, 9}], [{9}])
    assert table.accessed.tolist() == [[0b0000_0001, 0b0000_0010]]
    assert table.written.tolist() == [[0, 0b0000_0010]]
    assert np.flatnonzero(table.bits(0)).tolist() == [0, 9]
    assert np.flatnonzero(table.bits(0, written=True)).tolist() == [9]


def test_words_of_the_window_are_packed_bits():
    # The gateware: frame 0 in the lowest bit of word 0.
    bits = np.zeros(64, bool)
    bits[[0, 31, 32]] = True
    assert packed_words([1 << 31 | 1, 1]).tolist() == packed_bits(bits).tolist()


def test_pages_of_hardware_have_the_addresses_of_their_frames():
    pages = shown(range(8192))
    assert (pages.pages, pages.bitmap_bytes) == (8192, 1024)
    assert pages.addresses([0, 1, 8192]) == [DRAM, DRAM + 4096, DRAM + (32 << 20)]


def test_ranges_share_the_bits_in_order():
    pages = shown(range(10, 14), range(20, 26), base_address=0)
    assert pages.addresses([0, 3, 4, 9, 10]) == [each * 4096 for each in (10, 13, 20, 25, 26)]
    assert pages.first_bits.tolist() == [0, 4]
    assert pages.part(range(3, 6)).ranges == (range(13, 14), range(20, 22))


@pytest.mark.parametrize(
    ("frames", "bits"),
    [
        (range(10, 26), range(10)),
        (range(0, 99), range(10)),
        (range(12, 22), range(2, 6)),
        (range(13, 18), range(3, 4)),
        (range(14, 20), range(0)),
        (range(15, 22), range(4, 6)),
        (range(0, 10), range(0)),
        (range(26, 99), range(0)),
    ],
)
def test_bits_of_frames_are_those_in_the_range(frames, bits):
    found = shown(range(10, 14), range(20, 26)).bits(frames)
    assert (list(found) or []) == list(bits)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"ranges": ()}, "no range"),
        ({"ranges": (range(4, 4),)}, "frames 4 to 4"),
        ({"ranges": (range(0, 9, 2),)}, "frames 0 to 9"),
        ({"ranges": (range(5), range(4, 6))}, "frames 4 to 6 follow frame 4"),
        ({"base_address": 100}, "not that of a page"),
    ],
)
def test_pages_that_cannot_be_are_refused(change, why):
    with pytest.raises(ValueError, match=why):
        PagesShown(**{"page_bytes": 4096, "base_address": DRAM, "ranges": (range(5),)} | change)


def test_bits_that_contradict_each_other_are_refused():
    pages = shown(range(10))
    good = bitmaps_of_sets(pages, [{1}, {2, 3}], [(), {3}])
    with pytest.raises(ValueError, match="epoch 1: a page was written, but not accessed"):
        bitmaps_of_sets(pages, [{1}, {2, 3}], [(), {4}])
    with pytest.raises(ValueError, match="do not ascend"):
        replace(good, epoch=np.array([4, 4], np.uint32))
    with pytest.raises(ValueError, match="behind page 9"):
        replace(good, accessed=good.accessed | np.uint8(0x80))
    with pytest.raises(ValueError, match="writes are not known"):
        replace(good, writes_known=False)
    with pytest.raises(ValueError, match="column accessed is uint8"):
        replace(good, accessed=good.accessed[:, :1])


def test_epochs_are_chosen_by_number():
    table = random_bitmaps(1)
    part = table.between(5, 8)
    assert part.epoch.tolist() == [5, 6, 7]
    assert np.array_equal(part.accessed, table.accessed[2:5])
    assert (part.source, part.clock_hz) == (table.source, table.clock_hz)


def test_missing_epochs_are_counted_and_last_the_mean():
    # 1,000 and 3,000 cycles at 1 MHz: 1 and 3 ms, 2 ms on average; epochs 6 and 7 are missing.
    table = bitmaps_of_sets(shown(range(4)), [(), ()], epochs=[5, 8], cycles=[1000, 3000], clock_hz=1_000_000)
    assert table.missing_epochs == 2
    assert mean_ns(table) == 2_000_000
    starts, ends = times_ns(table, 7)
    assert (starts.tolist(), ends.tolist()) == ([0, 5_000_000], [1_000_000, 8_000_000])


def test_epochs_of_unknown_length_have_that_of_the_caller():
    table = bitmaps_of_sets(shown(range(4)), [(), ()], epochs=[5, 8], cycles=[1000, 0], clock_hz=1_000_000)
    assert mean_ns(table) is None
    assert [times.tolist() for times in times_ns(table, 7)] == [[0, 21], [7, 28]]


def test_a_cell_is_the_share_of_its_pages_and_epochs():
    table = bitmaps_of_sets(shown(range(4)), [{0, 1}, {0}, {3}, {3}], [{1}, (), (), {3}])
    drawn = heat_map(table, 2, 2)
    # Pages 0 and 1 in epochs 0 and 1: 3 of 4 pairs. Pages 2 and 3 in epochs 2 and 3: 2 of 4.
    assert drawn.share.tolist() == [[3 / 4, 0], [0, 2 / 4]]
    assert heat_map(table, 2, 2, written=True).share.tolist() == [[1 / 4, 0], [0, 1 / 4]]
    assert (drawn.page_edges.tolist(), drawn.epoch_edges.tolist()) == ([0, 2, 4], [0, 2, 4])
    assert drawn.highest == 3 / 4


def test_cells_of_random_bitmaps_are_the_means_of_their_bits():
    table = random_bitmaps(7, epochs=23, pages=97)
    bits = np.stack([table.bits(row) for row in range(23)])
    drawn = heat_map(table, 10, 7, bits=range(5, 90))
    rows, columns = drawn.page_edges, drawn.epoch_edges
    assert (rows[0], rows[-1], columns[0], columns[-1]) == (0, 85, 3, 26)
    assert set(np.diff(rows)) == {8, 9} and set(np.diff(columns)) == {3, 4}
    for row in range(10):
        for column in range(7):
            cell = bits[columns[column] - 3 : columns[column + 1] - 3, rows[row] + 5 : rows[row + 1] + 5]
            assert drawn.share[row, column] == cell.mean()


def test_missing_epochs_do_not_count_and_columns_of_them_are_nan():
    table = bitmaps_of_sets(shown(range(2)), [{0, 1}, {0}], epochs=[10, 13])
    assert np.array_equal(heat_map(table, 1, 2).share, [[1, 0.5]])
    assert np.array_equal(heat_map(table, 1, 4).share, [[1, np.nan, np.nan, 0.5]], equal_nan=True)


def test_there_are_never_more_cells_than_pages_and_epochs():
    drawn = heat_map(bitmaps_of_sets(shown(range(3)), [{1}, ()]), 100, 100)
    assert drawn.share.tolist() == [[0, 0], [1, 0], [0, 0]]


def test_nothing_has_no_heat_map():
    table = bitmaps_of_sets(shown(range(3)), [{1}])
    for rows, bits, epochs in ((0, None, table), (1, range(0), table), (1, None, table.between(1, 2))):
        with pytest.raises(ValueError, match="needs"):
            heat_map(epochs, rows, 1, bits=bits)
