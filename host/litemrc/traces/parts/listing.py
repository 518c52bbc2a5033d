"""The files of a trace that is in many: a folder or a glob, local or at a URL of fsspec, in natural order."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from litemrc.errors import UserError
from litemrc.traces.formats.streams import STDIN
from litemrc.traces.generators.urls import PREFIX, GeneratedTrace
from litemrc.traces.opening import format_of
from litemrc.traces.parts.section import Section
from litemrc.traces.places import cannot_read, filesystem, is_url

_NUMBER = re.compile(r"\d+", re.ASCII)
_MOST_NAMED = 5  # missing numbers in a message


def list_sections(
    trace: str, format: str | None = None, columns: str | None = None, *, allow_gaps: bool = False
) -> list[Section]:
    """Return the files of a trace, each as one section, in the order of their references.

    A folder's files are in natural order (part-2 before part-10); hidden ones and those that begin with _
    (as Spark's _SUCCESS) are left out.

    Parameters:
        trace: folder, glob, file, URL of fsspec of one of them, or `gen:` URL.
        format, columns: as `open_trace` takes them.
        allow_gaps: accept numbered files of which some numbers are missing.

    Raises:
        UserError: no file; a subfolder, an empty file, a file of no format, files of several formats; a
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
