"""Miss ratio curves out of files, whoever wrote them: epoch tables, or JSON with sizes and ratios."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litemrc.epochs.files import read_epochs
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError

_PARQUET = b"PAR1"
_WANTED = "accesses", "sizes_pages", "miss_ratio"
_REMEDY = (
    "name a Parquet file of `litemrc collect`, or JSON: what `litemrc mrc --json` or"
    ' `litemrc curve --context C --json` printed, or {"name", "accesses", "sizes_pages", "miss_ratio"}'
)


@dataclass(frozen=True)
class NamedCurve:
    """A curve from a file, not yet checked.

    Attributes:
        name: of whose curve it is.
        aliases: what else one may call it.
        accesses: that it was measured over.
        sizes_pages, miss_ratio: lists of the same length.
        path: of the file.
    """

    name: str
    aliases: tuple[str, ...]
    accesses: int
    sizes_pages: Sequence[int]
    miss_ratio: Sequence[float]
    path: Path


def read_curves(path: Path) -> list[NamedCurve]:
    """All curves in a file: of an epoch table one for each owner of pages that has data, of JSON the one.

    A JSON file without a name is called by its process, else by the file's own name.

    Raises:
        UserError: no such file, one of another kind, damaged, or without data.
    """
    try:
        with path.open("rb") as file:
            parquet = file.read(len(_PARQUET)) == _PARQUET
        content = b"" if parquet else path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read: {error.strerror}", where=str(path), remedy=_REMEDY) from error
    if parquet:
        return list(_of_table(read_epochs(path), path))
    return [_of_json(content, path)]


def _of_table(table: EpochTable, path: Path) -> Iterator[NamedCurve]:
    if len(table.scales) > 1:
        raise UserError(
            "the sampling changed between epochs: they have no curve in common",
            where=str(path),
            remedy="choose some by `litemrc curve --epochs A:B --context C --json`, and take what it prints",
        )
    owners = table.owners_with_data
    if not owners:
        raise UserError(
            "no context counted an access", where=str(path), remedy="collect while a program runs"
        )
    for owner in owners:
        curve = table.curve(owner)
        aliases = (str(owner.context),)
        if owner.process:
            pid = (str(owner.process.pid),) if owner.process.pid else ()
            aliases = (owner.process.comm, *pid)
        yield NamedCurve(
            table.name_of(owner), aliases, curve.accesses, curve.sizes_pages, curve.miss_ratio, path
        )


def _of_json(content: bytes, path: Path) -> NamedCurve:
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
    accesses = found["accesses"]
    if type(accesses) is not int or accesses < 0:
        raise UserError(f"accesses is no number but {accesses!r}", where=str(path), remedy=_REMEDY)
    for key in _WANTED[1:]:
        if not isinstance(found[key], list):
            raise UserError(f"{key} is no list", where=str(path), remedy=_REMEDY)
    return NamedCurve(_json_name(found, path), (), accesses, found["sizes_pages"], found["miss_ratio"], path)


def _json_name(found: dict[str, Any], path: Path) -> str:
    name = found.get("name")
    if name is None:
        name = path.stem
        match found.get("processes"):
            case [{"comm": comm}]:
                name = comm
    if not isinstance(name, str) or not name:
        raise UserError(f"the name is no text but {name!r}", where=str(path))
    return name
