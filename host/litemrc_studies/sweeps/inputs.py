"""The files that a point reads: what tells their contents apart, here and on a worker."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

_PART_BYTES = 1 << 20


@dataclass(frozen=True)
class Input:
    """A file that a point reads.

    Attributes:
        path: absolute.
        size: bytes.
        digest: of the whole file up to 2 MiB, otherwise of its first and last MiB.
        mtime_ns: time of the last change of a larger file, else 0.
    """

    path: str
    size: int
    digest: str
    mtime_ns: int = 0


def input_of(path: str) -> Input | None:
    """Return what a file is now; None: there is no regular file that can be read."""
    try:
        if not os.path.isfile(path):
            return None
        found = os.stat(path)
        digest = _digest(path, found.st_size, found.st_mtime_ns)
    except (OSError, ValueError):
        return None
    large = found.st_size > 2 * _PART_BYTES
    return Input(path, found.st_size, digest, found.st_mtime_ns if large else 0)


def first_difference(inputs: Iterable[Input]) -> str | None:
    """Return why a file of this machine is not the one of the sweep; None: all are, or are not there.

    The time is not compared: copies on other machines may have another. A missing file is the command's
    to report.
    """
    for given in inputs:
        here = input_of(given.path)
        if here and (here.size, here.digest) != (given.size, given.digest):
            return f"{given.path} differs from the file that the sweep was started with"
    return None


@lru_cache(maxsize=4096)
def _digest(path: str, size: int, mtime_ns: int) -> str:
    found = blake2b(digest_size=8)
    with open(path, "rb") as file:
        if size <= 2 * _PART_BYTES:
            found.update(file.read())
        else:
            found.update(file.read(_PART_BYTES))
            file.seek(-_PART_BYTES, os.SEEK_END)
            found.update(file.read())
    return found.hexdigest()
