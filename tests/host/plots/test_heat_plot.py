"""The picture of a heat map: its cells, addresses, sizes and gaps."""

import numpy as np
from litemrc.pages.page_bitmaps import heat_map
from litemrc.plots.files import inline_svg
from litemrc.plots.heat import heat_figure

from tests.host.bitmaps import bitmaps_of_sets, random_bitmaps, shown
from tests.host.plots.axes import assert_sound
from tests.host.plots.test_plots import texts


def test_cells_are_the_shares_at_their_places():
    table = random_bitmaps(1, epochs=12, pages=64)
    drawn = heat_map(table, 8, 6)
    mesh = heat_figure(drawn, table).axes[0].collections[0]
    assert np.array_equal(mesh.get_array(), drawn.share)
    corners = mesh.get_coordinates()
    assert (corners[0, 0].tolist(), corners[-1, -1].tolist()) == ([3, 0], [15, 64])


def test_addresses_sizes_time_and_missing_epochs_are_named():
    # 50 MHz: 100 M cycles are 2 s, and so is the epoch that is missing.
    table = bitmaps_of_sets(
        shown(range(64)), [{0}, {63}], epochs=[1, 3], cycles=[10**8] * 2, clock_hz=50_000_000
    )
    figure = heat_figure(heat_map(table, 8, 3), table, title="a board")
    assert_sound(figure)
    labels = texts(inline_svg(figure, name="a", description="b"))
    assert {"0x40000000", "0x40020000", "address", "128 KiB", "a board"} <= labels
    assert {"epoch (6 s in all); grey: missing", "share of pages accessed"} <= labels


def test_gaps_of_addresses_are_lines_and_what_is_behind_them_is_named():
    pages = shown(range(100, 140), range(900, 940), base_address=0)
    table = bitmaps_of_sets(pages, [{0, 79}])
    figure = heat_figure(heat_map(table, 80, 1), table)
    axes = figure.axes[0]
    assert [line.get_ydata()[0] for line in axes.lines] == [40]
    assert {hex(100 * 4096), hex(900 * 4096)} <= texts(inline_svg(figure, name="a", description="b"))


def test_writes_are_named_and_a_map_without_an_access_is_drawn():
    table = bitmaps_of_sets(shown(range(4)), [()])
    figure = heat_figure(heat_map(table, 4, 1, written=True), table)
    assert "share of pages written" in texts(inline_svg(figure, name="a", description="b"))
