"""What power domains consumed, as tables for terminals and for --json."""

from collections.abc import Sequence
from typing import Any, TypeVar

from rich import box
from rich.table import Table

from litemrc.cli.shared.plain_text import plain_text
from litemrc.energy.parts.part import Part, SdramPart
from litemrc.ranks.activity import LABELS, PowerState, RankActivity
from litemrc.ranks.energy import DomainEnergy, RankEnergy

Each = TypeVar("Each")


def energy_table(report: RankEnergy) -> str:
    """A line for each domain and one for all: millijoules by component, power, saving; then residencies."""
    names = [name for name, mj in report.total.energy.components.items() if mj]
    rows = _table("domain", *(_two_lines(name) for name in names))
    for heading in ("all,\nmJ", "mean,\nmW", "always\nawake", "saved"):
        rows.add_column(heading, justify="right", vertical="bottom")
    for label, each in _lines(report.domains, report.total):
        energies = (*(each.energy.components[name] for name in names), each.energy.total)
        texts = [f"{mj:,.{report.decimals}f}" for mj in (*energies, each.awake.total)]
        rows.add_row(label, *texts[:-1], f"{each.mean_mw:,.2f}", texts[-1], f"{100 * each.saving:.1f} %")
    residencies = residency_table([each.activity for each in report.domains], report.total.activity)
    return "\n".join([plain_text(rows), "", residencies, *_notes(report)])


def residency_table(domains: Sequence[RankActivity], total: RankActivity) -> str:
    """A line for each domain and one for all: commands, time in each state, entries and wake-ups."""
    states = [state for state in PowerState if total.residency(state)]
    counts = "reads", "writes", "activates", "refreshes"
    rows = _table(
        "domain",
        *counts,
        *(_two_lines(LABELS[state]) for state in states),
        *("entered a\nlow state", "wake-ups"),
    )
    for label, each in _lines(domains, total):
        commands = (f"{getattr(each, name):,}" for name in counts)
        shares = (f"{100 * each.share(state):.2f} %" for state in states)
        rows.add_row(label, *commands, *shares, f"{each.entries:,}", f"{each.wake_ups:,}")
    return plain_text(rows)


def parts_table(parts: list[Part]) -> str:
    """A line for each part."""
    rows = _table("part", "memory", "Mbit", "bits", "MHz", "supply, V", "currents")
    for part in parts:
        if isinstance(part, SdramPart):
            volts = ", ".join(f"{rail.volts:g}" for rail in part.rails)
            size = f"{part.megabits:,}", f"{part.width_bits}", f"{part.clock_mhz:.0f}", volts
        else:
            size = "", "", "", ""
        rows.add_row(part.name, part.memory, *size, "known" if part.complete else "not known")
    return plain_text(rows)


def energy_json(report: RankEnergy) -> dict[str, Any]:
    """What --json prints."""
    return {
        "part": report.part.name,
        "datasheet": report.part.datasheet,
        "clock_hz": report.use.clock_hz,
        "dram_clock_hz": report.use.dram_clock_hz,
        "chips": report.use.chips,
        "virtual": report.use.share < 1,
        "seconds": report.total.seconds,
        "domains": [_json(each) for each in report.domains],
        "total": _json(report.total),
    }


def _json(each: DomainEnergy) -> dict[str, Any]:
    return {
        "energy_mj": each.energy.total,
        "components_mj": dict(each.energy.components),
        "mean_mw": each.mean_mw,
        "always_awake_mj": each.awake.total,
        "saving": each.saving,
        "residency": {state.name.lower(): each.activity.share(state) for state in PowerState},
        "wake_ups": each.activity.wake_ups,
    }


def _lines(domains: Sequence[Each], total: Each) -> list[tuple[str, Each]]:
    lines = [(str(domain), each) for domain, each in enumerate(domains)]
    return [*lines, ("all", total)] if len(lines) > 1 else lines


def _table(first: str, *headings: str) -> Table:
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    rows.add_column(first, vertical="bottom")
    for heading in headings:
        rows.add_column(heading, justify="right", vertical="bottom")
    return rows


def _two_lines(name: str) -> str:
    return name.replace(" ", "\n", 1)


def _notes(report: RankEnergy) -> list[str]:
    use = report.use
    chips = f"{use.chips} x {report.part.name}" if use.chips > 1 else report.part.name
    notes = [
        f"{1e3 * report.total.seconds:,.4g} ms; {chips} at {use.dram_clock_hz / 1e6:.4g} MHz; energy in mJ,"
        " of the chips' cores, without data pins and terminations",
        "always awake: the same work in the same time in standby, refreshed every tREFI",
    ]
    if use.share < 1:
        notes.append(f"domains are slices of one rank: each has 1/{round(1 / use.share)} of what all share")
    return notes
