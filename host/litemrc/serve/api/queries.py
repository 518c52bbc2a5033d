# SPDX-License-Identifier: BSD-2-Clause
"""The epochs that a request asks for: the last ones of the session, or those that arrived in a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters
from litemrc.epochs.files import arrays_of
from litemrc.epochs.table import EpochTable
from litemrc.feed.history.kinds import EPOCHS, times_of
from litemrc.feed.history.layout import Damage
from litemrc.feed.history.reading import Part
from litemrc.feed.records import DeviceParameters, FeedEpoch, table_of
from litemrc.serve.api.tables import epochs_table
from litemrc.serve.epoch_json import Record, curve_record
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.kept import KeptEpochs
from litemrc.serve.lanes import Job

SUMMED, WEIGHTED = "counters summed", "curves weighted by accesses"
Kept = tuple[DeviceParameters, FeedEpoch]


@dataclass(frozen=True)
class Counted:
    """Counters of one context over some epochs.

    Attributes
    ----------
    dropped
        accesses lost in these epochs, of all contexts.
    """

    counters: HitCounters
    page_bytes: int
    name: str
    dropped: int

    @property
    def grain(self) -> tuple[int, int, int]:
        """Counters of equal grain can be summed: bytes of a page, pages of a group, sampling."""
        return self.page_bytes, self.counters.group_pages, self.counters.scale_log2

    @property
    def group_bytes(self) -> int:
        """Memory that a hit counter stands for."""
        return self.counters.group_pages * self.page_bytes

    @property
    def weight(self) -> int:
        """Accesses; of sampled pages those of all pages, estimated."""
        return self.counters.accesses << self.counters.scale_log2

    def curve(self) -> Curve:
        """Return the curve."""
        return self.counters.curve(self.page_bytes, name=self.name, dropped=self.dropped)


def counted(table: EpochTable) -> dict[int, Counted]:
    """Return the counters of each context of a table whose epochs have one sampling."""
    return {
        context: Counted(
            table.counters(context),
            table.page_bytes,
            table.name_of(context),
            table.sum_of_epochs("dropped", context),
        )
        for context in table.contexts_with_data
    }


def merged(parts: Sequence[Counted]) -> tuple[Curve, str]:
    """Return the curve of all parts, and how it was made: `SUMMED` or `WEIGHTED`.

    Counters of different grain have no sum. Then the miss ratio at a size is the mean of the parts' miss
    ratios, weighted by their accesses, at the sizes of the coarsest part; a finer curve is exact there if its
    groups divide the coarsest one's, otherwise its miss ratio is that of the largest size that fits.
    """
    by_grain: dict[tuple[int, int, int], list[Counted]] = {}
    for part in parts:
        by_grain.setdefault(part.grain, []).append(part)
    sums = [_sum(equal) for equal in by_grain.values()]
    if len(sums) == 1:
        return sums[0].curve(), SUMMED
    return _weighted(sums), WEIGHTED


def _sum(parts: Sequence[Counted]) -> Counted:
    first = parts[0]
    return replace(
        first,
        counters=HitCounters.of(
            _padded_sum(part.counters.hits for part in parts),
            sum(part.counters.misses for part in parts),
            first.counters.group_pages,
            accesses=sum(part.counters.accesses for part in parts),
            overflow=any(part.counters.overflow for part in parts),
            refaults=_padded_sum(part.counters.refaults for part in parts),
            scale_log2=first.counters.scale_log2,
        ),
        dropped=sum(part.dropped for part in parts),
        name=parts[-1].name,
    )


def _padded_sum(counters: Iterable[np.ndarray]) -> np.ndarray:
    each = list(counters)
    total = np.zeros(max(one.size for one in each), np.uint64)
    for one in each:
        total[: one.size] += one
    return total


def _weighted(sums: Sequence[Counted]) -> Curve:
    coarsest = max(sums, key=lambda one: one.group_bytes)
    longest = max(one.counters.combined_hits.size * one.group_bytes for one in sums)
    sizes = np.arange(1, -(-longest // coarsest.group_bytes) + 1, dtype=np.int64) * coarsest.group_bytes
    weights = [one.weight for one in sums]
    ratios = np.full(sizes.size, np.nan)
    if sum(weights):
        curves = [one.curve() for one in sums if one.weight]
        points = [[curve.at(bytes=size) for size in sizes.tolist()] for curve in curves]
        ratios = np.average(points, axis=0, weights=[weight for weight in weights if weight])
    last = coarsest.curve()
    return Curve(
        sizes // coarsest.page_bytes,
        np.minimum.accumulate(ratios),  # the mean of falling curves falls, but for its last digit
        sum(one.counters.accesses for one in sums),
        sum(one.curve().misses for one in sums),
        coarsest.page_bytes,
        sums[-1].name,
        resolution_pages=last.resolution_pages,
        dropped=sum(one.dropped for one in sums),
        overflow=any(one.counters.overflow for one in sums),
    )


def merged_contexts(parts: Iterable[dict[int, Counted]]) -> list[tuple[int, Curve, str]]:
    """Return contexts with the curve of all their parts, one for each program that a context had."""
    found: dict[tuple[int, str], list[Counted]] = {}
    for part in parts:
        for context, counters in part.items():
            found.setdefault((context, counters.name), []).append(counters)
    return [(context, *merged(found[context, name])) for context, name in sorted(found)]


def merged_by(fleet: Fleet, by: str, last: int, job: Job) -> list[Record]:
    """Return the curves of the last epochs of all devices with a session, merged.

    Parameters
    ----------
    by
        "name": contexts of equal name; else a label: all contexts of the devices of equal value.
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


@dataclass(frozen=True)
class Span:
    """Epochs asked for.

    Attributes
    ----------
    last
        so many of the session's last ones; None: by time.
    start, end
        of their arrival, both included, in seconds since 1970.
    """

    last: int | None
    start: float
    end: float


@dataclass(frozen=True)
class Found:
    """What a span holds.

    Attributes
    ----------
    epochs
        how many; first, last: their arrival, None without one.
    parts
        counters by context, of each session, sampling, and program that the context had.
    damages
        what damage took from it.
    """

    epochs: int
    first: float | None
    last: float | None
    parts: list[dict[int, Counted]]
    damages: list[Damage]


def of_history(device: Served, span: Span) -> bool:
    """Return whether files have to be read for a span."""
    return span.last is None and device.kept is not None


def epochs_in(device: Served, span: Span, most: int, damages: list[Damage], job: Job) -> list[Kept]:
    """Return the epochs of a span, the first `most` of them at most; append what damage took to `damages`."""
    if span.last is None and device.kept:
        return device.kept.epochs(span.start, span.end, most, damages, job.check)
    return _recent(device, span)[:most]


def tables_in(
    device: Served, span: Span, damages: list[Damage], job: Job
) -> Iterator[tuple[DeviceParameters, pa.Table]]:
    """Yield sessions and tables of the epochs of a span; append what damage took from it to `damages`."""
    if span.last is None and device.kept:
        for part in _parts(device.kept, span, damages, job):
            yield part.parameters, part.rows
    elif found := _recent(device, span):
        yield found[0][0], epochs_table(found[0][0], [epoch for _, epoch in found])


def counters_in(device: Served, span: Span, job: Job) -> Found:
    """Return the counters of a span, summed as far as sums have a meaning."""
    parts: list[dict[int, Counted]] = []
    epochs, times, damages = 0, list[float](), list[Damage]()
    if span.last is None and device.kept:
        for part in _parts(device.kept, span, damages, job):
            times += [time / 1e6 for time in times_of(part.rows)]
            for table in _tables_of_rows(part.parameters, part.rows):
                epochs += np.unique(table.epoch).size
                parts.append(counted(table))
    elif found := _recent(device, span):
        times = [epoch.arrived for _, epoch in found]
        epochs = len(found)
        whole = table_of(found[0][0], [epoch for _, epoch in found])
        parts = [counted(table) for table in _by_scale(whole)]
    return Found(epochs, min(times, default=None), max(times, default=None), parts, damages)


def _parts(kept: KeptEpochs, span: Span, damages: list[Damage], job: Job) -> Iterator[Part]:
    return job.each(kept.parts(EPOCHS, span.start, span.end, damages), lambda part: len(part.rows))


def _recent(device: Served, span: Span) -> list[Kept]:
    parameters = device.recent.parameters
    epochs = device.recent.last(span.last)
    return [
        (parameters, epoch)
        for epoch in epochs
        # A new session may have begun between the two lines above.
        if parameters
        and epoch.session == parameters.session
        and (span.last is not None or span.start <= epoch.arrived <= span.end)
    ]


def _tables_of_rows(parameters: DeviceParameters, rows: pa.Table) -> Iterator[EpochTable]:
    """Yield tables of the rows of a history; a context has one name in each."""
    names = rows.column("name").to_pylist()
    contexts = rows.column("context").to_pylist()
    pairs = list(zip(contexts, names, strict=True))
    programs: dict[int, list[str]] = {}  # that a context had, in order
    for context, name in dict.fromkeys(pairs):
        programs.setdefault(context, []).append(name)
    turns = np.array([programs[context].index(name) for context, name in pairs])
    for turn in range(max(map(len, programs.values()), default=0)):
        of_turn = rows.filter(pa.array(turns == turn))
        context_names = {context: had[turn] for context, had in programs.items() if len(had) > turn}
        yield from _by_scale(_table(parameters, of_turn, context_names).together())


def _table(parameters: DeviceParameters, rows: pa.Table, names: dict[int, str]) -> EpochTable:
    return replace(parameters.table([], names), **arrays_of(rows, parameters.groups))


def _by_scale(table: EpochTable) -> Iterator[EpochTable]:
    """Yield the epochs of each sampling."""
    if len(table.scales) == 1:
        yield table
        return
    for scale in table.scales:
        yield table.select(table.scale_log2 == scale)
