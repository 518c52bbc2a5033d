"""Runs of the scenarios of Jantz et al. 2013, and the text of their figures, for the scripts of its page."""

from collections.abc import Sequence

from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import TrayScenario, run_case

GIB = 1 << 30
MINUS = "\N{MINUS SIGN}"
Made = tuple[dict[str, str], dict[str, str]]  # tables and values of the page


def run(scenario: TrayScenario) -> list[TrayRun]:
    """Run all configurations."""
    return [run_case(scenario, case) for case in scenario.cases]


def named(runs: Sequence[TrayRun], name: str) -> TrayRun:
    return next(each for each in runs if each.configuration == name)


def gib(pages: int) -> float:
    return pages * PAGE_BYTES / GIB


def percent_of(part: float | None) -> str:
    return "-" if part is None else f"{round(100 * part, 1) + 0.0:.1f} %".replace("-", MINUS)
