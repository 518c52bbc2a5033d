"""Ranks of a device in words and for --json: states, working set, residencies, energy; policies."""

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from rich import box
from rich.table import Table

from litemrc.cli.ranks.energy_tables import energy_json, energy_table, residency_table
from litemrc.cli.shared.plain_text import plain_text
from litemrc.device.ranks import RankPolicy, WorkingSetSize, power_state_number, power_states
from litemrc.energy.parts.part import Part
from litemrc.errors import UserError
from litemrc.ranks.activity import COUNTERS
from litemrc.ranks.energy import rank_energy
from litemrc.ranks.table import RankTable

_STATES = {power_state_number(name): name for name in power_states()}


def shown(name: str) -> str:
    """A name of the schema as users write it."""
    return name.replace("_", "-")


def ranks_text(table: RankTable, part: Part | None) -> str:
    """The ranks in the one epoch of a table; without a part, without energy."""
    rows = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for heading in ("rank", "state", "holds working set", "pages of it", "live pages", "idle clocks"):
        rows.add_column(heading, justify="left" if heading in ("rank", "state") else "right")
    for row in range(table.domains):
        rows.add_row(
            str(table.domain[row]),
            shown(_STATES[int(table.state[row])]),
            "yes" if table.working[row] else "no",
            *(f"{getattr(table, name)[row]:,}" for name in ("top_pages", "live_pages", "idle")),
        )
    head = f"\nepoch {table.epoch[0]}, {table.seconds * 1e3:,.4g} ms\n{plain_text(rows)}\n\n"
    if part is None:
        return head + residency_table(table.activities(), table.total_activity())
    try:
        return head + energy_table(rank_energy(table, part))
    except UserError as error:  # a state was used whose current the data sheet does not tell
        return f"{head}{residency_table(table.activities(), table.total_activity())}\nno energy: {error}"


def ranks_json(
    table: RankTable, part: Part | None, policy: RankPolicy, size: WorkingSetSize
) -> dict[str, Any]:
    """The same for --json."""
    told = {
        "epoch": int(table.epoch[0]),
        "seconds": table.seconds,
        "policy": asdict(policy),
        "working_set": asdict(size),
        "ranks": [
            {
                "rank": int(table.domain[row]),
                "state": shown(_STATES[int(table.state[row])]),
                "working": bool(table.working[row]),
                "live_pages": int(table.live_pages[row]),
                **{name: int(getattr(table, name)[row]) for name in COUNTERS},
            }
            for row in range(table.domains)
        ],
    }
    if part is not None:
        with suppress(UserError):  # as in ranks_text
            told["energy"] = energy_json(rank_energy(table, part))
    return told


def policy_text(policy: RankPolicy) -> str:
    """What a policy does, in a line."""
    thresholds = [
        f"{state} after {clocks:,} idle clocks"
        for state, clocks in (
            ("power-down", policy.threshold_power_down),
            ("self-refresh", policy.threshold_self_refresh),
        )
        if clocks
    ]
    texts = {
        "none": "none: ranks sleep only when they are told to",
        "static": f"static: idle ranks go to {shown(policy.static_state)}",
        "dynamic": f"dynamic: {', '.join(thresholds) or 'no threshold is set, so ranks stay awake'}",
    }
    if policy.policy != "mrc":
        return f"policy {texts[policy.policy]}"
    return f"policy mrc: ranks without a page of the working set go to {shown(policy.mrc_state)}; " + (
        f"the others: {texts[policy.mrc_base]}"
    )


def size_text(size: WorkingSetSize) -> str:
    """What the working set is, in words."""
    if size.automatic:
        return f"found each epoch, at most {size.epsilon:.2%} of the hits beyond"
    return f"the first {size.groups} page groups of each context's stack"
