# SPDX-License-Identifier: BSD-2-Clause
"""The output of `litemrc refcounters`: settings, counters, events, and the cost of page copies."""

import json
from typing import Any

from litemrc.device.ref_counters import CounterSetting, PageEvent, RefCounterUnit, masters

_ROW_COLUMNS = {
    "references": "references",
    "copies": "copies",
    "local": "local",
    "remote_reads": "remote reads",
    "remote_writes": "remote writes",
    "replications": "replicated",
    "drops": "dropped copies",
    "updates_received": "updates",
}


def print_json(described: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    print(json.dumps(described, allow_nan=False), flush=True)


def setting_text(name: str, setting: CounterSetting, unit: RefCounterUnit) -> str:
    """Describe what a counter counts."""
    if not setting.initial:
        return f"{name}: off"
    kinds = " and ".join(kind for kind in ("reads", "writes") if getattr(setting, kind)) or "nothing"
    known = masters()
    counted = [
        known[number] if number < len(known) else str(number)
        for number in range(unit.masters)
        if setting.masters >> number & 1
    ]
    contexts = [str(number) for number in range(unit.contexts) if setting.contexts >> number & 1]
    of_all = len(contexts) == unit.contexts
    return (
        f"{name}: from {setting.initial}, {kinds} of {', '.join(counted) or 'no master'}, "
        f"{'all contexts' if of_all else 'contexts ' + ', '.join(contexts)}, "
        f"pages {setting.lower} to {setting.upper}"
    )


def print_event(event: PageEvent, as_json: bool) -> None:
    """Print an event."""
    if as_json:
        print_json({"event": event.counter, "page": event.page, "lost": event.lost})
    else:
        lost = f", {event.lost} events dropped so far" if event.lost else ""
        print(f"{event.counter}: page {event.page}{lost}", flush=True)


def print_row(row: dict[str, int], before: dict[str, int] | None, as_json: bool) -> None:
    """Print the counts so far, and the mean cost of an access since the row before."""
    from litemrc.device.collecting.page_epochs import cost_per_access  # numpy takes long to load

    references, home, cost = (
        row[name] - (before[name] if before else 0) for name in ("references", "home", "cost")
    )
    recent = cost / (references + home) if references + home else None
    if as_json:
        costs = {"cost_per_access": cost_per_access(row), "recent_cost_per_access": recent}
        print_json({**row, **costs})
        return
    columns = ", ".join(f"{row[name]:,} {title}" for name, title in _ROW_COLUMNS.items())
    print(f"epoch {row['epoch']}: {columns}; {recent or 0:.1f} cycles per access", flush=True)
