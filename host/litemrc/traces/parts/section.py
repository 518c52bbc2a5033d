"""A section of a trace: a file, or consecutive records, row groups or references of one."""

from dataclasses import dataclass

from litemrc.errors import UserError
from litemrc.traces.formats.streams import open_section
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.opening import open_trace
from litemrc.traces.trace import Trace


@dataclass(frozen=True)
class Section:
    """Consecutive references of a trace, for any machine that can read their place.

    Attributes:
        place: path, URL of fsspec, or `gen:` URL.
        format: name in `FORMATS`; None: by the suffix.
        columns: of text and CSV, as `open_trace` takes them.
        unit: what `only` counts: "record" (oracleGeneral), "row group" (Parquet), "reference" (`gen:`).
        only: the units of this section; None: the whole file.
        size: stored bytes, of `gen:` references; for balance and progress; None: unknown.
    """

    place: str
    format: str | None = None
    columns: str | None = None
    unit: str = ""
    only: range | None = None
    size: int | None = None

    def __str__(self) -> str:
        if self.only is None:
            return self.place
        return f"{self.place}, {self.unit}s {self.only.start:,} to {self.only.stop - 1:,}"

    @property
    def begins(self) -> bool:
        """Return whether the section begins its file."""
        return self.only is None or self.only.start == 0

    def open(self, page_bytes: int | None = None) -> Trace:
        """Open the references for reading.

        Parameters:
            page_bytes: as `open_trace` takes it; a section that does not begin its file ignores it.

        Raises:
            UserError: as `open_trace`.
        """
        if self.only is None:
            if self.place.startswith(PREFIX):
                return open_trace(self.place, page_bytes=page_bytes)
            return open_trace(self.place, self.format, page_bytes, self.columns)
        trace = self._open_units(self.only)
        try:
            trace.settle_page_bytes(page_bytes if self.begins else None)
        except UserError:
            trace.close()
            raise
        return trace

    def _open_units(self, only: range) -> Trace:
        if self.unit == "reference":
            return GeneratedTrace(self.place, only)
        if self.unit == "row group":
            from litemrc.traces.formats.columnar import ColumnarTrace  # loads pyarrow

            return ColumnarTrace(self.place, only)
        from litemrc.traces.formats.oracle_general import RECORD, OracleGeneralTrace

        size = RECORD.itemsize
        return OracleGeneralTrace(open_section(self.place, only.start * size, only.stop * size))
