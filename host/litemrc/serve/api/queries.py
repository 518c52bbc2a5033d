"""The epochs that a request asks for: the last ones of the session, or those that arrived in a time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from litemrc.epochs.rows import padded
from litemrc.epochs.table import COLUMNS, EpochTable
from litemrc.feed.history.damage import Damage
from litemrc.feed.history.kinds import EPOCHS, times_of
from litemrc.feed.history.reading import Part
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.serve.api.sums import Counted, counted
from litemrc.serve.api.tables import epochs_table
from litemrc.serve.fleet import Served
from litemrc.serve.kept import KeptEpochs
from litemrc.serve.lanes import Job
from litemrc.serve.windows import table_of

Kept = tuple[DeviceParameters, FeedEpoch]


@dataclass(frozen=True)
class Span:
    """Epochs asked for.

    Attributes:
        last: so many of the session's last ones; None: by time.
        start, end: of their arrival, both included, in seconds since 1970.
    """

    last: int | None
    start: float
    end: float


@dataclass(frozen=True)
class Found:
    """What a span holds.

    Attributes:
        epochs: how many; first, last: their arrival, None without one.
        parts: counters by context, of each session, sampling, and program that the context had.
        damages: what damage took from it.
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
    values = {name: rows.column(name).to_numpy() for name in COLUMNS if name not in ("hits", "tail")}
    hits = rows.column("hits").combine_chunks()
    values["hits"] = hits.flatten().to_numpy().reshape(len(rows), parameters.groups)
    values["tail"] = padded(rows.column("tail").to_pylist())
    return replace(parameters.table([], names), **values)


def _by_scale(table: EpochTable) -> Iterator[EpochTable]:
    """Yield the epochs of each sampling."""
    if len(table.scales) == 1:
        yield table
        return
    for scale in table.scales:
        kept = table.scale_log2 == scale
        yield replace(table, **{name: getattr(table, name)[kept] for name in COLUMNS})
