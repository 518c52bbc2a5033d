# SPDX-License-Identifier: BSD-2-Clause
"""Checks the ranks of a demo against the simulator's record of all commands on the DRAM bus."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.errors import UserError

if TYPE_CHECKING:
    from litemrc.checks.rank_record import RankComparison
    from litemrc.energy.rank_energy import RankEnergy
    from litemrc.ranks.table import RankTable


@dataclass(frozen=True)
class RankResults:
    """The energy of a run's ranks, and what the record says about their counters.

    Attributes
    ----------
    report
        the energy.
    comparison
        of the counters with those of the record.
    rules_broken, lost_reads
        counted by the DRAM model over the whole run, with Linux since its boot.
    remarks
        for `show`, by name.
    wrong
        failures for the verdict.
    """

    report: "RankEnergy"
    comparison: "RankComparison"
    rules_broken: int
    lost_reads: int
    remarks: dict[str, str]
    wrong: list[str]


def check_ranks(run_dir: Path, table: "RankTable") -> RankResults:
    """Compare the table of a run with the record in its folder, and compute its energy.

    Raises
    ------
    UserError
        a file is absent, or no data sheet is known of the DRAM.
    """
    # Imported here: numpy takes long to load.
    from litemrc.checks.rank_record import compare_with_record, read_record, snapshots_of
    from litemrc.energy.parts.files import part_of_module
    from litemrc.energy.rank_energy import rank_energy

    report = rank_energy(table, part_of_module(table.part, table.clock_hz * table.phases))
    snapshots = snapshots_of(read_record(run_dir / "ddr3.npy"), table.domains)
    comparison = compare_with_record(table, snapshots)
    dram = _dram(run_dir)
    text, dram_text = _text(comparison, report), _dram_text(dram)
    wrong = [] if comparison.equal else [text]
    if dram["device"] or dram["lost_reads"]:
        wrong.append(f"the DRAM protocol was violated: {dram_text}; see {run_dir / 'ddr3.json'}")
    return RankResults(
        report,
        comparison,
        rules_broken=dram["device"],
        lost_reads=dram["lost_reads"],
        remarks={"ranks": text, "DRAM": dram_text},
        wrong=wrong,
    )


def _dram(run_dir: Path) -> dict[str, int]:
    path = run_dir / "ddr3.json"
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read the DRAM model's report: {error}", where=str(path), remedy="run again"
        ) from error


def _dram_text(report: dict[str, int]) -> str:
    return (
        f"{report['reads']:,} reads, {report['writes']:,} writes, {report['lost_reads']} reads of lost data, "
        f"{report['device']} rule violations"
    )


def _text(found: "RankComparison", report: "RankEnergy") -> str:
    from litemrc.energy.rank_energy import rank_energy

    if not found.equal:
        of_all = f"{found.differences:,} of {found.counters:,} counters"
        return f"{of_all} differ from the command record; first difference: {found.first_difference}"
    recorded = rank_energy(found.recorded, report.part)
    error = max(
        abs(reported.energy.total / counted.energy.total - 1)
        for reported, counted in zip(report.domains, recorded.domains, strict=True)
    )
    return (
        f"all {found.counters:,} counters equal those of the command record, "
        f"energies differ by at most {error:.2%}"
    )
