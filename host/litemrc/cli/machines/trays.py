"""`litemrc simulate trays SCENARIO`: programs on a memory with and without trays."""

import argparse
import json
from dataclasses import replace

from litemrc.cli.machines.scenario_runs import ShownRun, chosen_names, scenario_arguments
from litemrc.cli.machines.tables.trays import tray_json, tray_table
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scenario import Case, TrayScenario, run_case
from litemrc.machines.trays.scenario_file import read_tray_scenario

_EPILOG = """\
Jantz et al. 2013. A tray is the memory of one rank. Colors mark pages with similar use; the allocator keeps
them in the same trays, so that other ranks can sleep. Scenarios are in scenarios/; docs/trays.md describes
their keys.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate trays`."""
    scenario_arguments(
        parser,
        _EPILOG,
        option="--configuration",
        choices="configurations to run (default: all)",
        plotted="power and free memory",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate trays`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    scenario = read_tray_scenario(args.scenario)
    if args.seed is not None:
        scenario = replace(scenario, seed=args.seed)
    if args.configuration:
        scenario = replace(scenario, cases=_chosen(scenario, args.configuration))
    runs: list[TrayRun] = []
    try:
        for case in scenario.cases:
            with ShownRun(f"{scenario.title}, {case.configuration.name}", "{:,.1f} s simulated") as progress:
                runs.append(run_case(scenario, case, progress))
    except UserError as error:
        raise UserError(error.what, where=error.where or str(args.scenario), remedy=error.remedy) from error
    except KeyboardInterrupt:
        if runs and not args.json:
            print(tray_table(scenario, runs))
        raise
    print(json.dumps(tray_json(scenario, runs), allow_nan=False) if args.json else tray_table(scenario, runs))
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.trays import samples_figure

        save_figure(samples_figure(runs, title=scenario.title), args.plot)
    return 0


def _chosen(scenario: TrayScenario, text: str) -> tuple[Case, ...]:
    cases = {case.configuration.name: case for case in scenario.cases}
    return tuple(cases[name] for name in chosen_names(text, "--configuration", cases))
