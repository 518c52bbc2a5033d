"""Page bitmaps: which bit stands for which page, and what contradicts itself."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.pages.page_bitmaps import PagesShown, mean_ns, packed_bits, packed_words, times_ns

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
