# SPDX-License-Identifier: BSD-2-Clause
"""Figures of chips that sleep: they show what was simulated."""

import numpy as np
import pytest
from litemrc.traces import open_trace
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, EnergyRun, compare
from litemrc_studies.zhou2004.plots.energy import bars_figure, sweep_figure
from litemrc_studies.zhou2004.policies import SCHEMES
from matplotlib.patches import Polygon, Rectangle

from tests.host.plots.axes import assert_sound


def simulated(names: list[str], **machine: int) -> EnergyRun:
    with open_trace("gen:phases?pages=512&phases=4&length=2000&n=8000") as trace:
        references = read_references(trace, trace, 100)
    return compare(references, ChipMachine(find_power("rdram"), **machine), [SCHEMES[name] for name in names])


def test_bars_are_as_high_as_energy_and_delay():
    names = ["static-nap", "mrc-static", "oracle"]
    run = simulated(names)
    axes = bars_figure([run]).axes[0]
    first = run.results[0].energy_delay
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx([result.energy_delay / first for result in run.results])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == names
    assert "relative to static-nap" in axes.get_ylabel()


def test_without_static_nap_bars_are_absolute():
    run = simulated(["mrc-static"])
    axes = bars_figure({"one": run, "two": run}).axes[0]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([run.results[0].energy_delay] * 2)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["one", "two"]
    assert "mJ x s" in axes.get_ylabel()


@pytest.mark.parametrize("programs", [1, 3])
def test_a_bar_far_above_the_others_is_broken_and_says_its_height(programs):
    """It ended at the frame before, without a mark: 4.6 looked like 1.3."""
    run = simulated(["always-on", "static-nap"])
    figure = bars_figure({f"p{number}": run for number in range(programs)})
    (axes,) = figure.axes
    high = run.results[0].energy_delay / run.results[1].energy_delay
    assert high > 3
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    gaps = [patch for patch in axes.patches if isinstance(patch, Polygon)]
    for bar in bars[:programs]:
        assert bar.get_height() < axes.get_ylim()[1] < high
        left, right = bar.get_x(), bar.get_x() + bar.get_width()
        over = [gap for gap in gaps if gap.get_xy()[:, 0].min() < left and right < gap.get_xy()[:, 0].max()]
        assert len(over) == 2 and all(gap.get_xy()[:, 1].max() < bar.get_height() for gap in over)
    assert len(gaps) == 2 * programs
    label = f"{high:.2f}" if programs == 1 else f"{high:.3g}"
    assert [text.get_text() for text in axes.texts].count(label) == programs
    assert_sound(figure)


def test_all_schemes_of_all_programs_are_in_the_picture():
    run = simulated(list(SCHEMES))
    assert_sound(bars_figure({"a program": run, "b": run}, title="two"))


def test_a_sweep_of_schemes_without_another_base_shows_energy_and_delay():
    """The picture was empty."""
    runs = [simulated(["always-on"], chip_pages=size) for size in (32, 64)]
    figure = sweep_figure(runs)
    (axes,) = figure.axes
    (line,) = axes.lines
    assert line.get_ydata() == pytest.approx([run.results[0].energy_delay for run in runs])
    assert axes.get_ylabel() == "energy x delay in mJ x s"
    assert_sound(figure)


@pytest.mark.parametrize("swept", ["epoch_cycles", "chip_pages"])
def test_a_sweep_is_drawn_over_what_changes(swept):
    sizes = [32, 64, 128] if swept == "chip_pages" else [1_000, 10_000]
    runs = [simulated(["mrc-static", "mrc-dynamic-nap"], **{swept: size}) for size in sizes]
    figure = sweep_figure(runs[::-1])
    assert_sound(figure)
    axes = figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}
    assert list(lines) == ["mrc-static", "mrc-dynamic-nap"]
    for name, line in lines.items():
        assert line.get_xdata().tolist() == sizes
        assert line.get_ydata() == pytest.approx(np.array([1 - run.relative(name) for run in runs]))
    assert axes.get_xlabel() == ("pages per chip" if swept == "chip_pages" else "cycles per epoch")


def test_programs_differ_in_colour_and_schemes_in_line_style():
    names = ["mrc-static", "mrc-dynamic-nap"]
    programs = {
        program: [simulated(names, epoch_cycles=size) for size in (1_000, 10_000)] for program in ("a", "b")
    }
    figure = sweep_figure(programs)
    assert_sound(figure)
    lines = [line for line in figure.axes[0].lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == [
        f"{program}, {name}" for program in "ab" for name in names
    ]
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == 2 and len(looks) == 4


def test_chips_of_a_whole_memory_are_counted_and_the_papers_values_marked():
    runs = [simulated(["mrc-static"], chip_pages=size) for size in (32, 64, 128)]
    figure = sweep_figure(runs, over="chips", known=[(8, 0.42), (8, 0.58)])
    assert_sound(figure)
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["mrc-static"].get_xdata()) == [4, 8, 16]
    assert list(lines["value in the paper"].get_ydata()) == [0.42, 0.58]
    assert axes.get_xlabel() == "chips"


def test_labels_of_nearly_equal_sizes_do_not_overlap():
    """512 pages in chips of 64, 15 and 14 pages."""
    runs = [simulated(["mrc-static"], chip_pages=size) for size in (64, 15, 14)]
    figure = sweep_figure(runs, over="chips")
    assert_sound(figure)
    assert list(figure.axes[0].lines[0].get_xdata()) == [8, 35, 37]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["8", "37"]


def test_names_of_many_programs_are_wrapped():
    run = simulated(["static-nap", "mrc-static"])
    figure = bars_figure({f"moving third {number}": run for number in range(9)})
    assert_sound(figure)
    assert figure.axes[0].get_xticklabels()[0].get_text() == "moving\nthird 0"
