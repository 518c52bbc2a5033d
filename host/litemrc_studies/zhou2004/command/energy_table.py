"""The output of `litemrc simulate energy`: a table, JSON or CSV."""

from collections.abc import Iterator, Sequence
from typing import Any

from litemrc_studies.zhou2004.machine.chip_references import ChipReferences
from litemrc_studies.zhou2004.machine.chips import EnergyRun, SchemeResult
from litemrc_studies.zhou2004.policies import Thresholds


def run_table(references: ChipReferences, runs: Sequence[EnergyRun]) -> str:
    """Return a table for each machine with a line for each scheme."""
    gap = references.stated_gap
    times = "times from the trace, in cycles" if gap is None else f"{gap} cycles between references (--gap)"
    machine = runs[0].machine
    lines = [
        f"{references.trace}: {len(references):,} references to {references.footprint_pages:,} pages;"
        f" {times}",
        f"chips of {machine.power.part}, {machine.placement} placement, {machine.clock_hz / 1e6:g} MHz;"
        f" schemes marked * include a monitor of {machine.monitor_mw:g} mW",
    ]
    for run in runs:
        lines += ["", *_machine_lines(run)]
    return "\n".join(lines)


def _machine_lines(run: EnergyRun) -> list[str]:
    machine = run.machine
    lines = [
        f"{run.chips} chips of {machine.chip_pages} pages, epochs of {machine.epoch_cycles:,} cycles",
        f"{'':<18} {'':>11} {'':>10} {'energy x':>10} {'relative to base:':>24}",
        f"{'scheme':<18} {'energy, mJ':>11} {'delay, s':>10} {'delay,mJ s':>10} {'product':>8} {'energy':>7}"
        f" {'delay':>7}  base",
    ]
    for result in run.results:
        base = run.bases[result.scheme.name]
        name = result.scheme.name + ("*" if result.scheme.monitored else "")
        lines.append(
            f"{name:<18} {result.energy_mj:>11.3f} {result.delay_s:>10.5f} {result.energy_delay:>10.4f}"
            f" {result.energy_delay / base.energy_delay:>8.3f} {result.energy_mj / base.energy_mj:>7.3f}"
            f" {result.delay_s / base.delay_s:>7.3f}  {base.scheme.name}{_remark(result)}"
        )
    return lines


def _remark(result: SchemeResult) -> str:
    remarks = []
    if isinstance(result.scheme, Thresholds) and result.scheme.after_ns[0] is not None:
        _, nap, powerdown = result.scheme.after_ns
        thresholds = f"nap after {nap} ns" + (
            "" if powerdown is None else f", powerdown after {powerdown} ns"
        )
        remarks.append(thresholds + (" (sweep)" if result.swept else ""))
    if result.mean_working_pages is not None:
        remarks.append(f"N_mrc {result.mean_working_pages:,.0f} pages")
    return "; " + ", ".join(remarks) if remarks else ""


def run_json(references: ChipReferences, runs: Sequence[EnergyRun]) -> dict[str, Any]:
    """Return what --json prints."""
    machine = runs[0].machine
    return {
        "trace": references.trace,
        "references": len(references),
        "footprint_pages": references.footprint_pages,
        "gap_cycles": references.stated_gap,
        "part": machine.power.part,
        "states": list(machine.power.states),
        "placement": machine.placement,
        "seed": machine.seed,
        "clock_hz": machine.clock_hz,
        "epsilon": machine.epsilon,
        "monitor_mw": machine.monitor_mw,
        "results": [_result_json(run, result) for run in runs for result in run.results],
    }


def run_rows(runs: Sequence[EnergyRun]) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each scheme in each machine."""
    for run in runs:
        for result in run.results:
            row = _result_json(run, result)
            base, thresholds = row["relative_to"], row["thresholds_ns"] or [None] * 3
            yield {
                "scheme": row["scheme"],
                "chip_pages": row["chip_pages"],
                "epoch_cycles": row["epoch_cycles"],
                "chips": row["chips"],
                "energy_mj": row["energy_mj"],
                "delay_s": row["delay_s"],
                "energy_delay_mj_s": row["energy_delay"],
                "base": base["scheme"],
                "energy_over_base": base["energy"],
                "delay_over_base": base["delay"],
                "energy_delay_over_base": base["energy_delay"],
                "nap_after_ns": thresholds[1],
                "powerdown_after_ns": thresholds[2],
                "monitor_mj": row["monitor_mj"],
                "working_pages": row["working_pages"],
            }


def _result_json(run: EnergyRun, result: SchemeResult) -> dict[str, Any]:
    base, scheme = run.bases[result.scheme.name], result.scheme
    return {
        "scheme": scheme.name,
        "energy_mj": result.energy_mj,
        "delay_s": result.delay_s,
        "energy_delay": result.energy_delay,
        "relative_to": {
            "scheme": base.scheme.name,
            "energy": result.energy_mj / base.energy_mj,
            "delay": result.delay_s / base.delay_s,
            "energy_delay": result.energy_delay / base.energy_delay,
        },
        "chip_pages": run.machine.chip_pages,
        "epoch_cycles": run.machine.epoch_cycles,
        "chips": run.chips,
        "thresholds_ns": list(scheme.after_ns) if isinstance(scheme, Thresholds) else None,
        "swept": result.swept,
        "monitor_mj": result.monitor_mj,
        "working_pages": result.mean_working_pages,
        "chip_energy_mj": result.chip_mj.tolist(),
        "chip_waking_s": result.chip_waking_s.tolist(),
        "waited_s": result.waited_s.tolist(),
        "wakes": result.wakes.tolist(),
        "accesses": result.accesses.tolist(),
    }
