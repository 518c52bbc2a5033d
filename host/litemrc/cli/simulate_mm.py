"""`litemrc simulate mm SCENARIO`: processes that share CPU, disk and memory, under several policies."""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from litemrc.cli.arguments import positive
from litemrc.cli.mm_tables import mm_json, mm_table
from litemrc.cli.trace_progress import LINE_EVERY_S
from litemrc.errors import UserError
from litemrc.outputs import PICTURE_SUFFIXES, check_output_path
from litemrc.replay.multiprogram import Progress, check_policy, simulate
from litemrc.replay.run_result import RunResult
from litemrc.replay.scenario import POLICIES
from litemrc.replay.scenario_file import read_scenario

_EPILOG = """\
global-clock  one clock hand for all pages, as Linux did
global-lru    the least recently used page of all
equal         as much memory for each process
static        the pages that [static] tells
mrc           each process's miss ratio curve is tracked, and at a page fault decides whose page goes

Zhou et al. 2004, section 4. Scenarios come with the sources, in scenarios/: the six of table 2; what their
keys mean is said in docs/multiprogram.md.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate mm`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("scenario", metavar="SCENARIO.toml", type=Path, help="what runs on which machine")
    parser.add_argument(
        "--policy",
        metavar="NAME,...",
        help="policies to run instead of the scenario's; the others are compared with the first",
    )
    parser.add_argument("--seed", metavar="N", type=positive, help="instead of the scenario's")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw response times and memory over time, .png or .svg"
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate mm`."""
    if args.plot:
        check_output_path(args.plot, PICTURE_SUFFIXES)
    scenario = read_scenario(args.scenario)
    if args.seed is not None:
        scenario = replace(scenario, seed=args.seed)
    policies = scenario.policies if args.policy is None else _policies(args.policy)
    for policy in policies:
        try:
            check_policy(scenario, policy)
        except UserError as error:
            raise UserError(
                error.what, where=error.where or str(args.scenario), remedy=error.remedy
            ) from error
    if args.plot and not scenario.sample:
        raise UserError(
            "the scenario takes no samples to draw", where=str(args.scenario), remedy="give it a sample time"
        )
    results: list[RunResult] = []
    try:
        for policy in policies:
            with _Shown(f"{scenario.title}, {policy}") as progress:
                results.append(simulate(scenario, policy, progress))
    except KeyboardInterrupt:
        if results and not args.json:
            print(mm_table(scenario, results))
        raise
    print(json.dumps(mm_json(scenario, results)) if args.json else mm_table(scenario, results))
    if args.plot:
        # Only now: matplotlib takes long to load.
        from litemrc.mm_plots import mm_figure
        from litemrc.plot_files import save_figure

        save_figure(mm_figure(scenario, results), args.plot)
    return 0


def _policies(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in POLICIES:
            raise UserError(f"no policy {name!r}", where="--policy", remedy=f"some of {', '.join(POLICIES)}")
    if len(set(names)) < len(names):
        raise UserError(f"a policy twice in {text!r}", where="--policy", remedy="name each once")
    return names


class _Shown:
    """How far a run is: on a terminal, or as a line now and then."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._console = Console(stderr=True)
        self._status = self._console.status(doing) if self._console.is_terminal else None
        self._due = time.monotonic() + LINE_EVERY_S

    def __enter__(self) -> Progress:
        if self._status:
            self._status.start()
        return self._tell

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def _tell(self, simulated_s: float, touches: int) -> None:
        told = f"{self._doing}: {simulated_s:,.0f} s simulated, {touches:,} touches"
        if self._status:
            self._status.update(told)
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + LINE_EVERY_S
            print(told, file=sys.stderr, flush=True)
