# SPDX-License-Identifier: BSD-2-Clause
"""Files at paths and at URLs of fsspec (s3://, gs://, http:// ...): whole files, or sections of them."""

import io
import os
import stat
from pathlib import Path
from typing import Any

from litemrc.errors import UserError
from litemrc.extras import require

Place = str | Path

_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "http": "aiohttp",
    "https": "aiohttp",
}


def is_url(place: Place) -> bool:
    """Return whether a place is a URL of fsspec, not a path."""
    return isinstance(place, str) and "://" in place


def filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL or path, and the place within it.

    Raises
    ------
    UserError
        fsspec or the package of the protocol is not installed, or the protocol is unknown.
    """
    require("cluster")
    from fsspec.core import url_to_fs

    try:
        found, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        package = _PACKAGES.get(url.partition("://")[0])
        raise UserError(
            f"cannot read such URLs: {error}",
            where=url,
            remedy=f"run: pip install {package}" if package else "check the URL",
        ) from error
    except Exception as error:  # what each file system raises is not documented
        raise cannot_read(url, error) from error
    return found, path


def cannot_read(place: Place, error: Exception) -> UserError:
    """Return the error for a place that cannot be read."""
    reason = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    if isinstance(error, FileNotFoundError):
        reason = "No such file or directory"
    return UserError(
        f"cannot read: {reason.splitlines()[0]}",
        where=str(place),
        remedy="check the name and its permissions",
    )


class UrlFile(io.RawIOBase):
    """A file of fsspec whose failures, of whatever type, are OSErrors."""

    def __init__(self, url: str) -> None:
        """
        Raises
        ------
        UserError
            it cannot be opened.
        """
        system, path = filesystem(url)
        try:
            self._file = system.open(path, "rb")
            self.size: int | None = self._file.size
        except Exception as error:  # as in `filesystem`
            raise cannot_read(url, error) from error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def tell(self) -> int:
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._file.readinto(buffer))
        except OSError:
            raise
        except Exception as error:  # as in `filesystem`
            raise OSError(str(error) or type(error).__name__) from error

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class FileSection(io.RawIOBase):
    """The bytes `start` to `stop` of a file that can be sought, as a file of its own."""

    def __init__(self, file: io.RawIOBase, start: int, stop: int) -> None:
        self._file, self._start, self._stop = file, start, stop
        self._at = start
        file.seek(start)

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at - self._start

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._stop - self._at)
        done = self._file.readinto(memoryview(buffer)[:wanted]) or 0
        self._at += done
        return done

    def close(self) -> None:
        self._file.close()
        super().close()


def open_raw(place: Place) -> tuple[io.RawIOBase, int | None]:
    """Open a file; return it and its size in bytes, None for a pipe.

    Raises
    ------
    UserError
        it cannot be opened.
    OSError
        a local one cannot.
    """
    if is_url(place):
        file = UrlFile(str(place))
        return file, file.size
    local = io.FileIO(place)
    return local, size_of(local)


def size_of(file: io.FileIO) -> int | None:
    """Return the size of a local file in bytes; None for a pipe."""
    status = os.fstat(file.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None
