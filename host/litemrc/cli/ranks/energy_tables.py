# SPDX-License-Identifier: BSD-2-Clause
"""The energy of power domains as tables, and for --json and --csv."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from litemrc.cli.shared.plain_text import text_table
from litemrc.energy.parts.part import Part, SdramPart
from litemrc.energy.rank_energy import DomainEnergy, RankEnergy
from litemrc.ranks.activity import LABELS, PowerState, RankActivity

Each = TypeVar("Each")


def energy_table(report: RankEnergy) -> str:
    """Return a line for each domain and their total: energy by component, power, saving; then residencies."""
    names = [name for name, mj in report.total.energy.components.items() if mj]
    rows = []
    for label, each in _lines(report.domains, report.total):
        energies = (*(each.energy.components[name] for name in names), each.energy.total)
        texts = [f"{mj:,.{report.decimals}f}" for mj in (*energies, each.awake.total)]
        rows.append([label, *texts[:-1], f"{each.mean_mw:,.2f}", texts[-1], f"{100 * each.saving:.1f} %"])
    headings = ["domain", *map(_two_lines, names), "total,\nmJ", "mean,\nmW", "always\nawake", "saved"]
    residencies = residency_table([each.activity for each in report.domains], report.total.activity)
    return "\n".join([text_table(headings, rows), "", residencies, *_notes(report)])


def residency_table(domains: Sequence[RankActivity], total: RankActivity) -> str:
    """Return a line for each domain and their total: commands, time in each state, entries and wake-ups."""
    states = [state for state in PowerState if total.residency(state)]
    counts = "reads", "writes", "activates", "refreshes"
    rows = []
    for label, each in _lines(domains, total):
        commands = (f"{getattr(each, name):,}" for name in counts)
        shares = (f"{100 * each.share(state):.2f} %" for state in states)
        rows.append([label, *commands, *shares, f"{each.entries:,}", f"{each.wake_ups:,}"])
    labels = (_two_lines(LABELS[state]) for state in states)
    return text_table(["domain", *counts, *labels, "low-power\nentries", "wake-ups"], rows)


def parts_table(parts: list[Part]) -> str:
    """Return a line for each part."""
    rows = []
    for part in parts:
        size = ["", "", "", ""]
        if isinstance(part, SdramPart):
            volts = ", ".join(f"{rail.volts:g}" for rail in part.rails)
            size = [f"{part.megabits:,}", f"{part.width_bits}", f"{part.clock_mhz:.0f}", volts]
        rows.append([part.name, part.memory, *size, "known" if part.complete else "not known"])
    headings = ("part", "memory", "capacity,\nMbit", "width,\nbits", "clock,\nMHz", "supply,\nV", "currents")
    return text_table(headings, rows, left=2)


def part_rows(parts: list[Part]) -> Iterator[dict[str, Any]]:
    """Yield each part for --json and --csv."""
    for part in parts:
        sdram = part if isinstance(part, SdramPart) else None
        yield {
            "part": part.name,
            "memory": part.memory,
            "capacity_mbit": sdram and sdram.megabits,
            "width_bits": sdram and sdram.width_bits,
            "clock_mhz": sdram and sdram.clock_mhz,
            "supply_v": sdram and " ".join(f"{rail.volts:g}" for rail in sdram.rails),
            "currents_known": part.complete,
        }


def energy_rows(report: RankEnergy) -> Iterator[dict[str, Any]]:
    """Yield a row of --csv for each domain, and one for their total."""
    domains = [(str(domain), each) for domain, each in enumerate(report.domains)]
    for label, each in [*domains, ("total", report.total)]:
        row = _json(each)
        components, residency = row.pop("components_mj"), row.pop("residency")
        yield {
            "domain": label,
            **row,
            **{f"{_snake(name)}_mj": mj for name, mj in components.items()},
            **{f"residency_{state}": share for state, share in residency.items()},
        }


def _snake(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def energy_json(report: RankEnergy) -> dict[str, Any]:
    """Return what --json prints."""
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
    return [*lines, ("total", total)] if len(lines) > 1 else lines


def _two_lines(name: str) -> str:
    return name.replace(" ", "\n", 1)


def _notes(report: RankEnergy) -> list[str]:
    use = report.use
    chips = f"{use.chips} x {report.part.name}" if use.chips > 1 else report.part.name
    notes = [
        f"{1e3 * report.total.seconds:,.4g} ms; {chips} at {use.dram_clock_hz / 1e6:.4g} MHz; energy in mJ,"
        " of the chip cores, without data pins and terminations",
        "always awake: energy in mJ of the same work in standby, refreshed every tREFI",
    ]
    if use.share < 1:
        notes.append(
            f"domains are slices of one rank: each has 1/{round(1 / use.share)} of the shared energy"
        )
    return notes
