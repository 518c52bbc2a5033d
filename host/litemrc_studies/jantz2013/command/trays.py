# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate trays SCENARIO`: programs on a memory with and without trays."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from litemrc.cli.shared.arguments import numbers_of
from litemrc.cli.shared.results import check_pictures, print_results, until_stopped
from litemrc.errors import UserError

from litemrc_studies.shared.scenario_runs import ShownRun, chosen_names, scenario_arguments

if TYPE_CHECKING:
    from litemrc_studies.jantz2013.machine.result import TrayRun
    from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario

_EPILOG = """\
Jantz et al. 2013. A tray is the memory of one rank. Colors mark pages with similar use; the allocator keeps
them in the same trays, so that other ranks can sleep. --list names the scenarios; trays.md describes their
keys. --memnice limits a simulated program as `litemrc memnice` does one of this machine.
"""
# Counts of a whole run, by key of JSON and CSV.
_COUNTS = {
    "zero_fills": "zero_fills",
    "reloads": "reloads",
    "recycled_pages": "recycled",
    "migrated_pages": "migrated",
    "pages_outside_memnice": "outside",
    "waking_s": "waking_s",
}
_NOTES = """\
mW: mean DRAM power of the phase; saved: relative to {first}; awake: mean number of ranks not in self-refresh
zero fills, reloads: page faults on new and on recycled pages; waking: time ranks spent leaving self-refresh
outside: pages on trays that memnice forbids"""


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

    Raises
    ------
    UserError
        the scenario or a limit is wrong.
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
    from litemrc_studies.jantz2013.command.trays import tray_json, tray_rows, tray_table

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

        from litemrc_studies.jantz2013.plots import samples_figure

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


def tray_table(scenario: "TrayScenario", runs: "Sequence[TrayRun]") -> str:
    """Return a line for each phase of each configuration."""
    from litemrc.curves.sizes import size_text

    from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES

    hardware = scenario.cases[0].configuration.hardware
    rank = size_text(hardware.tray_pages, PAGE_BYTES)
    lines = [
        f"{scenario.title}: {hardware.trays} ranks of {rank}, {hardware.chips} x {hardware.part.name} each,"
        f" seed {scenario.seed}"
    ]
    names = [run.configuration for run in runs]
    wide = max(len("configuration"), *map(len, names))
    phases = list(dict.fromkeys(name for run in runs for name in (*run.phase_names, "all")))
    width = max(len("phase"), *map(len, phases))
    lines.append(
        f"{'configuration':<{wide}} {'phase':<{width}} {'s':>8} {'mW':>7} {'saved':>7} {'awake':>6} "
        f"{'zero fills':>10} {'reloads':>10} {'recycled':>10} {'migrated':>9} {'waking, s':>9} {'outside':>8}"
    )
    for run in runs:
        for phase in run.phase_names:
            lines.append(f"{run.configuration:<{wide}} {phase:<{width}} {_power(runs[0], run, phase)}")
        lines.append(
            f"{run.configuration:<{wide}} {'all':<{width}} {_power(runs[0], run, None)}"
            f" {run.zero_fills:>10,} {run.reloads:>10,} {run.recycled:>10,} {run.migrated:>9,}"
            f" {run.waking_s:>9.3f} {run.outside:>8,}"
        )
    return "\n".join([*lines, _NOTES.format(first=names[0])])


def tray_json(scenario: "TrayScenario", runs: "Sequence[TrayRun]") -> dict[str, Any]:
    """Return what --json prints."""
    return {
        "title": scenario.title,
        "workload": scenario.workload,
        "seed": scenario.seed,
        "relative_to": runs[0].configuration,
        "results": [_run_json(runs[0], run) for run in runs],
    }


def tray_rows(runs: "Sequence[TrayRun]") -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each phase of each configuration, and for all its phases."""
    for run in runs:
        for phase in run.phase_names:
            yield {
                "configuration": run.configuration,
                **_phase_json(runs[0], run, phase),
                **dict.fromkeys(_COUNTS),
            }
        totals = {name: getattr(run, attribute) for name, attribute in _COUNTS.items()}
        yield {"configuration": run.configuration, **_phase_json(runs[0], run, None), **totals}


def saving(first: "TrayRun", run: "TrayRun", phase: str | None = None) -> float | None:
    """Return the saving of mean power over the first run; None if a run has no sample of the phase."""
    before, after = first.mean_mw(phase), run.mean_mw(phase)
    return None if before != before or after != after or not before else 1 - after / before


def _or_null(value: float) -> float | None:
    """Replace nan, which JSON lacks, by None."""
    return None if value != value else value


def _power(first: "TrayRun", run: "TrayRun", phase: str | None) -> str:
    less = saving(first, run, phase)
    shown = "" if run is first else "-" if less is None else f"{less:.1%}"
    return f"{run.phase_seconds(phase):>8.2f} {run.mean_mw(phase):>7.0f} {shown:>7} {run.awake(phase):>6.2f}"


def _phase_json(first: "TrayRun", run: "TrayRun", phase: str | None) -> dict[str, Any]:
    """Return the results of a phase; None: of all."""
    return {
        "phase": phase or "all",
        "seconds": run.phase_seconds(phase),
        "mean_mw": _or_null(run.mean_mw(phase)),
        "saving": saving(first, run, phase),
        "ranks_awake": _or_null(run.awake(phase)),
    }


def _run_json(first: "TrayRun", run: "TrayRun") -> dict[str, Any]:
    return {
        "configuration": run.configuration,
        "seconds": run.seconds,
        "mean_mw": _or_null(run.mean_mw()),
        "saving": saving(first, run),
        "phases": [_phase_json(first, run, phase) for phase in run.phase_names],
        **{name: getattr(run, attribute) for name, attribute in _COUNTS.items()},
        "trays": [asdict(tray) for tray in run.trays],
        "backing": [
            {"process": process, "color": color, "tray_pages": pages.tolist()}
            for (process, color), pages in run.backing.items()
        ],
        "sample_s": run.sample_s.tolist(),
        "sample_mw": run.samples_mw.tolist(),
        "free_pages": run.free_pages.tolist(),
    }
