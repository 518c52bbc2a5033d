# SPDX-License-Identifier: BSD-2-Clause
"""Reads curves from files: epoch tables in Parquet, or JSON with memory sizes and miss ratios."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from litemrc.curves.curve import Curve
from litemrc.curves.points import Tail
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError

_PARQUET = b"PAR1"
_WANTED = "accesses", "sizes_pages", "miss_ratio"
_OPTIONAL = {"low": "miss_ratio_low", "high": "miss_ratio_high"}  # attributes of a curve, and their keys
_REMEDY = (
    "name a Parquet file of `litemrc collect`, or JSON: what `litemrc mrc --json` or"
    " `litemrc curve --context C --json` printed, or"
    ' {"name", "page_bytes", "accesses", "sizes_pages", "miss_ratio"}, or {"curves": [several of these]}'
)


def read_curves(path: Path, page_bytes: int | None = None, *, tail: bool = True) -> list[Curve]:
    """Return all curves in a file: of an epoch table one for each owner with data, of JSON those it holds.

    A JSON file without a name is called by its process, else by the file's own name.

    Parameters
    ----------
    page_bytes
        page size of curves whose file does not contain it; None: such a file is refused.
    tail
        with refaults of evicted pages; false: curves of the hardware's counters alone.

    Raises
    ------
    UserError
        no such file, a file of another kind, damaged, without data, with an impossible curve,
        without a page size or with another one; refaults that cannot be left out.
    """
    try:
        with path.open("rb") as file:
            parquet = file.read(len(_PARQUET)) == _PARQUET
        content = b"" if parquet else path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read: {error.strerror}", where=str(path), remedy=_REMEDY) from error
    if not parquet:
        curves = [_curve(found, path, page_bytes) for found in _objects(content, path)]
        if not tail and any(curve.tail for curve in curves):
            raise UserError(
                "refaults cannot be left out: the curve has no counters",
                where=str(path),
                remedy="name the Parquet file, or print the curve by `litemrc curve --no-tail --json`",
            )
        return curves
    from litemrc.epochs.files import read_epochs  # loads pyarrow

    table = read_epochs(path)
    _check_page_bytes(table.page_bytes, page_bytes, path)
    return curves_of(table if tail else table.without_tail(), str(path))


def curves_of(table: EpochTable, where: str) -> list[Curve]:
    """Return the curve of each owner that has data.

    Parameters
    ----------
    where
        file or device of the table, for messages.

    Raises
    ------
    UserError
        no access was counted, or the sampling changed between epochs.
    """
    if len(table.scales) > 1:
        raise UserError(
            "the sampling changed between epochs: they have no curve in common",
            where=where,
            remedy="choose some by `litemrc curve --from A --to B --context C --json`, and name its output",
        )
    owners = table.owners_with_data
    if not owners:
        raise UserError("no context counted an access", where=where, remedy="collect while a program runs")
    return [table.curve(owner) for owner in owners]


def _objects(content: bytes, path: Path) -> list[Any]:
    """Return what should describe a curve each."""
    try:
        found = json.loads(content)
    except json.JSONDecodeError as error:
        what, where = f"neither Parquet nor JSON: {error.msg}", f"{path}:{error.lineno}:{error.colno}"
        raise UserError(what, where=where, remedy=_REMEDY) from None
    except (ValueError, RecursionError):  # not UTF-8, a number of 5,000 digits, brackets in brackets
        raise UserError("neither Parquet nor JSON", where=str(path), remedy=_REMEDY) from None
    if not isinstance(found, dict) or "curves" not in found:
        return [found]
    curves = found["curves"]
    if not isinstance(curves, list) or not curves:
        raise UserError("curves must be a list of at least one curve", where=str(path), remedy=_REMEDY)
    return curves


def _curve(found: Any, path: Path, page_bytes: int | None) -> Curve:
    if not isinstance(found, dict):
        raise UserError("not a JSON object", where=str(path), remedy=_REMEDY)
    if missing := [key for key in _WANTED if key not in found]:
        raise UserError(f"has no {' and no '.join(missing)}", where=str(path), remedy=_REMEDY)
    if found.get("context", 0) is None:
        raise UserError(
            "counters of several contexts summed: no process has this curve",
            where=str(path),
            remedy="export one by `litemrc curve --context C --json`, or name the Parquet file",
        )
    for key in [*_WANTED[1:], *(key for key in _OPTIONAL.values() if key in found)]:
        if not isinstance(found[key], list):
            raise UserError(f"{key} must be a list", where=str(path), remedy=_REMEDY)
    ratios, accesses = found["miss_ratio"], _count(found, "accesses", 0, path)
    try:
        return Curve(
            found["sizes_pages"],
            ratios,
            accesses,
            _misses(found, ratios, accesses, path),
            _page_bytes(found, path, page_bytes),
            _name(found, path),
            resolution_pages=_count(found, "resolution_pages", 1, path, 1),
            known_from_pages=_count(found, "known_from_pages", 0, path, 0),
            tail=_tail(found, path),
            **{name: found[key] for name, key in _OPTIONAL.items() if key in found},
        )
    except UserError as error:
        where = f"{path}, {error.where}" if error.where.startswith("curve") else error.where
        raise UserError(error.what, where=where or str(path), remedy=error.remedy) from error


def _page_bytes(found: dict[str, Any], path: Path, given: int | None) -> int:
    if "page_bytes" in found:
        carried = _count(found, "page_bytes", 1, path)
        _check_page_bytes(carried, given, path)
        return carried
    if given is None:
        raise UserError(
            "the page size is unknown: the curve has no page_bytes",
            where=str(path),
            remedy='give --page-size (page_bytes in Python), or add "page_bytes": 4096 to the file',
        )
    return given


def _check_page_bytes(carried: int, given: int | None, path: Path) -> None:
    if given is not None and given != carried:
        raise UserError(
            f"the page size given is {given} bytes, but the file has pages of {carried} bytes",
            where=str(path),
            remedy="omit it: the file's holds",
        )


def _count(found: dict[str, Any], key: str, least: int, path: Path, default: int | None = None) -> int:
    value = found.get(key, default)
    if type(value) is not int or value < least:
        raise UserError(
            f"{key} must be a whole number of at least {least} (got {value!r})",
            where=str(path),
            remedy=_REMEDY,
        )
    return value


def _misses(found: dict[str, Any], ratios: list[Any], accesses: int, path: Path) -> int:
    """The misses in every memory, else those that remain in the largest."""
    for key in ("cold_misses", "misses"):
        if key in found:
            return _count(found, key, 0, path)
    last = ratios[-1] if ratios else 1.0
    return round(last * accesses) if isinstance(last, int | float) and 0 <= last <= 1 else accesses


def _tail(found: dict[str, Any], path: Path) -> Tail | None:
    """What `litemrc curve --json` printed of evicted pages."""
    tail = found.get("tail")
    if tail is None:
        return None
    names = {each.name: each.type for each in fields(Tail)}
    if not isinstance(tail, dict) or tail.keys() != names.keys():
        raise UserError(f"tail must have {', '.join(names)}", where=str(path), remedy=_REMEDY)
    for name, value in tail.items():
        if type(value) is not int and (type(value) is not float or names[name] is not float):
            raise UserError(f"{name} of the tail is {value!r}", where=str(path), remedy=_REMEDY)
    try:
        return Tail(**tail)
    except ValueError as error:
        raise UserError(str(error), where=str(path), remedy=_REMEDY) from None


def _name(found: dict[str, Any], path: Path) -> str:
    name = found.get("name")
    if name is None:
        name = path.stem
        match found.get("processes"):
            case [{"comm": comm}]:
                name = comm
    if not isinstance(name, str) or not name:
        raise UserError(f"the name must be a text (got {name!r})", where=str(path), remedy=_REMEDY)
    return name
