"""The output of `litemrc simulate trays`: a table, JSON or CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from litemrc.curves.sizes import size_text

from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import TrayScenario

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


def tray_table(scenario: TrayScenario, runs: Sequence[TrayRun]) -> str:
    """Return a line for each phase of each configuration."""
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


def tray_json(scenario: TrayScenario, runs: Sequence[TrayRun]) -> dict[str, Any]:
    """Return what --json prints."""
    return {
        "title": scenario.title,
        "workload": scenario.workload,
        "seed": scenario.seed,
        "relative_to": runs[0].configuration,
        "results": [_run_json(runs[0], run) for run in runs],
    }


def tray_rows(runs: Sequence[TrayRun]) -> Iterator[dict[str, Any]]:
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


def saving(first: TrayRun, run: TrayRun, phase: str | None = None) -> float | None:
    """Return the saving of mean power over the first run; None if a run has no sample of the phase."""
    before, after = first.mean_mw(phase), run.mean_mw(phase)
    return None if before != before or after != after or not before else 1 - after / before


def _or_null(value: float) -> float | None:
    """Replace nan, which JSON lacks, by None."""
    return None if value != value else value


def _power(first: TrayRun, run: TrayRun, phase: str | None) -> str:
    less = saving(first, run, phase)
    shown = "" if run is first else "-" if less is None else f"{less:.1%}"
    return f"{run.phase_seconds(phase):>8.2f} {run.mean_mw(phase):>7.0f} {shown:>7} {run.awake(phase):>6.2f}"


def _phase_json(first: TrayRun, run: TrayRun, phase: str | None) -> dict[str, Any]:
    """Return the results of a phase; None: of all."""
    return {
        "phase": phase or "all",
        "seconds": run.phase_seconds(phase),
        "mean_mw": _or_null(run.mean_mw(phase)),
        "saving": saving(first, run, phase),
        "ranks_awake": _or_null(run.awake(phase)),
    }


def _run_json(first: TrayRun, run: TrayRun) -> dict[str, Any]:
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
