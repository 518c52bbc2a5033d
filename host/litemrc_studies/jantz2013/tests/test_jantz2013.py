"""Jantz et al. 2013: the first stage of section 8.1 gains what theirs did; replays; the page."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from litemrc_studies.jantz2013.command.trays import saving
from litemrc_studies.jantz2013.machine.hardware import Controller
from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario
from litemrc_studies.jantz2013.policies.intents import ColorIntent, parse_intents
from litemrc_studies.jantz2013.results.cases import mean_mw, record, run
from litemrc_studies.jantz2013.results.stages import PAPER_STAGE

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
