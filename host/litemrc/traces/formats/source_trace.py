"""Base of the traces that are read from a stream of bytes."""

from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.trace import Trace


class SourceTrace(Trace):
    """A trace read from a `ByteSource`, which it closes."""

    def __init__(self, source: ByteSource) -> None:
        super().__init__(source.name)
        self._source = source

    @property
    def fraction(self) -> float | None:
        return self._source.fraction

    def close(self) -> None:
        self._source.close()
