"""`litemrc simulate mm SCENARIO`: processes that share CPU, disk and memory under several memory policies."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.errors import UserError

from litemrc_studies.shared.scenario_runs import ShownRun, chosen_names, scenario_arguments
from litemrc_studies.zhou2004.command.mm_table import mm_json, mm_rows, mm_table
from litemrc_studies.zhou2004.machine.multiprogram import check_policy, simulate
from litemrc_studies.zhou2004.machine.run_result import RunResult
from litemrc_studies.zhou2004.machine.scenario import POLICIES, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

_EPILOG = """\
global-clock  one CLOCK hand over the pages of all processes, as in Linux
global-lru    evicts the least recently used page of all processes
equal         the same amount of memory for each process
static        the pages given in [static]
mrc           tracks the miss-ratio curve of each process and chooses by them the process that loses a page

Zhou et al. 2004, section 4. The six scenarios of its table 2 are in scenarios/; their keys are described in
zhou2004/multiprogram.md.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc simulate mm`."""
    scenario_arguments(
        parser,
        _EPILOG,
        option="--policy",
        choices="policies to run instead of the scenario's",
        plotted="response times and memory",
        example="mrc.epoch=512 or process.gcc.touch=30",
    )


def prepare(args: argparse.Namespace) -> tuple[Scenario, Sequence[str]]:
    """Return the scenario and the policies to run.

    Raises:
        UserError: the scenario or a policy is wrong.
    """
    scenario = read_scenario(args.scenario, args.changes)
    if args.seed is not None:
        scenario = replace(scenario, seed=args.seed)
    policies = scenario.policies if args.policy is None else chosen_names(args.policy, "--policy", POLICIES)
    for policy in policies:
        try:
            check_policy(scenario, policy)
        except UserError as error:
            raise UserError(
                error.what, where=error.where or str(args.scenario), remedy=error.remedy
            ) from error
    return scenario, policies


def main(args: argparse.Namespace) -> int:
    """Run `litemrc simulate mm`."""
    check_pictures(args.plot)
    scenario, policies = prepare(args)
    if args.plot and not scenario.sample:
        raise UserError(
            "the scenario takes no samples to plot", where=str(args.scenario), remedy="set its sample time"
        )
    results, stopped = until_stopped(_runs(scenario, policies))
    print_results(
        args,
        table=lambda: mm_table(scenario, results),
        document=lambda: mm_json(scenario, results),
        rows=lambda: mm_rows(results),
        stopped=stopped,
    )
    if args.plot:
        # Imported here: matplotlib takes long to load.
        from litemrc.plots.files import save_figure

        from litemrc_studies.zhou2004.plots.multiprogram import mm_figure

        save_figure(mm_figure(scenario, results), args.plot)
    if stopped:
        raise stopped
    return 0


def _runs(scenario: Scenario, policies: Sequence[str]) -> Iterator[RunResult]:
    for policy in policies:
        with ShownRun(f"{scenario.title}, {policy}", "{:,.0f} s simulated, {:,} touches") as progress:
            result = simulate(scenario, policy, progress)
        yield result
