"""Tasks of functions of LiteMRC that a worker without LiteMRC can receive, and fail with an error.

Dask unpickles a task where it receives messages. If that fails, as where a module is missing, the worker
breaks off, and the task waits forever. The task here is `pickle.loads` with bytes, which every worker knows.
"""

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client, Future


class _Call:
    """Is pickled as the call of a function: unpickling makes the call and returns its result."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._function, self._arguments


def submit_call(client: "Client", key: str, function: Callable[..., Any], *arguments: Any) -> "Future":
    """Submit the call of a function; its future has ModuleNotFoundError if a worker lacks its module.

    Parameters:
        key: of the task, unique; the part before the last - is its name on Dask's dashboard.
    """
    return client.submit(pickle.loads, pickle.dumps(_Call(function, *arguments)), key=key, pure=False)
