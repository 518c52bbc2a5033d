# SPDX-License-Identifier: BSD-2-Clause
"""Output files: checked before the work begins, and replaced only when complete."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from litemrc.errors import OutputError, UserError

PICTURE_SUFFIXES = (".png", ".svg")


def check_output_path(path: str | Path, suffixes: Sequence[str] = ()) -> Path:
    """Check that a file can be written to a path, before the work that it will hold.

    Parameters
    ----------
    path
        where a file will be written.
    suffixes
        the endings allowed, lower case, with their dot; empty: any.

    Raises
    ------
    UserError
        wrong suffix, no such folder, no permission, or a folder stands there.
    """
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes:
        endings = " or ".join(suffixes)
        raise UserError(
            f"the file name must end in {endings}",
            where=str(path),
            remedy=f"choose a name ending in {endings}",
        )
    try:
        if path.is_dir():
            raise UserError("is a folder", where=str(path), remedy="name a file")
        if not path.parent.is_dir():
            raise UserError("no such folder", where=str(path.parent), remedy=f"mkdir -p {path.parent}")
        path.exists()
    except OSError as error:  # such as a name that is too long
        raise UserError(
            f"cannot write: {error.strerror}", where=str(path), remedy="choose another name"
        ) from error
    if not os.access(path.parent, os.W_OK):
        raise UserError(
            "the folder cannot be written", where=str(path.parent), remedy="choose a folder of your own"
        )
    return path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it over `path` on success, remove it on any failure.

    A link stays a link. Yield `path` itself if it is a device or a pipe, such as /dev/stdout.

    Raises
    ------
    OutputError
        the operating system refused the write (disk full, no permission ...).
    """
    path = Path(path)
    try:
        if _is_written_in_place(path):
            yield path
            return
        path = Path(os.path.realpath(path))
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            yield partial
            # Data before name: after a power failure the path is never an empty file.
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            partial.replace(path)
        finally:
            with suppress(OSError):
                partial.unlink()
    except OSError as error:
        raise OutputError(
            f"cannot write: {error.strerror or error}",
            where=str(path),
            remedy="check that the folder exists, can be written and has room",
        ) from error


def _is_written_in_place(path: Path) -> bool:
    return path.is_relative_to("/dev") or (path.exists() and not path.is_file())
