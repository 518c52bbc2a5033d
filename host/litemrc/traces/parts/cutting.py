"""Sections of about equal size: large files are cut where their format allows it, small ones joined."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

from litemrc.traces.formats.streams import MAGIC
from litemrc.traces.generators.urls import PREFIX
from litemrc.traces.opening import FORMATS, format_of
from litemrc.traces.parts.section import Section
from litemrc.traces.places import cannot_read, open_raw

Part = tuple[Section, ...]
"""Consecutive sections that one worker measures as one."""


def cut_into_parts(sections: Sequence[Section], wanted: int) -> list[Part]:
    """Return consecutive parts of the sections: about `wanted` ones of equal size.

    oracleGeneral is cut at records, Parquet at row groups, generated traces anywhere. Compressed streams and
    other formats are not cut: one worker reads the file from its beginning to its end.

    Parameters:
        wanted: at least 1. Without sizes, each section is a part.

    Raises:
        UserError: a file to be cut cannot be read.
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
