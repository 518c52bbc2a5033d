"""What every route asks of a request, and what HEAD is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_origin

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from litemrc.serve.answers import Refusal, json_answer

_SHOWN = 64  # characters of a name in an answer


async def only_known_parameters(connection: HTTPConnection) -> None:
    """Refuse parameters that a route has not: one that is misspelled would ask for something else.

    Raises:
        Refusal: 422: it is not known, or given twice where one is meant.
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
