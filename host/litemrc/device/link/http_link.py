# SPDX-License-Identifier: BSD-2-Clause
"""The link to a device that `litemrc serve` serves: its messages over a WebSocket."""

import json
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from typing import Any, Self
from urllib.parse import quote, unquote, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from litemrc.device.errors import DeviceGoneError, PortError
from litemrc.device.link.link import FramePort

_API = "/api/v1/devices"
_ANSWER_BYTES = 1 << 20
_QUEUE = 64  # messages that wait here; more wait at the server, which counts those it drops
_NAME_IT = "name a server: http://HOST:PORT of litemrc serve, or http://HOST:PORT/NAME of several devices"


class HTTPLink(FramePort):
    """A session with a served device. Use `open`.

    Raises, from every method:
        DeviceGoneError: the server went away, or its session with the device ended.
    """

    def __init__(self, connection: ClientConnection, url: str, opened: ExitStack) -> None:
        super().__init__(url)
        self._connection, self._opened = connection, opened

    @classmethod
    def open(cls, url: str, timeout_s: float) -> Self:
        """Connect to `http[s]://[TOKEN@]HOST[:PORT][/NAME]`; NAME may be left out where there is one device.

        Raises
        ------
        PortError
            not such a URL, no server there, or it refuses; the text says why.
        """
        where = _Where(url)
        name = where.name or where.only_device(timeout_s)
        headers = {"Authorization": f"Bearer {where.token}"} if where.token else {}
        opened = ExitStack()
        try:
            connecting = connect(
                f"{where.websocket}{_API}/{quote(name, safe='')}/link",
                additional_headers=headers,
                compression=None,
                proxy=None,
                open_timeout=timeout_s,
                close_timeout=1,
                max_queue=_QUEUE,
            )
            connection = opened.enter_context(connecting)
        except (OSError, ValueError, WebSocketException) as error:
            raise where.refused(error) from error
        return cls(connection, f"{where.shown}/{name}", opened)

    def close(self) -> None:
        """Close the connection."""
        self._opened.close()

    def _read(self, timeout_s: float) -> bytes:
        try:
            return self._connection.recv(timeout_s, decode=False)
        except TimeoutError:
            return b""
        except (ConnectionClosed, OSError) as error:
            raise self._gone(error) from error

    def _write(self, encoded: bytes) -> None:
        try:
            self._connection.send(encoded)
        except (ConnectionClosed, OSError) as error:
            raise self._gone(error) from error

    def _gone(self, error: Exception) -> DeviceGoneError:
        closed = isinstance(error, ConnectionClosed) and error.rcvd
        why = closed.reason if closed and closed.reason else "the server closed the connection"
        return DeviceGoneError(f"the device is gone: {why}", where=self.url, remedy="see the server's output")


def check_url(url: str) -> None:
    """Check that a URL names a server, without asking it.

    Raises
    ------
    PortError
        it does not.
    """
    _Where(url)


class _Where:
    """The parts of a URL.

    Attributes
    ----------
    name
        of the device; empty: the only one.
    token
        for control; empty: none.
    shown
        the server's URL without the token, which must not get into messages and files.
    websocket
        the same for a WebSocket.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise PortError(f"not a URL: {error}", where=_hidden(url), remedy=_NAME_IT) from error
        self.token = unquote(parts.username or "")
        self.name = unquote(parts.path.strip("/"))
        host = parts.hostname or ""
        address = f"[{host}]" if ":" in host else host
        address += f":{port}" if port is not None else ""
        self.shown = f"{parts.scheme}://{address}"
        self.websocket = f"{'wss' if parts.scheme == 'https' else 'ws'}://{address}"
        if not host or "/" in self.name or parts.query or parts.fragment or parts.password:
            raise PortError("not the URL of a served device", where=_hidden(url), remedy=_NAME_IT)

    def only_device(self, timeout_s: float) -> str:
        """Return the name of the server's only device.

        Raises
        ------
        PortError
            there are several; or as `HTTPLink.open`.
        """
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self.shown + _API, timeout=timeout_s) as answer:
                names = [device["name"] for device in json.loads(answer.read(_ANSWER_BYTES))["devices"]]
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise self.refused(error) from error
        if len(names) != 1:
            what = f"the server has {len(names)} devices: {', '.join(map(str, names))}"
            raise PortError(what, where=self.shown, remedy=f"choose one: {self.shown}/NAME")
        return str(names[0])

    def refused(self, error: Exception) -> PortError:
        """Return the error for a connection that was not made."""
        what, remedy = f"cannot open the port: {_reason(error)}", "check that litemrc serve runs there"
        body: Any = b""
        if isinstance(error, InvalidStatus):
            body = error.response.body
        elif isinstance(error, urllib.error.HTTPError):
            body = error.read(_ANSWER_BYTES)
        with suppress(ValueError, LookupError, TypeError):
            told = json.loads(body or b"")
            what, remedy = f"the server refuses: {told['error']}", told["remedy"]
        return PortError(what, where=self.shown, remedy=remedy)


def _hidden(url: str) -> str:
    """Return a URL without a token."""
    before, at, behind = url.partition("@")
    return f"{before.partition('://')[0]}://{behind}" if at else url


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    if isinstance(cause, OSError):
        return cause.strerror or str(cause)
    if isinstance(cause, InvalidHandshake | ValueError):
        return f"no server of LiteMRC answers there ({cause})"
    return str(cause)
