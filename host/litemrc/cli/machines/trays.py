"""`litemrc simulate trays SCENARIO`: programs on a memory organised in trays, beside one that is not."""

import argparse
import json
from dataclasses import replace

from litemrc.cli.machines.scenario_runs import ShownRun, chosen_names, scenario_arguments
from litemrc.cli.machines.tray_tables import tray_json, tray_table
from litemrc.errors import UserError
from litemrc.files.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scenario import TrayScenario, run_case
from litemrc.machines.trays.scenario_file import read_tray_scenario

_EPILOG = """\
Jantz et al. 2013. A tray is all memory of one rank; colors say which pages are alike, and the allocator keeps
those together, so that other ranks can sleep. Scenarios come with the sources, in scenarios/; what their keys
mean is said in docs/trays.md.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate trays`."""
    scenario_arguments(
        parser,
        _EPILOG,
        option="--configuration",
        ways="configurations to run instead of all",
        drawn="power and free memory",
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
        # Only now: matplotlib takes long to load.
        from litemrc.plots.files import save_figure
        from litemrc.plots.trays import samples_figure

        save_figure(samples_figure(runs, title=scenario.title), args.plot)
    return 0


def _chosen(scenario: TrayScenario, text: str):
    cases = {case.configuration.name: case for case in scenario.cases}
    return tuple(cases[name] for name in chosen_names(text, "--configuration", cases))
