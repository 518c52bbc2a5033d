"""The read-only part of the API."""

from collections.abc import Callable, Generator, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field

from litemrc.feed.history.damage import Damage
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.recent import EPOCHS as RECENT
from litemrc.serve.answers import Refusal, json_answer
from litemrc.serve.api import models
from litemrc.serve.api.merging import merged_by, merged_contexts
from litemrc.serve.api.overview import overview
from litemrc.serve.api.queries import Span, counters_in, epochs_in, of_history, tables_in
from litemrc.serve.api.tables import MEDIA, SUFFIXES, chunks, empty_table, named
from litemrc.serve.epoch_json import Record, context_records, curve_record, epoch_record
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
