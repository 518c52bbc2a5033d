# SPDX-License-Identifier: BSD-2-Clause
"""The application: page, API, live events, metrics and the link, over one fleet."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated

from anyio import to_thread
from fastapi import Depends, FastAPI, Query
from fastapi.responses import Response, StreamingResponse
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from litemrc.serve.answers import HeadAsGet, Refusal, add_error_answers, json_answer, only_known_parameters
from litemrc.serve.api.control import control_routes
from litemrc.serve.api.routes import PREFIX, api_routes, devices_record
from litemrc.serve.fleet import Fleet
from litemrc.serve.lanes import Lanes
from litemrc.serve.link.routes import link_routes
from litemrc.serve.live import LiveHub
from litemrc.serve.metrics.exporter import metrics_routes
from litemrc.serve.page import page_routes
from litemrc.serve.security import SafeHeaders, Tokens
from litemrc.serve.windows import WINDOWS

BODY_BYTES = 65536
THREADS = 4  # that read the page's files; requests that compute have lanes


@dataclass
class Application:
    """The ASGI application, and what ends before its server does."""

    asgi: FastAPI
    hub: LiveHub


def build(
    fleet: Fleet, *, token: str | None = None, hosts: Sequence[str] = ("localhost", "127.0.0.1")
) -> Application:
    """Return the application of a fleet whose feeds have not started; they start and end with it.

    Parameters
    ----------
    token
        that control needs; None: the server is read-only.
    hosts
        values of the header Host that are answered.
    """

    tokens = Tokens(token)

    def describe() -> dict:
        return devices_record(fleet, control=tokens.control)

    hub, lanes = LiveHub(fleet, describe), Lanes()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        hub.start()
        fleet.start()
        yield
        hub.close()
        lanes.close()

    app = FastAPI(
        title="LiteMRC",
        version=version("litemrc"),
        description="Miss-ratio curves, ranks and hot pages of devices that one server reads.",
        docs_url=None,  # FastAPI's page loads from a CDN; /docs is one of ours
        redoc_url=None,
        openapi_url=None,  # its route would take any parameter
        dependencies=[Depends(only_known_parameters)],
        lifespan=lifespan,
        max_body_size=BODY_BYTES,
        middleware=[
            Middleware(SafeHeaders),
            Middleware(HeadAsGet),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
    )
    add_error_answers(app)
    app.include_router(page_routes())
    app.include_router(api_routes(fleet, describe, lanes))
    app.include_router(link_routes(fleet, tokens))
    app.include_router(control_routes(fleet, tokens))
    app.include_router(metrics_routes(fleet, hub, lanes))

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return json_answer(app.openapi())

    @app.get(
        f"{PREFIX}/live",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}},
    )
    async def live(
        devices: Annotated[str, Query(max_length=4096, description="names, with commas; empty: all")] = "",
        window: Annotated[int, Query(description="epochs of a curve: 1, 5, 20 or 100")] = 1,
    ) -> StreamingResponse:
        """Server-sent events: devices, epochs as they arrive, and behind if the reader is too slow."""
        if window not in WINDOWS:
            raise Refusal(422, f"no window has {window} epochs", f"choose {', '.join(map(str, WINDOWS))}")
        names = frozenset(filter(None, devices.split(","))) or frozenset(fleet)
        if unknown := sorted(names - set(fleet)):
            raise Refusal(404, f"no device is called {unknown[0][:64]!r}", f"there are: {', '.join(fleet)}")
        return StreamingResponse(hub.events(names, window), media_type="text/event-stream")

    return Application(app, hub)
