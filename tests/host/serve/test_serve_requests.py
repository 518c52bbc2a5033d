# SPDX-License-Identifier: BSD-2-Clause
"""Every route refuses what it does not know, answers HEAD as GET, and takes values of their own type only."""

import asyncio

import httpx
import pytest
from fastapi.routing import APIRoute
from litemrc.serve.api import models
from litemrc.serve.app import build
from litemrc.serve.fleet import Fleet
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.host.paced_device import paced
from tests.host.serve.http_serving import TOKEN, serving

GETS = {
    "/": "/",
    "/docs": "/docs",
    "/static/{file}": "/static/main.js",
    "/openapi.json": "/openapi.json",
    "/metrics": "/metrics",
    "/api/v1/live": "/api/v1/live",
    "/api/v1/merged": "/api/v1/merged",
    "/api/v1/devices": "/api/v1/devices",
    "/api/v1/devices/{name}/epochs": "/api/v1/devices/device/epochs",
    "/api/v1/devices/{name}/curves": "/api/v1/devices/device/curves",
    "/api/v1/devices/{name}/history": "/api/v1/devices/device/history",
}
POSTS = {
    "epoch": {"length": 5, "unit": "accesses"},
    "freeze": {"on": True},
    "follow": {"context": 1, "pid": 3},
    "budget": {"context": 1, "bytes": 4096},
}


def routes(of: object) -> set[tuple[str, str]]:
    """Methods and paths of all routes, those of included routers too."""
    found = set()
    for route in of.routes:
        if hasattr(route, "original_router"):
            found |= routes(route.original_router)
        elif isinstance(route, APIRoute):
            found |= {(method, route.path) for method in route.methods}
    return found


@pytest.fixture(scope="module")
def served():
    with paced(rate=20) as device, serving(device.url, token=TOKEN) as found:
        found.wait_for_epochs(2)
        yield found


def test_the_lists_above_have_every_route() -> None:
    control = {("POST", f"/api/v1/devices/{{name}}/control/{name}") for name in POSTS}
    assert routes(build(Fleet([])).asgi) == {("GET", path) for path in GETS} | control


@pytest.mark.parametrize("path", GETS.values())
def test_get_and_head_have_one_head_and_refuse_unknown_parameters(served, path: str) -> None:
    head = httpx.head(served.url + path, timeout=20)
    assert head.status_code == 200 and head.content == b""
    with httpx.stream("GET", served.url + path, timeout=20) as answer:  # live events have no end
        assert answer.status_code == 200
        assert answer.headers["content-type"] == head.headers["content-type"]
    for query, name in (
        ("lsat=50", "lsat"),
        ("Last=5", "Last"),
        ("last%20=5", "last "),
        ("x", "x"),
        ("=1", ""),
    ):
        refused = served.get(f"{path}?{query}")
        assert refused.status_code == 422, query
        assert repr(name) in models.Error.model_validate(refused.json()).error
        assert httpx.head(f"{served.url}{path}?{query}", timeout=20).status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "epochs?last=1&last=2",
        "epochs?format=csv&format=csv",
        "history?points=3&points=3",
        "curves?start=1&start=2",
    ],
)
def test_a_parameter_that_is_given_twice_is_refused(served, query: str) -> None:
    answer = served.get(f"/api/v1/devices/device/{query}")
    assert answer.status_code == 422 and "2 times" in answer.json()["error"]
    assert served.get("/api/v1/devices/device/epochs?context=1&context=2").status_code == 200


@pytest.mark.parametrize(("action", "body"), POSTS.items())
def test_bodies_have_values_of_their_own_type(served, action: str, body: dict) -> None:
    path = f"{served.url}/api/v1/devices/device/control/{action}"

    def post(changed: dict, query: str = "") -> int:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.post(path + query, json=changed, headers=headers, timeout=20).status_code

    assert post(body) == 200
    assert post(body, "?dry=1") == 422
    assert post(body | {"extra": 1}) == 422
    for name, value in body.items():
        others = [str(value), [value], {}] + ([1, 0, "yes", "on", "true", None] if value is True else [True])
        for other in others:
            if not (name == "unit" and other == value):
                assert post(body | {name: other}) == 422, (name, other)


def test_the_link_refuses_parameters_and_drops_who_does_not_speak_its_protocol(served) -> None:
    url = served.url.replace("http", "ws") + "/api/v1/devices/device/link"
    with pytest.raises(InvalidStatus) as refused, connect(f"{url}?take=1", proxy=None):
        pass
    assert refused.value.response.status_code == 422
    for messages, what in (
        (["hello"], "binary"),
        ([b"\0nonsense\0"] * 8, "8 messages"),
        ([b"\0" + b"\5a\0" * 900], "900 messages"),
    ):
        with connect(url, proxy=None) as socket, pytest.raises(ConnectionClosed) as closed:
            for message in messages:
                socket.send(message)
            while True:
                socket.recv(timeout=20)
        assert closed.value.rcvd.code == 1008 and what in closed.value.rcvd.reason
    with connect(url, proxy=None) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.send(bytes(5000))
        while True:
            socket.recv(timeout=20)
    assert closed.value.rcvd.code == 1009  # longer than any request
    assert served.json("/api/v1/devices")["devices"][0]["connected"]


def test_a_new_live_reader_gets_the_newest_epoch_with_the_curves_of_its_window() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(30)
        served.stop(device)
        newest = served.json("/api/v1/devices/device/epochs?last=1")["epochs"][0]
        for window in (1, 5, 20):

            async def read(window: int = window) -> list[bytes]:
                hub = served.server._hub
                generator = hub.events(frozenset(["device"]), window)
                try:
                    return [await anext(generator) for _ in range(2)]
                finally:
                    await generator.aclose()

            loop = served.server._hub._loop
            devices, current = asyncio.run_coroutine_threadsafe(read(), loop).result(20)
            assert b"event: devices" in devices and b"event: current" in current
            assert b'"number":%d,' % newest["number"] in current
            assert b'"curve_epochs":%d,' % window in current
            expected = served.json(f"/api/v1/devices/device/curves?last={window}")
            assert f'"curve_first":{expected["first"]}'.encode() in current
