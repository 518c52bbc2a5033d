# SPDX-License-Identifier: BSD-2-Clause
"""HTTP connections with limits on what a peer sends, how long it waits, and how long it does not read.

uvicorn bounds the bodies that wait; headers and connections that say nothing are bounded here, and a request
must wait until the one before it on a connection is answered.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEAD_BYTES = 16384  # request line and headers
REQUEST_S = 20.0  # until a request is whole
STALLED_S = 30.0  # that a peer may not read what it asked for
CONNECTIONS = 1024

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class _Stalls:
    """Ends the connection of a peer that does not read."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """The buffer of the connection is full."""
        super().pause_writing()  # type: ignore[misc]
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It is not full any more."""
        self._cancel_stalled()
        super().resume_writing()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._cancel_stalled()
        super().connection_lost(exc)  # type: ignore[misc]

    def _cancel_stalled(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None


class LimitedWebSocket(_Stalls, WebSocketsSansIOProtocol):
    """A WebSocket whose peer must read."""

    async def send(self, message: Any) -> None:
        """Send, and note that a refusal completes the handshake, which uvicorn would report as an error."""
        await super().send(message)
        if self.initial_response and self.close_sent:
            self.handshake_complete = True


class LimitedHttp(_Stalls, HttpToolsProtocol):
    """An HTTP connection whose peer must send small requests in time, and read the answers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0
        self._request_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        self._expect_request()
        if len(self.connections) > CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self._request_arrived()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._head = 0
        self._expect_request()

    def on_url(self, url: bytes) -> None:
        """A part of the request line."""
        if self._fits(len(url)):
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        if self._fits(len(name) + len(value) + 4):
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """All headers of a request are there; the one before must have been answered.

        uvicorn queues such requests, without a limit. At the end of a connection it tells the last one only:
        the one under way, which may be a live reader, would write on for ever.
        """
        if self.cycle and not self.cycle.response_complete:
            self.transport.abort()
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._request_arrived()
        if not self.transport.is_closing():
            super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """The connection is a WebSocket from now on."""
        self._request_arrived()
        super().handle_websocket_upgrade()

    def _fits(self, length: int) -> bool:
        self._head += length
        if self._head > HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        return self._head <= HEAD_BYTES

    def _expect_request(self) -> None:
        if self._request_due is None:
            self._request_due = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _request_arrived(self) -> None:
        if self._request_due:
            self._request_due.cancel()
            self._request_due = None
