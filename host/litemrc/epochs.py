"""The Parquet file of an epoch table: written whole or not at all, refused when a single bit of it is wrong.

One row per (epoch, context). Units stand in each column's metadata and, with the monitor's parameters, as
JSON under the key `litemrc` of the schema's metadata. Parquet's own checksums cover the pages but neither the
footer nor these parameters, so the file carries a seal besides: the CRC-32 of all its bytes, the seal's own
digits taken as zeros.
"""

import json
import re
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from litemrc.epoch_table import COLUMNS, EpochRow, EpochTable
from litemrc.errors import UserError
from litemrc.outputs import replacing
from litemrc.processes import Process

__all__ = ["EpochRow", "EpochTable", "read_epochs", "write_epochs"]

KIND = "epoch table"
VERSION = 3
UNITS = {
    "epoch": "number of the epoch",
    "context": "number of the context",
    "accesses": "accesses",
    "misses": "accesses",
    "touched": "distinct pages accessed; if sampled, sampled pages",
    "dropped": "accesses lost in the whole epoch, whatever their context; the same in all rows of an epoch",
    "outside": "accesses out of the address range in the whole epoch; the same in all rows of an epoch",
    "unsampled": "accesses to pages not sampled in the whole epoch; the same in all rows of an epoch",
    "scale_log2": "1 page of 2^scale_log2 took part; the same in all rows of an epoch",
    "overflow": "true: a counter saturated",
    "hits": "accesses, one counter per group of the LRU stack, most recently used first; a group stands for "
    "(pages / groups) * 2^scale_log2 pages of the memory",
}
_METADATA = b"litemrc"
_SEAL = re.compile(rb"litemrc-crc32:([0-9a-f]{8})")
_BLANK_SEAL = b"litemrc-crc32:00000000"
_MAGIC = b"PAR1"  # a Parquet file begins and ends with it
_COLLECT_AGAIN = "collect it again, or take a copy that is whole"
_NAME_ANOTHER = "name a file that `litemrc collect` or `litemrc demo` wrote"
_PARAMETERS = (
    *("page_bytes", "frames", "engine", "pages", "groups", "contexts", "recent_pages"),
    *("system", "interrupted"),
)


def write_epochs(path: str | Path, table: EpochTable) -> None:
    """Write `table` to `path`, replacing what was there only when the new file is complete.

    Raises:
        UserError: the file cannot be written.
    """
    described = {
        "kind": KIND,
        "version": VERSION,
        "units": UNITS | {"page_bytes": "bytes", "frames": "pages", "pages": "pages"},
        **{name: getattr(table, name) for name in _PARAMETERS},
        "context_names": {str(context): name for context, name in table.context_names.items()},
        "processes": [asdict(process) for process in table.processes],
        "link_statistics": dict(table.link_statistics),
    }
    columns = {name: pa.array(getattr(table, name)) for name in COLUMNS if name != "hits"}
    starts = np.arange(table.epoch.size + 1, dtype=np.int32) * table.groups
    columns["hits"] = pa.ListArray.from_arrays(starts, table.hits.ravel())
    schema = pa.schema(
        [
            pa.field(name, column.type, nullable=False, metadata={"unit": UNITS[name]})
            for name, column in columns.items()
        ],
        metadata={_METADATA: json.dumps(described).encode(), b"litemrc_seal": _BLANK_SEAL},
    )
    sink = pa.BufferOutputStream()
    rows = pa.table(list(columns.values()), schema=schema)
    pq.write_table(rows, sink, compression="zstd", write_page_checksum=True)
    with replacing(path) as partial:
        partial.write_bytes(_seal(sink.getvalue().to_pybytes()))


def read_epochs(path: str | Path) -> EpochTable:
    """Read the epoch table that `write_epochs` wrote.

    Raises:
        UserError: no such file, not an epoch table, written by a newer version, truncated or damaged.
    """
    content = _read_parquet_bytes(Path(path))
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        described = json.loads((file.schema_arrow.metadata or {}).get(_METADATA, b"{}"))
        if described.get("kind") == KIND and described["version"] == VERSION and _SEAL.search(content):
            return _decode(file.read(), described)
    # What stands in the file may contradict itself in many ways; all mean the same to the user.
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(f"the file is damaged: {reason}", where=str(path), remedy=_COLLECT_AGAIN) from error
    if described.get("kind") != KIND:
        what = f"a Parquet file, but not an epoch table: its columns are {', '.join(file.schema_arrow.names)}"
        raise UserError(what, where=str(path), remedy=_NAME_ANOTHER)
    if described["version"] != VERSION:
        what = f"an epoch table of version {described['version']}; this LiteMRC reads version {VERSION}"
        raise UserError(what, where=str(path), remedy="read it with the LiteMRC that wrote it")
    raise UserError("the file has lost its checksum", where=str(path), remedy=_COLLECT_AGAIN)


def _read_parquet_bytes(path: Path) -> bytes:
    """The bytes of a Parquet file that is there, whole, and as its seal, if any, says."""
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise UserError("is a folder, not a file", where=str(path), remedy="name a file in it") from None
    except FileNotFoundError:
        raise UserError("no such file", where=str(path), remedy=_NAME_ANOTHER) from None
    except OSError as error:
        raise UserError(f"cannot read: {error.strerror}", where=str(path), remedy=_NAME_ANOTHER) from error
    if not content:
        raise UserError("the file is empty", where=str(path), remedy=_COLLECT_AGAIN)
    if not content.startswith(_MAGIC):
        raise UserError("not a Parquet file", where=str(path), remedy=_NAME_ANOTHER)
    if len(content) < 12 or not content.endswith(_MAGIC):
        what = f"the file is truncated: its {len(content)} bytes do not end as a Parquet file does"
        raise UserError(what, where=str(path), remedy=_COLLECT_AGAIN)
    if _SEAL.search(content) and _seal(content) != content:
        what = "the file is damaged, or another program rewrote it: its bytes do not match its checksum"
        raise UserError(what, where=str(path), remedy=_COLLECT_AGAIN)
    return content


def _seal(content: bytes) -> bytes:
    """`content` with the CRC-32 of its bytes in the place of its seal, whatever stood there."""
    blank = _SEAL.sub(_BLANK_SEAL, content)
    return _SEAL.sub(b"litemrc-crc32:%08x" % zlib.crc32(blank), blank)


def _decode(data: pa.Table, described: dict[str, Any]) -> EpochTable:
    """Raises ValueError, LookupError or TypeError for whatever contradicts the format."""
    columns = {}
    for name in COLUMNS:
        column = data.column(name).combine_chunks()
        if column.null_count:
            raise ValueError(f"column {name} has empty fields")
        if name == "hits":
            wrong = np.flatnonzero(column.value_lengths().to_numpy() != described["groups"])
            if wrong.size:
                found = len(column[int(wrong[0])])
                raise ValueError(f"row {wrong[0]} has {found} hit counters instead of {described['groups']}")
            columns[name] = column.flatten().to_numpy().reshape(len(data), described["groups"])
        else:
            columns[name] = column.to_numpy(zero_copy_only=False)
    return EpochTable(
        **columns,
        **{name: described[name] for name in _PARAMETERS},
        context_names={int(context): name for context, name in described["context_names"].items()},
        processes=tuple(_process(each) for each in described["processes"]),
        link_statistics=described["link_statistics"],
    )


def _process(described: dict[str, Any]) -> Process:
    process = Process(**described)
    for name, kind in Process.__annotations__.items():
        if not isinstance(getattr(process, name), kind):
            raise ValueError(f"{name} of a process is {getattr(process, name)!r}")
    return process
