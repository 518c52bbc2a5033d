"""`litemrc simulate trays SCENARIO`: programs on a memory organised in trays, beside one that is not."""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from litemrc.cli.arguments import positive
from litemrc.cli.trace_progress import LINE_EVERY_S
from litemrc.cli.tray_tables import tray_json, tray_table
from litemrc.errors import UserError
from litemrc.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.replay.trays.result import TrayRun
from litemrc.replay.trays.scenario import TrayScenario, run_case
from litemrc.replay.trays.scenario_file import read_tray_scenario

_EPILOG = """\
Jantz et al. 2013. A tray is all memory of one rank; colors say which pages are alike, and the allocator keeps
those together, so that other ranks can sleep. Scenarios come with the sources, in scenarios/; what their keys
mean is said in docs/trays.md.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate trays`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("scenario", metavar="SCENARIO.toml", type=Path, help="what runs on which machine")
    parser.add_argument(
        "--configuration",
        metavar="NAME,...",
        help="configurations to run instead of all; the others are compared with the first",
    )
    parser.add_argument("--seed", metavar="N", type=positive, help="instead of the scenario's")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw power and free memory over time, .png or .svg"
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
            with _Shown(f"{scenario.title}, {case.configuration.name}") as progress:
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
        from litemrc.plot_files import save_figure
        from litemrc.tray_plots import samples_figure

        save_figure(samples_figure(runs, title=scenario.title), args.plot)
    return 0


def _chosen(scenario: TrayScenario, text: str):
    cases = {case.configuration.name: case for case in scenario.cases}
    names = text.split(",")
    for name in names:
        if name not in cases:
            raise UserError(
                f"no configuration {name!r}", where="--configuration", remedy=f"some of {', '.join(cases)}"
            )
    if len(set(names)) < len(names):
        raise UserError(
            f"a configuration twice in {text!r}", where="--configuration", remedy="name each once"
        )
    return tuple(cases[name] for name in names)


class _Shown:
    """How far a run is: on a terminal, or as a line now and then."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._console = Console(stderr=True)
        self._status = self._console.status(doing) if self._console.is_terminal else None
        self._due = time.monotonic() + LINE_EVERY_S

    def __enter__(self):
        if self._status:
            self._status.start()
        return self._tell

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def _tell(self, simulated_s: float) -> None:
        told = f"{self._doing}: {simulated_s:,.1f} s simulated"
        if self._status:
            self._status.update(told)
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + LINE_EVERY_S
            print(told, file=sys.stderr, flush=True)
