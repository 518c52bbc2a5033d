# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo linux-govern`: budgets by curves under Linux on the simulated SoC, beside global reclaim."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_out_argument, add_output_formats
from litemrc.cli.shared.device_options import (
    add_linux_build_arguments,
    add_linux_start_arguments,
    end_on_sigterm,
)
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.plain_text import text_table
from litemrc.extras import require

from litemrc_studies.shared.scenarios import known_scenario

if TYPE_CHECKING:
    from litemrc_studies.zhou2004.command.linux_programs import Program
    from litemrc_studies.zhou2004.command.linux_runs import DeviceRun
    from litemrc_studies.zhou2004.machine.run_result import RunResult
    from litemrc_studies.zhou2004.machine.scenario import Scenario

COMMAND_TIMEOUT_S = 7200.0
LINK_TIMEOUT_S = "240"
EPOCH_CYCLES = 1 << 23
POLICIES = {"global-clock": "global reclaim", "mrc": "litemrc govern"}  # of the simulated machine, on Linux
PAPER_SPEEDUP = 3.61  # zhou2004, table 2: INTR beside LINEAR


@dataclass(frozen=True)
class Summary:
    """What summary.json holds; speedups are ungoverned / governed.

    Attributes
    ----------
    intr_speedup
        of the mean response of the interactive program; None without one.
    predicted_speedup
        the same of the simulated machine.
    faults_ungoverned, faults_governed
        page faults of all programs.
    faults_predicted
        those of the simulated machine, governed.
    budgets_grew
        a budget that had shrunk grew again.
    slowest_other
        mean time of a turn, of several from the second on, governed / ungoverned: the largest
        of the batch programs.
    """

    intr_speedup: float | None
    predicted_speedup: float | None
    faults_ungoverned: int
    faults_governed: int
    faults_predicted: int
    budgets_grew: bool
    slowest_other: float


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc demo linux-govern`."""
    add_linux_build_arguments(parser)
    add_linux_start_arguments(parser)
    parser.add_argument(
        "--scenario",
        metavar="FILE.toml",
        type=known_scenario,
        default="linux_pair",
        help="what runs, as for `litemrc simulate mm`: INTR and a loop (%(default)s)",
    )
    add_out_argument(parser, "folder for the results", metavar="DIR", default=Path("build/linux-govern"))
    add_output_formats(parser, csv=False)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc demo linux-govern`."""
    # Imported here: numpy takes long to load.
    from litemrc.device.simulation.guest_shell import GuestShell
    from litemrc.device.simulation.linux_start import LinuxBuild

    from litemrc_studies.zhou2004.command.linux_programs import make_cgroups, measure_costs, programs_of
    from litemrc_studies.zhou2004.command.linux_runs import run_governed
    from litemrc_studies.zhou2004.machine.scenario_file import read_scenario

    require("plot")
    end_on_sigterm()
    scenario = read_scenario(args.scenario)
    programs = programs_of(scenario, args.scenario)
    args.out.mkdir(parents=True, exist_ok=True)
    build = LinuxBuild(args.sim, args.shim, args.images)
    runs = {}
    with build.simulator(
        args.out / "run", cold=args.cold, on_boot=note, boot_timeout_s=args.boot_timeout
    ) as simulator:
        simulator.wait_ready()
        shell = GuestShell(simulator, COMMAND_TIMEOUT_S)
        note("measuring what a touch, a new page and a page fault cost")
        scenario = measure_costs(shell, scenario)
        make_cgroups(shell, programs, scenario.memory_pages, scenario.page_bytes)
        for policy, options in zip(POLICIES, (["--dry-run"], []), strict=True):
            note(f"{scenario.title}: {'ungoverned' if options else 'governed'}")
            govern = ["--port", simulator.url, *_govern_options(scenario, programs), *options]
            epoch_s = EPOCH_CYCLES * scenario.tick_s
            runs[policy] = run_governed(shell, programs, govern, args.out, policy=policy, epoch_s=epoch_s)
    simulator.record.unlink(missing_ok=True)  # a gigabyte of accesses that nobody asked for
    predicted = {policy: _predict(scenario, policy, run.result) for policy, run in runs.items()}
    summary = summarize(runs, predicted)
    (args.out / "summary.json").write_text(json.dumps(asdict(summary), indent=2) + "\n")
    _draw(args.out, scenario, runs)
    print(json.dumps(asdict(summary)) if args.json else _text(summary, runs, predicted, scenario, args.out))
    return 0


def _govern_options(scenario: "Scenario", programs: "Sequence[Program]") -> list[str]:
    cgroups = [option for program in programs for option in ("--cgroup", program.cgroup)]
    return [
        *("--timeout", LINK_TIMEOUT_S, "--memory", str(scenario.memory_pages)),
        *("--minimum", str(scenario.mrc.group_pages), *cgroups),
        *("--epoch-length", str(EPOCH_CYCLES), "--epoch-unit", "cycles"),
    ]


def _predict(scenario: "Scenario", policy: str, measured: "RunResult") -> "RunResult":
    """Return what the simulated machine gives: faults of the whole run, responses since the same time."""
    from litemrc_studies.zhou2004.machine.multiprogram import simulate

    whole = simulate(scenario, policy)
    since = round((measured.time_s - measured.measured_s) / scenario.tick_s)
    later = simulate(replace(scenario, measure_from=since), policy)
    processes = tuple(
        replace(late, faults=process.faults)
        for late, process in zip(later.processes, whole.processes, strict=True)
    )
    return replace(later, processes=processes)


def summarize(runs: Mapping[str, "DeviceRun"], predicted: Mapping[str, "RunResult"]) -> Summary:
    """Compare the runs under `POLICIES` with each other and with the simulated machine's."""
    ungoverned, governed = POLICIES
    before, after = runs[ungoverned], runs[governed]
    names = [process.name for process in before.result.processes]
    batch = [process.name for process in before.result.processes if process.kind == "batch"]
    return Summary(
        intr_speedup=_speedup(*(runs[policy].result for policy in POLICIES)),
        predicted_speedup=_speedup(*(predicted[policy] for policy in POLICIES)),
        faults_ungoverned=_faults(before.result),
        faults_governed=_faults(after.result),
        faults_predicted=_faults(predicted[governed]),
        budgets_grew=any(
            grew_again([budgets[name] for budgets in after.budgets if name in budgets]) for name in names
        ),
        slowest_other=max(
            float(after.turn_s[name][-most:].mean() / before.turn_s[name][-most:].mean())
            for name in batch
            for most in [max(len(before.turn_s[name]) - 1, 1)]
        ),
    )


def grew_again(budgets: Sequence[int]) -> bool:
    """Return whether a budget rose after it had fallen."""
    changes = [after - before for before, after in pairwise(budgets) if after != before]
    return any(before < 0 < after for before, after in pairwise(changes))


def _speedup(before: "RunResult", after: "RunResult") -> float | None:
    from litemrc_studies.zhou2004.machine.run_result import speedup

    names = [process.name for process in before.processes if process.kind == "interactive"]
    return speedup(before.process(names[0]), after.process(names[0])) if names else None


def _faults(result: "RunResult") -> int:
    return sum(process.faults for process in result.processes)


def _draw(out: Path, scenario: "Scenario", runs: Mapping[str, "DeviceRun"]) -> None:
    from litemrc.plots.files import save_figure

    from litemrc_studies.zhou2004.plots.multiprogram import mm_figure

    curves = list(runs.values())[-1].curves
    results = [run.result for run in runs.values()]
    figure = mm_figure(scenario, results, begin_s=0.0, names=POLICIES, curves=curves)
    save_figure(figure, out / "govern.png")


def _text(
    summary: Summary,
    runs: Mapping[str, "DeviceRun"],
    predicted: Mapping[str, "RunResult"],
    scenario: "Scenario",
    out: Path,
) -> str:
    rows = []
    for policy, name in zip(POLICIES, ("ungoverned", "governed"), strict=True):
        run = runs[policy]
        for process in run.result.processes:
            model = predicted[policy].process(process.name)
            last = [budgets[process.name] for budgets in run.budgets if process.name in budgets][-1:]
            rows.append(
                (
                    process.name,
                    name,
                    *(f"{each:.4g} s" if each is not None else "" for each in (process.time_s, model.time_s)),
                    *(f"{each.faults:,}" for each in (process, model)),
                    f"{last[0]:,}" if last and name == "governed" else "",
                )
            )
    headings = ("program", "", "time", "predicted", "faults", "predicted", "last budget, pages")
    parts = [f"{scenario.title}: {scenario.memory_pages:,} pages", text_table(headings, rows), ""]
    if summary.intr_speedup and summary.predicted_speedup:
        parts.append(
            f"response: {summary.intr_speedup:.2f} times as fast (predicted {summary.predicted_speedup:.2f};"
            f" INTR beside LINEAR in zhou2004, table 2: {PAPER_SPEEDUP})"
        )
    parts += [
        f"slowest batch program: {summary.slowest_other:.2f} of its time ungoverned",
        f"a budget that had shrunk grew again: {'yes' if summary.budgets_grew else 'no'}",
        f"picture: {out / 'govern.png'}; decisions: {out / 'mrc.jsonl'}",
    ]
    return "\n".join(parts)
