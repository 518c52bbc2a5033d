# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate mm SCENARIO`: processes that share CPU, disk and memory under several memory policies."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.curves.sizes import size_text
from litemrc.errors import UserError

from litemrc_studies.shared.scenario_runs import ShownRun, chosen_names, scenario_arguments
from litemrc_studies.zhou2004.machine.multiprogram import check_policy, simulate
from litemrc_studies.zhou2004.machine.run_result import (
    PERCENTILES,
    ProcessResult,
    RunResult,
    fault_reduction,
    speedup,
)
from litemrc_studies.zhou2004.machine.scenario import POLICIES, Scenario
from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

_EPILOG = """\
global-clock  one CLOCK hand over the pages of all processes, as in Linux
global-lru    evicts the least recently used page of all processes
equal         the same amount of memory for each process
static        the pages given in [static]
mrc           tracks the miss-ratio curve of each process and chooses by them the process that loses a page

Zhou et al. 2004, section 4. --list names the six scenarios of its table 2; their keys are described in
zhou2004/multiprogram.md.
"""
_NOTES = """\
time: execution time of a batch process, mean response time of others; p50, p95, p99: response times
faults: pages read from disk, of a server per 100 s; zero fills: pages filled with zeros; written: to disk
speedup, fewer faults: compared with {first}"""


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

    Raises
    ------
    UserError
        the scenario or a policy is wrong.
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


def mm_table(scenario: Scenario, results: Sequence[RunResult]) -> str:
    """Return a line for each process under each policy."""
    memory = size_text(scenario.memory_pages, scenario.page_bytes)
    lines = [f"{scenario.title}: {scenario.memory_pages:,} pages ({memory}), seed {scenario.seed}"]
    width = max(len("process"), *(len(process.name) for process in scenario.processes))
    lines.append(
        f"{'policy':<12} {'process':<{width}} {'time, s':>10} {'p50':>9} {'p95':>9} {'p99':>9}"
        f" {'faults':>10} {'zero fills':>10} {'written':>9} {'speedup':>8} {'fewer faults':>12}"
    )
    for result in results:
        for process in result.processes:
            first = results[0].process(process.name)
            shown = [_seconds(process.time_s), *_percentiles(process)]
            compared = ["", ""]
            if result is not results[0]:
                faster, fewer = speedup(first, process), fault_reduction(results[0], result, process.name)
                compared = [
                    "-" if faster is None else f"{faster:.2f} x",
                    "-" if fewer is None else f"{fewer:.1%}",
                ]
            lines.append(
                f"{result.policy:<12} {process.name:<{width}} {shown[0]:>10} {shown[1]:>9} {shown[2]:>9}"
                f" {shown[3]:>9} {result.comparable_faults(process.name):>10,.0f} {process.zero_fills:>10,}"
                f" {process.write_outs:>9,} {compared[0]:>8} {compared[1]:>12}".rstrip()
            )
    return "\n".join([*lines, _NOTES.format(first=results[0].policy)])


def mm_json(scenario: Scenario, results: Sequence[RunResult]) -> dict[str, Any]:
    """Return what --json prints."""
    return {
        "title": scenario.title,
        "memory_pages": scenario.memory_pages,
        "seed": scenario.seed,
        "relative_to": results[0].policy,
        "results": [_result_json(results[0], result) for result in results],
    }


def mm_rows(results: Sequence[RunResult]) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each process under each policy."""
    for result in results:
        for process in result.processes:
            yield {"policy": result.policy, **_process_json(results[0], result, process)}


def _result_json(first: RunResult, result: RunResult) -> dict[str, Any]:
    return {
        "policy": result.policy,
        "time_s": result.time_s,
        "measured_s": result.measured_s,
        "disk_busy_s": result.disk_busy_s,
        "processes": [_process_json(first, result, process) for process in result.processes],
        "sampled_s": result.sampled_s.tolist(),
        "resident_pages": {
            process.name: result.resident_pages[:, number].tolist()
            for number, process in enumerate(result.processes)
        },
    }


def _process_json(first: RunResult, result: RunResult, process: ProcessResult) -> dict[str, Any]:
    return {
        "name": process.name,
        "kind": process.kind,
        "touches": process.touches,
        "execution_s": process.execution_s,
        "requests": int(process.response_s.size),
        "mean_response_s": process.mean_s,
        **{f"p{percent}_response_s": process.percentile_s(percent) for percent in PERCENTILES},
        "faults": process.faults,
        "zero_fills": process.zero_fills,
        "write_outs": process.write_outs,
        "speedup": speedup(first.process(process.name), process),
        "fault_reduction": fault_reduction(first, result, process.name),
    }


def _percentiles(process: ProcessResult) -> list[str]:
    if process.kind == "batch":
        return [""] * len(PERCENTILES)
    return [_seconds(process.percentile_s(percent)) for percent in PERCENTILES]


def _seconds(time: float | None) -> str:
    """Format a time with four digits: times differ by orders of magnitude."""
    if time is None:
        return "-"
    return f"{time:,.0f}" if time >= 1000 else f"{time:.4g}"
