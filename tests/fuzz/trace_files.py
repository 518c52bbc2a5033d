# SPDX-License-Identifier: BSD-2-Clause
"""The target of a trace format: a file of it is read to its end."""

import tempfile
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import islice
from pathlib import Path
from pkgutil import walk_packages

from litemrc.errors import UserError
from litemrc.traces import formats, open_trace

from tests.fuzz.target import Target

# Readers are imported when they are used: too late for their coverage, and in the time of the first input.
for module in walk_packages(formats.__path__, f"{formats.__name__}."):
    import_module(module.name)

_MOST_CHUNKS = 4  # a file may stand for 2^28 references; their number is bounded elsewhere


def trace_target(
    name: str, *seeds: bytes, format: str | None = None, made: Callable[[], Iterable[bytes]] | None = None
) -> Target:
    """Return the target of files of a name, read by their suffix or as a format.

    Parameters
    ----------
    seeds
        well-formed files.
    made
        returns more of them.
    """

    def read(content: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(content)
            with open_trace(path, format) as trace:
                for _ in islice(trace, _MOST_CHUNKS):
                    pass

    def begin() -> Iterable[bytes]:
        return [*seeds, *(made() if made else ())]

    return Target(consume=read, refusals=(UserError,), seeds=begin, seconds=10, megabytes=2048)
