"""Curves merged: those of a context over sessions, and those of many devices by name or label."""

from collections.abc import Iterable

from litemrc.curves.curve import Curve
from litemrc.serve.api.queries import Span, counters_in
from litemrc.serve.api.sums import Counted, merged
from litemrc.serve.epoch_json import Record, curve_record
from litemrc.serve.fleet import Fleet
from litemrc.serve.lanes import Job


def merged_contexts(parts: Iterable[dict[int, Counted]]) -> list[tuple[int, Curve, str]]:
    """Return contexts with the curve of all their parts, one for each program that a context had."""
    found: dict[tuple[int, str], list[Counted]] = {}
    for part in parts:
        for context, counters in part.items():
            found.setdefault((context, counters.name), []).append(counters)
    return [(context, *merged(found[context, name])) for context, name in sorted(found)]


def merged_by(fleet: Fleet, by: str, last: int, job: Job) -> list[Record]:
    """Return the curves of the last epochs of all devices with a session, merged.

    Parameters:
        by: "name": contexts of equal name; else a label: all contexts of the devices of equal value.
    """
    found: dict[str, tuple[set[str], list[Counted]]] = {}
    for device in fleet.values():
        job.check()
        for part in counters_in(device, Span(last, 0.0, 0.0), job).parts:
            for counters in part.values():
                value = counters.name if by == "name" else device.labels.get(by)
                if value is not None:
                    names, counted = found.setdefault(value, (set(), []))
                    names.add(device.name)
                    counted.append(counters)
    records = []
    for place, (value, (names, counted)) in enumerate(sorted(found.items())):
        curve, how = merged(counted)
        record = curve_record(place, curve) | {"name": value}
        records.append({"value": value, "devices": sorted(names), "how": how, "curve": record})
    return records
