# SPDX-License-Identifier: BSD-2-Clause
"""64 Dask workers in one process, connected by sockets: how many bytes go between them."""

import litemrc
import numpy as np
from distributed import Client, LocalCluster
from litemrc.cluster.curve import ClusterMeasuring, measure


def moved_by_dask(url: str, workers: int) -> int:
    """Return the bytes that Dask counts as sent while each worker measures a part.

    Raises
    ------
    AssertionError
        the curve is not that of one engine.
    """
    with (
        LocalCluster(
            n_workers=workers,
            memory_limit=0,  # it would count the memory of the whole process against each worker
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        found = measure(client, url, ClusterMeasuring(parts=workers)).curve
        moved = sum(worker.transfer_outgoing_bytes_total for worker in cluster.workers.values())
    assert np.array_equal(found.miss_ratio, litemrc.mrc(url).miss_ratio)
    return moved
