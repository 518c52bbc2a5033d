# SPDX-License-Identifier: BSD-2-Clause
"""The read-only part of the API."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib.metadata import version
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field

from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.layout import Damage
from litemrc.feed.recent import EPOCHS as RECENT
from litemrc.serve.answers import Refusal, json_answer
from litemrc.serve.api import models
from litemrc.serve.api.queries import (
    Span,
    counters_in,
    epochs_in,
    merged_by,
    merged_contexts,
    of_history,
    tables_in,
)
from litemrc.serve.api.tables import MEDIA, SUFFIXES, chunks, empty_table, named
from litemrc.serve.epoch_json import (
    DIGITS,
    Record,
    context_records,
    curve_record,
    epoch_record,
    parameters_record,
)
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.lanes import Job, Lanes

JSON_EPOCHS = 1000
DAMAGE_HEADER = "Litemrc-Damage"
_HEADER_DAMAGES = 8
LATEST = 253402300800.0  # the year 10000
PREFIX = "/api/v1"
Time = Annotated[float | None, Query(ge=0, le=LATEST, allow_inf_nan=False)]
Last = Annotated[int | None, Query(ge=1, le=RECENT, description="the last epochs of the session")]
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Error} for status in (404, 413, 422, 503)
}


def devices_record(fleet: Fleet, *, control: bool) -> Record:
    """Return all devices."""
    devices = [device_record(device) for device in fleet.values()]
    return {"devices": devices, "control": control, "version": version("litemrc")}


def device_record(device: Served) -> Record:
    """Return one device."""
    parameters = device.recent.parameters
    newest = device.recent.last(1)
    extent = device.kept.extent if device.kept else None
    return {
        "name": device.name,
        "labels": dict(device.labels),
        "connected": device.connected,
        "failure": device.failure,
        "rate": device.recent.rate if device.connected else None,
        "idle_s": max(time.time() - newest[0].arrived, 0.0) if newest else None,
        "epochs": device.recent.arrived,
        "sessions": device.feed.sessions,
        "history": vars(extent) if extent else None,
        "parameters": parameters_record(parameters) if parameters else None,
    }


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
                "miss_ratio_full": round(misses / accesses, DIGITS) if accesses else None,
                "working_set_bytes": touched // epochs,
            }


async def span(
    last: Last = None,
    start: Annotated[Time, Query(description="arrival, in seconds since 1970")] = None,
    end: Annotated[Time, Query(description="arrival, in seconds since 1970")] = None,
) -> Span:
    """Return the epochs asked for; without any parameter the last one."""
    return _span(last, start, end)


def _span(last: int | None, start: float | None, end: float | None) -> Span:
    if last is not None and (start is not None or end is not None):
        raise Refusal(422, "last excludes start and end", "ask for the last epochs, or for a time")
    if last is None and start is None and end is None:
        last = 1
    found = Span(last, start or 0.0, LATEST if end is None else end)
    if found.start > found.end:
        raise Refusal(422, "the end lies before the start", "exchange them")
    return found


Spanned = Annotated[Span, Depends(span)]
Contexts = Annotated[
    Sequence[Annotated[int, Field(ge=0, le=255)]],
    Query(description="of this context only; may be repeated", max_length=256),
]
Format = Literal["json", "arrow", "parquet", "csv"]


def api_routes(fleet: Fleet, describe: Callable[[], Record], lanes: Lanes) -> APIRouter:
    """Return the routes of a fleet; `describe` is the answer of /devices."""
    routes = APIRouter(prefix=PREFIX)

    async def find(name: str) -> Served:
        if name not in fleet:
            raise Refusal(404, f"no device is called {name[:64]!r}", f"there are: {', '.join(fleet)}")
        return fleet[name]

    device = Annotated[Served, Depends(find)]

    @routes.get("/devices", responses={200: {"model": models.Devices}})
    async def devices() -> Response:  # not behind requests that compute in a thread
        """All devices: state of the session, parameters, what is kept."""
        return json_answer(describe())

    @routes.get(
        "/devices/{name}/epochs",
        responses=_ERRORS
        | {
            200: {"model": models.Epochs, "content": {media: {} for media in MEDIA.values()}},
        },
    )
    async def epochs(
        request: Request, served: device, span: Spanned, format: Format = "json", context: Contexts = ()
    ) -> Response:
        """Counters of epochs: JSON, or a table with a row for each epoch and context."""
        if format == "json":
            lane = lanes.of(history=of_history(served, span))

            def answer(job: Job) -> Response:
                records, damages = _records(served, span, context, job)
                return json_answer({"epochs": records} | described(damages))

            return await lane.run(request, answer)
        headers: dict[str, str] = {}
        if span.last is None and (kept := served.kept):
            headers = damage_headers(
                await lanes.history.run(request, lambda job: kept.damages(EPOCHS, span.start, span.end))
            )

        def pieces(job: Job) -> Generator[bytes, None, None]:
            tables = (named(served.name, table, context) for _, table in tables_in(served, span, [], job))
            first = next(tables, None)
            found = chain([empty_table(served.name) if first is None else first], tables)
            yield from chunks(format, found)

        file = f"{served.name}.{SUFFIXES[format]}"
        lane = lanes.exports if of_history(served, span) else lanes.recent
        return await lane.stream(
            request,
            pieces,
            media_type=MEDIA[format],
            headers={"Content-Disposition": f'attachment; filename="{file}"', **headers},
        )

    @routes.get("/devices/{name}/curves", responses=_ERRORS | {200: {"model": models.Curves}})
    async def curves(request: Request, served: device, span: Spanned) -> Response:
        """Miss-ratio curves of all these epochs together, one for each context and program."""

        def answer(job: Job) -> Response:
            found = counters_in(served, span, job)
            records = [curve_record(context, curve) for context, curve, _ in merged_contexts(found.parts)]
            times = {"first": found.first, "last": found.last}
            answer = {"epochs": found.epochs, **times, "curves": records}
            return json_answer(answer | described(found.damages))

        return await lanes.of(history=of_history(served, span)).run(request, answer)

    @routes.get("/devices/{name}/history", responses=_ERRORS | {200: {"model": models.HistoryPoints}})
    async def history(
        request: Request,
        served: device,
        start: Time = None,
        end: Time = None,
        points: Annotated[int, Query(ge=1, le=2000)] = 200,
    ) -> Response:
        """An overview of a time in equal parts."""
        asked = _span(None, start or 0.0, LATEST if end is None else end)

        def answer(job: Job) -> Response:
            damages: list[Damage] = []
            found = overview(served, asked, points, damages, job)
            return json_answer({"points": found} | described(damages))

        return await lanes.of(history=of_history(served, asked)).run(request, answer)

    @routes.get("/merged", responses=_ERRORS | {200: {"model": list[models.Merged]}})
    async def merged(
        request: Request,
        by: Annotated[str, Query(max_length=64, description="name (of contexts), or a label")] = "name",
        last: Annotated[int, Query(ge=1, le=RECENT)] = 1,
    ) -> Response:
        """Curves of all devices, merged where the name of the context, or the device's label, is the same."""
        labels = sorted({key for served in fleet.values() for key in served.labels})
        if by != "name" and by not in labels:
            raise Refusal(
                404, f"no device has the label {by!r}", f"there are: {', '.join(['name', *labels])}"
            )
        return await lanes.recent.run(request, lambda job: json_answer(merged_by(fleet, by, last, job)))

    return routes


def described(damages: list[Damage]) -> Record:
    """Return what an answer says about damage that took something from it; nothing without."""
    return {"damages": [vars(damage) for damage in damages]} if damages else {}


def damage_headers(damages: list[Damage]) -> dict[str, str]:
    """Return the header that says so beside a table; of many, the first ones and how many follow."""
    shown = " | ".join(map(str, damages[:_HEADER_DAMAGES]))
    more = f" | and {len(damages) - _HEADER_DAMAGES} more" if len(damages) > _HEADER_DAMAGES else ""
    text = (shown + more).encode("ascii", "backslashreplace").decode()
    return {DAMAGE_HEADER: text.replace("\n", " ").replace("\r", " ")} if damages else {}


def _records(served: Served, span: Span, shown: Sequence[int], job: Job) -> tuple[list[Record], list[Damage]]:
    damages: list[Damage] = []
    found = epochs_in(served, span, JSON_EPOCHS + 1, damages, job)
    if len(found) > JSON_EPOCHS:
        remedy = "ask for a shorter time, or for format=arrow, parquet or csv"
        raise Refusal(413, f"more than {JSON_EPOCHS} epochs are not sent as JSON", remedy)
    records = []
    for parameters, epoch in found:
        job.check()
        contexts = context_records(parameters, epoch)
        records.append(
            epoch_record(served.name, parameters, epoch)
            | {"contexts": [each for each in contexts if not shown or each["context"] in shown]}
        )
    return records, damages
