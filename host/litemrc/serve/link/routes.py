# SPDX-License-Identifier: BSD-2-Clause
"""The WebSocket on which other programs are hosts of a device."""

import asyncio
from contextlib import suppress
from importlib.metadata import version

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from litemrc.device.link.frames import FrameSplitter, old_frame
from litemrc.device.link.protocol import Message, OtherVersionError, ProtocolError, host_requests, old_hello
from litemrc.errors import UserError
from litemrc.serve.answers import json_answer
from litemrc.serve.api.routes import PREFIX
from litemrc.serve.fleet import Fleet, Served
from litemrc.serve.link.requests import perform
from litemrc.serve.link.stream import LinkHost, LinkStream
from litemrc.serve.security import Tokens

HOSTS = 16  # of one device
BAD_MESSAGES = (
    8  # of a host that is dropped: a later host may ask what this server does not know, but not often
)
_ENDED = 1012  # the service restarts: the host may come again
_REFUSED = 1008  # policy violation
_CLOSE_S = 2.0  # for what is queued for a host that is dropped
_REASON_BYTES = 120  # of a WebSocket's close, which has 123


def link_routes(fleet: Fleet, tokens: Tokens) -> APIRouter:
    """Return the routes of the link; to be made before the feeds start."""
    routes = APIRouter()
    links = {name: _Link(device) for name, device in fleet.items()}

    @routes.websocket(f"{PREFIX}/devices/{{name}}/link")
    async def link(websocket: WebSocket, name: str) -> None:
        if name not in links:
            await _deny(
                websocket, 404, f"no device is called {name[:64]!r}", f"there are: {', '.join(links)}"
            )
        elif unknown := next(iter(websocket.query_params), None):
            await _deny(websocket, 422, f"no parameter is called {unknown[:64]!r}", "leave it out")
        elif (given := websocket.headers.get("authorization")) and not tokens.allow(given):
            await _deny(websocket, 401, *tokens.refusal)
        elif links[name].hosts >= HOSTS:
            await _deny(websocket, 503, f"{HOSTS} programs read from this device already", "end one of them")
        elif not await links[name].serve(websocket, control=bool(given)):
            why = fleet[name].failure or "the link is not open yet"
            await _deny(
                websocket, 503, f"no session with the device: {why}", "wait, or check the server's port"
            )

    return routes


async def _deny(websocket: WebSocket, status: int, what: str, remedy: str) -> None:
    await websocket.send_denial_response(json_answer({"error": what, "remedy": remedy}, status))


class _Link:
    """The hosts of one device."""

    def __init__(self, device: Served) -> None:
        self._device, self._stream = device, LinkStream()
        device.feed.listen(self._stream)
        self._turn = asyncio.Lock()
        self.hosts = 0

    async def serve(self, websocket: WebSocket, *, control: bool) -> bool:
        """Talk with a host until one of both ends; False: there is no session."""
        host = LinkHost(asyncio.get_running_loop())
        if not self._stream.join(host):
            return False
        self.hosts += 1
        try:
            await websocket.accept()
            sending = asyncio.create_task(_send(websocket, host))
            try:
                await self._listen(websocket, host, control)
                if host.dropped:
                    await asyncio.wait([sending], timeout=_CLOSE_S)
            finally:
                sending.cancel()
        finally:
            self.hosts -= 1
            self._stream.leave(host)
        return True

    async def _listen(self, websocket: WebSocket, host: LinkHost, control: bool) -> None:
        splitter, undecoded = FrameSplitter(host_requests().max_bytes), 0
        while True:
            received = await websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            content = received.get("bytes")
            if content is None:
                host.drop("a text message came; send frames of the serial protocol, as binary messages")
                return
            for payload in splitter.feed(content):
                try:
                    request = host_requests().decode(payload)
                except OtherVersionError:
                    host.put_frame(old_frame(old_hello()))
                except ProtocolError:  # the firmware ignores it, too
                    undecoded += 1
                else:
                    await self._request(host, request, control)
                if host.ended is not None:
                    return
                if undecoded + splitter.damaged + splitter.oversized >= BAD_MESSAGES:
                    break
            if (bad := undecoded + splitter.damaged + splitter.oversized) >= BAD_MESSAGES:
                host.drop(
                    f"{bad} messages were no requests of this protocol; use litemrc {version('litemrc')}"
                )
                return

    async def _request(self, host: LinkHost, request: Message, control: bool) -> None:
        """Perform a request. Requests of hosts have half of the link's time at most: epochs must not wait."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            begun = loop.time()
            action = self._device.feed.call(
                lambda device: perform(self._stream, device, host, request, control=control)
            )
            with suppress(UserError):  # no answer; if the session is over, the host is told
                await asyncio.wrap_future(action)
            if request.name != "ask_hello":
                await asyncio.sleep(loop.time() - begun)


async def _send(websocket: WebSocket, host: LinkHost) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the host has left
        while (frame := await host.next_frame()) is not None:
            await websocket.send_bytes(frame)
        reason = (host.ended or "").encode()[:_REASON_BYTES].decode(errors="ignore")
        await websocket.close(_REFUSED if host.dropped else _ENDED, reason)
