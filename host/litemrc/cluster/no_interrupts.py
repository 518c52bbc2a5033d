# SPDX-License-Identifier: BSD-2-Clause
"""Preloaded by the workers of a local cluster: they ignore Ctrl-C, which the terminal sends to all."""

import signal


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C; Dask calls this when the worker has started, in its main thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
