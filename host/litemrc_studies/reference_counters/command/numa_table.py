"""The output of `litemrc simulate numa`: a table, and the rows of JSON and CSV."""

from collections.abc import Sequence

from litemrc_studies.reference_counters.machine.numa import NumaRun


def numa_table(name: str, runs: Sequence[NumaRun]) -> str:
    """Return a line for each run."""
    lines = [
        f"{name}: {runs[0].references:,} references",
        f"{'protocol':<14} {'page bytes':>10} {'DELAY':>6} {'UPDATE':>6} {'NAMC':>8} {'replications':>13}"
        f" {'invalidations':>13} {'updates sent':>12}",
    ]
    for run in runs:
        counts = run.counts
        shown = ["-"] * 3
        if counts:
            shown = [f"{n:,}" for n in (counts.replications, counts.invalidations, counts.updates_sent)]
        delay, update = ("-" if value is None else value for value in (run.delay, run.update))
        lines.append(
            f"{run.protocol:<14} {run.page_bytes:>10} {delay:>6} {update:>6} {run.namc:>8.3f}"
            f" {shown[0]:>13} {shown[1]:>13} {shown[2]:>12}"
        )
    return "\n".join(lines)


def run_row(run: NumaRun) -> dict[str, str | int | float | None]:
    """Return a run as --json and --csv print it."""
    names = ["replications", "invalidations", "updates_sent", "interrupts", "refused"]
    names += ["local_reads", "remote_reads", "local_writes", "remote_writes"]
    return {
        "protocol": run.protocol,
        "delay": run.delay,
        "update": run.update,
        "page_bytes": run.page_bytes,
        "namc": run.namc,
        "references": run.references,
        "cycles": run.cycles,
        **{name: getattr(run.counts, name) if run.counts else None for name in names},
    }
