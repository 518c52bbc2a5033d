# SPDX-License-Identifier: BSD-2-Clause
"""Figures of the machines: data in their axes, memory in bytes, values of papers beside the results."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from litemrc.curves.sizes import size_unit
from litemrc.plots.known import Beside, beside_figure
from litemrc.traces import open_trace
from litemrc_studies.jantz2013.plots import (
    free_figure,
    power_figure,
    relative_figure,
    samples_figure,
    stages_figure,
)
from litemrc_studies.panwar2015.machine.placement import Placement, PlacementRun
from litemrc_studies.panwar2015.machine.placement import simulate as place
from litemrc_studies.panwar2015.machine.workloads.footprint import LIGHT, FootprintTrace
from litemrc_studies.panwar2015.plots import map_figure, time_figure
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.shared.tests.small_scenarios import PAIR
from litemrc_studies.zhou2004.machine.chip_references import read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, compare
from litemrc_studies.zhou2004.machine.multiprogram import simulate
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario
from litemrc_studies.zhou2004.plots.energy import bars_figure
from litemrc_studies.zhou2004.plots.multiprogram import mm_figure
from litemrc_studies.zhou2004.policies import SCHEMES
from matplotlib.patches import Rectangle

from tests.host.plots.axes import assert_sound

MIB, GIB = 1 << 20, 1 << 30
SCENARIO = PAIR.replace("= 100\n", "= 512\n", 1).replace('"mrc"', '"equal", "mrc"')


@pytest.mark.parametrize(
    ("size", "unit"),
    [
        *((1, ("B", 1)), (2047, ("B", 1)), (2048, ("KiB", 1024)), (2 * MIB - 1, ("KiB", 1024))),
        *((2 * MIB, ("MiB", MIB)), (2 * GIB - 1, ("MiB", MIB)), (2 * GIB, ("GiB", GIB))),
        *((2 << 40, ("TiB", 1 << 40)), (2 << 60, ("TiB", 1 << 40))),
    ],
)
def test_a_unit_is_taken_from_two_of_it_on(size, unit):
    assert size_unit(size) == unit


def tray_run(name: str, free: int, watts: float) -> SimpleNamespace:
    """Three samples of 1 s in two phases."""
    means = {"first": 1e3 * watts, "second": 2e3 * watts}
    return SimpleNamespace(
        configuration=name,
        samples_mw=1e3 * watts * np.array([1.0, 2.0, 1.5]),
        sample_s=np.ones(3),
        free_pages=np.array([free, free // 2, free]),
        phase_names=("first", "second"),
        mean_mw=means.__getitem__,
    )


@pytest.mark.parametrize(("pages", "unit", "shown"), [(1024, "MiB", 4.0), (1 << 20, "GiB", 4.0)])
def test_tray_runs_that_coincide_are_visible_and_inside(pages, unit, shown):
    runs = [tray_run(name, pages, 3.0) for name in ("default", "colors", "powersample", "all")]
    for draw in (free_figure, power_figure, stages_figure):
        figure = draw(runs, title="t")
        assert len(figure.axes[0].lines) == 4
        assert_sound(figure)
    (axes,) = free_figure(runs).axes
    assert axes.get_ylabel() == f"free memory in {unit}"
    assert axes.lines[0].get_ydata().tolist() == [shown, shown / 2, shown]
    power, free = samples_figure(runs, title="t").axes
    assert power.lines[3].get_ydata().tolist() == pytest.approx([3.0, 6.0, 4.5])
    assert (power.get_ylabel(), free.get_xlabel()) == ("DRAM power in W", "time in s")
    assert_sound(samples_figure(runs))


def test_ratios_above_one_stay_in_the_picture_and_the_papers_mean_is_marked():
    figure = relative_figure({"(a)": {"x": 0.7, "y": 1.3}, "(b)": {"z": 0.9}}, {"(a)": 0.73})
    first, second = figure.axes
    heights = [bar.get_height() for bar in first.patches if isinstance(bar, Rectangle)]
    assert heights == pytest.approx([0.7, 1.3, 1.0])
    (star,) = [line for line in first.lines if line.get_marker() == "*"]
    assert star.get_xydata().tolist() == [[2, 0.73]]
    assert not [line for line in second.lines if line.get_marker() == "*"]
    assert_sound(figure)


def bank_runs(count: int) -> list[PlacementRun]:
    placement = Placement(memory_bytes=64 * MIB, units=16, reserve_pages=8, migrate_every=2)
    trace = FootprintTrace(LIGHT, placement.frames, ticks=20, seed=1, nodes=1)
    names = ("buddy", "adaptive", "tray", "bank-list", "bank-array")
    return [place(trace, placement, name) for name in names[:count]]


@pytest.mark.parametrize("count", [1, 5])
def test_banks_are_drawn_in_rows_and_memory_in_mib(count):
    runs = bank_runs(count)
    banks = map_figure(runs)
    assert [len(axes.patches) for axes in banks.axes] == [16] * count
    assert banks.get_size_inches()[0] < 10, "readable in a page"
    assert_sound(banks)
    figure = time_figure(runs)
    for axes, run in zip(figure.axes, runs, strict=True):
        free, offline = axes.lines
        assert free.get_ydata().tolist() == pytest.approx(64 * (1 - run.used / run.placement.frames))
        assert offline.get_ydata().tolist() == pytest.approx(64 * run.offline_share)
    assert figure.get_supylabel() == "memory in MiB"
    assert_sound(figure)


def test_banks_of_nodes_are_parted_and_named_with_their_use():
    """Three nodes of 8 banks in rows of 5: the second begins in the middle of a row."""
    placement = Placement(memory_bytes=96 * MIB, units=24, nodes=3, reserve_pages=8)
    run = place(FootprintTrace(LIGHT, placement.frames, ticks=3, seed=1, nodes=3), placement, "buddy")
    figure = map_figure([run])
    (axes,) = figure.axes
    for node, text in enumerate(axes.texts):
        banks = slice(8 * node, 8 * node + 8)
        use = run.used_of_unit[-1, banks].sum() / run.unit_pages[banks].sum()
        assert text.get_text() == f"node {node}: {use:.1%} in use"
    assert [line.get_xydata().tolist() for line in axes.lines] == [
        [[0, 2], [3, 2], [3, 1], [5, 1]],
        [[0, 4], [1, 4], [1, 3], [5, 3]],
    ]
    assert_sound(figure)
    assert not map_figure(bank_runs(1)).axes[0].texts


def test_a_panel_over_time_shows_the_named_lines_only():
    _, run = bank_runs(2)
    assert run.copied_pages
    figure = time_figure([run, run], shown=[("free", "offline"), ("offline", "migrated")])
    first, second = figure.axes
    assert [line.get_label() for line in first.lines] == ["free", "offline"]
    assert not first.collections
    assert [line.get_label() for line in second.lines] == ["offline"]
    assert [area.get_label() for area in second.collections] == ["migrated (cumulative)"]
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["free", "offline", "migrated (cumulative)"]


def test_processes_fill_a_memory_in_mib_and_policies_that_coincide_are_visible(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    scenario = read_scenario(path)
    run = simulate(scenario, "equal")
    runs = [replace(run, policy=policy) for policy in scenario.policies]
    figure = mm_figure(scenario, runs)
    responses, *memories = figure.axes
    assert len(responses.lines) == 3
    for axes in memories:
        assert axes.get_ylabel() == "MiB"
        assert axes.lines[0].get_ydata()[0] == 2  # 512 pages of 4 KiB
        top = max(path.vertices[:, 1].max() for area in axes.collections for path in area.get_paths())
        assert top == pytest.approx(run.resident_pages.sum(axis=1).max() * 4096 / MIB)
    assert_sound(figure)
    named = mm_figure(
        scenario,
        [replace(run, budget_pages=run.resident_pages + np.array([64, 32]))],
        names={"equal": "halves"},
    )
    assert named.axes[1].get_title("left") == "resident memory under halves"
    first, both = (line.get_ydata() * MIB / 4096 for line in named.axes[1].lines[:2])
    assert (both - first == pytest.approx(run.resident_pages[:, 1] + 32)) and first.min() >= 64
    assert_sound(named)


def test_curves_over_time_show_the_misses_left_in_each_size_and_the_budget(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    scenario = read_scenario(path)
    group = scenario.mrc.group_pages
    run = simulate(scenario, "equal")
    run = replace(run, budget_pages=run.resident_pages)
    names = [process.name for process in run.processes]
    samples = run.sampled_s.size
    # No curve at first; then 0.8 from one group on, 0.4 from two, and 0.1 from four.
    later = [((group, 0.8), (2 * group, 0.4), (4 * group, 0.1))] * (samples - 1)
    curves = {names[0]: [(), *later], names[1]: [()] * samples}
    figure = mm_figure(scenario, [run], curves=curves)
    panel = figure.axes[-1]
    assert panel.get_title("left").startswith(f"{names[0]}: misses left")
    assert not any(axes.get_title("left").startswith(f"{names[1]}: misses left") for axes in figure.axes)
    cells = panel.collections[0].get_array()
    assert cells.shape[1] == samples
    assert np.ma.getmaskarray(cells)[:, 0].all()
    assert cells[:5, 1].tolist() == pytest.approx([1, 0.5, 0.5, 0.125, 0.125])
    assert panel.lines[-1].get_ydata() == pytest.approx(run.budget_pages[:, 0] * 4096 / MIB)
    assert_sound(figure)


def test_results_of_seeds_stand_beside_the_papers_value():
    """Zhou 2004, table 2: INTR with gzip, 5.86 and 63.1 %."""
    figure = beside_figure(
        {
            "speed-up": [Beside("intr", [4, 5, 9], 5.86), Beside("gzip", [1.0], 1.1)],
            "reduction in %": [Beside("intr", [60, 70], 63.1), Beside("gzip", [-5], -4.0)],
        }
    )
    for axes, papers, means in zip(figure.axes, ([5.86, 1.1], [63.1, -4.0]), ([6, 1], [65, -5]), strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        assert lines["value in the paper"].get_xdata().tolist() == papers
        assert lines["here: mean, range of the seeds"].get_xdata().tolist() == means
    assert list(figure.axes[0].lines[1].get_xdata()) == [4, 9]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["intr", "gzip"]
    assert_sound(figure)


def test_ranges_of_a_paper_stand_at_the_bars_of_its_scheme():
    """42 to 58 % below static-nap, which is 1; 27 to 42 % below dynamic-nap."""
    with open_trace("gen:phases?pages=512&phases=4&length=2000&n=8000") as trace:
        references = read_references(trace, trace, 100)
    names = ["static-nap", "mrc-static", "dynamic-nap", "mrc-dynamic-nap"]
    run = compare(references, ChipMachine(find_power("rdram")), [SCHEMES[name] for name in names])
    figure = bars_figure(
        {"a": run, "b": run}, known={"mrc-static": (0.42, 0.58), "mrc-dynamic-nap": (0.27, 0.42)}
    )
    (axes,) = figure.axes
    static, _, dynamic, _ = (result.energy_delay for result in run.results)
    spans = [list(line.get_ydata()) for line in axes.lines]
    assert spans[0] == spans[1] == pytest.approx([0.58, 0.42])
    assert spans[2] == spans[3] == pytest.approx([0.73 * dynamic / static, 0.58 * dynamic / static])
    bars = [
        bar for bar in axes.patches if bar.get_height() == pytest.approx(run.results[1].energy_delay / static)
    ]
    for line, bar in zip(axes.lines[:2], bars, strict=True):
        assert line.get_xdata()[0] == pytest.approx(bar.get_x() + bar.get_width() / 2)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels.count("range in the paper") == 1
    assert_sound(figure)
