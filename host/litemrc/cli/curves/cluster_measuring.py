# SPDX-License-Identifier: BSD-2-Clause
"""Measures the traces of `litemrc mrc` on a Dask cluster, with progress; Ctrl-C keeps the curves so far."""

import argparse
from collections.abc import Generator
from dataclasses import replace

from litemrc.cli.curves.measuring import Measured, Measuring, trace_names
from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import reported
from litemrc.cluster.curve import ClusterMeasuring, measure
from litemrc.cluster.joined_run import JoinedRun
from litemrc.cluster.scheduler import open_client
from litemrc.errors import UserError
from litemrc.native.part_engines import make_part_engine


def measure_on_cluster(how: Measuring, args: argparse.Namespace) -> Measured:
    """Measure a curve for each trace.

    Parameters
    ----------
    args
        those of `add_cluster_arguments`, `traces` and `window`.

    Raises
    ------
    UserError
        windows or contexts, which parts cannot be measured by; or as `open_client` and `measure`.
    KeyboardInterrupt
        before the first reference.
    """
    if args.window:
        raise UserError(
            "a part does not know where its windows begin", where="--window", remedy="omit it, or the cluster"
        )
    if isinstance(how.context, int):
        raise UserError(
            "a part does not know the owner of a page, its first context",
            where="--context",
            remedy="give --context all, or omit the cluster",
        )
    if how.sort is not None or not how.bounded:
        raise UserError(
            "parts are read in the order and within the bounds of their files",
            where="--sort" if how.sort is not None else "--unbounded",
            remedy="omit it, or the cluster",
        )
    make_part_engine(how.engine, **how.parameters)  # before workers are started
    cluster = ClusterMeasuring(
        how.engine,
        dict(how.parameters),
        how.format,
        how.page_size,
        how.columns,
        how.context == "all",
        args.parts,
        args.allow_gaps,
    )
    measured = Measured()
    with open_client(args.scheduler, args.workers, say=note) as client:
        for name, trace in zip(trace_names(args.traces), args.traces, strict=True):
            try:
                found = measure(client, trace, cluster, _shown)
            except KeyboardInterrupt as error:
                measured.stopped = error
                break
            measured.curves.append(replace(found.curve, name=name))
            measured.notes += found.notes
            measured.stopped = found.stopped
            if measured.stopped:
                break
    if measured.stopped and not measured.curves:
        raise measured.stopped
    return measured


def _shown(run: JoinedRun) -> Generator[None, None, None]:
    def state() -> tuple[str, float | None]:
        return f"{run.references:,} references", run.fraction

    return reported(run.wait(), "measuring", state)
