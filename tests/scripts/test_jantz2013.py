"""Jantz et al. 2013: the first stage of section 8.1 gains what theirs did; the page has all its tables."""

import re
from dataclasses import replace
from pathlib import Path

import jantz2013_trays
from litemrc.cli.machines.tables.trays import saving
from litemrc.machines.trays.scenario_file import read_tray_scenario

REPO = Path(__file__).parents[2]


def test_trays_save_what_the_papers_saved_in_the_first_stage():
    scenario = read_tray_scenario(REPO / "scenarios" / "trays" / "staged.toml")
    short = tuple(
        replace(case, workload=replace(case.workload, stages=1, stage_s=1.5)) for case in scenario.cases
    )
    interleaved, sequential, trays = jantz2013_trays.run(replace(scenario, cases=short))
    assert saving(sequential, trays) >= 0.48 == jantz2013_trays.PAPER_STAGE["sequential"]
    assert saving(interleaved, trays) >= 0.55 == jantz2013_trays.PAPER_STAGE["interleaved"]


def test_every_table_of_the_page_was_made():
    page = (REPO / "docs" / "results" / "jantz2013.md").read_text()
    tables = re.findall(r"<!-- table ([\w-]+) -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert len(tables) == 8
    assert all(content.count("|") > 6 for _, content in tables)
