# SPDX-License-Identifier: BSD-2-Clause
"""Records as a device sends them, made of what a test gives."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from litemrc.device.link.record import EVEN, ITEMS, Record, read_record, row_dtype
from litemrc.device.link.schema import schema
from numpy.typing import NDArray


def make_record(
    rows: Sequence[Mapping[str, Any]] = (),
    *,
    groups: int,
    tail_groups: int = 0,
    parts: Mapping[str, Sequence[Mapping[str, Any]] | bytes] | None = None,
    **head: int,
) -> Record:
    """Return a record.

    Parameters
    ----------
    rows
        members of struct litemrc_row and of its counts; those that are not given are 0.
    groups, tail_groups
        length of `hits` and `tail`; shorter ones are filled up with zeros.
    parts
        further parts by their names: items as of `rows`, or bytes.
    head
        members of struct litemrc_epoch.
    """
    structs, kinds = schema().structs, schema().enums["part_kind"]
    row = row_dtype(groups, tail_groups, structs["row"].dtype.itemsize + 4 * (groups + 3 + tail_groups))
    found: list[tuple[int, NDArray]] = [(kinds["rows"], _items(row, rows))]
    for name, items in (parts or {}).items():
        words = isinstance(items, bytes)
        array = np.frombuffer(items, "<u4") if words else _items(structs[ITEMS[name]].dtype, items)  # type: ignore[arg-type]
        found.append((kinds[name], array))
    header = np.zeros(1, structs["epoch"].dtype)
    table = np.array([(kind, each.itemsize, each.size) for kind, each in found], structs["part"].dtype)
    body = b"".join(each.tobytes().ljust(-(-each.nbytes // EVEN) * EVEN, b"\0") for _, each in found)
    sizes = {"bytes": header.nbytes + table.nbytes + len(body), "header_bytes": header.nbytes}
    sizes |= {"parts": len(found), "groups": groups, "tail_groups": tail_groups}
    for name, value in (sizes | head).items():
        header[name] = value
    return read_record(header.tobytes() + table.tobytes() + body)


def _items(dtype: np.dtype, items: Sequence[Mapping[str, Any]]) -> NDArray[np.void]:
    array = np.zeros(len(items), dtype)
    for place, item in enumerate(items):
        for name, value in item.items():
            if dtype[name].shape:
                array[name][place, : len(value)] = value
            else:
                array[name][place] = value
    return array
