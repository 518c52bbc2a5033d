# SPDX-License-Identifier: BSD-2-Clause
"""The paper's figures and those of further experiments."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from litemrc.plots.known import LABEL
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine.hardware import Controller
from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario
from litemrc_studies.jantz2013.plots import (
    RankUse,
    groups_figure,
    ranks_figure,
    rates_figure,
)
from litemrc_studies.jantz2013.policies.intents import ColorIntent, parse_intents
from litemrc_studies.jantz2013.results.cases import mean_mw, record, run
from litemrc_studies.jantz2013.results.stages import PAPER_STAGE

from tests.host.plots.axes import assert_sound

REPO = Path(__file__).parents[4]


def test_trays_save_what_the_papers_saved_in_the_first_stage():
    scenario = read_tray_scenario(Path(__file__).parents[1] / "scenarios" / "staged.toml")
    short = tuple(
        replace(case, workload=replace(case.workload, stages=1, stage_s=1.5)) for case in scenario.cases
    )
    interleaved, sequential, trays = run(replace(scenario, cases=short))
    assert saving(sequential, trays) >= 0.48 == PAPER_STAGE["sequential"]
    assert saving(interleaved, trays) >= 0.55 == PAPER_STAGE["interleaved"]


def test_every_table_and_value_of_the_page_was_made():
    page = (Path(__file__).parents[1] / "page.md").read_text()
    tables = re.findall(r"<!-- table ([\w-]+) -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert {"intents", "figure2", "figure3", "figure4", "figure5", "background", "figure6"} <= dict(
        tables
    ).keys()
    assert all(content.count("|") > 6 for _, content in tables)
    values = re.findall(r"<!-- value ([\w-]+) -->(.*?)<!-- / -->", page)
    assert values and all(re.search(r"\d", text) for _, text in values)


def test_visits_that_are_served_again_take_the_power_of_their_run():
    """A replay with the same controller is the run; background accesses and a later threshold cost power."""
    scenario = read_tray_scenario(Path(__file__).parents[1] / "scenarios" / "staged.toml")
    case = replace(scenario.cases[2], workload=replace(scenario.cases[2].workload, stages=1, stage_s=0.8))
    result, served = record(scenario, case, "stage 1")
    assert mean_mw(served) == pytest.approx(result.mean_mw(), rel=1e-3)
    assert mean_mw(served, background_hz=57e3) > 1.2 * mean_mw(served)
    later = Controller(self_refresh_after_ns=1e7)
    assert mean_mw(served, controller=later, background_hz=1e3) > mean_mw(served, background_hz=1e3)


def test_the_paper_s_intents_file_is_the_paper_s():
    """The statements of section 4.1, in their order."""
    text = (Path(__file__).parents[1] / "scenarios" / "intensity.intents").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    assert lines == [
        "INTENT MEM-INTENSITY",
        "INTENT MEM-CAPACITY",
        "MEM-INTENSITY RED 0 //hot pages",
        "MEM-CAPACITY RED 5 //hint- 5% of RSS",
        "MEM-INTENSITY BLUE 1 //cold pages",
        "MEM-CAPACITY BLUE 3 //hint- 3% of RSS",
    ]
    assert parse_intents(text) == {
        "RED": ColorIntent("RED", intensity=0, capacity_percent=5),
        "BLUE": ColorIntent("BLUE", intensity=1, capacity_percent=3),
    }


def test_pages_of_a_rank_are_stacked_and_its_sleep_is_in_percent():
    use = RankUse([[0.5, 0.0], [0.0, 0.25], [1.0, 0.0]], [0.0, 0.67])
    figure = ranks_figure({"a": use, "b": use})
    assert_sound(figure)
    pages, _, sleep, _ = figure.axes
    tops = [round(bar.get_y() + bar.get_height(), 6) for bar in pages.patches]
    assert tops == [0.5, 0.0, 0.5, 0.25, 1.5, 0.25]
    assert [bar.get_height() for bar in sleep.patches] == pytest.approx([0, 67])


def test_groups_have_a_bar_for_each_series_and_the_papers_mark_on_its_group():
    panels = {
        "time": {"library": {"fft": [0.9, 0.8], "lu": [0.7]}},
        "local": {"default": {"fft": [50.0], "lu": [60.0]}, "library": {"fft": [90.0], "lu": [80.0]}},
    }
    figure = groups_figure(panels, {"time": {"lu": 0.85}})
    assert_sound(figure)
    time, local = figure.axes
    assert [bar.get_height() for bar in time.patches] == pytest.approx([0.85, 0.7])
    assert [bar.get_height() for bar in local.patches] == [50, 60, 90, 80]
    # A series has one color in all panels.
    assert time.patches[0].get_facecolor() == local.patches[2].get_facecolor()
    (star,) = [line for line in time.lines if line.get_label() == LABEL]
    assert np.column_stack(star.get_data()).tolist() == [[1, 0.85]]


def test_reductions_are_drawn_in_percent_over_the_rate_with_the_papers_levels():
    lines = {"10 us": ([1e3, 1e4], [0.5, 0.4]), "100 us": ([1e3, 1e4], [0.3, 0.2])}
    figure = rates_figure(
        {"five": lines, "stage": {"x": ([1e3, 1e4], [0.5, 0.1])}},
        ([1e3, 1e4], [0.25, 0.1], [0.35, 0.3]),
        {"five": {"paper": 0.27}},
        {"five": [(4e3, 0.27)]},
    )
    assert_sound(figure)
    axes = figure.axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert list(drawn["10 us"]) == pytest.approx([50, 40])
    assert list(drawn[LABEL]) == pytest.approx([27])
    assert axes.get_xscale() == "log"
    assert any(list(line.get_ydata()) == pytest.approx([27, 27]) for line in axes.lines)
