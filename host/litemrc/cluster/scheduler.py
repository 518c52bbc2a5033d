# SPDX-License-Identifier: BSD-2-Clause
"""A client of a Dask scheduler: a local cluster of this machine's cores, or the scheduler at an address."""

import asyncio
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.errors import UserError
from litemrc.extras import require

if TYPE_CHECKING:
    from distributed import Client

ANSWER_WITHIN_S = 5.0
"""A scheduler that takes longer to answer is taken for absent."""
_DASHBOARD_PORT = 8787
_LOOPBACK = "127.0.0.1"
_WORKER_BACK_WITHIN = "1 day"
_STARTED_WITHIN_S = 30.0  # a start has taken more than 15 s on a busy machine
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:([^\s/:\[\]]+)|\[([^\s/]+)\]):(\d{1,5})", re.ASCII)
# Ctrl-C in a terminal reaches the workers, too; only this process decides what is finished and saved.
_WORKERS_IGNORE_CTRL_C = ["litemrc.cluster.no_interrupts"]
_INSTALL = "install this version of LiteMRC in the environment of each worker"


def _to_stderr(text: str) -> None:
    print(f"litemrc: note: {text}", file=sys.stderr, flush=True)


@contextmanager
def open_client(
    scheduler: str | None, workers: int | None = None, *, say: Callable[[str], None] = _to_stderr
) -> "Iterator[Client]":
    """Yield a client of a Dask scheduler; at the end it is closed, and the cluster if it is local.

    Parameters
    ----------
    scheduler
        its address, such as tcp://host:8786, or the path of its --scheduler-file, a .json; TLS
        certificates come from Dask's configuration. None: a cluster on this machine, reachable only
        from it.
    workers
        processes of the local cluster, each with one thread; None: one for each core of this
        process.
    say
        receives notes: the link to Dask's dashboard, and that there is no worker yet.

    Raises
    ------
    UserError
        litemrc[cluster] is not installed, no scheduler answers within `ANSWER_WITHIN_S`, or a
        worker has another version of LiteMRC, or none.
    """
    require("cluster")
    if scheduler is None:
        with _local_client(workers) as client:
            say(f"Dask's dashboard: {client.dashboard_link}")
            yield client
        return
    if workers is not None:
        raise UserError(
            "the number of workers applies to a local cluster, but a scheduler is given",
            where="--workers",
            remedy="drop it; start more workers of that scheduler instead",
        )
    with _remote_client(scheduler) as client:
        if link := _dashboard(client):
            say(f"Dask's dashboard: {link}")
        _check_workers(client, say)
        yield client


_WORKERS_A_PROCESSOR, _LEAST_MOST_WORKERS = 4, 32  # each worker is a process of some 100 MB


@contextmanager
def _local_client(workers: int | None) -> "Iterator[Client]":
    import dask
    from distributed import Client, LocalCluster

    count = len(os.sched_getaffinity(0)) if workers is None else workers
    if count < 1:
        raise UserError(f"a cluster needs a worker (got {count})", where="--workers", remedy="give 1 or more")
    most = max(_LEAST_MOST_WORKERS, _WORKERS_A_PROCESSOR * (os.cpu_count() or 1))
    if count > most:
        raise UserError(
            f"{count:,} workers are too many for this machine of {os.cpu_count()} processors",
            where="--workers",
            remedy=f"give at most {most}, or name a cluster with --scheduler",
        )
    with (
        # By default the cluster gives a worker up for good that is not back within 15 s of its death. On a
        # busy machine a start takes longer; all workers were lost, and the work waited forever.
        dask.config.set({"distributed.deploy.lost-worker-timeout": _WORKER_BACK_WITHIN}),
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host=_LOOPBACK,
            dashboard_address=f"{_LOOPBACK}:{_free_port(_DASHBOARD_PORT)}",
            preload=_WORKERS_IGNORE_CTRL_C,
            silence_logs="CRITICAL",  # the caller reports the tasks that fail, and workers that die
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        try:
            yield client
        finally:
            # A worker that died soon after its start, and is started again, cannot be closed: Dask raises
            # AssertionError (2026.8, WorkerProcess.kill).
            with suppress(TimeoutError, OSError):
                client.wait_for_workers(count, timeout=_STARTED_WITHIN_S)


def _free_port(preferred: int) -> int:
    """Return a port if nobody listens there, otherwise 0: any; Dask would warn."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((_LOOPBACK, preferred))
            return preferred
    return 0


@contextmanager
def _remote_client(scheduler: str) -> "Iterator[Client]":
    from distributed import Client

    address = _address(scheduler)
    _check_answer(address)
    try:
        client = Client(address, timeout=f"{ANSWER_WITHIN_S}s", set_as_default=False)
    except (OSError, ImportError, ValueError, TypeError) as error:
        raise _no_scheduler(address, str(error)) from error
    with client:
        yield client


def _address(scheduler: str) -> str:
    """Return the address of a scheduler, which may be in its file."""
    if scheduler.endswith(".json"):
        import json

        try:
            address = json.loads(Path(scheduler).read_text("utf-8"))["address"]
        except OSError as error:
            raise UserError(
                f"cannot read the scheduler's file: {error.strerror}",
                where=scheduler,
                remedy="start it by: dask scheduler --scheduler-file FILE.json, on a shared folder",
            ) from error
        except (ValueError, LookupError, TypeError) as error:
            raise UserError(
                "not a file of `dask scheduler --scheduler-file`",
                where=scheduler,
                remedy="name that file, or give the address",
            ) from error
    else:
        address = scheduler
    match = _ADDRESS.fullmatch(str(address))
    if not match or not 0 < int(match[3]) < 1 << 16:
        raise UserError(
            f"not the address of a scheduler: {address!r}",
            where="--scheduler",
            remedy="give such as tcp://host:8786, which `dask scheduler` prints, or its file",
        )
    try:
        # Dask tries again for the whole time, and then names no reason.
        socket.create_connection((match[1] or match[2], int(match[3])), ANSWER_WITHIN_S).close()
    except OSError as error:
        raise _no_scheduler(str(address), error.strerror or str(error)) from error
    return str(address)


def _check_answer(address: str) -> None:
    """Raise UserError unless a scheduler answers in time; Dask itself waits forever for a silent one."""
    from distributed.core import rpc
    from distributed.security import Security

    async def identity() -> dict[str, Any]:
        arguments = Security().get_connection_args("client")
        async with rpc(address, connection_args=arguments, timeout=ANSWER_WITHIN_S) as scheduler:
            return dict(await scheduler.identity())

    async def in_time() -> dict[str, Any]:
        return await asyncio.wait_for(identity(), ANSWER_WITHIN_S)

    try:
        # In a thread of its own: the caller may be in an event loop, as in a notebook.
        with ThreadPoolExecutor(1) as thread:
            kind = thread.submit(asyncio.run, in_time()).result().get("type")
    except TimeoutError as error:
        raise _no_scheduler(address, f"no answer within {ANSWER_WITHIN_S:g} s") from error
    except Exception as error:  # what a stranger's answer does to Dask's decoder is not documented
        raise _no_scheduler(address, str(error) or type(error).__name__) from error
    if kind != "Scheduler":
        raise _no_scheduler(address, f"a {kind} answers there")


def _no_scheduler(address: str, reason: str) -> UserError:
    return UserError(
        f"no Dask scheduler answers: {reason.strip().splitlines()[0]}",
        where=address,
        remedy="start one by `dask scheduler`, and give the address that it prints",
    )


def _dashboard(client: "Client") -> str | None:
    try:
        return str(client.dashboard_link)
    except LookupError:  # the scheduler has none
        return None


def _check_workers(client: "Client", say: Callable[[str], None]) -> None:
    """Compare the versions of LiteMRC on the workers that there are; later ones are checked by their tasks.

    Raises
    ------
    UserError
        a worker has another version, or none.
    """
    ours = version("litemrc")
    # A function of the standard library: a worker without LiteMRC could not load one of ours.
    found = client.run(version, "litemrc", on_error="return")
    if not found:
        say("the scheduler has no workers yet; the work begins when one joins")
    for worker, theirs in found.items():
        check_version(worker, theirs, ours)


def check_version(worker: str, theirs: str | BaseException, ours: str) -> None:
    """Check a worker's version of LiteMRC, or the error when it was asked for it.

    Raises
    ------
    UserError
        it is another one, or none is installed there.
    """
    if isinstance(theirs, PackageNotFoundError):
        raise UserError("LiteMRC is not installed on a worker", where=worker, remedy=_INSTALL)
    if isinstance(theirs, BaseException):
        raise UserError(f"a worker does not work: {theirs}", where=worker, remedy="look at its log")
    if theirs != ours:
        raise UserError(f"a worker has LiteMRC {theirs}, and this is {ours}", where=worker, remedy=_INSTALL)
