# SPDX-License-Identifier: BSD-2-Clause
"""The part of the API that changes settings of a device: with `--control`, for the token's owner."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header
from fastapi.responses import Response
from pydantic import Field

from litemrc.device.contexts import follow, set_budget
from litemrc.device.device import Device
from litemrc.device.errors import LinkError, RequestRefusedError
from litemrc.serve.answers import Refusal, json_answer
from litemrc.serve.api.models import Asked, Error, Strict
from litemrc.serve.api.routes import PREFIX
from litemrc.serve.epoch_json import Record
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.security import Tokens

_WORD = 2**32 - 1
Number = Annotated[int, Field(ge=0, le=_WORD)]
Context = Annotated[int, Field(ge=0, le=255)]


class EpochLength(Asked):
    """The length of an epoch."""

    length: Annotated[int, Field(ge=1, le=_WORD)]
    unit: Literal["accesses", "cycles"]


class Freeze(Asked):
    """A frozen monitor counts nothing, and its epoch does not end."""

    on: bool


class Follow(Asked):
    """The process that a context follows; pid 0 frees the context."""

    context: Context
    pid: Number


class Budget(Asked):
    """Memory that a context is guaranteed and limited to, a multiple of a page; null: neither."""

    context: Context
    bytes: Annotated[int, Field(ge=1)] | None


class Followed(Strict):
    """What a context follows: state and name of a process."""

    context: int
    state: str
    pid: int
    comm: str


class Budgeted(Budget):
    """A budget in force, and the memory that the context has."""

    used_bytes: int


def control_routes(fleet: Fleet, tokens: Tokens) -> APIRouter:
    """Return the routes of control."""

    async def find(name: str, authorization: Annotated[str | None, Header()] = None) -> Served:
        what, remedy = tokens.refusal
        if not tokens.control:
            raise Refusal(403, what, remedy)
        if not tokens.allow(authorization):
            raise Refusal(401, what, remedy, {"WWW-Authenticate": "Bearer"})
        if name not in fleet:
            raise Refusal(404, f"no device is called {name[:64]!r}", f"there are: {', '.join(fleet)}")
        return fleet[name]

    device = Annotated[Served, Depends(find)]
    answers: dict[int | str, dict[str, Any]] = {
        status: {"model": Error} for status in (401, 403, 404, 409, 422, 503)
    }
    routes = APIRouter(prefix=f"{PREFIX}/devices/{{name}}/control")

    @routes.post("/epoch", responses={200: {"model": EpochLength}, **answers})
    async def epoch(served: device, body: EpochLength) -> Response:
        """Set the length of epochs."""

        def change(device: Device) -> Record:
            unit, length = device.numbers(device.request("set_epoch", **body.model_dump()), 2)
            return {"length": length, "unit": device.choice("set_epoch", "unit", unit)}

        return await _changed(served, change)

    @routes.post("/freeze", responses={200: {"model": Freeze}, **answers})
    async def freeze(served: device, body: Freeze) -> Response:
        """Freeze the monitor, or let it count again."""

        def change(device: Device) -> Record:
            return {"on": bool(device.numbers(device.request("freeze", on=body.on), 3)[0])}

        return await _changed(served, change)

    @routes.post("/follow", responses={200: {"model": Followed}, **answers})
    async def follow_process(served: device, body: Follow) -> Response:
        """Have a context follow a process."""
        return await _changed(served, lambda device: vars(follow(device, body.context, body.pid)))

    @routes.post("/budget", responses={200: {"model": Budgeted}, **answers})
    async def budget(served: device, body: Budget) -> Response:
        """Give a context a memory budget."""

        def change(device: Device) -> Record:
            page_bytes = 1 << device.hello.page_shift
            if body.bytes is not None and body.bytes % page_bytes:
                raise Refusal(
                    422,
                    f"a budget of {body.bytes} bytes is no whole number of pages",
                    f"give a multiple of {page_bytes}",
                )
            pages = None if body.bytes is None else body.bytes // page_bytes
            found = set_budget(device, body.context, pages)
            allowed = None if found.allowed is None else found.allowed * page_bytes
            return {"context": found.context, "bytes": allowed, "used_bytes": found.used * page_bytes}

        return await _changed(served, change)

    return routes


async def _changed(served: Served, change: Callable[[Device], Record]) -> Response:
    """Return what is in force after a change, which the feed's thread makes."""
    try:
        return json_answer(await asyncio.wrap_future(served.feed.call(change)))
    except RequestRefusedError as refused:
        raise Refusal(409, refused.what, refused.remedy) from refused
    except LinkError as error:
        raise Refusal(503, error.what, error.remedy) from error
