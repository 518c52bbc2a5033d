# SPDX-License-Identifier: BSD-2-Clause
"""The ranks of a device as text, for --json and --csv: states, working set, residencies, energy, policy."""

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from litemrc.cli.ranks.energy_tables import energy_json, energy_table, residency_table
from litemrc.cli.shared.arguments import spelled
from litemrc.cli.shared.plain_text import text_table
from litemrc.device.rank_commands import RankPolicy, WorkingSetSize, power_state_number, power_states
from litemrc.energy.parts.part import Part
from litemrc.energy.rank_energy import rank_energy
from litemrc.errors import UserError
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.table import RankTable

_STATES = {power_state_number(name): name for name in power_states()}


def ranks_text(table: RankTable, part: Part | None) -> str:
    """Return the ranks in the only epoch of a table; without a part, without energy."""
    rows = [
        (
            str(table.domain[row]),
            spelled(_STATES[int(table.state[row])]),
            "yes" if table.working[row] else "no",
            *(f"{getattr(table, name)[row]:,}" for name in ("top_pages", "live_pages", "idle")),
        )
        for row in range(table.domains)
    ]
    headings = ("rank", "state", "holds working set", "working-set pages", "live pages", "idle cycles")
    ranks = text_table(headings, rows, left=2)
    head = f"\nepoch {table.epoch[0]}, {table.seconds * 1e3:,.4g} ms\n{ranks}\n\n"
    if part is None:
        return head + residency_table(table.activities(), table.total_activity())
    try:
        return head + energy_table(rank_energy(table, part))
    except UserError as error:  # the data sheet lacks the current of a state that was used
        return f"{head}{residency_table(table.activities(), table.total_activity())}\nno energy: {error}"


def ranks_json(
    table: RankTable, part: Part | None, policy: RankPolicy, size: WorkingSetSize
) -> dict[str, Any]:
    """Return the same for --json."""
    described: dict[str, Any] = {
        "epoch": int(table.epoch[0]),
        "seconds": table.seconds,
        "policy": asdict(policy),
        "working_set": asdict(size),
        "ranks": [_row(table, row) for row in range(table.domains)],
    }
    if part is not None:
        with suppress(UserError):  # as in ranks_text
            described["energy"] = energy_json(rank_energy(table, part))
    return described


def ranks_rows(table: RankTable, part: Part | None) -> list[dict[str, Any]]:
    """Return a row for each rank for --csv; without a part, or a current of it, without energy."""
    energies: list[float | None] = [None] * table.domains
    if part is not None:
        with suppress(UserError):  # as in ranks_text
            energies = [each.energy.total for each in rank_energy(table, part).domains]
    return [
        {"epoch": int(table.epoch[0]), "seconds": table.seconds, **_row(table, row), "energy_mj": energy}
        for row, energy in enumerate(energies)
    ]


def _row(table: RankTable, row: int) -> dict[str, Any]:
    return {
        "rank": int(table.domain[row]),
        "state": spelled(_STATES[int(table.state[row])]),
        "working": bool(table.working[row]),
        "live_pages": int(table.live_pages[row]),
        **{name: int(getattr(table, name)[row]) for name in COUNTERS},
    }


def policy_text(policy: RankPolicy) -> str:
    """Describe a policy in one line."""
    thresholds = [
        f"{state} after {cycles:,} idle cycles"
        for state, cycles in (
            ("power-down", policy.threshold_power_down),
            ("self-refresh", policy.threshold_self_refresh),
        )
        if cycles
    ]
    texts = {
        "none": "none: ranks sleep only on command",
        "static": f"static: idle ranks enter {spelled(policy.static_state)}",
        "dynamic": f"dynamic: {', '.join(thresholds) or 'no threshold is set, ranks stay awake'}",
    }
    if policy.policy != "mrc":
        return f"policy {texts[policy.policy]}"
    return (
        f"policy mrc: ranks without a page of the working set enter {spelled(policy.mrc_state)}; "
        f"the others: {texts[policy.mrc_base]}"
    )


def size_text(size: WorkingSetSize) -> str:
    """Describe how the working set is determined."""
    if size.automatic:
        return f"determined in each epoch, with at most {size.epsilon:.2%} of the hits outside"
    return f"the first {size.groups} page groups of each context's stack"
