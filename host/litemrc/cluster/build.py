# SPDX-License-Identifier: BSD-2-Clause
"""The LiteMRC of workers: which code computes, and calls that fail with an error where it is missing.

Dask unpickles a task where it receives messages. If that fails, as where a module is missing, the worker
breaks off, and the task waits forever. The task of a call is `pickle.loads` with bytes, which every worker
knows.
"""

import pickle
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client, Future


@cache
def build(*packages: str) -> str:
    """Return the version and a digest of the Python sources of packages, such as 0.1.0+3f2a9c01.

    Two checkouts of a repository have one version, and may compute different things.

    Parameters
    ----------
    packages
        litemrc alone if none is given.
    """
    specs = map(find_spec, packages or ["litemrc"])
    folders = [Path(spec.origin).parent for spec in specs if spec and spec.origin]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return f"{version('litemrc')}+{_digest(files)}"


@cache
def native_build(*cores: str) -> str:
    """Return a digest of the compiled engines; it differs between kinds of processors, too."""
    specs = map(find_spec, cores or ["litemrc.native._core"])
    return _digest([Path(spec.origin) for spec in specs if spec and spec.origin])


def _digest(files: list[Path]) -> str:
    found = blake2b(digest_size=8)
    for file in files:
        content = file.read_bytes()
        name = "/".join(file.parts[-3:])
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()


class _Call:
    """Is pickled as the call of a function: unpickling makes the call and returns its result."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._function, self._arguments


def submit_call(client: "Client", key: str, function: Callable[..., Any], *arguments: Any) -> "Future":
    """Submit the call of a function; its future has ModuleNotFoundError if a worker lacks its module.

    Parameters
    ----------
    key
        of the task, unique; the part before the last - is its name on Dask's dashboard.
    """
    return client.submit(pickle.loads, pickle.dumps(_Call(function, *arguments)), key=key, pure=False)
