# SPDX-License-Identifier: BSD-2-Clause
"""Parquet files with a checksum over the whole file: written whole or not at all, refused if damaged.

Units are in each column's metadata and, with the other parameters, as JSON under the key `litemrc` of the
schema's metadata. Parquet's own checksums cover the pages but neither the footer nor that description,
so the file also carries a seal: the CRC-32 of all its bytes, with the seal's own digits taken as zeros. The
footer, which has the description, has a seal of its own, so that a description is verified without the rows.
"""

import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from litemrc.errors import UserError
from litemrc.files.outputs import replacing
from litemrc.files.parquet import open_parquet

_METADATA = b"litemrc"
_SEAL = re.compile(rb"litemrc-crc32:([0-9a-f]{8})")
_BLANK_SEAL = b"litemrc-crc32:00000000"
_FOOTER_SEAL = re.compile(rb"litemrc-footer-crc32:([0-9a-f]{8})")
_BLANK_FOOTER_SEAL = b"litemrc-footer-crc32:00000000"
_MAGIC = b"PAR1"  # a Parquet file begins and ends with it
_END_BYTES = 8  # length of the footer, and the magic
_REWRITTEN = "the file is damaged, or another program rewrote it: its bytes do not match its checksum"
_COLLECT_AGAIN = "collect it again, or take a copy that is whole"

Decoded = TypeVar("Decoded")


@dataclass(frozen=True)
class FileKind:
    """A kind of sealed file.

    Attributes
    ----------
    name
        with its article, as "an epoch table"; the file holds it without.
    name_another
        the remedy for a file that is none.
    """

    name: str
    name_another: str

    @property
    def tag(self) -> str:
        """The name without its article."""
        return self.name.partition(" ")[2]


def write_sealed(
    path: str | Path,
    kind: FileKind,
    version: int,
    columns: Mapping[str, pa.Array],
    units: Mapping[str, str],
    described: Mapping[str, Any],
    *,
    optional: Collection[str] = (),
) -> None:
    """Write columns to `path`, replacing what was there only when the new file is complete.

    Parameters
    ----------
    optional
        columns that may have empty fields.

    Raises
    ------
    UserError
        the file cannot be written.
    """
    schema = sealed_schema({name: column.type for name, column in columns.items()}, units, optional)
    schema = schema.with_metadata(sealed_metadata(kind, version, units, described))
    sink = pa.BufferOutputStream()
    rows = pa.table(list(columns.values()), schema=schema)
    pq.write_table(rows, sink, compression="zstd", write_page_checksum=True)
    with replacing(path) as partial:
        partial.write_bytes(sealed(sink.getvalue().to_pybytes()))


def read_sealed(
    path: str | Path,
    kind: FileKind,
    version: int,
    decode: Callable[[pa.Table, dict[str, Any]], Decoded],
    *,
    oldest: int | None = None,
) -> Decoded:
    """Return what `decode` makes of the rows and the description of a file that `write_sealed` wrote.

    `decode` raises ValueError, LookupError or TypeError for whatever contradicts the format.

    Parameters
    ----------
    version, oldest
        the last and the first version that `decode` knows; None: it knows one.

    Raises
    ------
    UserError
        no such file, of another kind or an unknown version, truncated or damaged.
    """
    versions = range(version if oldest is None else oldest, version + 1)
    content = _read_parquet_bytes(Path(path), kind)
    try:
        file = open_parquet(content, page_checksum_verification=True)
        described = json.loads((file.metadata.metadata or {}).get(_METADATA, b"{}"))
        if described.get("kind") == kind.tag and described["version"] in versions and _SEAL.search(content):
            return decode(file.read(), described)
    # The contents may contradict each other in many ways; the user can do the same about each.
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(f"the file is damaged: {reason}", where=str(path), remedy=_COLLECT_AGAIN) from error
    if described.get("kind") != kind.tag:
        columns = ", ".join(file.schema_arrow.names)
        what = f"a Parquet file, but not {kind.name}: its columns are {columns}"
        raise UserError(what, where=str(path), remedy=kind.name_another)
    if described["version"] not in versions:
        known = f"{versions[0]} to {version}" if len(versions) > 1 else version
        what = f"{kind.name} of version {described['version']}; this LiteMRC reads version {known}"
        raise UserError(what, where=str(path), remedy="read it with the LiteMRC that wrote it")
    raise UserError("the file has lost its checksum", where=str(path), remedy=_COLLECT_AGAIN)


def read_description(path: str | Path, kind: FileKind) -> dict[str, Any]:
    """Return the description of a file, verified by the seal of its footer, without reading the rows.

    A file that has none, of a former version, is verified as a whole.

    Raises
    ------
    UserError
        no such file, of another kind, truncated or damaged.
    """
    path = Path(path)
    with suppress(OSError), path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _END_BYTES, 0))
        file.seek(max(size - _footer_bytes(file.read()), 0))
        footer = file.read()
        if _FOOTER_SEAL.search(footer) and _SEAL.sub(_BLANK_SEAL, _sealed_footer(footer)) == _SEAL.sub(
            _BLANK_SEAL, footer
        ):
            return _description(path, kind, _MAGIC + footer)
    return _description(path, kind, verify_sealed(path, kind))


def verify_sealed(path: str | Path, kind: FileKind) -> bytes:
    """Return the bytes of a file whose seal is right; nothing of them is decoded.

    Raises
    ------
    UserError
        no such file, no Parquet file, truncated or damaged, or no seal.
    """
    content = _read_parquet_bytes(Path(path), kind)
    if not _SEAL.search(content):
        raise UserError("the file has lost its checksum", where=str(path), remedy=_COLLECT_AGAIN)
    return content


def _description(path: Path, kind: FileKind, content: bytes) -> dict[str, Any]:
    try:
        described = json.loads(open_parquet(content).metadata.metadata[_METADATA])
        if described["kind"] == kind.tag:
            return dict(described)
    except (OSError, ValueError, LookupError, TypeError, pa.ArrowException) as error:
        raise UserError(f"the file is damaged: {error}", where=str(path), remedy=_COLLECT_AGAIN) from error
    raise UserError(f"not {kind.name}", where=str(path), remedy=kind.name_another)


def kind_of(path: str | Path) -> str | None:
    """Return which kind of sealed file a path holds, without its article; None: none that can be read."""
    try:
        with open_parquet(path) as file:
            metadata = file.metadata.metadata or {}
        return str(json.loads(metadata[_METADATA])["kind"])
    except (OSError, ValueError, LookupError, TypeError, pa.ArrowException):
        return None


def whole_column(data: pa.Table, name: str) -> pa.Array:
    """Return a column, which must have no empty field.

    Raises
    ------
    LookupError
        there is none of this name.
    ValueError
        it has empty fields.
    """
    column = data.column(name).combine_chunks()
    if column.null_count:
        raise ValueError(f"column {name} has empty fields")
    return column


def continued_epochs(data: pa.Table) -> pa.Table:
    """Return rows of a history with epochs that count on where a session begins: a pair of epoch and context
    then occurs once. Rows without sessions are returned as they are.
    """
    if "session" not in data.column_names:
        return data
    sessions, numbers = data.column("session").to_numpy(), data.column("epoch").to_numpy().astype(np.int64)
    following = None
    for session in dict.fromkeys(sessions.tolist()):
        own = sessions == session
        if following is not None:
            numbers[own] += following - numbers[own].min()
        following = numbers[own].max() + 1
    column = pa.array(numbers).cast(data.schema.field("epoch").type)
    return data.set_column(data.column_names.index("epoch"), data.schema.field("epoch"), column)


def sealed_schema(
    types: Mapping[str, pa.DataType], units: Mapping[str, str], optional: Collection[str] = ()
) -> pa.Schema:
    """Return the schema of columns with their units; only `optional` ones may have empty fields."""
    return pa.schema(
        [
            pa.field(name, each, nullable=name in optional, metadata={"unit": units[name]})
            for name, each in types.items()
        ]
    )


def sealed_metadata(
    kind: FileKind, version: int, units: Mapping[str, str], described: Mapping[str, Any]
) -> dict[bytes, bytes]:
    """Return the description of a file, and the place of its seal, which is blank."""
    metadata = {"kind": kind.tag, "version": version, "units": dict(units), **described}
    return {
        _METADATA: json.dumps(metadata).encode(),
        b"litemrc_footer_seal": _BLANK_FOOTER_SEAL,
        b"litemrc_seal": _BLANK_SEAL,
    }


def sealed(content: bytes) -> bytes:
    """Return `content` with the CRC-32s of its footer and of all its bytes in their places."""
    begin = len(content) - _footer_bytes(content[-_END_BYTES:])
    return _sealed_whole(content[:begin] + _sealed_footer(content[begin:]))


def _sealed_footer(footer: bytes) -> bytes:
    blank = _FOOTER_SEAL.sub(_BLANK_FOOTER_SEAL, _SEAL.sub(_BLANK_SEAL, footer))
    return _FOOTER_SEAL.sub(b"litemrc-footer-crc32:%08x" % zlib.crc32(blank), blank)


def _footer_bytes(end: bytes) -> int:
    """The length of the footer that ends so, with its own length and the magic."""
    return int.from_bytes(end[:4], "little") + _END_BYTES


def _sealed_whole(content: bytes) -> bytes:
    blank = _SEAL.sub(_BLANK_SEAL, content)
    return _SEAL.sub(b"litemrc-crc32:%08x" % zlib.crc32(blank), blank)


def _read_parquet_bytes(path: Path, kind: FileKind) -> bytes:
    """The bytes of a Parquet file that is there, whole, and as its seal, if any, says."""
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise UserError("is a folder, not a file", where=str(path), remedy="name a file in it") from None
    except FileNotFoundError:
        raise UserError("no such file", where=str(path), remedy=kind.name_another) from None
    except OSError as error:
        raise UserError(
            f"cannot read: {error.strerror}", where=str(path), remedy=kind.name_another
        ) from error
    if not content:
        raise UserError("the file is empty", where=str(path), remedy=_COLLECT_AGAIN)
    if not content.startswith(_MAGIC):
        raise UserError("not a Parquet file", where=str(path), remedy=kind.name_another)
    if len(content) < 12 or not content.endswith(_MAGIC):
        what = f"the file is truncated: its {len(content)} bytes do not end as a Parquet file does"
        raise UserError(what, where=str(path), remedy=_COLLECT_AGAIN)
    if _SEAL.search(content) and _sealed_whole(content) != content:
        raise UserError(_REWRITTEN, where=str(path), remedy=_COLLECT_AGAIN)
    return content
