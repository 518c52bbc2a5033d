# SPDX-License-Identifier: BSD-2-Clause
"""Answers of the API: JSON, and errors with the remedy; what every route asks of a request, and HEAD."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_origin

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from litemrc.serve.windows import encoded

_SHOWN = 64  # characters of a name in an answer


class ReaderLeftError(Exception):
    """Nobody waits for the answer any more."""


class Refusal(HTTPException):
    """A request that cannot be answered: `status`, what is wrong, what to do."""

    def __init__(
        self, status: int, what: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, what, dict(headers) if headers else None)
        self.remedy = remedy


def json_answer(record: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a record as JSON."""
    return Response(encoded(record), status, dict(headers or {}), media_type="application/json")


def add_error_answers(app: FastAPI) -> None:
    """Answer errors by `error` and `remedy`; nothing of the program is shown."""

    @app.exception_handler(HTTPException)
    async def refuse(_: Request, error: HTTPException) -> Response:
        remedy, headers = getattr(error, "remedy", ""), dict(error.headers or {})
        if error.status_code == 413 and not remedy:  # of a body: its rest is not read
            remedy, headers["Connection"] = "send less", "close"
        return json_answer({"error": error.detail, "remedy": remedy}, error.status_code, headers)

    @app.exception_handler(RequestValidationError)
    async def refuse_value(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        what = f"{place}: {first['msg']}"
        return json_answer({"error": what, "remedy": "see /openapi.json"}, 422)

    @app.exception_handler(ReaderLeftError)
    async def nobody(_: Request, __: ReaderLeftError) -> Response:
        return Response(status_code=499)  # it goes nowhere

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Response:
        logging.getLogger("litemrc.serve").error("%s: %r", request.scope["path"], error)
        remedy = "report this as a bug, with the server's output"
        return json_answer({"error": "the server failed", "remedy": remedy}, 500)


async def only_known_parameters(connection: HTTPConnection) -> None:
    """Refuse parameters that a route has not: one that is misspelled would ask for something else.

    Raises
    ------
    Refusal
        422: it is not known, or given twice where one is meant.
    """
    if connection.scope["type"] != "http":
        return  # a WebSocket is refused by its route
    route = connection.scope.get("route")
    known = dict(_parameters(route.dependant)) if isinstance(route, APIRoute) else {}
    remedy = f"there are: {', '.join(sorted(known))}" if known else "leave it out: this takes none"
    for name, count in Counter(name for name, _ in connection.query_params.multi_items()).items():
        if name not in known:
            raise Refusal(422, f"no parameter is called {name[:_SHOWN]!r}", remedy)
        if count > 1 and get_origin(known[name]) is not Sequence:
            raise Refusal(422, f"{name} is given {count} times", "give it once")


def _parameters(dependant: Dependant) -> Iterator[tuple[str, object]]:
    """Yield names and types of the parameters of a route and all that it depends on."""
    for field in dependant.query_params:
        yield field.alias, field.field_info.annotation
    for each in dependant.dependencies:
        yield from _parameters(each)


class HeadAsGet:
    """Answers HEAD on every route that answers GET: the same head, and no body.

    Queries that are not ASCII are refused here: the router fails at them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app: ASGIApp = self._app
        if scope["type"] == "http" and not scope["query_string"].isascii():
            app = json_answer({"error": "the query is not ASCII", "remedy": "encode its bytes as %XX"}, 400)
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await app(scope, receive, send)
            return
        done = False

        async def receive_until_done() -> Message:
            return {"type": "http.disconnect"} if done else await receive()

        async def send_head(message: Message) -> None:
            nonlocal done
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                done = True  # a stream without end sees that nobody reads on

        await app({**scope, "method": "GET"}, receive_until_done, send_head)
