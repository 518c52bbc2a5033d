# SPDX-License-Identifier: BSD-2-Clause
"""Figures: what they show, that they say it, and that nothing is left behind."""

import pkgutil
import re
import subprocess
import sys
from dataclasses import replace

import litemrc.plots
import numpy as np
import pytest
from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.sizes import size_text
from litemrc.epochs.processes import Owner
from litemrc.errors import UserError
from litemrc.pages.page_bitmaps import heat_map
from litemrc.plots.curves import curves_figure, epochs_figure, panels_figure
from litemrc.plots.files import inline_svg, save_figure
from litemrc.plots.heat import heat_figure
from litemrc.plots.mrc import allocation_figure, difference_figure, mrc_figure, windows_figure
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import allocate

from tests.host.bitmaps import bitmaps_of_sets, random_bitmaps, shown
from tests.host.plots.axes import assert_sound

FIGURES = [curves_figure, panels_figure, epochs_figure]
LOOP = Curve([3], [0.1], 100, 10, name="loop")
ZIPF = Curve([1, 2, 3, 4], [0.6, 0.4, 0.3, 0.25], 400, 100, name="zipf")


def texts(svg: str) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", svg))


def test_the_curve_drawn_is_the_curve_measured(epoch_table):
    axes = curves_figure(epoch_table, [Owner(1)]).axes[0]
    line = axes.lines[0]
    # 16 pages of 4 KiB a group: 1/16 MiB. zipf: 32 accesses, hits 16 8 2 0.
    # The last hit is in group 2, so that the axis ends at 1.25 x 3 groups.
    assert line.get_xdata().tolist() == [1 / 16, 2 / 16, 3 / 16, 1.25 * 3 / 16]
    assert line.get_ydata().tolist() == [16 / 32, 8 / 32, 6 / 32, 6 / 32]
    assert line.get_drawstyle() == "steps-post"


def test_axes_say_what_and_in_which_unit(epoch_table):
    figure = curves_figure(epoch_table, title="Two programs")
    shown = texts(inline_svg(figure, name="a", description="b"))
    assert {"memory size", "64 KiB", "miss ratio", "pages of 4 KiB", "zipf", "loop", "Two programs"} <= shown


def test_panels_are_one_per_context_with_data(epoch_table):
    shown = texts(inline_svg(panels_figure(epoch_table), name="a", description="b"))
    assert {"memory size", "64 KiB", "miss ratio", "zipf", "loop"} <= shown
    assert len([axes for axes in panels_figure(epoch_table).axes if axes.get_visible()]) == 2


def test_epochs_show_accesses_and_miss_ratios_over_time(epoch_table):
    figure = epochs_figure(epoch_table)
    assert {"accesses", "epoch", "accesses dropped"} <= texts(inline_svg(figure, name="a", description="b"))
    # In 64 KiB, one group: zipf misses 10 of 20, then 6 of 12; in epoch 2 it did nothing.
    zipf = figure.axes[2].patches[0].get_data().values
    assert zipf[:2].tolist() == [0.5, 0.5] and np.isnan(zipf[2])


def test_the_working_set_is_shown_over_time(epoch_table, sampled_table):
    # Touched: 9, 7 and 0 pages of 4 KiB; 3 sampled ones, for 4 each.
    for table, pages in ((epoch_table, [9, 7, 0]), (sampled_table, [3 * 4])):
        zipf = epochs_figure(table).axes[1].patches[0].get_data().values
        assert zipf.tolist() == [count * 4096 / 2**20 for count in pages]


def test_an_exact_curve_lies_dotted_over_the_estimated_one(epoch_table):
    exact = {1: HitCounters.of([8, 8, 8, 2], 6, 16).curve()}
    first, second = panels_figure(epoch_table, exact).axes[:2]
    dotted = [line for line in first.lines if line.get_linestyle() == ":"]
    assert [line.get_ydata()[:4].tolist() for line in dotted] == [[24 / 32, 16 / 32, 8 / 32, 6 / 32]]
    assert not [line for line in second.lines if line.get_linestyle() == ":"]


@pytest.mark.parametrize("draw", FIGURES)
def test_data_lie_in_their_axes(epoch_table, sampled_table, draw):
    for table in (epoch_table, sampled_table, epoch_table.between(1, 2)):
        assert_sound(draw(table))


def test_curves_of_a_trace_are_drawn_whole_and_apart():
    sizes = np.arange(1, 10_001)
    falling = Curve(sizes, 1 - sizes / 10_001, 10_001, 1)
    cliff = Curve(np.array([3]), np.array([0.1]), 100, 10, name="loop", page_bytes=1024)
    band = replace(cliff, low=np.array([0.05]), high=np.array([0.3]))
    for curves in ([falling], [cliff], [band], [falling, falling, cliff], [falling] * 9):
        assert_sound(mrc_figure(curves, title="A title"))
    shown = texts(inline_svg(mrc_figure([band]), name="a", description="b"))
    assert {"loop", "memory size", "3 KiB", "miss ratio under LRU", "pages of 1 KiB"} <= shown
    assert {"marker: smallest size", "shaded: 95 % confidence"} <= shown
    mixed = texts(inline_svg(mrc_figure([falling, cliff]), name="a", description="b"))
    assert not [text for text in mixed if text.startswith("pages of")]


def test_differences_are_drawn_below_the_curves():
    sizes = np.arange(1, 101)
    first = Curve(sizes, 1 - sizes / 200, 200, 100, name="before")
    second = Curve(sizes, 1 - sizes / 101, 101, 1, name="a rather long name of a curve")
    figure = difference_figure([(first, second, first.difference(second))] * 2, tolerance=0.1)
    assert_sound(figure)
    below = figure.axes[1].lines[0]
    assert below.get_ydata()[0] == pytest.approx(1 / 101 - 1 / 200)
    assert_sound(difference_figure([(first, first, first.difference(first))]))


def test_a_heat_map_has_a_column_for_each_window_and_a_row_for_each_size():
    sizes = np.array([1, 2, 4, 8])
    ratios = ([1, 0.5, 0.5, 0.5], [1, 1, 0.25, 0])
    curves = [Curve(sizes, np.array(each), 500, 0, name=f"window {n}") for n, each in enumerate(ratios, 1)]
    figure = windows_figure([*curves, replace(curves[0], accesses=100)], title="A trace")
    assert_sound(figure)
    (mesh,) = figure.axes[0].collections
    # The last hit is at 8 pages, so that the axis ends at 10.
    assert mesh.get_array().shape == (4, 3)
    assert mesh.get_array()[:, 1].tolist() == ratios[1]
    assert figure.axes[0].get_xlim() == (0, 1100)
    shown = texts(inline_svg(figure, name="a", description="b"))
    assert {
        "references",
        "memory size",
        "4 KiB",
        "pages of 4 KiB",
        "miss ratio under LRU",
        "A trace",
    } <= shown
    long = windows_figure([replace(curve, accesses=3_000_000) for curve in curves])
    assert "million references" in texts(inline_svg(long, name="a", description="b"))


@pytest.mark.parametrize("draw", FIGURES)
def test_pictures_of_evicted_pages_are_sound(tail_table, draw):
    """Also with two programs whose borders coincide, and where the border is at the edge of the picture."""
    twice = replace(tail_table, resident=[40] * 4, evicted=[9] * 4)
    least = replace(tail_table, resident=[0, 1, 1, 1])
    for table in (tail_table, twice, least, replace(tail_table, resident=[0, 64, 64, 64])):
        assert_sound(draw(table))


def test_a_line_lies_where_evicted_pages_begin(tail_table):
    """A mean of 38 pages of 4 KiB, and 30 to 44."""
    sort = tail_table.owners_with_data[1:]
    figure = curves_figure(tail_table, sort)
    axes = figure.axes[0]
    (border,) = [line for line in axes.lines if line.get_linestyle() == ":"]
    assert set(border.get_xdata()) == {38 / 256}
    (shaded,) = axes.patches
    assert (shaded.get_x(), shaded.get_width()) == (30 / 256, pytest.approx(14 / 256))
    shown = texts(inline_svg(figure, name="a", description="b"))
    assert {"resident ", " evicted"} <= shown
    assert "resident | evicted" in texts(inline_svg(curves_figure(tail_table), name="a", description="b"))
    alone = curves_figure(tail_table.without_tail(), sort)
    assert not [line for line in alone.axes[0].lines if line.get_linestyle() == ":"]


def test_epochs_show_resident_and_evicted_memory(tail_table):
    figure = epochs_figure(tail_table)
    resident, evicted = (patch.get_data().values for patch in figure.axes[2].patches)
    assert (resident * 256).tolist() == [30, 40, 44] and (evicted * 256).tolist() == [20, 30, 40]
    # In one group, 16 pages: 12, 8 and 12 of 20 miss (6 and 2 hits of the second are evictions). In 5, the
    # largest reuse: 6, 0 (the tail leads) and 2.
    for axes, missed in ((figure.axes[3], [12, 8, 12]), (figure.axes[-1], [6, 0, 2])):
        assert [round(20 * ratio) for ratio in axes.patches[1].get_data().values] == missed


@pytest.mark.parametrize("draw", FIGURES)
@pytest.mark.parametrize("suffix, magic", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".SVG", b"<?xml")])
def test_figures_become_png_and_svg_files(tmp_path, epoch_table, draw, suffix, magic):
    path = tmp_path / f"figure{suffix}"
    save_figure(draw(epoch_table), path)
    assert path.read_bytes().startswith(magic)
    assert path.stat().st_size > 5000


@pytest.mark.parametrize("draw", FIGURES)
def test_a_single_epoch_can_be_drawn(epoch_table, draw):
    assert "miss ratio" in inline_svg(draw(epoch_table.between(1, 2)), name="a", description="b")


@pytest.mark.parametrize("draw", FIGURES)
def test_the_same_table_gives_the_same_file(tmp_path, epoch_table, draw):
    for name in ("one.svg", "two.svg"):
        save_figure(draw(epoch_table), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_inline_svg_refers_to_nothing_outside_and_to_its_own_ids(epoch_table):
    svg = inline_svg(curves_figure(epoch_table), name="curves", description='"zipf" & <loop>')
    assert svg.startswith("<svg ") and "http" not in svg
    assert 'aria-label="&quot;zipf&quot; &amp; &lt;loop&gt;"' in svg
    ids = set(re.findall(r'id="([^"]+)"', svg))
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    assert {first or second for first, second in used} <= ids
    assert all(name.startswith("curves-") for name in ids)
    assert "currentColor" in svg and "var(--rule)" in svg


@pytest.mark.parametrize("name", ["curve.pdf", "curve", "no/such/folder/curve.png"])
def test_a_picture_that_cannot_be_written_is_refused(tmp_path, epoch_table, name):
    with pytest.raises(UserError) as caught:
        save_figure(curves_figure(epoch_table), tmp_path / name)
    assert caught.value.where and caught.value.remedy


@pytest.mark.parametrize("draw", FIGURES)
def test_names_are_no_formulas(epoch_table, draw):
    named = replace(epoch_table, context_names={1: "$x_{$"})
    assert "$x_{$" in texts(inline_svg(draw(named), name="a", description="b"))


def test_no_pyplot_state_is_made():
    """In a process of its own: other tests use pyplot."""
    names = sorted(module.name for module in pkgutil.walk_packages(litemrc.plots.__path__, "litemrc.plots."))
    code = f"import sys, {', '.join(names)}; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert len(names) > 5 and subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_sizes_read_well():
    assert [size_text(pages, 4096) for pages in (1, 128, 256, 384, 8192)] == [
        "4 KiB", "512 KiB", "1 MiB", "1.5 MiB", "32 MiB",
    ]  # fmt: skip


@pytest.mark.parametrize(("memory", "loop"), [(1, "0 B"), (5, "12 KiB"), (4096, "12 KiB")])
def test_the_picture_is_whole(memory, loop):
    demands = [Demand(c.name, c.sizes_pages, c.miss_ratio, c.accesses) for c in (LOOP, ZIPF)]
    figure = allocation_figure([LOOP, ZIPF], allocate(demands, memory, delta_pages=1))
    assert_sound(figure)
    assert figure.legends[0].get_texts()[0].get_text() == f"loop: {loop}"


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
