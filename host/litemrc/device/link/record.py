# SPDX-License-Identifier: BSD-2-Clause
"""The record of an epoch as a device sends it: views of its bytes as numpy arrays, without a copy."""

import struct
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litemrc.device.link.schema import schema

EVEN = 8  # parts begin at multiples of this
# Structures of parts.
ITEMS = {"ranks": "rank", "tasks": "task", "copies": "copies", "hot": "hot_page", "banks": "bank"}
_SHORTEST = 64  # bytes of the header of protocol 2.0, which ended in a reserved 0 where access_bytes is now
_HEADER_BYTES = struct.Struct("<4xH")  # where header_bytes is


class RecordError(ValueError):
    """Bytes that are no record: sizes that contradict each other or the bytes."""


@lru_cache(16)  # a device has one
def row_dtype(groups: int, tail_groups: int, item_bytes: int) -> np.dtype:
    """Return the type of a row: the members of struct litemrc_row, hits, misses, accesses, touched, tail."""
    head = schema().structs["row"].dtype
    counts = [("hits", "<u4", (groups,)), *((n, "<u4", ()) for n in ("misses", "accesses", "touched"))]
    fields: list[Any] = [(name, head[name]) for name in head.names or ()] + [
        *counts,
        ("tail", "<u4", (tail_groups,)),
    ]
    return _sized(np.dtype(fields), item_bytes)


def _sized(known: np.dtype, item_bytes: int) -> np.dtype:
    """Return a type with room for the members of a later version behind those of `known`."""
    if item_bytes < known.itemsize:
        raise RecordError(f"items of {item_bytes} bytes instead of {known.itemsize}")
    if item_bytes == known.itemsize:
        return known
    names = known.names or ()
    layout: Any = {
        "names": names,
        "formats": [known[name] for name in names],
        "offsets": [known.fields[name][1] for name in names],  # type: ignore[index]
        "itemsize": item_bytes,
    }
    return np.dtype(layout)


@dataclass(frozen=True, eq=False)
class Record:
    """An epoch.

    Attributes
    ----------
    head
        struct litemrc_epoch, as a numpy record; members that an earlier version of it lacks are 0.
    rows
        struct litemrc_row with its counts, one for each context that counted or follows anything.
    ranks, tasks, copies, hot, banks
        struct litemrc_rank, ..._task, ..._copies, ..._hot_page, ..._bank; without the part the first three
        are empty, hot and banks are None.
    accessed, written
        uint8[frames / 8]: frame n is bit n % 8 of byte n / 8; None without the part.
    """

    payload: bytes
    head: np.void
    rows: NDArray[np.void]
    ranks: NDArray[np.void]
    tasks: NDArray[np.void]
    copies: NDArray[np.void]
    accessed: NDArray[np.uint8] | None
    written: NDArray[np.uint8] | None
    hot: NDArray[np.void] | None
    banks: NDArray[np.void] | None = None

    def __eq__(self, other: object) -> bool:
        """Records with the same bytes are equal."""
        return isinstance(other, Record) and self.payload == other.payload

    def __hash__(self) -> int:
        return hash(self.payload)

    @cached_property
    def epoch(self) -> int:
        """Number of the epoch."""
        return int(self.head["epoch"])

    def flag(self, name: str) -> bool:
        """Return whether LITEMRC_EPOCH_NAME is set: overflow, command_lost, split ..."""
        return bool(int(self.head["flags"]) & schema().constants[f"epoch_{name}"])


def read_record(payload: bytes) -> Record:
    """Return the record in `payload`, which is all of it.

    Raises
    ------
    RecordError
        it is none.
    """
    structs = schema().structs
    head_type, part_type = structs["epoch"].dtype, structs["part"].dtype
    if len(payload) < _SHORTEST:
        raise RecordError(f"{len(payload)} bytes, fewer than a header")
    (at,) = _HEADER_BYTES.unpack_from(payload)
    head = np.frombuffer(payload[:at].ljust(head_type.itemsize, b"\0"), head_type, 1)[0]
    parts_count = int(head["parts"])
    if int(head["bytes"]) != len(payload) or at < _SHORTEST or at % EVEN:
        raise RecordError(f"a header of {at} bytes and a record of {head['bytes']}, in {len(payload)} bytes")
    if at + parts_count * part_type.itemsize > len(payload):
        raise RecordError(f"{parts_count} parts in {len(payload)} bytes")
    found: dict[int, NDArray] = {}
    groups, tail_groups = int(head["groups"]), int(head["tail_groups"])
    kinds = schema().enums["part_kind"]
    types = {kinds[part]: structs[name].dtype for part, name in ITEMS.items()}
    table = np.frombuffer(payload, part_type, parts_count, at)
    at += table.nbytes
    for kind, item_bytes, items in table.tolist():
        if at + item_bytes * items > len(payload):
            raise RecordError(f"part {kind}: {items} items of {item_bytes} bytes are more than the record")
        if kind in found:
            raise RecordError(f"part {kind} twice")
        if kind == kinds["rows"]:
            dtype, count = row_dtype(groups, tail_groups, item_bytes), items
        elif kind in types:
            dtype, count = _sized(types[kind], item_bytes), items
        elif kind in (kinds["accessed"], kinds["written"]):
            dtype, count = np.dtype(np.uint8), items * item_bytes
        else:  # of a later version
            dtype, count = np.dtype(np.uint8), 0
        found[kind] = np.frombuffer(payload, dtype, count, at) if count else np.zeros(0, dtype)
        at += -(-item_bytes * items // EVEN) * EVEN
    if at != len(payload):
        raise RecordError(f"{len(payload) - at} bytes behind the last part")
    if kinds["rows"] not in found:
        raise RecordError("no rows")
    return Record(
        payload,
        head,
        found[kinds["rows"]],
        *(found.get(kinds[name], np.zeros(0, types[kinds[name]])) for name in ("ranks", "tasks", "copies")),
        *(found.get(kinds[name]) for name in ("accessed", "written", "hot", "banks")),
    )
