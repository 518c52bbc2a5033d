"""Reads curves from files: epoch tables in Parquet, or JSON with memory sizes and miss ratios."""

import json
from pathlib import Path
from typing import Any

from litemrc.curves.curve import Curve
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError

_PARQUET = b"PAR1"
_WANTED = "accesses", "sizes_pages", "miss_ratio"
_REMEDY = (
    "name a Parquet file of `litemrc collect`, or JSON: what `litemrc mrc --json` or"
    ' `litemrc curve --context C --json` printed, or {"name", "accesses", "sizes_pages", "miss_ratio"}'
)


def read_curves(path: Path) -> list[Curve]:
    """Return all curves in a file: of an epoch table one for each owner with data, of JSON the one.

    A JSON file without a name is called by its process, else by the file's own name; without `page_bytes`,
    its pages have 4096 bytes.

    Raises:
        UserError: no such file, a file of another kind, damaged, without data, or with an impossible curve.
    """
    try:
        with path.open("rb") as file:
            parquet = file.read(len(_PARQUET)) == _PARQUET
        content = b"" if parquet else path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read: {error.strerror}", where=str(path), remedy=_REMEDY) from error
    if not parquet:
        return [_of_json(content, path)]
    from litemrc.epochs.files import read_epochs  # loads pyarrow

    return curves_of(read_epochs(path), str(path))


def curves_of(table: EpochTable, where: str) -> list[Curve]:
    """Return the curve of each owner that has data.

    Parameters:
        where: file or device of the table, for messages.

    Raises:
        UserError: no access was counted, or the sampling changed between epochs.
    """
    if len(table.scales) > 1:
        raise UserError(
            "the sampling changed between epochs: they have no curve in common",
            where=where,
            remedy="choose some by `litemrc curve --epochs A:B --context C --json`, and take what it prints",
        )
    owners = table.owners_with_data
    if not owners:
        raise UserError("no context counted an access", where=where, remedy="collect while a program runs")
    return [table.curve(owner) for owner in owners]


def _of_json(content: bytes, path: Path) -> Curve:
    try:
        found = json.loads(content)
    except json.JSONDecodeError as error:
        what, where = f"neither Parquet nor JSON: {error.msg}", f"{path}:{error.lineno}:{error.colno}"
        raise UserError(what, where=where, remedy=_REMEDY) from None
    except (UnicodeDecodeError, RecursionError):
        raise UserError("neither Parquet nor JSON", where=str(path), remedy=_REMEDY) from None
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
    for key in _WANTED[1:]:
        if not isinstance(found[key], list):
            raise UserError(f"{key} must be a list", where=str(path), remedy=_REMEDY)
    ratios, accesses = found["miss_ratio"], _count(found, "accesses", 0, path)
    try:
        return Curve(
            found["sizes_pages"],
            ratios,
            accesses,
            _misses(found, ratios, accesses, path),
            _count(found, "page_bytes", 1, path) if "page_bytes" in found else PAGE_BYTES,
            _name(found, path),
        )
    except UserError as error:
        where = f"{path}, {error.where}" if error.where.startswith("curve") else error.where
        raise UserError(error.what, where=where or str(path), remedy=error.remedy) from error


def _count(found: dict[str, Any], key: str, least: int, path: Path) -> int:
    value = found[key]
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
