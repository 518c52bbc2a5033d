# SPDX-License-Identifier: BSD-2-Clause
"""Parts of traces that are measured on their own: sections of about equal size, of many files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from pathlib import PurePosixPath
from typing import Any

from litemrc.errors import UserError
from litemrc.traces.formats.streams import MAGIC, STDIN, open_section
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.opening import FORMATS, format_of, open_trace
from litemrc.traces.places import cannot_read, filesystem, is_url, open_raw
from litemrc.traces.trace import Trace

"""Consecutive sections that one worker measures as one."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_MOST_NAMED = 5  # missing numbers in a message


@dataclass(frozen=True)
class Section:
    """Consecutive references of a trace, for any machine that can read their place.

    Attributes
    ----------
    place
        path, URL of fsspec, or `gen:` URL.
    format
        name in `FORMATS`; None: by the suffix.
    columns
        of text and CSV, as `open_trace` takes them.
    unit
        what `only` counts: "record" (oracleGeneral), "row group" (Parquet), "reference" (`gen:`).
    only
        the units of this section; None: the whole file.
    size
        stored bytes, of `gen:` references; for balance and progress; None: unknown.
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

        Parameters
        ----------
        page_bytes
            as `open_trace` takes it; a section that does not begin its file ignores it.

        Raises
        ------
        UserError
            as `open_trace`.
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


Part = tuple[Section, ...]


def cut_into_parts(sections: Sequence[Section], wanted: int) -> list[Part]:
    """Return consecutive parts of the sections: about `wanted` ones of equal size.

    oracleGeneral is cut at records, Parquet at row groups, generated traces anywhere. Compressed streams and
    other formats are not cut: one worker reads the file from its beginning to its end.

    Parameters
    ----------
    wanted
        at least 1. Without sizes, each section is a part.

    Raises
    ------
    UserError
        a file to be cut cannot be read.
    """
    total = sum(section.size or 0 for section in sections)
    if any(section.size is None for section in sections) or not total:
        return [(section,) for section in sections]
    largest = -(-total // wanted)
    pieces = [piece for section in sections for piece in _cut(section, largest)]
    sizes = [piece.size or 0 for piece in pieces]
    return [tuple(pieces[start:stop]) for start, stop in _grouped(sizes, wanted)]


def _grouped(sizes: Sequence[int], groups: int) -> Iterator[tuple[int, int]]:
    """Yield the borders of about `groups` groups of neighbours of equal size."""
    ends = list(accumulate(sizes))
    middles = [2 * end - size for end, size in zip(ends, sizes, strict=True)]
    for _, members in groupby(range(len(sizes)), lambda at: middles[at] * groups // (2 * ends[-1] + 1)):
        found = list(members)
        yield found[0], found[-1] + 1


def _cut(section: Section, largest: int) -> list[Section]:
    size = section.size or 0
    if size <= largest + largest // 8:
        return [section]
    if section.place.startswith(PREFIX):
        return _even(section, "reference", size, -(-size // largest), size)
    form = format_of(section.place, section.format)
    if form is FORMATS["oracleGeneral"]:
        return _cut_records(section, size, largest)
    if form is FORMATS["parquet"]:
        return _cut_row_groups(section, largest)
    return [section]


def _cut_records(section: Section, size: int, largest: int) -> list[Section]:
    try:
        file, _ = open_raw(section.place)
        with file:
            head = file.read(16) or b""
    except OSError as error:
        raise cannot_read(section.place, error) from error
    if head.startswith(tuple(MAGIC)):
        return [section]
    from litemrc.traces.formats.oracle_general import RECORD  # loads pyarrow

    # The last section has the bytes of an incomplete record, too, which its reader refuses.
    records = -(-size // RECORD.itemsize)
    return _even(section, "record", records, -(-size // largest), size)


def _cut_row_groups(section: Section, largest: int) -> list[Section]:
    from litemrc.traces.formats.columnar import row_group_bytes  # loads pyarrow

    sizes = row_group_bytes(section.place)
    total = sum(sizes)
    if len(sizes) < 2 or not total:
        return [section]
    return [
        replace(section, unit="row group", only=range(start, stop), size=sum(sizes[start:stop]))
        for start, stop in _grouped(sizes, -(-total // largest))
    ]


def _even(section: Section, unit: str, units: int, pieces: int, size: int) -> list[Section]:
    borders = [units * piece // pieces for piece in range(pieces + 1)]
    return [
        replace(section, unit=unit, only=range(start, stop), size=size * (stop - start) // units)
        for start, stop in pairwise(borders)
    ]


def list_sections(
    trace: str, format: str | None = None, columns: str | None = None, *, allow_gaps: bool = False
) -> list[Section]:
    """Return the files of a trace, each as one section, in the order of their references.

    A folder's files are in natural order (part-2 before part-10); hidden ones and those that begin with _
    (as Spark's _SUCCESS) are left out.

    Parameters
    ----------
    trace
        folder, glob, file, URL of fsspec of one of them, or `gen:` URL.
    format, columns
        as `open_trace` takes them.
    allow_gaps
        accept numbered files of which some numbers are missing.

    Raises
    ------
    UserError
        no file; a subfolder, an empty file, a file of no format, files of several formats; a
        missing number.
    """
    if trace.startswith(PREFIX):
        return [Section(trace, size=GeneratedTrace(trace).references)]
    if trace == STDIN:
        raise UserError("stdin cannot be read by workers", where="-", remedy="name a file, folder or URL")
    entries = _entries(trace)
    names = sorted((entry["place"] for entry in entries), key=_natural)
    sizes = {entry["place"]: entry["size"] for entry in entries}
    if len(names) > 1 and not allow_gaps:
        _check_numbers(trace, names)
    for name in names:
        if sizes[name] == 0:
            raise UserError(
                "the part is empty (0 bytes)",
                where=name,
                remedy="create it again, or delete it if nothing is lost",
            )
    _check_formats(names, format)
    return [Section(name, format, columns, size=sizes[name]) for name in names]


def _entries(trace: str) -> list[dict[str, Any]]:
    """Return place and size of each file."""
    system, path = filesystem(trace)
    try:
        if any(letter in path for letter in "*?["):
            found = [each for each in system.glob(path, detail=True).values() if each["type"] == "file"]
            nothing = "no file matches"
        elif system.isdir(path):
            found = [each for each in system.ls(path, detail=True) if not _hidden(each["name"])]
            nothing = "the folder has no file"
        else:
            found = [system.info(path)]
            nothing = ""
    except Exception as error:  # what each file system raises is not documented
        raise cannot_read(trace, error) from error
    for each in found:
        if each["type"] == "directory":
            raise UserError(
                f"the folder has a subfolder: {_base(each['name'])}",
                where=trace,
                remedy="name the files by a glob, such as 'folder/**/*.parquet'",
            )
    if not found:
        raise UserError(nothing, where=trace, remedy="check the name")
    url = is_url(trace)
    return [
        {
            "place": str(system.unstrip_protocol(each["name"])) if url else each["name"],
            "size": each.get("size"),
        }
        for each in found
    ]


def _hidden(name: str) -> bool:
    return _base(name).startswith((".", "_"))


def _base(name: str) -> str:
    return PurePosixPath(name.rstrip("/")).name


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return a key that orders numbers by their value."""
    pieces = re.split(r"(\d+)", name, flags=re.ASCII)
    return [(int(piece), "") if index % 2 else (-1, piece) for index, piece in enumerate(pieces)], name


def _check_numbers(trace: str, names: Sequence[str]) -> None:
    """Refuse gaps where the names differ in one number and most numbers are there (so they are no times)."""
    numbers = [[int(number) for number in _NUMBER.findall(name)] for name in names]
    if len({_NUMBER.sub("0", name) for name in names}) > 1:
        return
    varying = [column for column in zip(*numbers, strict=True) if len(set(column)) > 1]
    if len(varying) != 1:
        return
    (column,) = varying
    span = range(column[0], column[-1] + 1)
    if 2 * len(column) <= len(span):
        return
    missing = sorted(set(span) - set(column))
    if missing:
        shown = ", ".join(map(str, missing[:_MOST_NAMED])) + (", ..." if len(missing) > _MOST_NAMED else "")
        raise UserError(
            f"{len(missing):,} of the numbered parts {column[0]} to {column[-1]} are missing: {shown}",
            where=trace,
            remedy="restore them, or give --allow-gaps if the trace has none there",
        )


def _check_formats(names: Sequence[str], format: str | None) -> None:
    forms = [format_of(name, format) for name in names]
    for name, form in zip(names, forms, strict=True):
        if form is not forms[0]:
            raise UserError(
                f"the parts have several formats: {_base(names[0])} and {_base(name)}",
                where=name,
                remedy="name the files of one format by a glob, such as 'folder/*.parquet'",
            )
    if len(names) > 1 and forms[0] is format_of("x", "intervals"):
        raise UserError(
            "IN/OUT records of several files cannot be joined: intervals cross their borders",
            where=names[0],
            remedy="name a single file",
        )
