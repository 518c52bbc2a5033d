"""Heat maps: the share of each cell, by arithmetic and by counting."""

import numpy as np
import pytest
from litemrc.pages.page_bitmaps import heat_map

from tests.host.bitmaps import bitmaps_of_sets, random_bitmaps, shown


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
