# SPDX-License-Identifier: BSD-2-Clause
"""What answers say to browsers, and who may ask: pure ASGI, as other middleware costs each live event."""

import hmac
import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from litemrc.serve.answers import json_answer

# plotly.js sets styles of elements; pictures are made as data and blob.
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SafeHeaders:
    """Adds the headers to every answer, and refuses requests that a page of another origin sent.

    A browser lets any page open a WebSocket to any server; only the server sees whose page it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_safe(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if not _same_origin(Headers(scope=scope)):
            refusal = {"error": "a page of another origin may not read this", "remedy": "open it directly"}
            await json_answer(refusal, 403)(scope, receive, send_safe)
            return
        await self._app(scope, receive, send_safe)


def _same_origin(headers: Headers) -> bool:
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a server on that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_hosts(listen: str, more: Iterable[str]) -> list[str]:
    """Return the values of the header Host that are answered: against DNS rebinding."""
    return ["localhost", "127.0.0.1", "[::1]", "::1", listen, f"[{listen}]", *more]


class Tokens:
    """The token that control needs; None: there is no control."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    @property
    def control(self) -> bool:
        """Settings can be changed."""
        return self._token is not None

    @property
    def refusal(self) -> tuple[str, str]:
        """What to answer who has another token, and its remedy."""
        if not self.control:
            return "the server is read-only: it takes no token", "start litemrc serve with --control"
        return "the token is wrong", "give the token that litemrc serve printed, or that of its --token-file"

    def allow(self, authorization: str | None) -> bool:
        """Return whether a header Authorization has the token; the time it takes does not depend on it."""
        scheme, _, given = (authorization or "").partition(" ")
        if self._token is None or scheme.lower() != "bearer":
            return False
        return hmac.compare_digest(given.strip().encode(), self._token.encode())
