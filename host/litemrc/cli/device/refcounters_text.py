"""What `litemrc refcounters` prints: settings, counters, events, and what copies of pages cost."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from litemrc.device.collecting.page_copies import PagesRow
from litemrc.device.ref_counters import CounterSetting, PageEvent, RefCounterUnit, masters

_ROW_COLUMNS = {
    "references": "references",
    "copies": "copies",
    "local": "local",
    "remote_reads": "remote reads",
    "remote_writes": "remote writes",
    "replications": "replicated",
    "drops": "dropped",
    "updates_received": "updates",
}


def print_json(told: dict[str, Any]) -> None:
    """One JSON object on a line of its own."""
    print(json.dumps(told, allow_nan=False), flush=True)


def setting_text(name: str, setting: CounterSetting, unit: RefCounterUnit) -> str:
    """What a counter counts, in words."""
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


def tell_event(event: PageEvent, as_json: bool) -> None:
    """Print an event."""
    if as_json:
        print_json({"event": event.counter, "page": event.page, "lost": event.lost})
    else:
        lost = f", {event.lost} events lost so far" if event.lost else ""
        print(f"{event.counter}: page {event.page}{lost}", flush=True)


def tell_row(row: PagesRow, before: PagesRow | None, as_json: bool) -> None:
    """Print what was done so far, and what an access cost since the row before."""
    references, home, cost = (
        getattr(row, name) - (getattr(before, name) if before else 0)
        for name in ("references", "home", "cost")
    )
    recent = cost / (references + home) if references + home else None
    if as_json:
        told = {"cost_per_access": row.cost_per_access, "recent_cost_per_access": recent}
        print_json({**asdict(row), **told})
        return
    columns = ", ".join(f"{getattr(row, name):,} {title}" for name, title in _ROW_COLUMNS.items())
    print(f"epoch {row.epoch}: {columns}; {recent or 0:.1f} cycles an access", flush=True)


def print_table(headings: Iterable[str], rows: list[list[int]]) -> None:
    """Print numbers in columns."""
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*map(str, row))
    Console(highlight=False, markup=False).print(table)
