# SPDX-License-Identifier: BSD-2-Clause
"""The server: one event loop that answers all readers, until a signal ends it."""

import logging
import os
import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from litemrc.errors import UserError
from litemrc.serve.app import Application
from litemrc.serve.fleet import Fleet
from litemrc.serve.limits import CONNECTIONS, LimitedHttp, LimitedWebSocket

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GRACE_S = 1  # for answers under way; live readers are ended at once
_FEEDS_S = 0.8
_OTHER_FILES = 256  # links, files of the history, libraries


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0: a free one.

    Raises
    ------
    UserError
        the address is taken, or not one of this machine.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise UserError(
            f"cannot listen: {os.strerror(error.errno) if error.errno else error}",
            where=f"{host}:{port}",
            remedy="choose another address with --listen HOST:PORT; port 0: a free one",
        ) from error


class Server(uvicorn.Server):
    """uvicorn's server; a signal ends it without ending the process, and live readers end first."""

    def __init__(self, application: Application) -> None:
        super().__init__(
            uvicorn.Config(
                application.asgi,
                loop="asyncio",
                http=LimitedHttp,
                ws=LimitedWebSocket,
                ws_max_size=4096,  # a request of the link is shorter
                ws_per_message_deflate=False,
                access_log=False,
                log_config=None,
                log_level=logging.ERROR,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=CONNECTIONS,
                timeout_keep_alive=15,
                timeout_graceful_shutdown=_GRACE_S,
            )
        )
        self._hub = application.hub

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the live events, then what is left."""
        self._hub.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals; uvicorn raises them again at the end, which would end the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; a second signal does not wait for answers."""
        self.force_exit = self.should_exit
        self.should_exit = True


def _allow_files(count: int) -> None:
    """Have the system allow n open files, or as many as it does: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        most = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, soft), hard))


def run(application: Application, fleet: Fleet, sockets: list[socket.socket]) -> None:
    """Serve until a signal."""
    _allow_files(CONNECTIONS + _OTHER_FILES)
    # asyncio warns at each write to a peer that has gone.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    try:
        Server(application).run(sockets)
    finally:
        fleet.close(_FEEDS_S)
