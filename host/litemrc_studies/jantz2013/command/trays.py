"""`litemrc simulate trays SCENARIO`: programs on a memory with and without trays."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import numbers_of
from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.errors import UserError

from litemrc_studies.shared.scenario_runs import ShownRun, chosen_names, scenario_arguments

if TYPE_CHECKING:
    from litemrc_studies.jantz2013.machine.result import TrayRun
    from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario

_EPILOG = """\
Jantz et al. 2013. A tray is the memory of one rank. Colors mark pages with similar use; the allocator keeps
them in the same trays, so that other ranks can sleep. Scenarios are in scenarios/; trays.md describes their
keys. --memnice limits a simulated program as `litemrc memnice` does one of this machine.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate trays`."""
    scenario_arguments(
        parser,
        _EPILOG,
        option="--configuration",
        choices="configurations to run (default: all)",
        plotted="power and free memory",
        example="machine.trays=4 or process.fop.gap_ns=200",
        kind="trays",
    )
    parser.add_argument(
        "--memnice",
        metavar="TRAYS",
        type=_limit,
        action="append",
        default=[],
        help="limit the program and its children to these trays: a number of trays from 0 on, such as 2, or "
        "a list, such as 0,2-3; repeat it to compare limits. Configurations without trays run as they are",
    )


def prepare(args: argparse.Namespace) -> "TrayScenario":
    """Return the scenario to run.

    Raises:
        UserError: the scenario or a limit is wrong.
    """
    # Imported here and below: the machine takes long to load.
    from litemrc_studies.jantz2013.machine.scenario_file import read_tray_scenario

    scenario = read_tray_scenario(args.scenario, args.changes)
    if args.seed is not None:
        scenario = replace(scenario, seed=args.seed)
    if args.configuration is not None:
        scenario = replace(scenario, cases=_chosen(scenario, args.configuration))
    return _limited(scenario, args.memnice) if args.memnice else scenario


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate trays`."""
    from litemrc_studies.jantz2013.command.trays_table import tray_json, tray_rows, tray_table

    check_pictures(args.plot)
    scenario = prepare(args)
    runs, stopped = until_stopped(_runs(scenario, str(args.scenario)))
    print_results(
        args,
        table=lambda: tray_table(scenario, runs),
        document=lambda: tray_json(scenario, runs),
        rows=lambda: tray_rows(runs),
        stopped=stopped,
    )
    if args.plot:
        from litemrc.plots.files import save_figure

        from litemrc_studies.jantz2013.plots.trays import samples_figure

        save_figure(samples_figure(runs, title=scenario.title), args.plot)
    if stopped:
        raise stopped
    return 0


def _runs(scenario: "TrayScenario", path: str) -> "Iterator[TrayRun]":
    from litemrc_studies.jantz2013.machine.scenario import run_case

    for case in scenario.cases:
        with ShownRun(f"{scenario.title}, {case.configuration.name}", "{:,.1f} s simulated") as progress:
            try:
                run = run_case(scenario, case, progress)
            except UserError as error:
                raise UserError(error.what, where=error.where or path, remedy=error.remedy) from error
        yield run


def _limit(text: str) -> tuple[str, tuple[int, ...]]:
    from litemrc_studies.jantz2013.machine.hardware import MOST_TRAYS

    return text, tuple(sorted(numbers_of(text, "trays", MOST_TRAYS)))


def _limited(scenario: "TrayScenario", given: list[tuple[str, tuple[int, ...]]]) -> "TrayScenario":
    from litemrc_studies.jantz2013.machine.scenario import limited
    from litemrc_studies.jantz2013.policies.trays import check_trays

    count = scenario.cases[0].configuration.hardware.trays
    for text, trays in given:
        check_trays(trays, count, f"memnice {text}", "--memnice")
    return limited(scenario, dict(given))


def _chosen(scenario: "TrayScenario", text: str) -> "tuple[Case, ...]":
    cases = {case.configuration.name: case for case in scenario.cases}
    return tuple(cases[name] for name in chosen_names(text, "--configuration", cases))
