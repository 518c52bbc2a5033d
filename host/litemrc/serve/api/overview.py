"""An overview of a time: counters of its equal parts."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from litemrc.feed.history.damage import Damage
from litemrc.serve.api.queries import Span, tables_in
from litemrc.serve.epoch_json import Record
from litemrc.serve.fleet import Served
from litemrc.serve.lanes import Job


def overview(device: Served, span: Span, points: int, damages: list[Damage], job: Job) -> list[Record]:
    """Return the parts of a span that have an epoch, `points` at most, the oldest first; append damages."""
    found: dict[int, _Point] = {}
    start, width = _extent(device, span, points)
    for parameters, table in tables_in(device, span, damages, job):
        arrived = table.column("arrived").cast(pa.int64()).to_numpy() / 1e6
        places = np.minimum((arrived - start) / width, points - 1).astype(int) if width else arrived * 0
        for place in np.unique(places).tolist():
            rows = table.filter(pa.array(places == place))
            found.setdefault(int(place), _Point(start + place * width)).add(rows, parameters.page_bytes)
    return [found[place].record() for place in sorted(found)]


def _extent(device: Served, span: Span, points: int) -> tuple[float, float]:
    """Return the beginning, and the length of a part, of what there is in a span."""
    if device.kept:
        extent = device.kept.extent
        known = [time for time in (extent.first, extent.last) if time is not None]
    else:
        known = [epoch.arrived for epoch in device.recent.last()]
    if not known:
        return span.start, 0.0
    start = max(span.start, min(known))
    return start, max(min(span.end, max(known)) - start, 0.0) / points


class _Point:
    """Counters of a part of the time."""

    def __init__(self, at: float) -> None:
        self._at, self._epochs, self._dropped = at, 0, 0
        self._contexts: dict[tuple[int, str], np.ndarray] = {}

    def add(self, rows: pa.Table, page_bytes: int) -> None:
        """Add epochs of one session."""
        _, first = np.unique(rows.column("epoch").to_numpy(), return_index=True)
        self._epochs += first.size
        self._dropped += int(rows.column("dropped").to_numpy()[first].sum())
        names = ("accesses", "misses", "touched", "scale_log2")
        columns = [rows.column(name).to_numpy().astype(np.int64) for name in names]
        keys = zip(rows.column("context").to_pylist(), rows.column("name").to_pylist(), strict=True)
        for key, accesses, misses, touched, scale in zip(keys, *columns, strict=True):
            sums = self._contexts.setdefault(key, np.zeros(4, np.int64))
            sums += (accesses, misses, (touched << scale) * page_bytes, 1)

    def record(self) -> Record:
        return {
            "at": self._at,
            "epochs": self._epochs,
            "contexts": list(self._records()),
            "dropped": self._dropped,
        }

    def _records(self) -> Iterator[Record]:
        for (context, name), sums in sorted(self._contexts.items()):
            accesses, misses, touched, epochs = sums.tolist()
            yield {
                "context": context,
                "name": name or f"context {context}",
                "accesses": accesses,
                "miss_ratio_full": round(misses / accesses, 6) if accesses else None,
                "working_set_bytes": touched // epochs,
            }
