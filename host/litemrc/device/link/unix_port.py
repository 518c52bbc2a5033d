"""The port of a Unix socket, such as that of litemrcd, and why a port failed."""

import select
import socket
from typing import Self

from litemrc.device.errors import PortError

UNIX = "unix://"
_WRITE_TIMEOUT_S = 5
_READ_BYTES = 65536


class UnixPort:
    """A connected stream socket with what a `Link` uses of a pyserial port."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        connected.settimeout(_WRITE_TIMEOUT_S)

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to the socket of `unix:///path`.

        Raises:
            PortError: the URL names no path, or there is no server that lets this user connect.
        """
        path = url.removeprefix(UNIX)
        remedy = "start litemrcd with --socket, in whose group you are"
        if not path.startswith("/"):
            raise PortError("the URL names no path", where=url, remedy="write unix:///run/litemrcd.sock")
        if not hasattr(socket, "AF_UNIX"):
            raise PortError("this system has no Unix sockets", where=url, remedy="name a socket:// URL")
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(path)
        except OSError as error:
            connected.close()
            raise PortError(f"cannot open the port: {reason_of(error)}", where=url, remedy=remedy) from error
        return cls(connected)

    @property
    def in_waiting(self) -> int:
        """How many bytes a `read` may ask for: 0 if none have arrived."""
        ready, _, _ = select.select([self._socket], [], [], 0)
        return _READ_BYTES if ready else 0

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._socket.fileno()

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes that have arrived."""
        return self._socket.recv(size) if size else b""

    def write(self, data: bytes) -> None:
        """Send all bytes."""
        self._socket.sendall(data)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def reason_of(error: BaseException) -> str:
    """Return the cause in few words; pyserial wraps the system's message, often twice."""
    while isinstance(cause := error.__context__, Exception):
        error = cause
    if isinstance(error, TypeError):  # pyserial compares the port number that is not there
        return "the URL lacks a host or a port number"
    if isinstance(error, BlockingIOError):  # the lock of a port opened for us alone
        return "another program has it open"
    if len(error.args) == 2 and isinstance(error.args[1], str):  # (errno, text): OSError, termios.error
        return error.args[1]
    return str(error)
