"""The plugin's records, from all processes of a program: messages of `native/qemu/stream.hpp`."""

import socket
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

PAGE_BITS = 48  # of a record's second word; a bit for a write and the processor follow
CONTEXT_SHIFT, CONTEXT_BITS = 54, 8  # of the first word, above the time
# In the first word, the time: a count of references in an interval that ended then; it follows the page.
COUNTED = 1 << 62
_MESSAGE_BYTES = 32 << 10
_HEADER_BYTES = 16


class RecordStream:
    """A socket for records.

    Attributes:
        writer: the end for the emulator; `started` closes it here.
    """

    def __init__(self) -> None:
        self._reader, self.writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._reader.settimeout(0.2)

    def started(self) -> None:
        """Leave the writing end to the emulator."""
        self.writer.close()

    def messages(self, ended: Callable[[], bool]) -> Iterator[tuple[int, NDArray[np.uint64]] | None]:
        """Yield the process and the records, uint64[n, 2], of each message; None while nothing comes.

        Parameters:
            ended: returns whether the program has ended; a child that lives on does not hold the stream.
        """
        while True:
            over = ended()  # before the look, so that what was sent before the end is seen
            try:
                message = self._reader.recv(_MESSAGE_BYTES)
            except TimeoutError:
                if over:
                    return
                yield None
                continue
            if not message:
                return
            (process,) = np.frombuffer(message, np.uint64, 1)
            yield int(process), np.frombuffer(message, np.uint64, offset=_HEADER_BYTES).reshape(-1, 2)

    def close(self) -> None:
        """Close both ends; the plugin then records no more."""
        self._reader.close()
        self.writer.close()
